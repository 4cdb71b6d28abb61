package sqltype_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

func TestArgsAreTheIDs(t *testing.T) {
	ids := []oid.ID{{1}, {}, {11: 3}}
	if got := sqltype.Args(ids); !slices.Equal(got, []any{ids[0], ids[1], ids[2]}) {
		t.Errorf("Args(%v) = %v", ids, got)
	}
	typed := []oid.For[fmt.Stringer]{{1}}
	if got := sqltype.Args(typed); !slices.Equal(got, []any{typed[0]}) {
		t.Errorf("Args(%v) = %v", typed, got)
	}
	if got := sqltype.Args([]oid.ID(nil)); len(got) != 0 {
		t.Errorf("Args(nil) = %v", got)
	}
}

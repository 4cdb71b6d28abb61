//go:build nightly

package encodings

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestGqlgen(t *testing.T) {
	var b bytes.Buffer
	MarshalObjectID(sample).MarshalGQL(&b)
	if b.String() != `"`+hexText+`"` {
		t.Errorf("wrote %s", b.String())
	}
	if got, err := UnmarshalObjectID(hexText); err != nil || got != sample {
		t.Errorf("read %v, %v", got, err)
	}
	for _, bad := range []any{nil, "", "abc", hexText[1:], 12, json.Number("123456789012"), []any{1}, map[string]any{"$oid": hexText}} {
		if got, err := UnmarshalObjectID(bad); err == nil || !got.IsZero() {
			t.Errorf("took %v for %v", bad, got)
		}
	}
}

//go:build nightly

package encodings

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-playground/validator/v10"
	"github.com/oidkit/oidkit/oid"
)

// TestValidator shows that the validator takes a zero ID for a missing one and
// knows the text of an ID, and that it needs CompareIDs to compare two.
func TestValidator(t *testing.T) {
	type request struct {
		ID   oid.ID         `validate:"required"`
		Ptr  *oid.ID        `validate:"omitempty,required"`
		Text string         `validate:"omitempty,mongodb"`
		For  oid.For[order] `validate:"required"`
		List []oid.ID       `validate:"dive,required"`
		Same oid.ID         `validate:"omitempty,eqfield=ID"`
		Diff oid.ID         `validate:"omitempty,nefield=ID"`
	}
	for _, tt := range []struct {
		want, wantCompared string // the fields that are found wrong, without and with CompareIDs
		change             func(*request)
	}{
		{"", "", func(*request) {}},
		{"", "", func(r *request) { r.Ptr = &sample }},
		{"Text", "Text", func(r *request) { r.Text = strings.ToUpper(hexText) }},
		{"ID", "ID", func(r *request) { r.ID = oid.ID{} }},
		{"Text", "Text", func(r *request) { r.Text = hexText[1:] }},
		{"Text", "Text", func(r *request) { r.Text = hexText[1:] + "g" }},
		{"For", "For", func(r *request) { r.For = oid.For[order]{} }},
		{"List[0]", "List[0]", func(r *request) { r.List = []oid.ID{{}} }},
		{"", "", func(r *request) { r.Same = r.ID }},
		{"", "Same", func(r *request) { r.Same = preset }},
		{"Diff", "Diff", func(r *request) { r.Diff = r.ID }},
		{"Diff", "", func(r *request) { r.Diff = preset }},
	} {
		r := request{ID: sample, Text: hexText, For: oid.For[order](sample), List: []oid.ID{sample}}
		tt.change(&r)
		v := validator.New(validator.WithRequiredStructEnabled())
		if got := wrongFields(t, v, r); got != tt.want {
			t.Errorf("%+v: %q is wrong, want %q", r, got, tt.want)
		}
		v = validator.New(validator.WithRequiredStructEnabled())
		CompareIDs(v)
		if got := wrongFields(t, v, r); got != tt.wantCompared {
			t.Errorf("%+v with CompareIDs: %q is wrong, want %q", r, got, tt.wantCompared)
		}
	}
}

// wrongFields returns the names of the fields that v finds wrong.
func wrongFields(t *testing.T, v *validator.Validate, value any) string {
	t.Helper()
	err := v.Struct(value)
	var wrong validator.ValidationErrors
	if err != nil && !errors.As(err, &wrong) {
		t.Fatal(err)
	}
	var names []string
	for _, field := range wrong {
		names = append(names, field.Field())
	}
	return strings.Join(names, " ")
}

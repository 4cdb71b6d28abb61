package screen

import "testing"

func TestErrorsArePrintable(t *testing.T) {
	t.Setenv("LC_ALL", "C.UTF-8")
	if got, want := Printable("a\nb\tc\vd\u202e…'"), `a`+"\n"+`b\tc\vd\u202e…'`; got != want {
		t.Errorf("printable: %q, want %q", got, want)
	}
	t.Setenv("LC_ALL", "C")
	if got, want := Printable("é…"), "é..."; got != want {
		t.Errorf("printable in ASCII: %q, want %q", got, want)
	}
}

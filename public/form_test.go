package public_test

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/public"
)

var sample = oid.MustParse("65b3f7a2c1d4e5f6a7b8c9d0")

func prefixed(prefix string) *public.Form { return public.Must(public.Prefixed(prefix)) }

// problem returns the Problem of an error, which must be a SyntaxError.
func problem(t testing.TB, err error) string {
	t.Helper()
	var syntax *oid.SyntaxError
	if !errors.As(err, &syntax) || !errors.Is(err, oid.ErrSyntax) {
		t.Fatalf("%v is not a SyntaxError", err)
	}
	return syntax.Problem
}

// refuses fails the test if f reads text.
func refuses(t testing.TB, f *public.Form, text string) {
	t.Helper()
	if id, err := f.Parse(text); err == nil || !id.IsZero() {
		t.Errorf("Parse(%q) = %v, %v, want an error", text, id, err)
	} else {
		problem(t, err)
	}
}

// random returns n IDs that are the same in every run.
func random(n int) []oid.ID {
	source, ids := rand.NewChaCha8([32]byte{'p'}), make([]oid.ID, n)
	for i := range ids {
		source.Read(ids[i][:])
	}
	return ids
}

func TestPrefixedIsATypeID(t *testing.T) {
	for _, tt := range []struct{ prefix, want string }{
		{"ord", "ord_01hn3fym6gfges75ytkvhjegrx"},
		{"", "01hn3fym6gfges75ytkvhjegrx"},
		{"a__b", "a__b_01hn3fym6gfges75ytkvhjegrx"},
	} {
		f := prefixed(tt.prefix)
		if got := f.Text(sample); got != tt.want {
			t.Errorf("%s: Text = %s, want %s", tt.prefix, got, tt.want)
		}
		if got, err := f.Parse(tt.want); got != sample || err != nil {
			t.Errorf("Parse(%s) = %v, %v", tt.want, got, err)
		}
	}
	f := prefixed("ord")
	for _, id := range random(10_000) {
		text := f.Text(id)
		if want := slowPrefixed("ord", id); text != want {
			t.Fatalf("Text(%v) = %s, want %s", id, text, want)
		}
		if got, err := f.Parse(text); got != id || err != nil {
			t.Fatalf("Parse(%s) = %v, %v, want %v", text, got, err, id)
		}
	}
}

// The specification's valid vectors are refused too, because no UUID of them was made from
// an ID.
func TestVectorsOfTheTypeIDSpecification(t *testing.T) {
	file, err := os.Open("testdata/typeid.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	counts := map[string]int{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var kind, name, text string
		if _, err := fmt.Sscanf(lines.Text(), "%s %s %q", &kind, &name, &text); err != nil {
			continue // a comment
		}
		counts[kind]++
		prefix, _ := splitLast(text)
		f, err := public.Prefixed(prefix)
		if err != nil {
			if kind == "valid" {
				t.Errorf("%s: %v", name, err)
			}
			f = prefixed("prefix")
		}
		refuses(t, f, text)
		refuses(t, prefixed(""), text)
		if _, err := f.Parse(text); kind == "valid" && problem(t, err) != "no such ID" {
			t.Errorf("%s: %v, want no such ID", name, err)
		}
	}
	if counts["valid"] != 9 || counts["invalid"] != 19 {
		t.Errorf("%v vectors, want 9 valid and 19 invalid", counts)
	}
}

// splitLast cuts a TypeID at its last underscore.
func splitLast(text string) (prefix, digits string) {
	i := strings.LastIndexByte(text, '_')
	return text[:max(i, 0)], text[i+1:]
}

func TestPrefixedKeepsTheOrder(t *testing.T) {
	ids := random(10_000)
	slices.SortFunc(ids, oid.ID.Compare)
	f := prefixed("ord")
	for i, id := range ids[1:] {
		if f.Text(ids[i]) >= f.Text(id) {
			t.Fatalf("the text of %v is not less than that of %v", ids[i], id)
		}
	}
}

func TestPrefixes(t *testing.T) {
	key := key(1)
	for _, prefix := range []string{"a", "ord", "a_b", "a__b", strings.Repeat("x", 63)} {
		for _, f := range []*public.Form{prefixed(prefix), sealed(prefix, key)} {
			if text := f.Text(sample); !strings.HasPrefix(text, prefix+"_") || len(text) != len(prefix)+27 {
				t.Errorf("%s: Text = %s", prefix, text)
			}
		}
	}
	for _, prefix := range []string{
		"_", "_a", "a_", "A", "Ord", "ord1", "o1d", "1ord", "a-b", "a b", "ord\n", "\nord", "ör", "ſ", "a.b", "a\x00", strings.Repeat("x", 64), "a\xff",
	} {
		for name, err := range map[string]error{
			"Prefixed": func() error { _, err := public.Prefixed(prefix); return err }(),
			"Sealed":   func() error { _, err := public.Sealed(prefix, key); return err }(),
		} {
			want := fmt.Sprintf("public.%s(%.32q): want a prefix of at most 63 lower-case letters and underscores, with a letter at each end", name, prefix)
			if err == nil || err.Error() != want {
				t.Errorf("%s(%q): %v, want %s", name, prefix, err, want)
			}
		}
	}
}

// A service that forgot to make its form must not show plain IDs.
func TestNoFormShowsNothing(t *testing.T) {
	var zero public.Form
	for name, f := range map[string]*public.Form{"nil": nil, "zero": &zero} {
		const want = "public.Form: the form is nil or zero: make it with public.Sealed or public.Prefixed"
		if got := f.Text(sample); got != "" {
			t.Errorf("%s: Text = %q", name, got)
		}
		if got, err := f.AppendText([]byte("x"), sample); string(got) != "x" || err == nil || err.Error() != want {
			t.Errorf("%s: AppendText = %q, %v", name, got, err)
		}
		if _, err := f.AppendText(nil, oid.ID{}); err == nil {
			t.Errorf("%s: AppendText of the zero ID is no error", name)
		}
		for _, text := range []string{"", "_", prefixed("").Text(sample), "_" + prefixed("").Text(sample), sample.Hex()} {
			// Not a SyntaxError: the fault is not the client's.
			if id, err := f.Parse(text); err == nil || !id.IsZero() || err.Error() != want || errors.Is(err, oid.ErrSyntax) {
				t.Errorf("%s: Parse(%q) = %v, %v", name, text, id, err)
			}
		}
		if got := f.Pattern(); got != "^$" {
			t.Errorf("%s: Pattern = %s", name, got)
		}
	}
}

func TestCopyOfAFormIsTheSameForm(t *testing.T) {
	for _, f := range []*public.Form{prefixed("ord"), sealed("ord", key(1), key(2))} {
		copied := *f
		if got, want := copied.Text(sample), f.Text(sample); got != want {
			t.Errorf("the copy writes %s, want %s", got, want)
		}
		if got, err := copied.Parse(f.Text(sample)); got != sample || err != nil {
			t.Errorf("the copy reads %v, %v", got, err)
		}
	}
}

func TestMust(t *testing.T) {
	f, err := public.Prefixed("ord")
	if public.Must(f, err) != f {
		t.Error("Must returns another form")
	}
	_, err = public.Prefixed("Ord")
	defer func() {
		if got := recover(); got != err {
			t.Errorf("Must panics with %v, want %v", got, err)
		}
	}()
	public.Must(nil, err)
}

func TestAppendTextKeepsWhatIsThere(t *testing.T) {
	for _, f := range []*public.Form{prefixed("ord"), sealed("ord", key(1))} {
		for _, b := range [][]byte{nil, []byte("x"), make([]byte, 3, 100)} {
			got, err := f.AppendText(b, sample)
			if want := string(b) + f.Text(sample); string(got) != want || err != nil {
				t.Errorf("AppendText(%q) = %q, %v, want %q", b, got, err, want)
			}
		}
	}
}

func TestZeroIDIsNoText(t *testing.T) {
	for name, f := range map[string]*public.Form{"prefixed": prefixed("ord"), "sealed": sealed("ord", key(1))} {
		if got := f.Text(oid.ID{}); got != "" {
			t.Errorf("%s: Text of the zero ID = %q", name, got)
		}
		if got, err := f.AppendText([]byte("x"), oid.ID{}); string(got) != "x" || err != nil {
			t.Errorf("%s: AppendText of the zero ID = %q, %v", name, got, err)
		}
		refuses(t, f, "")
	}
	// The texts that the zero ID would have.
	refuses(t, prefixed("ord"), slowPrefixed("ord", oid.ID{}))
	refuses(t, sealed("ord", key(1)), slowSeal(t, "ord", key(1), [16]byte{}))
}

func TestProblems(t *testing.T) {
	for name, f := range map[string]*public.Form{"prefixed": prefixed("ord"), "sealed": sealed("ord", key(1))} {
		text := f.Text(sample)
		other := public.Must(public.Sealed("ord", key(9))).Text(sample)
		for _, tt := range []struct{ in, want string }{
			{"", "want an ID that starts with ord_"},
			{"ord", "want an ID that starts with ord_"},
			{"usr" + text[3:], "want an ID that starts with ord_"},
			{"ORD" + text[3:], "want an ID that starts with ord_"},
			{" " + text, "want an ID that starts with ord_"},
			{sample.Hex(), "want an ID that starts with ord_"},
			{"ord_", "length 4, want 30"},
			{text[:29], "length 29, want 30"},
			{text + "0", "length 31, want 30"},
			{text + "\n", "length 31, want 30"},
			{"ord_8" + text[5:], "no such ID"},
			{"ord_z" + text[5:], "no such ID"},
			{text[:29] + "i", "no such ID"},
			{text[:29] + "\n", "no such ID"},
			{text[:29] + "\xff", "no such ID"},
			{text[:4] + strings.ToUpper(text[4:]), "no such ID"},
			{other, "no such ID"},
			{"ord_00000000000000000000000000", "no such ID"},
			{"ord_7zzzzzzzzzzzzzzzzzzzzzzzzz", "no such ID"},
		} {
			_, err := f.Parse(tt.in)
			if got := problem(t, err); got != tt.want {
				t.Errorf("%s: Parse(%q): %s, want %s", name, tt.in, got, tt.want)
			}
			if want := fmt.Sprintf("public.Form.Parse(%q): %s", tt.in, tt.want); err.Error() != want {
				t.Errorf("Parse: %v, want %s", err, want)
			}
		}
	}
	_, err := prefixed("").Parse("12345")
	if got, want := err.Error(), `public.Form.Parse("12345"): length 5, want 26`; got != want {
		t.Errorf("Parse: %s, want %s", got, want)
	}
}

func TestErrorsShowAtMost32Bytes(t *testing.T) {
	long := "ord_" + strings.Repeat("x", 28) + "SECRET" + strings.Repeat("x", 1<<20)
	_, err := sealed("ord", key(1)).Parse(long)
	want := `public.Form.Parse("ord_` + strings.Repeat("x", 28) + `"…): length 1048614, want 30`
	if err == nil || err.Error() != want {
		t.Errorf("Parse: %.200v, want %s", err, want)
	}
	_, err = public.Prefixed(strings.Repeat("x", 1<<20))
	if err == nil || len(err.Error()) > 200 {
		t.Errorf("Prefixed: %.300v", err)
	}
}

func TestPattern(t *testing.T) {
	for _, tt := range []struct {
		f    *public.Form
		want string
	}{
		{prefixed("ord"), "^ord_[0-7][0-9a-hjkmnp-tv-z]{25}$"},
		{prefixed(""), "^[0-7][0-9a-hjkmnp-tv-z]{25}$"},
		{sealed("a__b", key(1)), "^a__b_[0-7][0-9a-hjkmnp-tv-z]{25}$"},
	} {
		got := tt.f.Pattern()
		if got != tt.want {
			t.Errorf("Pattern = %s, want %s", got, tt.want)
		}
		re := regexp.MustCompile(got)
		text := tt.f.Text(sample)
		for in, want := range map[string]bool{
			text: true, "": false, text + "0": false, "x" + text: false, sample.Hex(): false, strings.ToUpper(text): false, text[:len(text)-1] + "l": false,
		} {
			if re.MatchString(in) != want {
				t.Errorf("%s matches %q: %v, want %v", got, in, !want, want)
			}
		}
		for _, id := range random(1000) {
			if text := tt.f.Text(id); !re.MatchString(text) {
				t.Fatalf("%s doesn't match %s", got, text)
			}
		}
	}
}

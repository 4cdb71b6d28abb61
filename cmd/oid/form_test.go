package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"

	"github.com/oidkit/oidkit/oid"
)

// The xid is the one that rs/xid's own documents show.
func TestFormsOfOneID(t *testing.T) {
	id := oid.MustParse("4d88e15b60f486e428412dc9")
	for _, test := range []struct{ form, want string }{
		{"hex", "4d88e15b60f486e428412dc9"},
		{"upper", "4D88E15B60F486E428412DC9"},
		{"xid", "9m4e2mr0ui3e8a215n4g"},
		{"base64", "TYjhW2D0huQoQS3J"},
		{"base64url", "TYjhW2D0huQoQS3J"},
		{"bytes", "\x4d\x88\xe1\x5b\x60\xf4\x86\xe4\x28\x41\x2d\xc9"},
		{"mongosh", `ObjectId("4d88e15b60f486e428412dc9")`},
		{"extjson", `{"$oid":"4d88e15b60f486e428412dc9"}`},
		{"postgres", `'\x4d88e15b60f486e428412dc9'`},
		{"mysql", `x'4d88e15b60f486e428412dc9'`},
		{"sqlite", `x'4d88e15b60f486e428412dc9'`},
		{"go", `oid.MustParse("4d88e15b60f486e428412dc9")`},
	} {
		if got := formNamed(test.form).text(id); got != test.want {
			t.Errorf("%s: %q, want %q", test.form, got, test.want)
		}
	}
	if got := formNamed("base64").text(oid.ID{0xff, 0xef, 0xbe}); got != "/+++AAAAAAAAAAAA" {
		t.Errorf("base64: %s", got)
	}
	if got := formNamed("base64url").text(oid.ID{0xff, 0xef, 0xbe}); got != "_---AAAAAAAAAAAA" {
		t.Errorf("base64url: %s", got)
	}
}

// Each form but raw bytes is read back, on its own and in the middle of a text.
func TestFormsAreReadBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	ids := []oid.ID{{}, greatest}
	for range 1000 {
		var id oid.ID
		for i := range id {
			id[i] = byte(random.Uint32())
		}
		ids = append(ids, id)
	}
	for _, f := range forms {
		for _, id := range ids {
			text := f.text(id)
			want := []oid.ID{id}
			if f.readable() {
				if len(text) != f.size {
					t.Fatalf("%s of %s: %d bytes, want %d", f.name, id, len(text), f.size)
				}
			} else if got, err := findID(text, nil); err != nil || got != id {
				t.Fatalf("%s: read %s, %v; want %s", text, got, err, id)
			}
			if f.raw() || !f.readable() {
				continue
			}
			if got, err := findID(text, f); err != nil || got != id {
				t.Fatalf("%s %q: read %s, %v; want %s", f.name, text, got, err, id)
			}
			var got []oid.ID
			err := scan(iotest.HalfReader(strings.NewReader(`{"a": "`+text+`"}`+"\r\n")), f, func(id oid.ID) error { got = append(got, id); return nil }, func() {})
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%s %q in a text: %s, %v; want %s", f.name, text, got, err, want)
			}
		}
	}
}

// Only what can't be another thing is read without --input.
func TestFormsThatAreSure(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"9m4e2mr0ui3e8a215n4g", "4d88e15b60f486e428412dc9"},
		{"019ca67a-ed80-7000-8000-00000000031d", "69a373700000000000000000"},
		{"019CA67A-ED80-7000-8000-00000000031D", "69a373700000000000000000"},
	} {
		if got, err := findID(test.in, nil); err != nil || got.Hex() != test.want {
			t.Errorf("%s: %s, %v; want %s", test.in, got, err, test.want)
		}
	}
	for _, test := range []struct{ in, want string }{
		{"65b3f7a20123456789a0", "length 20, want 24 hex digits"}, // an xid too, but for sure an ID that was cut
		{"9m4e2mr0ui3e8a215n4h", "length 20, want 24 hex digits"}, // bits left over
		{"9M4E2MR0UI3E8A215N4G", "length 20, want 24 hex digits"},
		{"TYjhW2D0huQoQS3J", "length 16, want 24 hex digits (--input base64 reads base64)"},
		{"019ca67a0ed80-7000-8000-00000000031d", "length 36, want 24 hex digits"},
		{"019ca67a-ed8007000-8000-00000000031d", "length 36, want 24 hex digits"},
		{"019ca67a-ed80-700008000-00000000031d", "length 36, want 24 hex digits"},
		{"019ca67a-ed80-7000-8000000000000031d", "length 36, want 24 hex digits"},
		{"018f3a5c-1b2d-7e4f-8a6b-9c0d1e2f3a4b", "a UUID that doesn't hold an ID"},
		{"123e4567-e89b-12d3-a456-426614174000", "a UUID that doesn't hold an ID"},
	} {
		want := quote(test.in) + " is not an ID: " + test.want
		if id, err := findID(test.in, nil); err == nil || err.Error() != want {
			t.Errorf("%s: %s, %v; want %s", test.in, id, err, want)
		}
	}
	for form, ins := range map[string][]string{
		"xid":    {"", "9m4e2mr0ui3e8a215n4", "9m4e2mr0ui3e8a215n4gg", "9m4e2mr0ui3e8a215n4w", "9m4e2mr0ui3e8a215n4h", "4d88e15b60f486e428412dc9"},
		"base64": {"", "TYjhW2D0huQoQS3", "TYjhW2D0huQoQS3J=", "TYjhW2D0\nhuQoQS3J", "TYjhW2D0huQoQS3JAA"},
		"uuid":   {"", "019ca67aed8070008000000000000311", "69a373700000000000000000", "019ca67a-ed80-7000-8000-00000000031e", "019ca67a-ed81-7000-8000-00000000031d"},
		"hex":    {"", "9m4e2mr0ui3e8a215n4g", ` 65b3f7a20123456789abcdef`},
	} {
		for _, in := range ins {
			if id, err := findID(in, formNamed(form)); err == nil {
				t.Errorf("%q was read as the %s of %s", in, form, id)
			}
		}
	}
}

// plainScan finds the hex IDs of a text that has no backslash and no 0x.
func plainScan(text string) (ids []oid.ID) {
	words := strings.FieldsFunc(text, func(r rune) bool { return r < 0x80 && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, word := range words {
		if id, err := oid.Parse(word); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// The scanner finds the same IDs however its input is cut, and whichever a plain
// search finds.
func FuzzScan(f *testing.F) {
	const a = "65b3f7a20123456789abcdef"
	for _, s := range []string{a, `\x` + a, "0x" + a, `{"$oid":"` + a + `"}`, a + a, "x" + a, "é" + a + ",\n" + a, `\n\t` + a, "00x" + a, `\\x` + a, `0x0x` + a,
		"9m4e2mr0ui3e8a215n4g", "019ca67a-ed80-7000-8000-00000000031d", "TYjhW2D0huQoQS3J"} {
		f.Add(s, uint8(5))
	}
	f.Fuzz(func(t *testing.T, text string, cut uint8) {
		for _, form := range forms {
			if !form.readable() || form.raw() {
				continue
			}
			var whole, parts []oid.ID
			s := scanner{form: form}
			add := func(to *[]oid.ID) func(oid.ID) error {
				return func(id oid.ID) error { *to = append(*to, id); return nil }
			}
			s.write([]byte(text), add(&whole))
			s.end(add(&whole))
			s = scanner{form: form}
			for rest := []byte(text); len(rest) > 0; {
				n := min(int(cut)+1, len(rest))
				s.write(rest[:n], add(&parts))
				rest = rest[n:]
			}
			s.end(add(&parts))
			if !slices.Equal(whole, parts) {
				t.Errorf("%s: %s at once, %s in parts of %d bytes", form.name, whole, parts, int(cut)+1)
			}
			if form.name == "hex" && !strings.Contains(text, `\`) && !strings.Contains(text, "0x") {
				if want := plainScan(text); !slices.Equal(whole, want) {
					t.Errorf("found %s, want %s", whole, want)
				}
			}
			for _, id := range whole {
				if !strings.Contains(strings.ToLower(text), strings.ToLower(form.text(id))) && !strings.HasPrefix(form.name, "base64") {
					t.Errorf("%s: found %s, which is not there", form.name, id)
				}
			}
		}
	})
}

// Whatever is typed is one ID or an error of one printable line.
func FuzzFindID(f *testing.F) {
	for _, s := range []string{"", "65b3f7a20123456789abcdef", `ObjectId("65b3f7a20123456789abcdef")`, "9m4e2mr0ui3e8a215n4g", "\x1b[31m", "é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := findID(s, nil)
		if err != nil {
			if text := printable(err.Error()); strings.ContainsAny(text, "\n\x1b\x07") || id != (oid.ID{}) {
				t.Errorf("%q: %s with the error %s", s, id, text)
			}
			return
		}
		if again, err := findID(id.Hex(), nil); err != nil || again != id {
			t.Errorf("%q: %s, then %s, %v", s, id, again, err)
		}
	})
}

// The error of a user's function ends the scan, and no more than the rest of a part is read.
func TestScansEndAtTheFirstError(t *testing.T) {
	id := oid.MustParse("65b3f7a20123456789abcdef")
	full := errors.New("disk full")
	for _, form := range []string{"hex", "bytes"} {
		f := formNamed(form)
		endless := iotest.ErrReader(errors.New("read on"))
		for name, text := range map[string]string{"between IDs": f.text(id) + " " + f.text(id), "at the end": f.text(id)} {
			n := 0
			in := io.Reader(strings.NewReader(text))
			if name == "between IDs" {
				in = io.MultiReader(strings.NewReader(text[:len(f.text(id))+1]), endless)
				if form == "bytes" {
					in = strings.NewReader(f.text(id) + f.text(id))
				}
			}
			err := scan(in, f, func(oid.ID) error { n++; return full }, func() {})
			if err != full || n != 1 {
				t.Errorf("%s, %s: %v after %d IDs, want %v after 1", form, name, err, n, full)
			}
		}
	}
}

// The IDs of a long input are all there and in order, and ticks tell of the progress.
func TestScansOfLongInputs(t *testing.T) {
	const n = 6000
	for _, f := range forms {
		if !f.readable() {
			continue
		}
		var text []byte
		for i := range n {
			text = f.append(text, oid.ID{11: byte(i), 10: byte(i >> 8), 9: byte(i >> 16)})
			if !f.raw() {
				text = append(text, '\n')
			}
		}
		next, ticks := 0, 0
		err := scan(bytes.NewReader(text), f, func(id oid.ID) error {
			if got := int(id[9])<<16 | int(id[10])<<8 | int(id[11]); got != next {
				return fmt.Errorf("%s after %d IDs", id, next)
			}
			next++
			return nil
		}, func() { ticks++ })
		if err != nil || next != n || ticks < len(text)>>16 {
			t.Errorf("%s: %d IDs, %d ticks, %v", f.name, next, ticks, err)
		}
		unplugged := errors.New("unplugged")
		err = scan(io.MultiReader(bytes.NewReader(text), iotest.ErrReader(unplugged)), f, func(oid.ID) error { return nil }, func() {})
		if err != unplugged {
			t.Errorf("%s: %v, want %v", f.name, err, unplugged)
		}
	}
}

func TestRawBytesEndAtAWholeID(t *testing.T) {
	id := oid.MustParse("4d88e15b60f486e428412dc9")
	for n := range 3 * idSize {
		text := strings.Repeat(string(id[:]), 3)[:n]
		var got int
		err := scan(iotest.OneByteReader(strings.NewReader(text)), formNamed("bytes"), func(found oid.ID) error {
			got++
			if found != id {
				t.Errorf("found %s", found)
			}
			return nil
		}, func() {})
		want := ""
		if left := n % idSize; left > 0 {
			want = fmt.Sprintf("the input ends within an ID: %s of 12", plural(float64(left), "byte", "bytes"))
		}
		if got != n/idSize || (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%d bytes: %d IDs, %v; want %d, %s", n, got, err, n/idSize, want)
		}
	}
}

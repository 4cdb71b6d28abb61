package ids

import (
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/oidkit/oidkit/cmd/oid/internal/format"
	"github.com/oidkit/oidkit/cmd/oid/internal/screen"
	"github.com/oidkit/oidkit/oid"
)

// found returns the IDs that a scanner finds in text, and where they end, if it comes in
// parts of some size. Ends count from the start of text.
func found(t testing.TB, f *Form, text string, size int) (ids []oid.ID, ends []int) {
	t.Helper()
	done := 0
	s := Scanner{Form: f, Found: func(id oid.ID, end int) {
		ids, ends = append(ids, id), append(ends, done+end)
	}}
	last := 0
	for part := range slices.Chunk([]byte(text), size) {
		if n, err := s.Write(part); n != len(part) || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
		done, last = done+len(part), len(part)
	}
	done -= last
	s.End(last)
	return ids, ends
}

// The xid is the one that rs/xid's own documents show.
func TestFormsOfOneID(t *testing.T) {
	id := oid.MustParse("4d88e15b60f486e428412dc9")
	for _, test := range []struct{ form, want string }{
		{"hex", "4d88e15b60f486e428412dc9"},
		{"upper", "4D88E15B60F486E428412DC9"},
		{"xid", "9m4e2mr0ui3e8a215n4g"},
		{"base64", "TYjhW2D0huQoQS3J"},
		{"base64url", "TYjhW2D0huQoQS3J"},
		{"mongosh", `ObjectId("4d88e15b60f486e428412dc9")`},
		{"extjson", `{"$oid":"4d88e15b60f486e428412dc9"}`},
		{"postgres", `'\x4d88e15b60f486e428412dc9'`},
		{"mysql", `x'4d88e15b60f486e428412dc9'`},
		{"sqlite", `x'4d88e15b60f486e428412dc9'`},
		{"go", `oid.MustParse("4d88e15b60f486e428412dc9")`},
	} {
		if got := Named(test.form).Text(id); got != test.want {
			t.Errorf("%s: %q, want %q", test.form, got, test.want)
		}
	}
	if got := Named("base64").Text(oid.ID{0xff, 0xef, 0xbe}); got != "/+++AAAAAAAAAAAA" {
		t.Errorf("base64: %s", got)
	}
	if got := Named("base64url").Text(oid.ID{0xff, 0xef, 0xbe}); got != "_---AAAAAAAAAAAA" {
		t.Errorf("base64url: %s", got)
	}
}

// Each form but raw bytes is read back, on its own and in the middle of a text.
func TestFormsAreReadBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	ids := []oid.ID{{}, oid.MaxAt(time.Unix(math.MaxUint32, 0))}
	for range 1000 {
		var id oid.ID
		for i := range id {
			id[i] = byte(random.Uint32())
		}
		ids = append(ids, id)
	}
	for _, f := range Forms {
		for _, id := range ids {
			text := f.Text(id)
			want := []oid.ID{id}
			if f.Size > 0 {
				if len(text) != f.Size {
					t.Fatalf("%s of %s: %d bytes, want %d", f.Name, id, len(text), f.Size)
				}
			} else if got, err := Find(text, nil); err != nil || got != id {
				t.Fatalf("%s: read %s, %v; want %s", text, got, err, id)
			}
			if f.Size == 0 {
				continue
			}
			if got, err := Find(text, f); err != nil || got != id {
				t.Fatalf("%s %q: read %s, %v; want %s", f.Name, text, got, err, id)
			}
			before := `{"a": "`
			got, ends := found(t, f, before+text+`"}`+"\r\n", 7)
			if !slices.Equal(got, want) || (before + text)[ends[0]-f.Size:] != text {
				t.Fatalf("%s %q in a text: %s up to %d; want %s", f.Name, text, got, ends, want)
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
		if got, err := Find(test.in, nil); err != nil || got.Hex() != test.want {
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
		{"018f3a5c-1b2d-7e4f-8a6b-9c0d1e2f3a4b", "the UUID was not made from an ID"},
		{"123e4567-e89b-12d3-a456-426614174000", "the UUID was not made from an ID"},
	} {
		want := format.Quote(test.in) + " is not an ID: " + test.want
		if id, err := Find(test.in, nil); err == nil || err.Error() != want {
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
			if id, err := Find(in, Named(form)); err == nil {
				t.Errorf("%q was read as the %s of %s", in, form, id)
			}
		}
	}
}

// escaped matches an ID after the % of a URL's escape, such as %3D, or %253D, which was
// escaped twice.
var escaped = regexp.MustCompile("^(?:25)?[0-9A-Fa-f]{2}([0-9A-Fa-f]{24})$")

// plainScan finds the hex IDs of a text that has no backslash and no 0x.
func plainScan(text string) (ids []oid.ID) {
	words := strings.FieldsFunc(text, func(r rune) bool { return r < 0x80 && r != '%' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, word := range words {
		for i, piece := range strings.Split(word, "%") {
			if m := escaped.FindStringSubmatch(piece); i > 0 && m != nil {
				piece = m[1]
			}
			if id, err := oid.Parse(piece); err == nil {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// The scanner finds the same IDs however its input is cut, and whichever a plain
// search finds.
func FuzzScan(f *testing.F) {
	const a = "65b3f7a20123456789abcdef"
	for _, s := range []string{a, `\x` + a, "0x" + a, `{"$oid":"` + a + `"}`, a + a, "x" + a, "é" + a + ",\n" + a, "%3d" + a, "%253D" + a, "%é" + a, "%zz" + a, `\n\t` + a, "00x" + a, `\\x` + a, `0x0x` + a,
		"9m4e2mr0ui3e8a215n4g", "019ca67a-ed80-7000-8000-00000000031d", "TYjhW2D0huQoQS3J"} {
		f.Add(s, uint8(5))
	}
	f.Fuzz(func(t *testing.T, text string, cut uint8) {
		for _, form := range Forms {
			if form.Size == 0 {
				continue
			}
			whole, _ := found(t, form, text, len(text)+1)
			parts, _ := found(t, form, text, int(cut)+1)
			if !slices.Equal(whole, parts) {
				t.Errorf("%s: %s at once, %s in parts of %d bytes", form.Name, whole, parts, int(cut)+1)
			}
			if form.Name == "hex" && !strings.Contains(text, `\`) && !strings.Contains(text, "0x") {
				if want := plainScan(text); !slices.Equal(whole, want) {
					t.Errorf("found %s, want %s", whole, want)
				}
			}
			for _, id := range whole {
				if !strings.Contains(strings.ToLower(text), strings.ToLower(form.Text(id))) && !strings.HasPrefix(form.Name, "base64") {
					t.Errorf("%s: found %s, which is not there", form.Name, id)
				}
			}
		}
	})
}

// Whatever is typed is one ID or an error of one printable line.
func FuzzFind(f *testing.F) {
	for _, s := range []string{"", "65b3f7a20123456789abcdef", `ObjectId("65b3f7a20123456789abcdef")`, "9m4e2mr0ui3e8a215n4g", "\x1b[31m", "é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := Find(s, nil)
		if err != nil {
			if text := screen.Printable(err.Error()); strings.ContainsAny(text, "\n\x1b\x07") || id != (oid.ID{}) {
				t.Errorf("%q: %s with the error %s", s, id, text)
			}
			return
		}
		if again, err := Find(id.Hex(), nil); err != nil || again != id {
			t.Errorf("%q: %s, then %s, %v", s, id, again, err)
		}
	})
}

// A scanner knows whether a line held several IDs.
func TestCrowdedLinesAreNoticed(t *testing.T) {
	const id = "65b3f7a20123456789abcdef"
	for text, want := range map[string]bool{
		"": false, id: false, id + "\n" + id + "\n\n" + id: false, id + " " + id: true, id + "\n" + id + "," + id + "\n": true, id + "\r" + id: true,
	} {
		for size := range 30 {
			s := Scanner{Form: Hex, Found: func(oid.ID, int) {}}
			for part := range slices.Chunk([]byte(text), size+1) {
				s.Write(part)
			}
			s.End(0)
			if s.Crowded != want {
				t.Errorf("%q in parts of %d bytes: %v, want %v", text, size+1, s.Crowded, want)
			}
		}
	}
}

func TestScanFindsIDsInAnyText(t *testing.T) {
	const a, b = "65b3f7a20123456789abcdef", "65B3F7A20123456789ABCDEF"
	for _, test := range []struct {
		in   string
		want int
	}{
		{"", 0},
		{a, 1},
		{a + "\n" + b + "\r\n", 2},
		{a + "," + b + ";" + a + "|" + b + "\t" + a + "_" + b, 6},
		{`{"_id":{"$oid":"` + a + `"},"ref":ObjectId('` + b + `')}`, 2},
		{`\x` + a + ` 0x` + b + ` x'` + a + `' 0X`, 3},
		{`"one\n` + a + `\ttwo"`, 1},
		{"/orders/" + a + "?after=" + b, 2},
		{strings.Repeat("-", 100_000) + a, 1},
		{"é " + a, 1},

		{a[1:], 0},
		{a + "0", 0},
		{"0" + a, 0},
		{"g" + a, 0},
		{a + "x", 0},
		{"é" + a, 0},
		{a + "é", 0},
		{`\` + a, 1}, // of a path
		{"`" + a + "`, [" + a + "], {" + a + "}, @" + a + ", id:" + a + ", \x7f" + a, 6},
		{"z" + a, 0},
		{a + "Z", 0},
		{"A" + a, 0},
		{"Ѐ" + a, 0}, // ends with the byte 0x80
		{"0g" + a, 0},
		{"1x" + a, 0},
		{"00x" + a, 0},
		{a[:23] + "g", 0},
		{a[:12] + " " + a[12:], 0},
		{"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", 0}, // SHA-256
		{"123e4567-e89b-12d3-a456-426614174000", 0},                             // UUID
		{strings.Repeat("a", 100_000), 0},
	} {
		for _, size := range []int{1, 7, 1 << 20} {
			got, _ := found(t, Hex, test.in, size)
			if len(got) != test.want || slices.ContainsFunc(got, func(id oid.ID) bool { return id != oid.MustParse(a) }) {
				t.Errorf("%.60q: %s, want %d IDs", test.in, got, test.want)
			}
		}
	}
}

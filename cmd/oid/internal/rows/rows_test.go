package rows

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
)

// However a text comes, its mark is gone and its characters are there.
func TestByteOrderMarksAreNoPartOfAText(t *testing.T) {
	const text = "a 69a421f00123456789abcdef\r\né 😀 €\r\n"
	little := func(u uint16) string { return string([]byte{byte(u), byte(u >> 8)}) }
	big := func(u uint16) string { return string([]byte{byte(u >> 8), byte(u)}) }
	wide := func(text string, order func(uint16) string) (s string) {
		for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
			s += order(unit)
		}
		return s
	}
	for _, tt := range []struct{ in, want string }{
		{text, text}, {"\ufeff" + text, text}, {wide(text, little), text}, {wide(text, big), text},
		{"", ""}, {"\ufeff", ""}, {"\xff\xfe", ""}, {"\xfe\xff", ""},
		{"\xef", "\xef"}, {"\xef\xbb", "\xef\xbb"}, {"\xff", "\xff"}, {"\xef\xbbx", "\xef\xbbx"}, {"\xffxyz", "\xffxyz"}, {"x\ufeffy", "x\ufeffy"},
		{wide("", little) + little(0xd83d) + little('a'), "\ufffda"}, // half a pair
	} {
		for name, parts := range map[string]func(io.Reader) io.Reader{
			"at once": func(r io.Reader) io.Reader { return r }, "by bytes": iotest.OneByteReader, "by halves": iotest.HalfReader, "with the end": iotest.DataErrReader,
		} {
			got, err := readAll(parts(strings.NewReader(tt.in)))
			if string(got) != tt.want || err != nil {
				t.Errorf("Text(%q) %s = %q, %v, want %q", tt.in, name, got, err, tt.want)
			}
		}
		unplugged := errors.New("unplugged")
		if _, err := readAll(io.MultiReader(strings.NewReader(tt.in), iotest.ErrReader(unplugged))); err != unplugged {
			t.Errorf("Text(%q) and an error: %v, want %v", tt.in, err, unplugged)
		}
	}
}

// lines returns the lines of r, with errors in brackets.
func lines(r io.Reader, most int) (texts []string) {
	for row, err := range Rows(r, 0, most) {
		text := string(row.Text)
		if err != nil {
			text = "[" + err.Error() + "]"
		}
		texts = append(texts, text)
	}
	return texts
}

func TestLinesKeepTheirEnds(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	for _, tt := range []struct{ in, want string }{ // split at |
		{"", ""}, {"a", "a"}, {"a\n", "a\n"}, {"a\r\n\n b", "a\r\n|\n| b"},
		{long + "\nb", long + "\n|b"},
	} {
		if got := lines(iotest.HalfReader(strings.NewReader(tt.in)), 1<<20); strings.Join(got, "|") != tt.want {
			t.Errorf("Rows(%.40q, 0) = %.40q, want %.40q", tt.in, got, tt.want)
		}
	}
}

// A line may have so many bytes, and the lines after a longer one are there.
func TestLongLinesArePassedOver(t *testing.T) {
	for _, most := range []int{2, 100_000, 1 << 17} {
		fits, long := strings.Repeat("x", most-1)+"\n", strings.Repeat("y", most)+"\n"
		got := lines(strings.NewReader(fits+long+"z\n"+long+long+"z\n"+long[:most]), most)
		bad := "[" + ErrLong.Error() + "]"
		if want := []string{fits, bad, "z\n", bad, bad, "z\n", long[:most]}; !slices.Equal(got, want) {
			t.Errorf("%d bytes: %.200q", most, got)
		}
	}
	n := 0
	for range Rows(endless("-\n"), 0, 10) { // a caller may have enough
		if n++; n == 3 {
			break
		}
	}
}

func TestErrorsOfTheReaderEndTheLines(t *testing.T) {
	unplugged := errors.New("unplugged")
	got := lines(io.MultiReader(strings.NewReader("a\nhalf a li"), iotest.ErrReader(unplugged)), 100)
	if want := []string{"a\n", "[unplugged]"}; !slices.Equal(got, want) {
		t.Errorf("Rows = %q, want %q", got, want)
	}
}

// endless is a reader of a text again and again.
type endless string

func (s endless) Read(p []byte) (int, error) {
	n := 0
	for n+len(s) <= len(p) {
		n += copy(p[n:], s)
	}
	return n, nil
}

// table returns the rows of a text, as their first lines and values.
func table(in string, separator byte) (got []string) {
	for row, err := range Rows(strings.NewReader(in), separator, 1000) {
		if err != nil {
			got = append(got, fmt.Sprintf("%d [%v]", row.Line, err))
			continue
		}
		got = append(got, fmt.Sprintf("%d %q", row.Line, row.Values()))
	}
	return got
}

func TestRowsOfTables(t *testing.T) {
	for _, tt := range []struct {
		in        string
		separator byte
		want      string // split at |
	}{
		{"a,b\r\nc,d", ',', `1 ["a" "b"]|2 ["c" "d"]`},
		{"a,,\n,\n\n", ',', `1 ["a" "" ""]|2 ["" ""]|3 [""]`},
		{`"a,b","say ""hi""",c` + "\n", ',', `1 ["a,b" "say \"hi\"" "c"]`},
		{"\"two\nlines, and\n\nmore\",b\nc,d\n", ',', `1 ["two\nlines, and\n\nmore" "b"]|5 ["c" "d"]`},
		{`5" disk,"a"b` + "\n", ',', `1 ["5\" disk" "\"a\"b"]`}, // quotes count at the start of a field only
		{`"",""""` + "\n", ',', `1 ["" "\""]`},
		{" a , b \n", ',', `1 ["a" "b"]`},
		{"a;b,c\n", ';', `1 ["a" "b,c"]`},
		{"a\t\"b\tc\n", '\t', `1 ["a" "\"b" "c"]`}, // no quotes in TSV
		{"a,b\n", 0, `1 ["a,b"]`},
		{"a\n\"b\nc\n", ',', `1 ["a"]|2 [a quoted field has no closing quote]`},
		{"a\n\"" + strings.Repeat("x\n", 600), ',', `1 ["a"]|2 [` + ErrLong.Error() + `]`},
	} {
		got := table(tt.in, tt.separator)
		if want := strings.Split(tt.want, "|"); !slices.Equal(got[:min(len(got), len(want))], want) || len(got) != len(want) && !strings.Contains(tt.want, "long") {
			t.Errorf("Rows(%.60q) = %q, want %q", tt.in, got, want)
		}
	}
}

// A replaced value changes no other byte, and is read back as it is.
func TestReplacedValuesAreReadBack(t *testing.T) {
	for _, tt := range []struct {
		in        string
		separator byte
		i         int
		value     string
		want      string
	}{
		{"a,b,c\r\n", ',', 1, "x", "a,x,c\r\n"},
		{`a,"b" ,"say ""hi"""`, ',', 1, "x", `a,"x","say ""hi"""`},
		{"a,b", ',', 0, "x,y", `"x,y",b`},
		{"a,b", ',', 1, `{"$oid":"x"}`, `a,"{""$oid"":""x""}"`},
		{"a;b", ';', 1, "x,y", "a;x,y"},
		{"a\tb\n", '\t', 1, `"x"`, "a\t\"x\"\n"},
		{"\"two\nlines\",b\n", ',', 1, "x", "\"two\nlines\",x\n"},
		{",\n", ',', 1, "x", ",x\n"},
	} {
		for row, err := range Rows(strings.NewReader(tt.in), tt.separator, 1000) {
			if err != nil {
				t.Fatal(err)
			}
			got := string(row.Replace([]byte("before "), tt.i, tt.value))
			if got != "before "+tt.want {
				t.Errorf("Replace(%q, %d, %q) = %q, want %q after before", tt.in, tt.i, tt.value, got, tt.want)
			}
			for row := range Rows(strings.NewReader(tt.want), tt.separator, 1000) {
				if got := row.Value(tt.i); got != tt.value {
					t.Errorf("%q is read as %q, want %q", tt.want, got, tt.value)
				}
			}
		}
	}
}

// Rows are those of encoding/csv, where that package accepts the text, and all bytes of
// the input are in some row.
func FuzzRows(f *testing.F) {
	for _, s := range []string{"a,b\nc,d", "\"a,\n\"\"b\",c\r\n", ",,\n", "a,\"b\"c\n", "\"", "a\n\nb\n", "\"x\"\n\"y\n\"z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		var texts strings.Builder
		var got [][]string
		for row, err := range Rows(strings.NewReader(in), ',', 1<<20) {
			texts.Write(row.Text)
			if err == nil && strings.TrimSuffix(strings.TrimSuffix(string(row.Text), "\n"), "\r") != "" { // encoding/csv skips empty lines
				values := row.Values()
				for i, v := range values {
					values[i] = strings.TrimSpace(strings.ReplaceAll(v, "\r\n", "\n"))
				}
				got = append(got, values)
			}
		}
		if texts.String() != in {
			t.Errorf("Rows(%q) has the text %q", in, &texts)
		}
		r := csv.NewReader(strings.NewReader(in))
		r.FieldsPerRecord = -1
		want, err := r.ReadAll()
		if err != nil {
			return
		}
		for _, record := range want {
			for i, v := range record {
				record[i] = strings.TrimSpace(v)
			}
		}
		if !slices.EqualFunc(got, want, slices.Equal[[]string]) {
			t.Errorf("Rows(%q) = %q, want %q", in, got, want)
		}
	})
}

// readAll reads a text to its end.
func readAll(r io.Reader) ([]byte, error) {
	text, err := Text(r)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(text)
}

// compressed returns a text as gzip writes it.
func compressed(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

func TestTextUnpacksGzip(t *testing.T) {
	for _, text := range []string{"", "a\nb", "\ufeffa"} {
		got, err := readAll(strings.NewReader(compressed(text) + compressed(text)))
		if want := strings.TrimPrefix(text, "\ufeff") + text; string(got) != want || err != nil {
			t.Errorf("gzip of %q: %q, %v, want %q", text, got, err, want)
		}
	}
	if _, err := readAll(strings.NewReader("\x1f\x8b no gzip")); err == nil {
		t.Error("what only begins as gzip is read")
	}
	cut := compressed(strings.Repeat("a", 99))
	if _, err := readAll(strings.NewReader(cut[:len(cut)-9])); err == nil {
		t.Error("a cut file is read")
	}
}

func TestTextNamesBSON(t *testing.T) {
	const document = "\x16\x00\x00\x00\x07_id\x00\x65\xb3\xf7\xa2\x01\x23\x45\x67\x89\xab\xcd\xef\x00"
	for in, want := range map[string]bool{
		document: true, "\x16\x00\x02\x00\x02a": true, "\x16\x00\x02\x00\x02": false, "\x16\x00\x02\x00\x20a": false, "a\x00b\x00\n\x00c\x00": false,
		"\x16\x00\x02\x03\x02abc": false, document[1:]: false,
	} {
		_, err := readAll(strings.NewReader(in))
		if got := err != nil && strings.Contains(err.Error(), "bsondump"); got != want {
			t.Errorf("Text(%q): %v, want an error: %v", in, err, want)
		}
	}
}

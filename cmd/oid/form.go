package main

import (
	"encoding/base32"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// A form is a way to write an ID.
type form struct {
	name, about string

	append func(dst []byte, id oid.ID) []byte

	// parse reads a complete text. It is nil for forms that are only written. Their
	// IDs are read as hex.
	parse func(text string) (oid.ID, error)
	size  int               // of the text
	kinds *[256]kind        // of the bytes in the text and next to it; raw bytes need none
	quick func(string) bool // reports whether a text has this form for sure
}

// idSize is the size of an ID in raw bytes.
const idSize = len(oid.ID{})

// forms are all forms of an ID.
var forms = []*form{
	{name: "hex", about: "24 hex digits", append: appendText, parse: parseHex, size: 24, kinds: hexKinds, quick: noForm},
	{name: "upper", about: "24 hex digits in upper case", append: func(dst []byte, id oid.ID) []byte { return fmt.Appendf(dst, "%X", id[:]) }},
	{name: "xid", about: "the 20 characters of rs/xid", append: func(dst []byte, id oid.ID) []byte { return xidText.AppendEncode(dst, id[:]) }, parse: parseXID, size: 20, kinds: xidKinds, quick: surelyXID},
	{name: "base64", about: "16 characters", append: appendBase64(base64.RawStdEncoding), parse: parseBase64, size: 16, kinds: base64Kinds, quick: noForm},
	{name: "base64url", about: "16 characters that are safe in URLs", append: appendBase64(base64.RawURLEncoding), parse: parseBase64, size: 16, kinds: base64Kinds, quick: noForm},
	{name: "uuid", about: "the form for uuid columns, a valid UUIDv7", append: appendUUID, parse: parseUUID, size: 36, kinds: uuidKinds, quick: isUUID},
	{name: "bytes", about: "12 raw bytes, with nothing between two IDs", append: func(dst []byte, id oid.ID) []byte { return append(dst, id[:]...) }, size: idSize, quick: noForm},
	{name: "mongosh", about: `ObjectId("…")`, append: around(`ObjectId("`, `")`)},
	{name: "extjson", about: `{"$oid":"…"}`, append: around(`{"$oid":"`, `"}`)},
	{name: "postgres", about: `'\x…'`, append: around(`'\x`, `'`)},
	{name: "mysql", about: `x'…'`, append: around(`x'`, `'`)},
	{name: "sqlite", about: `x'…'`, append: around(`x'`, `'`)},
	{name: "go", about: `oid.MustParse("…")`, append: around(`oid.MustParse("`, `")`)},
}

// formNamed returns the form with that name, or nil.
func formNamed(name string) *form {
	for _, f := range forms {
		if f.name == name {
			return f
		}
	}
	return nil
}

// readable reports whether IDs can be read in the form.
func (f *form) readable() bool { return f.size > 0 }

// raw reports whether the form is raw bytes.
func (f *form) raw() bool { return f.size == idSize }

// text returns id in the form f.
func (f *form) text(id oid.ID) string { return string(f.append(nil, id)) }

// formNames returns the names of the forms that can be written, or only of the forms that
// can also be read.
func formNames(read bool) (names []string) {
	for _, f := range forms {
		if !read || f.readable() {
			names = append(names, f.name)
		}
	}
	return names
}

func noForm(string) bool { return false }

func appendText(dst []byte, id oid.ID) []byte {
	dst, _ = id.AppendText(dst) // it never fails
	return dst
}

func around(before, after string) func([]byte, oid.ID) []byte {
	return func(dst []byte, id oid.ID) []byte { return append(appendText(append(dst, before...), id), after...) }
}

// parseHex reads 24 hex digits. Its error contains no Go names.
func parseHex(s string) (oid.ID, error) {
	id, err := oid.Parse(s)
	var bad *oid.SyntaxError
	if errors.As(err, &bad) {
		return oid.ID{}, errors.New(bad.Problem)
	}
	return id, err
}

// xidText is the alphabet of rs/xid: base32 in the order of ASCII.
var xidText = base32.NewEncoding("0123456789abcdefghijklmnopqrstuv").WithPadding(base32.NoPadding)

func parseXID(s string) (oid.ID, error) {
	b, _ := xidText.DecodeString(s)
	if len(b) != idSize || xidText.EncodeToString(b) != s { // spare bits must be zero
		return oid.ID{}, fmt.Errorf("want the 20 characters of an xid")
	}
	return oid.ID(b), nil
}

// surelyXID reports whether s is an xid, and can't be an ID with missing hex digits.
func surelyXID(s string) bool {
	_, err := parseXID(s)
	return err == nil && strings.ContainsAny(s, "ghijklmnopqrstuv")
}

func appendBase64(e *base64.Encoding) func([]byte, oid.ID) []byte {
	return func(dst []byte, id oid.ID) []byte { return e.AppendEncode(dst, id[:]) }
}

// parseBase64 reads both alphabets.
func parseBase64(s string) (oid.ID, error) {
	b, err := base64.RawURLEncoding.DecodeString(strings.NewReplacer("+", "-", "/", "_").Replace(s))
	if err != nil || len(b) != idSize || strings.ContainsAny(s, "\r\n") {
		return oid.ID{}, fmt.Errorf("want 16 characters of base64")
	}
	return oid.ID(b), nil
}

func appendUUID(dst []byte, id oid.ID) []byte {
	text, _ := sqltype.UUID(id).Value() // it never fails
	return append(dst, text.(string)...)
}

func isUUID(s string) bool {
	return len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-'
}

func parseUUID(s string) (oid.ID, error) {
	var u sqltype.UUID
	if !isUUID(s) {
		return oid.ID{}, errors.New("want a UUID of 36 characters")
	}
	if err := u.Scan(s); err != nil {
		return oid.ID{}, errors.New("a UUID that doesn't hold an ID")
	}
	return oid.ID(u), nil
}

// findID returns the only ID in s, in the form f. If f is nil, the ID may have any form
// that is certain.
func findID(s string, f *form) (oid.ID, error) {
	if f != nil {
		id, err := f.parse(s)
		if err != nil {
			return oid.ID{}, fmt.Errorf("%s is not an ID: %w", quote(s), err)
		}
		return id, nil
	}
	id, problem := parseHex(s)
	if problem == nil {
		return id, nil
	}
	n := 0
	found := func(one oid.ID) error { id = one; n++; return nil }
	scan(strings.NewReader(s), formNamed("hex"), found, func() {}) // never fails
	switch {
	case n > 1:
		return oid.ID{}, fmt.Errorf("%s holds %d IDs, want one (--scan takes all)", quote(s), n)
	case n == 1:
		return id, nil
	}
	for _, f := range forms {
		if f.readable() && f.quick(s) {
			return findID(s, f)
		}
	}
	if _, err := parseBase64(s); err == nil {
		problem = fmt.Errorf("%w (--input base64 reads base64)", problem)
	}
	return oid.ID{}, fmt.Errorf("%s is not an ID: %w", quote(s), problem)
}

// readRaw calls found for each ID in the raw bytes of r. It calls tick regularly.
func readRaw(r io.Reader, found func(oid.ID) error, tick func()) error {
	buf := make([]byte, 4096*idSize)
	for {
		n, err := io.ReadFull(r, buf)
		for rest := buf[:n]; len(rest) >= idSize; rest = rest[idSize:] {
			if err := found(oid.ID(rest)); err != nil {
				return err
			}
		}
		tick()
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			if left := n % idSize; left > 0 {
				return fmt.Errorf("the input ends within an ID: %s of 12", plural(float64(left), "byte", "bytes"))
			}
			return nil
		case err != nil:
			return err
		}
	}
}

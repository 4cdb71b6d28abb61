// Package ids holds the forms in which IDs are written, and finds IDs in text.
package ids

import (
	"encoding/base32"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// A Form is a way to write an ID.
type Form struct {
	Name, About string

	// Append appends id in this form.
	Append func(dst []byte, id oid.ID) []byte

	// Quote is the quote that is part of the text, or 0.
	Quote byte

	// Size is the length of the text. It is 0 for forms that are only written. Their
	// IDs are read as hex.
	Size  int
	parse func(text string) (oid.ID, error) // of a complete text
	kinds *[256]kind                        // of the bytes in the text and next to it; nil if only written
}

// Forms are all forms of an ID.
var Forms = []*Form{
	{Name: "hex", About: "24 hex digits", Append: appendHex, parse: parseHex, Size: 24, kinds: kindsOf(hexDigits)},
	{Name: "upper", About: "24 hex digits in upper case", Append: func(dst []byte, id oid.ID) []byte { return fmt.Appendf(dst, "%X", id[:]) }},
	{Name: "xid", About: "the 20 characters of rs/xid", Append: func(dst []byte, id oid.ID) []byte { return xidText.AppendEncode(dst, id[:]) },
		parse: parseXID, Size: 20, kinds: kindsOf(xidDigits)},
	{Name: "base64", About: "16 characters", Append: appendBase64(base64.RawStdEncoding), parse: parseBase64, Size: 16, kinds: kindsOf(base64Digits)},
	{Name: "base64url", About: "16 characters that are safe in URLs", Append: appendBase64(base64.RawURLEncoding), parse: parseBase64, Size: 16, kinds: kindsOf(base64Digits)},
	{Name: "uuid", About: "the form for uuid columns, a valid UUIDv7", Append: appendUUID, parse: parseUUID, Size: 36, kinds: kindsOf(hexDigits + "-")},
	{Name: "mongosh", About: `ObjectId("…")`, Quote: '"', Append: around(`ObjectId("`, `")`)},
	{Name: "extjson", About: `{"$oid":"…"}`, Quote: '"', Append: around(`{"$oid":"`, `"}`)},
	{Name: "postgres", About: `'\x…'`, Quote: '\'', Append: around(`'\x`, `'`)},
	{Name: "mysql", About: `x'…'`, Quote: '\'', Append: around(`x'`, `'`)},
	{Name: "sqlite", About: `x'…'`, Quote: '\'', Append: around(`x'`, `'`)},
	{Name: "go", About: `oid.MustParse("…")`, Quote: '"', Append: around(`oid.MustParse("`, `")`)},
}

// Hex is the form of 24 hex digits.
var Hex = Forms[0]

// Named returns the form with that name, or nil.
func Named(name string) *Form {
	for _, f := range Forms {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Text returns id in the form f.
func (f *Form) Text(id oid.ID) string { return string(f.Append(nil, id)) }

// Names returns the names of the forms that can be written, or only of the forms that can
// also be read.
func Names(read bool) (names []string) {
	for _, f := range Forms {
		if !read || f.Size > 0 {
			names = append(names, f.Name)
		}
	}
	return names
}

func appendHex(dst []byte, id oid.ID) []byte {
	dst, _ = id.AppendText(dst) // it never fails
	return dst
}

func around(before, after string) func([]byte, oid.ID) []byte {
	return func(dst []byte, id oid.ID) []byte { return append(appendHex(append(dst, before...), id), after...) }
}

// parseHex reads 24 hex digits. Its error contains no Go names.
func parseHex(s string) (oid.ID, error) {
	id, err := oid.Parse(s)
	if err == nil {
		return id, nil
	}
	var bad *oid.SyntaxError
	errors.As(err, &bad)                                                                                                       // each error of Parse is one
	if i := strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }); i >= 0 && utf8.RuneCountInString(s) == 24 { // the eye sees no wrong length
		r, _ := utf8.DecodeRuneInString(s[i:])
		return oid.ID{}, fmt.Errorf("%q (%U) at index %d is not a hex digit", r, r, i)
	}
	return oid.ID{}, errors.New(bad.Problem)
}

// xidText is the alphabet of rs/xid: base32 in the order of ASCII.
var xidText = base32.NewEncoding(xidDigits).WithPadding(base32.NoPadding)

func parseXID(s string) (oid.ID, error) {
	b, _ := xidText.DecodeString(s)
	if len(b) != len(oid.ID{}) || xidText.EncodeToString(b) != s { // spare bits must be zero
		return oid.ID{}, errors.New("want the 20 characters of an xid")
	}
	return oid.ID(b), nil
}

func appendBase64(e *base64.Encoding) func([]byte, oid.ID) []byte {
	return func(dst []byte, id oid.ID) []byte { return e.AppendEncode(dst, id[:]) }
}

// parseBase64 reads both alphabets.
func parseBase64(s string) (oid.ID, error) {
	b, err := base64.RawURLEncoding.DecodeString(strings.NewReplacer("+", "-", "/", "_").Replace(s))
	if err != nil || len(b) != len(oid.ID{}) || strings.ContainsAny(s, "\r\n") {
		return oid.ID{}, errors.New("want 16 characters of base64")
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
		return oid.ID{}, errors.New("the UUID was not made from an ID")
	}
	return oid.ID(u), nil
}

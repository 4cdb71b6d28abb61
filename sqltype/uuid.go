package sqltype

import (
	"database/sql/driver"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/oidkit/oidkit/oid"
)

// UUID is an ID in a uuid column, stored as a valid UUIDv7 (RFC 9562). A UUID can be
// converted from and to an oid.ID. In JSON, BSON and XML, a UUID has the same form as an
// oid.ID.
//
// Use the type UUID for a new column if other tools need a column of type uuid. An ID has
// 12 bytes, so it can't hold the UUIDs of other programs. Reading a UUID that was not made
// from an ID is therefore an error, with rare exceptions: see [FromUUID]. If a column
// already holds UUIDs from other programs, keep the column, and add a second column for
// the IDs.
//
//	bits    0–47  milliseconds since 1970: the seconds of the ID × 1000
//	       48–51  the version, 7
//	       52–63  bits 32–43 of the ID
//	       64–65  the variant, binary 10
//	      66–117  bits 44–95 of the ID
//	     118–127  a mark, 0x31d
//
// No bit of the ID is lost, and the bytes of UUIDs sort in the order of their IDs. Among
// UUIDv7s from other programs, the UUID of an ID sorts like a UUIDv7 that was made in the
// first millisecond of the ID's second.
//
// Most drivers send a UUID as 36 characters of text. Scanning NULL is an error. For a column
// with NULL, use *UUID or sql.Null[UUID].
type UUID oid.ID

var (
	_ driver.Valuer            = UUID{}
	_ json.Marshaler           = UUID{}
	_ json.Unmarshaler         = (*UUID)(nil)
	_ encoding.TextMarshaler   = UUID{}
	_ encoding.TextUnmarshaler = (*UUID)(nil)
	_ fmt.Stringer             = UUID{}
)

const (
	uuidVersion = 7
	uuidVariant = 0b10
	uuidMark    = 0x31d
	uuidTextLen = 36
)

// Bytes returns the 16 bytes of the UUIDv7. For a UUID type of another package, write
// uuid.UUID(u.Bytes()).
func (u UUID) Bytes() [16]byte {
	seconds, rest := uint64(binary.BigEndian.Uint32(u[:])), binary.BigEndian.Uint64(u[4:])
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], seconds*1000<<16|uuidVersion<<12|rest>>52)
	binary.BigEndian.PutUint64(b[8:], uuidVariant<<62|rest<<12>>2|uuidMark)
	return b
}

// FromUUID returns the ID that b holds. FromUUID is the inverse of [UUID.Bytes]. FromUUID
// accepts a UUIDv7 whose time is a whole second from 1970 to 2106, and whose last 10 bits
// are the mark 0x31d. For any other b, FromUUID returns an error for which errors.Is(err,
// [oid.ErrSyntax]) is true. The text of the error names the guide for rows whose
// UUIDs were not made from IDs.
//
// FromUUID accepts about one in a million UUIDv7s from other programs, and returns an ID
// that nobody made. Use FromUUID only for columns that programs fill only with values of
// the type UUID.
func FromUUID(b [16]byte) (oid.ID, error) {
	id, problem := fromUUID(b)
	if problem != "" {
		return oid.ID{}, notFromID("sqltype.FromUUID("+string(appendUUID(nil, b))+")", problem)
	}
	return id, nil
}

// notFromID returns the error of a call that met a UUID which was not made from an ID.
func notFromID(call, problem string) error {
	err := &oid.SyntaxError{Call: call, Problem: problem}
	return fmt.Errorf(`%w: only UUIDs made from IDs can be read; for older rows see "From UUID keys" in docs/migrating.md`, err)
}

// fromUUID returns the ID that b holds, or the reason why b doesn't hold an ID.
func fromUUID(b [16]byte) (id oid.ID, problem string) {
	hi, lo := binary.BigEndian.Uint64(b[:]), binary.BigEndian.Uint64(b[8:])
	milliseconds := hi >> 16
	switch {
	case hi>>12&0xf != uuidVersion:
		return oid.ID{}, fmt.Sprintf("a UUID of version %d, want 7", hi>>12&0xf)
	case lo>>62 != uuidVariant:
		return oid.ID{}, "a UUID whose variant is not that of RFC 9562"
	case milliseconds%1000 != 0 || milliseconds/1000 >= 1<<32: // not "> math.MaxUint32": see oid/generator.go
		return oid.ID{}, "a UUID whose time is not a whole second from 1970 to 2106"
	case lo&0x3ff != uuidMark:
		return oid.ID{}, "a UUID that is not marked as an ID"
	}
	binary.BigEndian.PutUint32(id[:], uint32(milliseconds/1000))
	binary.BigEndian.PutUint64(id[4:], hi<<52|lo<<2>>12)
	return id, ""
}

// appendUUID appends the 36 characters of b to dst.
func appendUUID(dst []byte, b [16]byte) []byte {
	for _, group := range [][]byte{b[:4], b[4:6], b[6:8], b[8:10]} {
		dst = append(hex.AppendEncode(dst, group), '-')
	}
	return hex.AppendEncode(dst, b[10:])
}

// parseUUID reads 36 characters, in either case.
func parseUUID[T string | []byte](text T) (b [16]byte, ok bool) {
	if len(text) != uuidTextLen || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return [16]byte{}, false
	}
	digits := append(make([]byte, 0, 2*len(b)), text[:8]...)
	for _, group := range []T{text[9:13], text[14:18], text[19:23], text[24:]} {
		digits = append(digits, group...)
	}
	_, err := hex.Decode(b[:], digits)
	return b, err == nil
}

// Value returns the UUIDv7 as 36 characters, such as 018d46ff-58a0-70c1-acb4-f93d4185cb1d.
// The error is always nil.
func (u UUID) Value() (driver.Value, error) { return string(appendUUID(nil, u.Bytes())), nil }

// Scan reads the 36 characters or the 16 bytes of a UUID that [FromUUID] accepts. The 36
// characters may come as a string or as bytes.
func (u *UUID) Scan(src any) error {
	var b [16]byte
	ok := false
	switch src := src.(type) {
	case nil:
		return null("UUID", "Scan")
	case string:
		b, ok = parseUUID(src)
	case []byte:
		if ok = len(src) == len(b); ok {
			b = [16]byte(src)
		} else {
			b, ok = parseUUID(src)
		}
	}
	if !ok {
		return &oid.SyntaxError{Call: fmt.Sprintf("sqltype.UUID.Scan(%T)", src), Problem: "want the 36 characters or the 16 bytes of a UUID"}
	}
	id, problem := fromUUID(b)
	if problem != "" {
		return notFromID(fmt.Sprintf("sqltype.UUID.Scan(%T)", src), problem)
	}
	*u = UUID(id)
	return nil
}

// String returns the 24 hex digits of the ID.
func (u UUID) String() string { return oid.ID(u).Hex() }

// IsZero reports whether u is the zero value. The zero value is stored as a UUID, and not
// as NULL.
func (u UUID) IsZero() bool { return u == UUID{} }

// MarshalText returns the 24 hex digits of the ID.
func (u UUID) MarshalText() ([]byte, error) { return oid.ID(u).MarshalText() }

// UnmarshalText reads an ID in the forms that [oid.ID.UnmarshalText] accepts.
func (u *UUID) UnmarshalText(text []byte) error {
	return as("UUID", (*oid.ID)(u).UnmarshalText(text))
}

// MarshalJSON returns the 24 hex digits of the ID as a JSON string.
func (u UUID) MarshalJSON() ([]byte, error) { return oid.ID(u).MarshalJSON() }

// UnmarshalJSON reads an ID in the forms that [oid.ID.UnmarshalJSON] accepts.
func (u *UUID) UnmarshalJSON(data []byte) error {
	return as("UUID", (*oid.ID)(u).UnmarshalJSON(data))
}

// MarshalBSONValue returns the ID as a BSON ObjectId.
func (u UUID) MarshalBSONValue() (typ byte, data []byte, err error) {
	return oid.ID(u).MarshalBSONValue()
}

// UnmarshalBSONValue reads an ID in the forms that [oid.ID.UnmarshalBSONValue] accepts.
func (u *UUID) UnmarshalBSONValue(typ byte, data []byte) error {
	return as("UUID", (*oid.ID)(u).UnmarshalBSONValue(typ, data))
}

// ProxyBSON returns the result of [oid.ID.ProxyBSON] for the same ID.
func (u UUID) ProxyBSON() (any, error) { return oid.ID(u).ProxyBSON() }

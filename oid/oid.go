// Package oid makes and reads MongoDB ObjectIds: IDs of 12 bytes that sort by creation time
// and need no server. The first four bytes hold the creation time.
//
// The type ID is a small value type. As a field of a struct, an ID works in MongoDB
// documents, in rows of PostgreSQL, MySQL and SQLite, in GORM models and in JSON. In
// URLs, an ID is 24 hex digits. Package oid imports only the standard library, and no
// driver. Drivers find the methods of an ID by name, and the signatures of these methods
// contain no types of a driver.
//
//	byte   0   1   2   3 | 4   5   6   7   8 | 9   10  11
//	      seconds since  | process value,    | counter,
//	      1970, unsigned | random            | starts at random
//	      big endian     |                   | big endian
//
// An ID is four bytes shorter than a UUID. IDs sort by time, so new rows go to the end of
// an index, or near it. If the primary key is an ID, the rows that were created between two
// times form one range of the primary key: see [Range].
//
// A bson.ObjectID of MongoDB's driver has the same layout. Unlike bson.NewObjectID, [New]
// neither repeats an ID within a process nor goes backwards when the counter wraps or the
// clock steps back.
//
// # Guarantees
//
//   - IDs from [New] strictly increase in the order of the calls, and so do IDs from the
//     method New of one [Generator]. This holds across goroutines, when the counter
//     wraps, and while the clock steps back. Until 2106, only a call of Reseed breaks this
//     order: an ID made after Reseed may be less than an ID made before Reseed.
//   - Until 2106, in one process without a call of [Reseed], [New], [Fill] and [NewAt] never
//     make an ID twice, even if you ask for many IDs of the same instant. The same is true
//     for the methods of one [Generator], until its method Reseed is called. Calls of
//     [NewAt] don't change the IDs that [New] makes.
//   - If input is not an ID, the methods of an ID return an error that matches
//     [ErrSyntax], and leave the ID unchanged. BSON null and undefined, an empty JSON
//     string and an empty text for UnmarshalText are read as the zero ID, which means "no
//     ID". JSON null leaves the ID unchanged. If a database driver passes a []byte of length
//     12, this is always an ID, even if the bytes are text.
//   - In BSON, an ID is the same ObjectId as a bson.ObjectID with the same 12 bytes.
//
// # Not guaranteed
//
//   - IDs are not secrets. Anyone who has seen one ID can guess others, so don't use IDs
//     as tokens or passwords.
//   - The creation time has a precision of one second.
//   - IDs of different processes are ordered only by their seconds. This order is only as
//     accurate as the clocks of the machines. A program that polls for IDs that are greater
//     than the last ID that it has read can miss rows, because a smaller ID can be stored
//     later.
//   - IDs of different processes very probably differ, but this is not certain. For [New],
//     each process draws a process value of 40 random bits, as MongoDB's drivers do. For
//     [NewAt], it draws 63 random bits for the process value and the counter together.
//   - When the counter wraps, [New] doesn't wait for the next second. The creation time of
//     the next IDs can then be ahead of the clock, until the clock catches up.
//   - If [New] made an ID while the clock was far ahead, later IDs keep the wrong time until
//     the corrected clock catches up. After a call of [Reseed], new IDs take their time from
//     the clock again.
//   - If a virtual machine is copied while it runs, the generator in its memory is copied
//     too. Both machines can make the same IDs until one calls [Reseed].
//   - IDs sort by time only until the year 2106. Later IDs keep the last second that four
//     bytes can hold. The process value of these IDs grows by one whenever the counter
//     wraps, and starts again at 0 after its greatest value.
package oid

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"fmt"
)

// size is the length of an ID in bytes, textSize that of its hex form.
const (
	size     = 12
	textSize = 2 * size
)

// ID is a MongoDB ObjectId. IDs are comparable with ==, work as map keys, and sort by
// their bytes: by creation time, then by process value, then by counter.
//
// The zero value means "no ID", and no generator makes it. Encoders write the zero value
// as an ID of 12 zero bytes, not as NULL. For a nullable column, use *ID, sql.Null[ID] or
// sqltype.ZeroNull.
//
// An ID can be converted to types of other packages, as in bson.ObjectID(id),
// primitive.ObjectID(id) or xid.ID(id), and back by ID(x). The conversions take no time.
//
// Use [For] instead of a type such as "type UserID oid.ID". UserID would have none of the
// methods of ID. Unless UserID is registered, as with bsoncodec.RegisterFor, drivers refuse
// its values, or don't store them as IDs. Don't embed an ID in a struct with other fields, but
// use a named field. A struct that embeds an ID inherits the methods of ID, so encoders such
// as encoding/json encode only the ID. MongoDB's driver then stores all fields only with a
// registry of package bsoncodec or mongov1.
//
// With GORM but without package gormplugin, write the condition "id = ?", id. If an ID is
// the only condition, as in db.First(&u, id) or db.Delete(&User{}, id), GORM treats the ID
// as a list of 12 numbers. On MariaDB, and on MySQL outside strict mode, such a Delete can
// remove every row of the table.
type ID [12]byte

var (
	_ encoding.TextAppender      = ID{}
	_ encoding.TextMarshaler     = ID{}
	_ encoding.TextUnmarshaler   = (*ID)(nil)
	_ encoding.BinaryMarshaler   = ID{}
	_ encoding.BinaryUnmarshaler = (*ID)(nil)
	_ fmt.Stringer               = ID{}
)

// Pattern is a regular expression for the text that [ID.Hex] returns. Use it in JSON
// Schema and OpenAPI.
const Pattern = "^[0-9a-f]{24}$"

// Parse returns the ID that s holds. The text must be 24 hex digits in upper or lower
// case, with nothing before or after the digits. The empty string is an error.
func Parse(s string) (ID, error) {
	id, err := parseText("oid.Parse", s)
	return id, err
}

// MustParse is like [Parse] but panics if s is not an ID. Use it for fixed IDs in package
// variables and in tests.
func MustParse(s string) ID {
	id, err := parseText("oid.MustParse", s)
	if err != nil {
		panic(err.Error())
	}
	return id
}

// parseText reads the hex form. fn names the caller in errors.
func parseText[T string | []byte](fn string, s T) (ID, error) {
	if len(s) == textSize {
		if id, ok := decodeHex(s); ok {
			return id, nil
		}
	}
	return ID{}, badInput(fn, s, textProblem(s))
}

// IsZero reports whether id is the zero value, which means "no ID". If a field has the
// option omitzero (encoding/json) or omitempty (the MongoDB drivers), the encoder calls
// IsZero, and omits the zero ID.
func (id ID) IsZero() bool { return id == ID{} }

// Compare returns -1 if id sorts before other, +1 if id sorts after other, and 0 if the
// two are equal. The call slices.SortFunc(ids, oid.ID.Compare) sorts IDs by creation
// time.
func (id ID) Compare(other ID) int { return bytes.Compare(id[:], other[:]) }

// Next returns the least ID that is greater than id. For the greatest ID, twelve bytes
// 0xff, Next returns the zero ID.
func (id ID) Next() ID {
	hi, lo := binary.BigEndian.Uint64(id[:]), binary.BigEndian.Uint32(id[8:])
	lo++
	if lo == 0 {
		hi++
	}
	return fromWords(hi, lo)
}

// Prev returns the greatest ID that is less than id. For the zero ID, Prev returns the
// zero ID, because no ID is less.
func (id ID) Prev() ID {
	if id.IsZero() {
		return ID{}
	}
	hi, lo := binary.BigEndian.Uint64(id[:]), binary.BigEndian.Uint32(id[8:])
	if lo == 0 {
		hi--
	}
	return fromWords(hi, lo-1)
}

// fromWords returns the ID with the 96-bit number hi<<32 | lo.
func fromWords(hi uint64, lo uint32) (id ID) {
	binary.BigEndian.PutUint64(id[:], hi)
	binary.BigEndian.PutUint32(id[8:], lo)
	return id
}

// Hex returns id as 24 lower-case hex digits.
func (id ID) Hex() string {
	var text [textSize]byte
	encodeHex(&text, &id)
	return string(text[:])
}

// String returns the 24 lower-case hex digits of id, as [ID.Hex] does. An ID in a URL or
// a log line can therefore be parsed again. Package fmt prints these digits with %v and
// %s, except for an ID in an unexported field. For the verb %x, pass id[:]. If you pass id,
// fmt prints each of the 24 characters in hex.
func (id ID) String() string { return id.Hex() }

// AppendText appends the 24 hex digits of id to b. The error is always nil.
func (id ID) AppendText(b []byte) ([]byte, error) { return appendHex(b, &id), nil }

// MarshalText returns the 24 hex digits of id. The error is always nil.
func (id ID) MarshalText() ([]byte, error) {
	text := new([textSize]byte)
	encodeHex(text, &id)
	return text[:], nil
}

// UnmarshalText reads 24 hex digits, as [Parse] does. An empty text gives the zero ID.
// Therefore an empty flag or XML element is read as "no ID".
func (id *ID) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*id = ID{}
		return nil
	}
	parsed, err := parseText("oid.ID.UnmarshalText", text)
	if err != nil {
		return err
	}
	*id = parsed
	return nil
}

// MarshalBinary returns the 12 bytes of id. The error is always nil.
func (id ID) MarshalBinary() ([]byte, error) { return id[:], nil }

// UnmarshalBinary sets id to the 12 bytes of data. Any other length of data is an error.
func (id *ID) UnmarshalBinary(data []byte) error {
	if len(data) != size {
		return badInput("oid.ID.UnmarshalBinary", data, fmt.Sprintf("length %d, want 12 bytes", len(data)))
	}
	*id = ID(data)
	return nil
}

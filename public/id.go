package public

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/oidkit/oidkit/oid"
)

// A Former is a model whose method IDForm returns the form of its IDs. The methods of
// [ID] call IDForm on the zero value of the model, once for each text. Let IDForm return
// a package variable, or the value of an atomic.Pointer if the form can change while the
// program runs.
type Former interface{ IDForm() *Form }

// ID is the ID of a T, such as an Order. An ID column or BSON holds it in the same form as
// an [oid.ID]. Most other encoders write a text in the form that the method IDForm of T
// returns. The conversions public.ID[Order](id) and oid.ID(orderID) take no time.
//
// MarshalText, MarshalJSON, MarshalBinary, package fmt and slog write the text. So do
// templates, gob, and most encoders of CBOR and MessagePack. Value and BSON contain the
// 12 bytes. As the key of a map, an ID is its text in JSON, and 24 hex digits in BSON.
//
// T is usually a struct. T must not be a pointer or an interface, and its IDForm must
// not panic or return an invalid form. Otherwise String and Format give no text, and each
// other method that needs the form returns an error. A struct that embeds a model has the
// model's form, unless the struct has a method IDForm too. Embed the model itself: on a
// nil pointer to it, IDForm would panic.
//
// The zero ID means "no ID". Its text is "". Check [ID.IsZero] before you build a URL.
//
// An ID has no method Timestamp. Write oid.ID(id).Timestamp() to read the creation time.
//
// Package fmt can't call the methods of an unexported field, and prints the 12 bytes of
// such an ID. docs/public-ids.md lists what else shows the 12 bytes.
type ID[T Former] [12]byte

// formOf returns the form of T. IDForm panics if T embeds the model that has it as a pointer
// or an interface, which is nil in the zero value.
func formOf[T Former]() (f *Form, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("public.ID[%v]: IDForm panics on the zero value of the type: %v", reflect.TypeFor[T](), cause)
		} else if !f.is() {
			err = fmt.Errorf("public.ID[%v]: IDForm returns no form, or the type is a pointer or an interface: use a struct whose IDForm returns a form of public.Sealed or public.Prefixed", reflect.TypeFor[T]())
		}
	}()
	if kind := reflect.TypeFor[T]().Kind(); kind != reflect.Pointer && kind != reflect.Interface {
		f = (*new(T)).IDForm()
	}
	return f, nil
}

// String returns the text of id.
func (id ID[T]) String() string {
	f, _ := formOf[T]()
	return f.Text(oid.ID(id))
}

// Format prints the text of id for every verb but %T, %p and %w. For %p and %w, package fmt
// doesn't call Format, and prints the 12 bytes. The verb %q adds quotes.
func (id ID[T]) Format(s fmt.State, verb rune) {
	if verb != 'q' {
		verb = 's'
	}
	fmt.Fprintf(s, fmt.FormatString(s, verb), id.String())
}

// IsZero reports whether id is the zero value, which means "no ID". Encoders call it for the
// options omitzero (encoding/json) and omitempty (the MongoDB drivers).
func (id ID[T]) IsZero() bool { return oid.ID(id).IsZero() }

// AppendText appends the text of id to b.
func (id ID[T]) AppendText(b []byte) ([]byte, error) {
	f, err := formOf[T]()
	if err != nil {
		return b, err
	}
	return f.AppendText(b, oid.ID(id))
}

// MarshalText returns the text of id.
func (id ID[T]) MarshalText() ([]byte, error) { return id.AppendText(nil) }

// MarshalBinary returns the text of id, for gob and most encoders of CBOR and MessagePack.
func (id ID[T]) MarshalBinary() ([]byte, error) { return id.AppendText(nil) }

// MarshalJSON returns the text of id as a JSON string.
func (id ID[T]) MarshalJSON() ([]byte, error) {
	b, err := id.AppendText([]byte{'"'})
	return append(b, '"'), err
}

// parse sets id to the ID that text holds. The empty text is the zero ID, or an error.
func (id *ID[T]) parse(text string, allowEmpty bool) error {
	f, err := formOf[T]()
	if err != nil {
		return err
	}
	parsed, err := f.Parse(text)
	if err != nil && (text != "" || !allowEmpty) {
		return err
	}
	*id = ID[T](parsed)
	return nil
}

// UnmarshalText reads the text of an ID. An empty text is the zero ID.
func (id *ID[T]) UnmarshalText(text []byte) error { return id.parse(string(text), true) }

// UnmarshalBinary reads the text of an ID. Empty data is the zero ID.
func (id *ID[T]) UnmarshalBinary(data []byte) error { return id.parse(string(data), true) }

// UnmarshalParam reads the text of an ID. An empty text is an error. Gin and echo call
// UnmarshalParam to bind path and query parameters.
func (id *ID[T]) UnmarshalParam(param string) error { return id.parse(param, false) }

// UnmarshalJSON reads a JSON string with the text of an ID. The empty string is the zero
// ID. Null leaves id unchanged, by the convention of package encoding/json. Any other
// input is an error, including the 24 hex digits of an ID.
func (id *ID[T]) UnmarshalJSON(data []byte) error {
	var text *string
	if err := json.Unmarshal(data, &text); err != nil {
		return badText("ID.UnmarshalJSON", string(data), "want a JSON string")
	}
	if text == nil {
		return nil
	}
	return id.parse(*text, true)
}

// The methods below are for databases, where an ID is an oid.ID.

// Value returns the 12 bytes of id: see [oid.ID.Value].
func (id ID[T]) Value() (driver.Value, error) { return oid.ID(id).Value() }

// Scan reads an ID in the forms that [oid.ID.Scan] accepts.
func (id *ID[T]) Scan(src any) error { return (*oid.ID)(id).Scan(src) }

// BytesValue returns the 12 bytes of id, for pgx: see [oid.ID.BytesValue].
func (id ID[T]) BytesValue() ([]byte, error) { return oid.ID(id).BytesValue() }

// ScanBytes reads an ID in the forms that [oid.ID.ScanBytes] accepts.
func (id *ID[T]) ScanBytes(src []byte) error { return (*oid.ID)(id).ScanBytes(src) }

// MarshalBSONValue returns id as a BSON ObjectId: see [oid.ID.MarshalBSONValue].
func (id ID[T]) MarshalBSONValue() (byte, []byte, error) { return oid.ID(id).MarshalBSONValue() }

// UnmarshalBSONValue reads an ID in the forms that [oid.ID.UnmarshalBSONValue] accepts.
func (id *ID[T]) UnmarshalBSONValue(typ byte, data []byte) error {
	return (*oid.ID)(id).UnmarshalBSONValue(typ, data)
}

// ProxyBSON returns the value that MongoDB's driver v1 stores: see [oid.ID.ProxyBSON].
func (id ID[T]) ProxyBSON() (any, error) { return oid.ID(id).ProxyBSON() }

// MarshalKey returns the 24 hex digits of id, for the keys of maps in BSON. MongoDB's
// drivers v1 and v2 call it, unless their option StringifyMapKeysWithFmt is on.
func (id ID[T]) MarshalKey() (string, error) { return oid.ID(id).Hex(), nil }

// UnmarshalKey reads what MarshalKey writes.
func (id *ID[T]) UnmarshalKey(key string) error { return (*oid.ID)(id).UnmarshalText([]byte(key)) }

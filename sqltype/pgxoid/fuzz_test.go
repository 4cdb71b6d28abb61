package pgxoid_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
)

// scalarColumns are the types of a column that holds one ID.
var scalarColumns = []uint32{
	pgtype.ByteaOID, pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID, pgtype.NameOID, pgtype.UUIDOID, pgtype.JSONOID, pgtype.JSONBOID,
}

// slowScalar returns the ID that a column's value holds, read in the plainest way.
func slowScalar(typeOID uint32, format int16, data []byte) (id oid.ID, ok bool) {
	digits := string(data)
	switch typeOID {
	case pgtype.ByteaOID:
		if format == binary {
			if ok = len(data) == 12; ok {
				copy(id[:], data)
			}
			return id, ok
		}
		if len(digits) != 26 || digits[:2] != `\x` {
			return id, false
		}
		digits = digits[2:]
	case pgtype.JSONBOID, pgtype.JSONOID:
		if typeOID == pgtype.JSONBOID && format == binary {
			if len(data) == 0 || data[0] != 1 {
				return id, false
			}
			data = data[1:]
		}
		err := id.UnmarshalJSON(data)
		return id, err == nil && string(data) != "null"
	}
	if len(digits) != 24 {
		return id, false
	}
	b, err := hex.DecodeString(digits)
	if err != nil {
		return id, false
	}
	return oid.ID(b), true
}

// Each type of ID reads from a column what the slow reference reads, and nothing else.
// An error doesn't change the target. Written and read again, the value is the same.
func FuzzScan(f *testing.F) {
	uuid := sqltype.UUID(sample).Bytes()
	for column := range scalarColumns {
		for _, data := range [][]byte{
			sample[:], []byte(sample.Hex()), []byte(`\x` + sample.Hex()), []byte(`"` + sample.Hex() + `"`), []byte("\x01\"" + sample.Hex() + `"`),
			uuid[:], []byte("018d44dd-d1a0-70c1-8ade-4f506172031d"), []byte("null"), []byte("\x01null"), {}, []byte("\x01"), []byte("\x02\"" + sample.Hex() + `"`),
		} {
			f.Add(byte(column), true, data)
			f.Add(byte(column), false, data)
		}
	}
	m := pgtype.NewMap()
	pgxoid.Register(m)
	pgxoid.RegisterFor[[12]byte](m)
	f.Fuzz(func(t *testing.T, column byte, isBinary bool, data []byte) {
		typeOID, format := scalarColumns[int(column)%len(scalarColumns)], int16(text)
		if isBinary {
			format = binary
		}
		want, ok := slowScalar(typeOID, format, data)
		isUUID := typeOID == pgtype.UUIDOID
		isNull := false // the null of JSON
		if body := string(data); typeOID == pgtype.JSONOID || typeOID == pgtype.JSONBOID {
			isNull = body == "null" && !(typeOID == pgtype.JSONBOID && isBinary) || body == "\x01null" && typeOID == pgtype.JSONBOID && isBinary
		}
		pointer := &oid.ID{}
		*pointer = other
		for _, target := range []struct {
			to       any
			nullable bool
		}{
			{new(oid.ID), false}, {new(userID), false}, {new(sqltype.Hex), false}, {new(sqltype.ZeroNull), true},
			{new(sqltype.ZeroNullFor[user]), true}, {&pointer, true}, {new(sqltype.UUID), false},
			{new([12]byte), false},
		} {
			_, toUUID := target.to.(*sqltype.UUID)
			if _, ours := target.to.(*[12]byte); ours && (isUUID || typeOID == pgtype.JSONOID || typeOID == pgtype.JSONBOID) {
				continue // as encoding/json and pgx do it
			}
			set(target.to, other)
			name := fmt.Sprintf("%T, type %d, format %d, %q", target.to, typeOID, format, data)
			err := m.Scan(typeOID, format, data, target.to)
			want, ok := want, ok
			if toUUID {
				switch typeOID {
				case pgtype.UUIDOID:
					var u sqltype.UUID
					ok = u.Scan(data) == nil
					want = oid.ID(u)
				case pgtype.JSONOID, pgtype.JSONBOID:
				default:
					continue // the text of a UUID: pgx calls its Scan
				}
			} else if isUUID {
				ok = false
				if err == nil {
					// pgx hands 24 digits in any text to Scan, and no uuid has them.
					if id, err := oid.Parse(string(data)); err == nil {
						want, ok = id, true
					}
					if len(data) == 12 {
						continue
					}
				}
			}
			if isNull && target.nullable {
				want, ok = oid.ID{}, true
			}
			if (err == nil) != ok {
				t.Fatalf("%s: %v, want success %v", name, err, ok)
			}
			if err != nil {
				want = other
				if target.to == any(&pointer) {
					want = idIn(target.to) // pgx makes room for the ID before it reads it
				}
			}
			if got := idIn(target.to); got != want {
				t.Fatalf("%s: %v, want %v after %v", name, got, want, err)
			}
			if err != nil || isNull || isUUID && !toUUID {
				continue
			}
			written, err := m.Encode(typeOID, format, reflect.ValueOf(target.to).Elem().Interface(), nil)
			if written == nil && err == nil && want.IsZero() {
				continue // NULL
			}
			again := reflect.New(reflect.TypeOf(target.to).Elem()).Interface()
			if err == nil {
				err = m.Scan(typeOID, format, written, again)
			}
			if err != nil || idIn(again) != want {
				t.Fatalf("%s: written as %q, read again as %v, %v, want %v", name, written, idIn(again), err, want)
			}
		}
	})
}

// set puts an ID into a target of FuzzScan.
func set(target any, id oid.ID) {
	v := reflect.ValueOf(target).Elem()
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.ValueOf(&id))
	case reflect.Struct:
		v.Field(0).Set(reflect.ValueOf(id).Convert(v.Field(0).Type()))
		v.FieldByName("Valid").SetBool(true)
	default:
		v.Set(reflect.ValueOf(id).Convert(v.Type()))
	}
}

// idIn returns the ID in a target of FuzzScan, or the zero ID for NULL.
func idIn(target any) oid.ID {
	v := reflect.ValueOf(target).Elem()
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return oid.ID{}
		}
		v = v.Elem()
	case reflect.Struct:
		v = v.Field(0)
	}
	return v.Convert(reflect.TypeFor[oid.ID]()).Interface().(oid.ID)
}

// Arrays in either format: package pgx reads them element by element, and sqltype.Array
// at once. Both read the same IDs. Written and read again, the array is the same.
func FuzzArray(f *testing.F) {
	m := pgtype.NewMap()
	pgxoid.Register(m)
	arrays := []uint32{pgtype.ByteaArrayOID, pgtype.TextArrayOID, pgtype.UUIDArrayOID}
	for _, ids := range [][]oid.ID{{}, {sample}, {sample, other, {}}} {
		for i, typeOID := range arrays {
			for _, format := range []int16{binary, text} {
				var value any = ids
				if typeOID == pgtype.UUIDArrayOID {
					uuids := []sqltype.UUID{}
					for _, id := range ids {
						uuids = append(uuids, sqltype.UUID(id))
					}
					value = uuids
				}
				data, err := m.Encode(typeOID, format, value, nil)
				if err != nil {
					f.Fatal(err)
				}
				f.Add(byte(i), format == binary, data)
				f.Add(byte(i), format == binary, data[:len(data)-1])
			}
		}
	}
	f.Add(byte(0), false, []byte(`{NULL,"\\x65b3f7a40c1b2d3e4f506172"}`))
	f.Add(byte(0), false, []byte(`{{65b3f7a40c1b2d3e4f506172},{65b3f7a40c1b2d3e4f506172}}`))
	f.Fuzz(func(t *testing.T, array byte, isBinary bool, data []byte) {
		typeOID, format := arrays[int(array)%len(arrays)], int16(text)
		if isBinary {
			format = binary
			// pgx makes room for as many elements as an array says it has.
			if len(data) > 20 && (data[3] > 1 || data[12] != 0 || data[13] != 0) {
				return
			}
		}
		name := fmt.Sprintf("type %d, format %d, %q", typeOID, format, data)
		before := bytes.Clone(data)
		if typeOID == pgtype.UUIDArrayOID {
			got := []sqltype.UUID{sqltype.UUID(other)}
			if err := m.Scan(typeOID, format, data, &got); err != nil || len(got) == 0 {
				return
			}
			written, err := m.Encode(typeOID, format, got, nil)
			var again []sqltype.UUID
			if err == nil {
				err = m.Scan(typeOID, format, written, &again)
			}
			if err != nil || !slices.Equal(got, again) {
				t.Fatalf("%s: %v, written as %q, read again as %v, %v", name, got, written, again, err)
			}
			return
		}
		var got []oid.ID
		err := m.Scan(typeOID, format, data, &got)
		if !bytes.Equal(data, before) {
			t.Fatalf("%s: the input has changed to %q", name, data)
		}
		var ours sqltype.Array[oid.ID]
		if oursErr := ours.Scan(data); typeOID == pgtype.ByteaArrayOID && err == nil && len(got) > 0 && oursErr == nil && !slices.Equal(ours, got) {
			t.Fatalf("%s: %v, and as a sqltype.Array %v", name, got, ours)
		}
		if err != nil || len(got) == 0 {
			return
		}
		written, err := m.Encode(typeOID, format, got, nil)
		var again []oid.ID
		if err == nil {
			err = m.Scan(typeOID, format, written, &again)
		}
		if err != nil || !slices.Equal(got, again) {
			t.Fatalf("%s: %v, written as %q, read again as %v, %v", name, got, written, again, err)
		}
		if typeOID == pgtype.ByteaArrayOID {
			var ours sqltype.Array[oid.ID]
			if err := ours.Scan(written); err != nil || !slices.Equal(ours, got) {
				t.Fatalf("%s: written as %q, which is a sqltype.Array %v, %v", name, written, ours, err)
			}
		}
	})
}

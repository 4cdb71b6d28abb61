package pgxoid_test

import (
	"bytes"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
)

const (
	text   = pgtype.TextFormatCode
	binary = pgtype.BinaryFormatCode
)

var (
	sample = oid.MustParse("65b3f7a40c1b2d3e4f506172")
	other  = oid.MustParse("65b3f7a40c1b2d3e4f506173")
)

type user struct{}

type userID = oid.For[user]

type embedded struct{ oid.ID }

type nullable struct{ sqltype.ZeroNull }

// registrations are the ways to set a type map up.
var registrations = []struct {
	name     string
	register func(*pgtype.Map)
}{
	{"Register", pgxoid.Register},
	{"RegisterCodec", pgxoid.RegisterCodec},
	{"both", func(m *pgtype.Map) { pgxoid.Register(m); pgxoid.RegisterCodec(m); pgxoid.RegisterCodec(m) }},
	{"RegisterFor", func(m *pgtype.Map) { pgxoid.RegisterFor[userID](m); pgxoid.RegisterCodec(m) }},
}

func forEachRegistration(t *testing.T, test func(*testing.T, *pgtype.Map)) {
	for _, r := range registrations {
		t.Run(r.name, func(t *testing.T) {
			m := pgtype.NewMap()
			r.register(m)
			test(t, m)
		})
	}
}

// scalars are all forms of the sample id.
func scalars() []any {
	id, typed, hexed, zn := sample, userID(sample), sqltype.Hex(sample), sqltype.ZeroNull(sample)
	return []any{
		id, &id, typed, &typed, embedded{id}, &embedded{id}, sql.Null[userID]{V: typed, Valid: true}, zn, &zn, hexed, &hexed,
		sqltype.Null{ID: id, Valid: true}, &sqltype.Null{ID: id, Valid: true},
		sql.Null[oid.ID]{V: id, Valid: true}, &sql.Null[oid.ID]{V: id, Valid: true},
		sql.Null[*oid.ID]{V: &id, Valid: true}, sql.Null[sqltype.ZeroNull]{V: zn, Valid: true},
	}
}

func TestIDsAreBinaryInByteaAndHexInTextColumns(t *testing.T) {
	forEachRegistration(t, func(t *testing.T, m *pgtype.Map) {
		for _, column := range []struct {
			typeOID uint32
			format  int16
			want    string
		}{
			{pgtype.ByteaOID, binary, string(sample[:])},
			{pgtype.ByteaOID, text, `\x` + sample.Hex()},
			{pgtype.TextOID, binary, sample.Hex()},
			{pgtype.TextOID, text, sample.Hex()},
			{pgtype.VarcharOID, binary, sample.Hex()},
			{pgtype.BPCharOID, text, sample.Hex()},
			{pgtype.NameOID, binary, sample.Hex()},
		} {
			for _, v := range scalars() {
				if got, err := m.Encode(column.typeOID, column.format, v, nil); string(got) != column.want || err != nil {
					t.Errorf("%T, type %d, format %d: %q, %v, want %q", v, column.typeOID, column.format, got, err, column.want)
				}
			}
		}
	})
}

// Without the column's type, which exec and simple protocol mode lack, an id is a
// bytea, and a Hex a text.
func TestIDsOfUnknownTypeAreBytea(t *testing.T) {
	forEachRegistration(t, func(t *testing.T, m *pgtype.Map) {
		const noOID, unknownOID = 0, 999999
		for _, typeOID := range []uint32{noOID, unknownOID} {
			for _, v := range scalars() {
				want := `\x` + sample.Hex()
				switch v.(type) {
				case sqltype.Hex, *sqltype.Hex:
					want = sample.Hex()
				}
				if got, err := m.Encode(typeOID, text, v, nil); string(got) != want || err != nil {
					t.Errorf("%T, type %d: %q, %v, want %q", v, typeOID, got, err, want)
				}
			}
		}
	})
}

func TestIDInAUUIDColumnIsAnError(t *testing.T) {
	forEachRegistration(t, func(t *testing.T, m *pgtype.Map) {
		null := &sql.Null[oid.ID]{V: sample, Valid: true}
		for _, v := range append(scalars(), &null, sql.Null[any]{V: sample, Valid: true}, nullable{sqltype.ZeroNull(sample)}, sample[:],
			[]oid.ID{sample}, []*oid.ID{&other}, [][]oid.ID{{sample}}, []userID{userID(sample)}, []*sql.Null[oid.ID]{null}, []any{"no id", sample}) {
			typeOID := uint32(pgtype.UUIDOID)
			if t := reflect.TypeOf(v); t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 {
				typeOID = pgtype.UUIDArrayOID
			}
			for _, format := range []int16{binary, text} {
				switch v.(type) {
				case sqltype.Hex, *sqltype.Hex:
					if format == text {
						continue // 24 digits, which the server refuses
					}
				}
				if got, err := m.Encode(typeOID, format, v, nil); err == nil {
					t.Errorf("%T, format %d: encoded as %x", v, format, got)
				}
			}
		}
		_, err := m.Encode(pgtype.UUIDOID, binary, sample, nil)
		if err == nil || !strings.Contains(err.Error(), "an id has 12 bytes, a uuid 16") {
			t.Errorf("error %v", err)
		}
		// What is a uuid goes through, and other bytes don't.
		uuid := append(sample[:], 1, 2, 3, 4)
		for _, v := range []any{uuid, [16]byte(uuid), pgtype.UUID{Bytes: [16]byte(uuid), Valid: true}} {
			if got, err := m.Encode(pgtype.UUIDOID, binary, v, nil); !bytes.Equal(got, uuid) || err != nil {
				t.Errorf("%T: %x, %v", v, got, err)
			}
		}
		asText := []byte("65b3f7a4-0c1b-2d3e-4f50-617201020304")
		if got, err := m.Encode(pgtype.UUIDOID, text, asText, nil); !bytes.Equal(got, asText) || err != nil {
			t.Errorf("in text: %s, %v", got, err)
		}
		for _, v := range [][]byte{{}, uuid[:15], append(uuid, 0)} {
			if got, err := m.Encode(pgtype.UUIDOID, binary, v, nil); err == nil || !strings.Contains(err.Error(), "a uuid has 16 bytes, not") {
				t.Errorf("%x: encoded as %x, %v", v, got, err)
			}
		}
	})
	// The reason for the above: pgx itself pads.
	got, err := pgtype.NewMap().Encode(pgtype.UUIDOID, binary, sample, nil)
	if want := append(sample[:], 0, 0, 0, 0); !bytes.Equal(got, want) || err != nil {
		t.Errorf("pgx no longer pads an unregistered id to a uuid: %x, %v: say so in the documentation", got, err)
	}
}

func TestNULLIsNULL(t *testing.T) {
	forEachRegistration(t, func(t *testing.T, m *pgtype.Map) {
		for _, typeOID := range []uint32{pgtype.ByteaOID, pgtype.TextOID, pgtype.UUIDOID, 0} {
			for _, v := range []any{
				(*oid.ID)(nil), (*userID)(nil), sqltype.Null{}, sqltype.ZeroNull{}, (*sqltype.Null)(nil), (*sqltype.Hex)(nil),
				sql.Null[oid.ID]{}, sql.Null[sqltype.Hex]{}, (*sql.Null[oid.ID])(nil),
				sql.Null[*oid.ID]{Valid: true}, sql.Null[*oid.ID]{},
			} {
				if got, err := m.Encode(typeOID, text, v, nil); got != nil || err != nil {
					t.Errorf("%T, type %d: %q, %v", v, typeOID, got, err)
				}
			}
		}
	})
}

// pgx plans once for all values of a type, and one of these holds anything.
func TestSQLNullOfAnInterfaceIsLeftAlone(t *testing.T) {
	forEachRegistration(t, func(t *testing.T, m *pgtype.Map) {
		for _, v := range []any{sample, "text", nil, []byte("bytes")} {
			got, err := m.Encode(pgtype.TextOID, text, sql.Null[any]{V: v, Valid: true}, nil)
			if want := fmt.Sprintf("%s", v); err != nil || v != any(sample) && v != nil && string(got) != want {
				t.Errorf("%v: %q, %v", v, got, err)
			}
		}
	})
}

func TestZeroIDIsAValue(t *testing.T) {
	forEachRegistration(t, func(t *testing.T, m *pgtype.Map) {
		for _, v := range []any{oid.ID{}, &oid.ID{}, userID{}, sqltype.Null{Valid: true}, sql.Null[oid.ID]{Valid: true}, sqltype.Hex{}} {
			if got, err := m.Encode(pgtype.ByteaOID, binary, v, nil); !bytes.Equal(got, make([]byte, 12)) || err != nil {
				t.Errorf("%T: %x, %v", v, got, err)
			}
		}
	})
}

// Text encodings of arrays are easy to read here; the binary ones go through a
// server in internal/itest.
func TestSlicesOfIDsWithoutTheColumnsType(t *testing.T) {
	a, b := `"\\x`+sample.Hex()+`"`, `"\\x`+other.Hex()+`"`
	ids := []oid.ID{sample, other}
	typed := []userID{userID(sample), userID(other)}
	forEachRegistration(t, func(t *testing.T, m *pgtype.Map) {
		for _, test := range []struct {
			v    any
			want string
		}{
			{ids, "{" + a + "," + b + "}"},
			{&ids, "{" + a + "," + b + "}"},
			{[]oid.ID{}, "{}"},
			{[2]oid.ID(ids), "{" + a + "," + b + "}"},
			{[]*oid.ID{&sample, nil, &other}, "{" + a + ",NULL," + b + "}"},
			{[]*oid.ID{}, "{}"},
			{[][]oid.ID{{sample, other}, {other, sample}}, "{{" + a + "," + b + "},{" + b + "," + a + "}}"},
			{[][]oid.ID{}, "{}"},
			{[][]oid.ID{{}, {}}, "{}"},
			{[][]*oid.ID{{&sample}, {nil}}, "{{" + a + "},{NULL}}"},
			{typed, "{" + a + "," + b + "}"},
			{&typed, "{" + a + "," + b + "}"},
			{[]*userID{&typed[0], nil}, "{" + a + ",NULL}"},
			{[]embedded{{sample}}, "{" + a + "}"},
			{[]sqltype.Null{{ID: sample, Valid: true}, {}}, "{" + a + ",NULL}"},
			{[]sqltype.ZeroNull{{}, sqltype.ZeroNull(other)}, "{NULL," + b + "}"},
			{[]sql.Null[oid.ID]{{V: sample, Valid: true}, {}}, "{" + a + ",NULL}"},
			{[]*sql.Null[oid.ID]{{V: sample, Valid: true}, {}, nil}, "{" + a + ",NULL,NULL}"},
			{sqltype.Array(ids), "{" + a + "," + b + "}"},
			{pgtype.FlatArray[oid.ID](ids), "{" + a + "," + b + "}"},
			{[]sqltype.Hex{sqltype.Hex(sample)}, "{" + sample.Hex() + "}"},
		} {
			if got, err := m.Encode(0, text, test.v, nil); string(got) != test.want || err != nil {
				t.Errorf("%T %v: %s, %v, want %s", test.v, test.v, got, err, test.want)
			}
		}
		for _, v := range []any{[]oid.ID(nil), []*oid.ID(nil), [][]oid.ID(nil), []userID(nil), (*[]oid.ID)(nil), new([]oid.ID), new([][]oid.ID)} {
			if got, err := m.Encode(0, text, v, nil); got != nil || err != nil {
				t.Errorf("%T(nil): %q, %v", v, got, err)
			}
		}
		// pgx plans an encoding once a type: a plan must fit all its values.
		for _, v := range []any{
			[][]oid.ID{{sample}, {sample, other}},
			[][]oid.ID{{sample, other}, {sample}},
			[][]oid.ID{{sample}, nil},
			[][]oid.ID{{}, {sample}},
			[][]userID{{}, {userID(sample)}},
		} {
			got, err := m.Encode(0, text, v, nil)
			if err == nil || !strings.Contains(err.Error(), "rows of different lengths") {
				t.Errorf("ragged %v: %s, %v", v, got, err)
			}
		}
	})
}

func TestSlicesThatHoldNoIDsAreLeftAlone(t *testing.T) {
	type definedID oid.ID
	forEachRegistration(t, func(t *testing.T, m *pgtype.Map) {
		for _, v := range []any{[]definedID{definedID(sample)}, []any{nil}} {
			if got, err := m.Encode(pgtype.ByteaArrayOID, text, v, nil); err == nil && string(got) != "{NULL}" {
				t.Errorf("%T: encoded as %s", v, got)
			}
		}
		if got, err := m.Encode(pgtype.Int4ArrayOID, text, []int32{1, 2}, nil); string(got) != "{1,2}" || err != nil {
			t.Errorf("[]int32: %s, %v", got, err)
		}
	})
}

// An array of a domain that isn't loaded has a type that pgx doesn't know.
func TestArraysOfADomainThatIsNotLoaded(t *testing.T) {
	const unknownOID = 999999
	in := []byte(`{"\\x` + sample.Hex() + `","\\x` + other.Hex() + `"}`)
	forEachRegistration(t, func(t *testing.T, m *pgtype.Map) {
		pgxoid.RegisterFor[userID](m)
		var ids []oid.ID
		var typed []userID
		if err := m.Scan(unknownOID, text, in, &ids); err != nil || len(ids) != 2 || ids[1] != other {
			t.Errorf("%v, %v", ids, err)
		}
		if err := m.Scan(unknownOID, text, in, &typed); err != nil || len(typed) != 2 || oid.ID(typed[1]) != other {
			t.Errorf("%v, %v", typed, err)
		}
		var null []sqltype.Null
		var zeroNull []sqltype.ZeroNull
		var sqlNull []sql.Null[oid.ID]
		var array pgtype.Array[oid.ID]
		for _, dst := range []any{&null, &zeroNull, &sqlNull, &array} {
			if err := m.Scan(unknownOID, text, in, dst); err != nil {
				t.Errorf("%T: %v", dst, err)
			}
		}
		if len(null) != 2 || null[1].ID != other || len(zeroNull) != 2 || zeroNull[1] != sqltype.ZeroNull(other) ||
			len(sqlNull) != 2 || sqlNull[1].V != other || len(array.Elements) != 2 || array.Elements[1] != other {
			t.Errorf("%v, %v, %v, %v", null, zeroNull, sqlNull, array)
		}
		if err := m.SQLScanner(&ids).Scan(string(in)); err != nil || len(ids) != 2 {
			t.Errorf("SQLScanner: %v, %v", ids, err)
		}
	})
}

func TestScanRefusesNULLAndOtherLengths(t *testing.T) {
	forEachRegistration(t, func(t *testing.T, m *pgtype.Map) {
		for _, in := range [][]byte{nil, {}, make([]byte, 11), make([]byte, 13), make([]byte, 16)} {
			for _, format := range []int16{text, binary} {
				src := in
				if format == text && in != nil {
					src = []byte(`\x` + hex.EncodeToString(in))
				}
				id := other
				if err := m.Scan(pgtype.ByteaOID, format, src, &id); !errors.Is(err, oid.ErrSyntax) || id != other {
					t.Errorf("%q: %v, destination %v", src, err, id)
				}
			}
		}
		p := &other
		if err := m.Scan(pgtype.ByteaOID, binary, nil, &p); err != nil || p != nil {
			t.Errorf("NULL into *ID: %v, %v", p, err)
		}
	})
}

func TestCodecTakesNothingBut12BytesFromBytea(t *testing.T) {
	m := pgtype.NewMap()
	pgxoid.RegisterCodec(m)
	digits := []byte(sample.Hex())
	id := other
	for _, test := range []struct {
		format int16
		src    []byte
	}{{binary, digits}, {text, []byte(`\x` + hex.EncodeToString(digits))}} {
		err := m.Scan(pgtype.ByteaOID, test.format, test.src, &id)
		if !errors.Is(err, oid.ErrSyntax) || id != other {
			t.Errorf("format %d: %v, destination %v", test.format, err, id)
		}
		if err != nil && !strings.Contains(err.Error(), "want the 12 bytes of an id") {
			t.Error(err)
		}
	}
	if err := m.Scan(pgtype.TextOID, text, digits, &id); err != nil || id != sample {
		t.Errorf("text column: %v, %v", id, err)
	}
}

// otherLibrary is a codec of bytea that somebody else has registered.
type otherLibrary struct{ pgtype.ByteaCodec }

func (otherLibrary) PlanEncode(m *pgtype.Map, typeOID uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := value.(fmt.Stringer); ok {
		return nil
	}
	return pgtype.ByteaCodec{}.PlanEncode(m, typeOID, format, value)
}

func TestCodecKeepsTheOneThatItFinds(t *testing.T) {
	m := pgtype.NewMap()
	m.RegisterType(&pgtype.Type{Name: "bytea", OID: pgtype.ByteaOID, Codec: otherLibrary{}})
	pgxoid.RegisterCodec(m)
	if got, err := m.Encode(pgtype.ByteaOID, binary, sample, nil); !bytes.Equal(got, sample[:]) || err != nil {
		t.Errorf("an id: %x, %v", got, err)
	}
	bytea, _ := m.TypeForOID(pgtype.ByteaOID)
	if plan := bytea.Codec.PlanEncode(m, pgtype.ByteaOID, binary, userID(sample)); plan != nil {
		t.Errorf("the other library isn't asked: %T", plan)
	}
}

// A pool's hooks may each register: nothing piles up.
func TestRegisterAgainChangesNothing(t *testing.T) {
	m := pgtype.NewMap()
	pgxoid.RegisterCodec(m)
	wrappers := len(m.TryWrapEncodePlanFuncs)
	for _, typeOID := range []uint32{pgtype.ByteaOID, pgtype.TextOID, pgtype.UUIDOID} {
		before, _ := m.TypeForOID(typeOID)
		pgxoid.RegisterCodec(m)
		if after, _ := m.TypeForOID(typeOID); after != before {
			t.Errorf("type %d has another codec", typeOID)
		}
	}
	if n := len(m.TryWrapEncodePlanFuncs); n != wrappers {
		t.Errorf("%d functions that wrap values, want the %d of the first time", n, wrappers)
	}
}

func TestAllocations(t *testing.T) {
	ids := make([]oid.ID, 1000)
	oid.Fill(ids)
	var value, pointer, slice any = sample, &sample, ids
	buf := make([]byte, 0, 20_000)
	var dst oid.ID
	var target any = &dst
	encode := func(typeOID uint32, v any) func(*pgtype.Map) error {
		return func(m *pgtype.Map) error {
			_, err := m.Encode(typeOID, binary, v, buf)
			return err
		}
	}
	scan := func(m *pgtype.Map) error { return m.Scan(pgtype.ByteaOID, binary, sample[:], target) }
	for _, test := range []struct {
		name     string
		register func(*pgtype.Map)
		call     func(*pgtype.Map) error
		want     float64
	}{
		{"scan, unregistered", func(*pgtype.Map) {}, scan, 0},
		{"scan, Register", pgxoid.Register, scan, 0},
		{"scan, RegisterCodec", pgxoid.RegisterCodec, scan, 0},
		{"encode, unregistered", func(*pgtype.Map) {}, encode(pgtype.ByteaOID, value), 1},
		{"encode, RegisterCodec", pgxoid.RegisterCodec, encode(pgtype.ByteaOID, value), 0},
		{"encode pointer, RegisterCodec", pgxoid.RegisterCodec, encode(pgtype.ByteaOID, pointer), 0},
		{"encode 1000, RegisterCodec", pgxoid.RegisterCodec, encode(pgtype.ByteaArrayOID, slice), 2},
	} {
		m := pgtype.NewMap()
		test.register(m)
		if err := test.call(m); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if got := testing.AllocsPerRun(100, func() { test.call(m) }); got != test.want {
			t.Errorf("%s: %v allocations, want %v", test.name, got, test.want)
		}
	}
}

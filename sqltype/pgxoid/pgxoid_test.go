package pgxoid_test

import (
	"bytes"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

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
	{"Register twice", func(m *pgtype.Map) { pgxoid.Register(m); pgxoid.Register(m) }},
	{"RegisterFor", func(m *pgtype.Map) { pgxoid.RegisterFor[userID](m); pgxoid.RegisterFor[userID](m) }},
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

// scalars are all forms of the sample ID.
func scalars() []any {
	id, typed, hexed, zn := sample, userID(sample), sqltype.Hex(sample), sqltype.ZeroNull(sample)
	return []any{
		id, &id, typed, &typed, embedded{id}, &embedded{id}, sql.Null[userID]{V: typed, Valid: true}, zn, &zn, hexed, &hexed,
		sql.Null[oid.ID]{V: id, Valid: true}, &sql.Null[oid.ID]{V: id, Valid: true},
		sql.Null[*oid.ID]{V: &id, Valid: true}, sql.Null[sqltype.ZeroNull]{V: zn, Valid: true},
		sqltype.ZeroNullFor[user](typed), sql.Null[sqltype.ZeroNullFor[user]]{V: sqltype.ZeroNullFor[user](typed), Valid: true},
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

// Without the column's type, which exec and simple protocol mode lack, an ID is a
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

// The mode exec tells the server these types.
func TestDefaultTypes(t *testing.T) {
	m := pgtype.NewMap()
	pgxoid.RegisterFor[userID](m)
	pgxoid.RegisterFor[definedID](m)
	testDefault[oid.ID](t, m, "bytea")
	testDefault[userID](t, m, "bytea")
	testDefault[definedID](t, m, "bytea")
	testDefault[sqltype.ZeroNull](t, m, "bytea")
	testDefault[sqltype.Hex](t, m, "text")
	testDefault[sqltype.UUID](t, m, "uuid")
}

func testDefault[T any](t *testing.T, m *pgtype.Map, scalar string) {
	t.Helper()
	for want, values := range map[string][]any{
		scalar: {*new(T), new(T), sql.Null[T]{}, new(sql.Null[T])},
		"_" + scalar: {[]T{}, new([]T), []*T{}, new([]*T), [][]T{}, new([][]T), []sql.Null[T]{}, new([]sql.Null[T]),
			pgtype.Array[T]{}, new(pgtype.Array[T]), pgtype.FlatArray[T]{}, new(pgtype.FlatArray[T])},
	} {
		for _, v := range values {
			if typ, ok := m.TypeForValue(v); !ok || typ.Name != want {
				t.Errorf("TypeForValue(%T) = %v, %v, want %s", v, typ, ok, want)
			}
		}
	}
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
		if err == nil || !strings.Contains(err.Error(), "an ID has 12 bytes, and a uuid has 16") {
			t.Errorf("error %v", err)
		}
		// A uuid goes through, and other bytes don't.
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
				(*oid.ID)(nil), (*userID)(nil), sqltype.ZeroNull{}, (*sqltype.ZeroNull)(nil), (*sqltype.Hex)(nil),
				sql.Null[oid.ID]{}, sql.Null[sqltype.Hex]{}, (*sql.Null[oid.ID])(nil),
				sql.Null[*oid.ID]{Valid: true}, sql.Null[*oid.ID]{},
			} {
				for _, buf := range [][]byte{nil, make([]byte, 0, 64)} { // pgx itself gives a buffer
					if got, err := m.Encode(typeOID, text, v, buf); got != nil || err != nil {
						t.Errorf("%T, type %d: %q, %v", v, typeOID, got, err)
					}
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
		for _, v := range []any{oid.ID{}, &oid.ID{}, userID{}, sql.Null[oid.ID]{Valid: true}, sqltype.Hex{}} {
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
			{[]sqltype.ZeroNull{{}, sqltype.ZeroNull(other)}, "{NULL," + b + "}"},
			{[]sql.Null[oid.ID]{{V: sample, Valid: true}, {}}, "{" + a + ",NULL}"},
			{[]*sql.Null[oid.ID]{{V: sample, Valid: true}, {}, nil}, "{" + a + ",NULL,NULL}"},
			{sqltype.Array[oid.ID](ids), "{" + a + "," + b + "}"},
			{sqltype.Array[userID](typed), "{" + a + "," + b + "}"},
			{sqltype.Array[sqltype.ZeroNull]{{}, sqltype.ZeroNull(other)}, "{NULL," + b + "}"},
			{sqltype.Array[sqltype.Hex]{sqltype.Hex(sample)}, "{" + sample.Hex() + "}"},
			{sqltype.Array[sqltype.UUID]{sqltype.UUID(sample)}, "{018d46ff-58a0-70c1-acb4-f93d4185cb1d}"},
			{[]sqltype.Hex{sqltype.Hex(sample)}, "{" + sample.Hex() + "}"},
			{[2]sqltype.Hex{sqltype.Hex(sample), sqltype.Hex(other)}, "{" + sample.Hex() + "," + other.Hex() + "}"},
			{[][]*sqltype.Hex{{(*sqltype.Hex)(&sample)}, {nil}}, "{{" + sample.Hex() + "},{NULL}}"},
			{[1]sqltype.UUID{sqltype.UUID(sample)}, "{018d46ff-58a0-70c1-acb4-f93d4185cb1d}"},
			{[][]sqltype.UUID{{sqltype.UUID(sample)}}, "{{018d46ff-58a0-70c1-acb4-f93d4185cb1d}}"},
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
			if err == nil || !strings.Contains(err.Error(), "the inner slices have different lengths") {
				t.Errorf("ragged %v: %s, %v", v, got, err)
			}
		}
	})
}

func TestSlicesThatHoldNoIDsAreLeftAlone(t *testing.T) {
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
		var zeroNull []sqltype.ZeroNull
		var sqlNull []sql.Null[oid.ID]
		var array pgtype.Array[oid.ID]
		for _, dst := range []any{&zeroNull, &sqlNull, &array} {
			if err := m.Scan(unknownOID, text, in, dst); err != nil {
				t.Errorf("%T: %v", dst, err)
			}
		}
		if len(zeroNull) != 2 || zeroNull[1] != sqltype.ZeroNull(other) ||
			len(sqlNull) != 2 || sqlNull[1].V != other || len(array.Elements) != 2 || array.Elements[1] != other {
			t.Errorf("%v, %v, %v", zeroNull, sqlNull, array)
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
	pgxoid.Register(m)
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
		if want := [...]string{`oid.ID.ScanBytes(bytea): length 50, want \x and 24 hex digits`, "oid.ID.ScanBytes(bytea): length 24, want the 12 bytes of an ID"}[test.format]; err != nil && !strings.HasSuffix(err.Error(), want) {
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
	pgxoid.Register(m)
	if got, err := m.Encode(pgtype.ByteaOID, binary, sample, nil); !bytes.Equal(got, sample[:]) || err != nil {
		t.Errorf("an id: %x, %v", got, err)
	}
	bytea, _ := m.TypeForOID(pgtype.ByteaOID)
	if plan := bytea.Codec.PlanEncode(m, pgtype.ByteaOID, binary, time.Second); plan != nil {
		t.Errorf("the other library isn't asked: %T", plan)
	}
}

// lockedID is a type of a user. Its text is an error.
type lockedID struct{ oid.ID }

func (lockedID) AppendText([]byte) ([]byte, error) { return nil, errors.New("locked") }

func TestErrorOfAppendTextIsReturned(t *testing.T) {
	m := pgtype.NewMap()
	pgxoid.Register(m)
	for _, format := range []int16{text, binary} {
		if got, err := m.Encode(pgtype.ByteaOID, format, lockedID{sample}, nil); err == nil || !strings.Contains(err.Error(), "locked") {
			t.Errorf("format %d: %x, %v, want the error of AppendText", format, got, err)
		}
	}
}

// A pool's hooks may each register: nothing piles up.
func TestRegisterAgainChangesNothing(t *testing.T) {
	m := pgtype.NewMap()
	pgxoid.RegisterFor[userID](m)
	pgxoid.RegisterFor[definedID](m)
	encoders, scanners := len(m.TryWrapEncodePlanFuncs), len(m.TryWrapScanPlanFuncs)
	for _, typeOID := range []uint32{pgtype.ByteaOID, pgtype.TextOID, pgtype.UUIDOID, pgtype.JSONBOID} {
		before, _ := m.TypeForOID(typeOID)
		pgxoid.Register(m)
		pgxoid.RegisterFor[userID](m)
		pgxoid.RegisterFor[definedID](m)
		if after, _ := m.TypeForOID(typeOID); after != before {
			t.Errorf("type %d has another codec", typeOID)
		}
	}
	if e, s := len(m.TryWrapEncodePlanFuncs), len(m.TryWrapScanPlanFuncs); e != encoders || s != scanners {
		t.Errorf("%d and %d functions that wrap values, want the %d and %d of the first time", e, s, encoders, scanners)
	}
}

func TestTextColumnsTake24DigitsOnly(t *testing.T) {
	forEachRegistration(t, func(t *testing.T, m *pgtype.Map) {
		for _, typeOID := range []uint32{pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID, pgtype.NameOID} {
			for _, format := range []int16{binary, text} {
				for _, in := range []string{"", "hello world!", `\x` + sample.Hex(), sample.Hex() + " ", sample.Hex()[1:] + "g", "018d46ff-58a0-70c1-acb4-f93d4185cb1d"} {
					id, typed, zn, hexed := other, userID(other), sqltype.ZeroNull(other), sqltype.Hex(other)
					em, sn, p := embedded{other}, sql.Null[oid.ID]{V: other, Valid: true}, new(oid.ID)
					for _, target := range []any{&id, &typed, &zn, &hexed, &em, &sn, &p} {
						if target == any(&sn) && in[:min(len(in), 1)] == `\` {
							continue // database/sql comes in between, and oid.ID.Scan takes this
						}
						if err := m.Scan(typeOID, format, []byte(in), target); !errors.Is(err, oid.ErrSyntax) {
							t.Errorf("%q of type %d into %T: %v", in, typeOID, target, err)
						}
					}
					if id != other || typed != userID(other) || zn != sqltype.ZeroNull(other) || hexed != sqltype.Hex(other) || em.ID != other {
						t.Errorf("%q: a destination changed", in)
					}
				}
				var id oid.ID
				if err := m.Scan(typeOID, format, []byte(strings.ToUpper(sample.Hex())), &id); err != nil || id != sample {
					t.Errorf("upper case: %v, %v", id, err)
				}
				if err := m.Scan(typeOID, format, nil, &id); !errors.Is(err, oid.ErrSyntax) || id != sample {
					t.Errorf("NULL: %v, %v", id, err)
				}
			}
		}
		var typed userID
		err := m.Scan(pgtype.TextOID, text, []byte("hello world!"), &typed)
		if want := "ScanBytes(text): length 12, want 24 hex digits"; err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	})
}

func TestUUIDColumnsHoldAUUID(t *testing.T) {
	u := sqltype.UUID(sample)
	b := u.Bytes()
	asText, err := u.Value()
	if err != nil {
		t.Fatal(err)
	}
	check := func(t *testing.T, m *pgtype.Map, registered bool) {
		for _, v := range []any{u, &u, sql.Null[sqltype.UUID]{V: u, Valid: true}} {
			for format, want := range []string{asText.(string), string(b[:])} {
				got, err := m.Encode(pgtype.UUIDOID, int16(format), v, nil)
				if string(got) != want && (registered || format == text) || err != nil && registered {
					t.Errorf("%T, format %d: %q, %v, want %q", v, format, got, err, want)
				}
			}
			if got, err := m.Encode(0, text, v, nil); string(got) != asText || err != nil {
				t.Errorf("%T of unknown type: %q, %v", v, got, err)
			}
		}
		for format, src := range []string{asText.(string), string(b[:])} {
			var got sqltype.UUID
			var p *sqltype.UUID
			var null sql.Null[sqltype.UUID]
			for _, target := range []any{&got, &p, &null} {
				if err := m.Scan(pgtype.UUIDOID, int16(format), []byte(src), target); err != nil {
					t.Errorf("%T, format %d: %v", target, format, err)
				}
			}
			if got != u || p == nil || *p != u || null.V != u {
				t.Errorf("format %d: %v, %v, %v", format, got, p, null)
			}
			if err := m.Scan(pgtype.UUIDOID, int16(format), nil, &got); !errors.Is(err, oid.ErrSyntax) || got != u {
				t.Errorf("NULL: %v, %v", got, err)
			}
			if err := m.Scan(pgtype.UUIDOID, int16(format), nil, &p); p != nil || err != nil {
				t.Errorf("NULL: %v, %v", p, err)
			}
			var id oid.ID
			if err := m.Scan(pgtype.UUIDOID, int16(format), []byte(src), &id); err == nil {
				t.Errorf("a uuid column scans into an oid.ID: %v", id)
			}
		}
		foreign := b
		foreign[15]++
		got := u
		if err := m.Scan(pgtype.UUIDOID, binary, foreign[:], &got); !errors.Is(err, oid.ErrSyntax) || got != u {
			t.Errorf("a UUID of other origin: %v, %v", got, err)
		}
		list := []sqltype.UUID{u, sqltype.UUID(other)}
		format := int16(binary)
		if !registered {
			format = text
		}
		for _, v := range []any{list, []*sqltype.UUID{&list[0], &list[1]}, [2]sqltype.UUID(list), [][]sqltype.UUID{list}} {
			if _, ok := v.([][]sqltype.UUID); ok && !registered {
				continue // pgx has kept the plan of the slice before
			}
			encoded, err := m.Encode(pgtype.UUIDArrayOID, format, v, nil)
			var back []sqltype.UUID
			if err := errors.Join(err, m.Scan(pgtype.UUIDArrayOID, format, encoded, &back)); err != nil || !slices.Equal(back, list) {
				t.Errorf("%T: %v, %v", v, back, err)
			}
		}
	}
	forEachRegistration(t, func(t *testing.T, m *pgtype.Map) { check(t, m, true) })
	t.Run("unregistered", func(t *testing.T) { check(t, pgtype.NewMap(), false) })
	m := pgtype.NewMap()
	pgxoid.Register(m)
	if got, err := m.Encode(0, text, []sqltype.UUID{u}, nil); string(got) != "{"+asText.(string)+"}" || err != nil {
		t.Errorf("an array of unknown type: %s, %v", got, err)
	}
}

func TestByteaColumnRefusesAUUID(t *testing.T) {
	u := sqltype.UUID(sample)
	forEachRegistration(t, func(t *testing.T, m *pgtype.Map) {
		for _, format := range []int16{binary, text} {
			for _, v := range []any{u, &u} {
				got, err := m.Encode(pgtype.ByteaOID, format, v, nil)
				if want := "pgxoid: a sqltype.UUID is for a uuid column: use oid.ID for bytea"; err == nil || !strings.HasSuffix(err.Error(), want) {
					t.Errorf("%T, format %d: %q, %v, want %s", v, format, got, err, want)
				}
			}
		}
	})
}

func TestJSONValueIsALoneID(t *testing.T) {
	u := sqltype.UUID(sample)
	want := `"` + sample.Hex() + `"`
	type document struct {
		oid.ID
		Name string
	}
	forEachRegistration(t, func(t *testing.T, m *pgtype.Map) {
		for _, typeOID := range []uint32{pgtype.JSONOID, pgtype.JSONBOID} {
			for _, format := range []int16{text, binary} {
				stored := want
				null := "null"
				if typeOID == pgtype.JSONBOID && format == binary {
					stored, null = "\x01"+stored, "\x01"+null
				}
				for _, v := range append(scalars(), u, &u) {
					if got, err := m.Encode(typeOID, format, v, nil); string(got) != stored || err != nil {
						t.Errorf("%T, type %d: %q, %v, want %q", v, typeOID, got, err, stored)
					}
				}
				for _, v := range []any{(*oid.ID)(nil), sqltype.ZeroNull{}, sql.Null[oid.ID]{}} {
					if got, err := m.Encode(typeOID, format, v, nil); got != nil || err != nil {
						t.Errorf("%T, type %d: %q, %v, want NULL", v, typeOID, got, err)
					}
				}
				id, typed, zn, hexed, uuid := other, userID(other), sqltype.ZeroNull{}, sqltype.Hex{}, sqltype.UUID{}
				em, sn, p, pp := embedded{}, sql.Null[oid.ID]{}, (*oid.ID)(nil), (**userID)(nil)
				for _, target := range []any{&id, &typed, &zn, &hexed, &uuid, &em, &sn, &p, &pp} {
					if err := m.Scan(typeOID, format, []byte(stored), target); err != nil {
						t.Errorf("%T, type %d: %v", target, typeOID, err)
					}
				}
				if id != sample || typed != userID(sample) || zn != sqltype.ZeroNull(sample) || hexed != sqltype.Hex(sample) ||
					uuid != u || em.ID != sample || sn.V != sample || !sn.Valid || p == nil || *p != sample || pp == nil || **pp != userID(sample) {
					t.Errorf("type %d: %v, %v, %v, %v, %v, %v, %v, %v", typeOID, id, typed, zn, hexed, uuid, em, sn, p)
				}
				// Pointers that already point to something.
				p, pp = new(oid.ID), new(*userID)
				*pp = new(userID)
				err := errors.Join(m.Scan(typeOID, format, []byte(stored), &p), m.Scan(typeOID, format, []byte(stored), &pp))
				if err != nil || *p != sample || **pp != userID(sample) {
					t.Errorf("type %d: %v, %v, %v", typeOID, p, **pp, err)
				}
				// JSON's null, and NULL.
				for _, src := range [][]byte{[]byte(null), nil} {
					for _, target := range []any{&id, &typed, &hexed, &uuid, &em} {
						if err := m.Scan(typeOID, format, src, target); !errors.Is(err, oid.ErrSyntax) {
							t.Errorf("%q into %T: %v", src, target, err)
						}
					}
					zn, sn, p = sqltype.ZeroNull(other), sql.Null[oid.ID]{Valid: true}, new(oid.ID)
					for _, target := range []any{&zn, &sn, &p} {
						if err := m.Scan(typeOID, format, src, target); err != nil {
							t.Errorf("%q into %T: %v", src, target, err)
						}
					}
					if id != sample || !zn.IsZero() || sn.Valid || p != nil {
						t.Errorf("%q: %v, %v, %v, %v", src, id, zn, sn, p)
					}
				}
				for _, bad := range []string{`"hello world!"`, `1`, `{}`, `[]`, ``} {
					if typeOID == pgtype.JSONBOID && format == binary {
						bad = "\x01" + bad
					}
					if err := m.Scan(typeOID, format, []byte(bad), &id); err == nil || id != sample {
						t.Errorf("%s: %v, %v", bad, id, err)
					}
				}
				// A document that embeds an ID is not one: the server refuses its bytes.
				ada := document{sample, "Ada"}
				for _, v := range []any{ada, &ada, sql.Null[document]{V: ada, Valid: true}} {
					if got, err := m.Encode(typeOID, format, v, nil); err == nil && strings.Contains(string(got), sample.Hex()) {
						t.Errorf("%T is stored as %s", v, got)
					}
				}
			}
		}
		if err := m.Scan(pgtype.JSONBOID, binary, []byte("\x02"+want), new(oid.ID)); err == nil {
			t.Error("another version of jsonb: no error")
		}
		// The rest is as before.
		var list []oid.ID
		if err := m.Scan(pgtype.JSONBOID, text, []byte("["+want+"]"), &list); err != nil || len(list) != 1 || list[0] != sample {
			t.Errorf("%v, %v", list, err)
		}
		if got, err := m.Encode(pgtype.JSONOID, text, map[string]any{"id": sample}, nil); string(got) != `{"id":`+want+`}` || err != nil {
			t.Errorf("%s, %v", got, err)
		}
	})
}

// definedID and foreignID are types of 12 bytes that have none of our methods.
type definedID oid.ID

type foreignID [12]byte

func (id foreignID) String() string { return "a foreign id" }

func TestRegisterForMakesATypeOfOnesOwnAnID(t *testing.T) {
	m := pgtype.NewMap()
	pgxoid.RegisterFor[definedID](m)
	pgxoid.RegisterFor[foreignID](m)
	testDefined(t, m, definedID(sample))
	testDefined(t, m, foreignID(sample))
	if got, err := m.Encode(pgtype.UUIDOID, binary, definedID(sample), nil); err == nil {
		t.Errorf("a uuid column gets %x", got)
	}
}

func testDefined[T ~[12]byte](t *testing.T, m *pgtype.Map, v T) {
	for _, tt := range []struct {
		typeOID uint32
		format  int16
		want    string
	}{
		{pgtype.ByteaOID, binary, string(sample[:])},
		{pgtype.ByteaOID, text, `\x` + sample.Hex()},
		{pgtype.TextOID, binary, sample.Hex()},
		{0, text, `\x` + sample.Hex()},
	} {
		for _, v := range []any{v, &v} {
			if got, err := m.Encode(tt.typeOID, tt.format, v, nil); string(got) != tt.want || err != nil {
				t.Errorf("%T, type %d: %q, %v, want %q", v, tt.typeOID, got, err, tt.want)
			}
		}
		if got, err := m.Encode(tt.typeOID, tt.format, (*T)(nil), nil); got != nil || err != nil {
			t.Errorf("a nil %T, type %d: %q, %v", v, tt.typeOID, got, err)
		}
		if tt.typeOID == 0 {
			continue
		}
		var back T
		var p *T
		err := errors.Join(m.Scan(tt.typeOID, tt.format, []byte(tt.want), &back), m.Scan(tt.typeOID, tt.format, []byte(tt.want), &p))
		if err != nil || back != v || p == nil || *p != v {
			t.Errorf("%T, type %d: %v, %v, %v", v, tt.typeOID, back, p, err)
		}
		if err := m.Scan(tt.typeOID, tt.format, []byte("x"), &back); !errors.Is(err, oid.ErrSyntax) || back != v {
			t.Errorf("%T, type %d: %v, %v", v, tt.typeOID, back, err)
		}
	}
	for _, typeOID := range []uint32{0, pgtype.ByteaArrayOID} {
		got, err := m.Encode(typeOID, text, []T{v}, nil)
		if string(got) != `{"\\x`+sample.Hex()+`"}` || err != nil {
			t.Errorf("%T, type %d: %s, %v", []T{v}, typeOID, got, err)
		}
	}
	var list []T
	if err := m.Scan(pgtype.ByteaArrayOID, text, []byte(`{"\\x`+sample.Hex()+`"}`), &list); err != nil || len(list) != 1 || list[0] != v {
		t.Errorf("%v, %v", list, err)
	}
}

func TestAllocations(t *testing.T) {
	ids := make([]oid.ID, 1000)
	oid.Fill(ids)
	typed, hexes, uuids := make([]userID, len(ids)), make([]sqltype.Hex, len(ids)), make([]sqltype.UUID, len(ids))
	for i, id := range ids {
		typed[i], hexes[i], uuids[i] = userID(id), sqltype.Hex(id), sqltype.UUID(id)
	}
	h, u := sqltype.Hex(sample), sqltype.UUID(sample)
	b := u.Bytes()
	asText, asBytes := []byte(sample.Hex()), b[:]
	foreign := make([]foreignID, len(ids))
	for i, id := range ids {
		foreign[i] = foreignID(id)
	}
	buf := make([]byte, 0, 40_000)
	register := func(m *pgtype.Map) { pgxoid.RegisterFor[userID](m); pgxoid.RegisterFor[foreignID](m) }
	list, err := pgtype.NewMap().Encode(pgtype.ByteaArrayOID, binary, ids, nil)
	if err != nil {
		t.Fatal(err)
	}
	bare := func(*pgtype.Map) {}
	for _, test := range []struct {
		name     string
		register func(*pgtype.Map)
		typeOID  uint32
		value    any // encoded
		target   any // or scanned
		src      []byte
		want     float64
	}{
		{"scan, unregistered", bare, pgtype.ByteaOID, nil, new(oid.ID), sample[:], 0},
		{"scan", register, pgtype.ByteaOID, nil, new(oid.ID), sample[:], 0},
		{"scan For", register, pgtype.ByteaOID, nil, new(userID), sample[:], 0},
		{"scan a type of RegisterFor", register, pgtype.ByteaOID, nil, new(foreignID), sample[:], 0},
		{"scan 1000", register, pgtype.ByteaArrayOID, nil, new([]oid.ID), list, 5},
		{"scan 1000 For", register, pgtype.ByteaArrayOID, nil, new([]userID), list, 5},
		{"scan 1000 of a type of RegisterFor", register, pgtype.ByteaArrayOID, nil, new([]foreignID), list, 5},
		{"scan text", register, pgtype.TextOID, nil, new(oid.ID), asText, 0},
		{"scan Hex", register, pgtype.TextOID, nil, new(sqltype.Hex), asText, 0},
		{"scan UUID", register, pgtype.UUIDOID, nil, new(sqltype.UUID), asBytes, 0},
		{"encode, unregistered", bare, pgtype.ByteaOID, sample, nil, nil, 1},
		{"encode", register, pgtype.ByteaOID, sample, nil, nil, 0},
		{"encode pointer", register, pgtype.ByteaOID, &sample, nil, nil, 0},
		{"encode For", register, pgtype.ByteaOID, userID(sample), nil, nil, 0},
		{"encode pointer to For", register, pgtype.ByteaOID, (*userID)(&sample), nil, nil, 0},
		{"encode a type of RegisterFor", register, pgtype.ByteaOID, foreignID(sample), nil, nil, 0},
		{"encode 1000 of a type of RegisterFor", register, pgtype.ByteaArrayOID, foreign, nil, nil, 2},
		{"encode as text", register, pgtype.TextOID, sample, nil, nil, 0},
		{"encode Hex", register, pgtype.TextOID, h, nil, nil, 0},
		{"encode pointer to Hex", register, pgtype.TextOID, &h, nil, nil, 0},
		{"encode UUID", register, pgtype.UUIDOID, u, nil, nil, 0},
		{"encode pointer to UUID", register, pgtype.UUIDOID, &u, nil, nil, 0},
		{"encode 1000", register, pgtype.ByteaArrayOID, ids, nil, nil, 2},
		{"encode 1000 For", register, pgtype.ByteaArrayOID, typed, nil, nil, 2},
		{"encode 1000 Hex", register, pgtype.TextArrayOID, hexes, nil, nil, 2},
		{"encode 1000 UUID", register, pgtype.UUIDArrayOID, uuids, nil, nil, 2},
	} {
		m := pgtype.NewMap()
		test.register(m)
		call := func() error { return m.Scan(test.typeOID, binary, test.src, test.target) }
		if test.target == nil {
			call = func() error {
				_, err := m.Encode(test.typeOID, binary, test.value, buf)
				return err
			}
		}
		if err := call(); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if got := testing.AllocsPerRun(100, func() { call() }); got != test.want {
			t.Errorf("%s: %v allocations, want %v", test.name, got, test.want)
		}
	}
}

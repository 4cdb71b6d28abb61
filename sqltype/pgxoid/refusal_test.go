package pgxoid_test

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
)

// stamped is a struct that has the methods of a time.
type stamped struct{ time.Time }

// bytesOfTime is a time that a program stores as bytes of its own.
type bytesOfTime struct{ time.Time }

func (b bytesOfTime) BytesValue() ([]byte, error) { return []byte("a time"), nil }

func TestByteaRefusesATime(t *testing.T) {
	now := time.Now()
	pointer := &now
	const want = "pgxoid: a time is not an ID, and as a lower bound of IDs it would match every row: pass oid.MinAt(t), or both bounds of oid.Range(from, to)"
	forEachRegistration(t, func(t *testing.T, m *pgtype.Map) {
		for _, format := range []int16{binary, text} {
			for _, v := range []any{
				now, pointer, &pointer, stamped{now}, &stamped{now}, sql.NullTime{Time: now, Valid: true}, &sql.NullTime{Time: now, Valid: true},
				sql.Null[time.Time]{V: now, Valid: true}, sql.Null[*time.Time]{V: pointer, Valid: true},
				pgtype.Timestamptz{Time: now, Valid: true}, pgtype.Timestamp{Time: now, Valid: true}, pgtype.Date{Time: now, Valid: true},
				pgtype.Timestamptz{InfinityModifier: pgtype.Infinity, Valid: true}, &pgtype.Timestamptz{Time: now, Valid: true},
			} {
				if got, err := m.Encode(pgtype.ByteaOID, format, v, nil); err == nil || !strings.HasSuffix(err.Error(), want) {
					t.Errorf("%T, format %d: %q, %v, want %s", v, format, got, err, want)
				}
			}
			for _, v := range []any{[]time.Time{now}, []*time.Time{&now}, [1]time.Time{now}, []any{now}, pgtype.FlatArray[time.Time]{now}} {
				if got, err := m.Encode(pgtype.ByteaArrayOID, format, v, nil); err == nil || !strings.HasSuffix(err.Error(), want) {
					t.Errorf("%T, format %d: %q, %v, want %s", v, format, got, err, want)
				}
			}
			for _, v := range []any{(*time.Time)(nil), sql.NullTime{}, sql.Null[time.Time]{}, pgtype.Timestamptz{}} {
				if got, err := m.Encode(pgtype.ByteaOID, format, v, nil); got != nil || err != nil && !strings.HasSuffix(err.Error(), want) {
					t.Errorf("%T, format %d: %q, %v, want NULL", v, format, got, err)
				}
			}
		}
		for _, v := range []any{"2026-11-23", []byte("2026-11-23")} {
			if got, err := m.Encode(pgtype.ByteaOID, text, v, nil); len(got) == 0 || err != nil {
				t.Errorf("%T: %q, %v: a bytea column may be any other one", v, got, err)
			}
		}
		if got, err := m.Encode(pgtype.ByteaOID, binary, bytesOfTime{now}, nil); string(got) != "a time" || err != nil {
			t.Errorf("a time with bytes of its own: %q, %v", got, err)
		}
		if got, err := m.Encode(pgtype.TimestamptzOID, binary, now, nil); len(got) != 8 || err != nil {
			t.Errorf("a timestamptz column: %q, %v", got, err)
		}
	})
}

// pgx would send the text of the String method.
func TestByteaRefusesAnUnknownID(t *testing.T) {
	id := foreignID(sample)
	pointer := &id
	const want = "pgxoid: pgx doesn't know pgxoid_test.foreignID as an ID: convert the value to an oid.ID, or call pgxoid.RegisterFor before pgx loads the domain objectid"
	forEachRegistration(t, func(t *testing.T, m *pgtype.Map) {
		for _, format := range []int16{binary, text} {
			for _, v := range []any{id, pointer, &pointer} {
				if got, err := m.Encode(pgtype.ByteaOID, format, v, nil); err == nil || !strings.HasSuffix(err.Error(), want) {
					t.Errorf("%T, format %d: %q, %v, want %s", v, format, got, err, want)
				}
			}
			for _, v := range []any{[]foreignID{id}, []*foreignID{&id}, []any{id}, pgtype.FlatArray[foreignID]{id}} {
				if got, err := m.Encode(pgtype.ByteaArrayOID, format, v, nil); err == nil || !strings.HasSuffix(err.Error(), want) {
					t.Errorf("%T, format %d: %q, %v, want %s", v, format, got, err, want)
				}
			}
			if got, err := m.Encode(pgtype.ByteaOID, format, (*foreignID)(nil), nil); got != nil || err != nil {
				t.Errorf("a nil pointer, format %d: %q, %v, want NULL", format, got, err)
			}
		}
		pgxoid.RegisterFor[foreignID](m)
		for _, v := range []any{id, pointer, &pointer} {
			if got, err := m.Encode(pgtype.ByteaOID, binary, v, nil); string(got) != string(id[:]) || err != nil {
				t.Errorf("%T, registered: %q, %v", v, got, err)
			}
		}
	})
}

// bytesOf is a driver.Valuer.
type bytesOf struct{ value driver.Value }

func (b bytesOf) Value() (driver.Value, error) { return b.value, nil }

const objectidOID, objectidArrayOID = 90_001, 90_002

// load registers the domain objectid as pgx does when it loads it.
func load(m *pgtype.Map, name string) {
	bytea, _ := m.TypeForOID(pgtype.ByteaOID)
	domain := &pgtype.Type{Name: name, OID: objectidOID, Codec: bytea.Codec}
	m.RegisterType(domain)
	m.RegisterType(&pgtype.Type{Name: "_" + name, OID: objectidArrayOID, Codec: &pgtype.ArrayCodec{ElementType: domain}})
}

// In id IN ($1), the parameter has the type of one ID.
func TestListForOneIDNamesTheRemedy(t *testing.T) {
	forEachRegistration(t, func(t *testing.T, m *pgtype.Map) {
		for _, typeOID := range []uint32{pgtype.ByteaOID, pgtype.TextOID, pgtype.BPCharOID} {
			for _, v := range []any{
				[]oid.ID{{1}}, []oid.ID{}, []*oid.ID{nil}, [2]oid.ID{}, []oid.For[stamped]{{1}}, []sqltype.Hex{{1}},
				sqltype.Array[oid.ID]{{1}}, [][]oid.ID{{{1}}},
			} {
				for _, format := range []int16{binary, text} {
					got, err := m.Encode(typeOID, format, v, nil)
					if want := "pgxoid: a list is not an ID: write = ANY($1) in place of IN ($1), or pass one ID"; err == nil || !strings.HasSuffix(err.Error(), want) {
						t.Errorf("type %d, %T, format %d: %q, %v, want %s", typeOID, v, format, got, err, want)
					}
				}
			}
		}
	})
}

func TestObjectidTakesOnlyIDs(t *testing.T) {
	for _, name := range []string{"objectid", "ids.objectid"} {
		forEachRegistration(t, func(t *testing.T, m *pgtype.Map) {
			pgxoid.RegisterFor[foreignID](m)
			load(m, name)
			digits, n, now := sample.Hex(), 42, time.Now()
			for format, want := range map[int16]string{binary: string(sample[:]), text: `\x` + digits} {
				raw := sample[:]
				for _, v := range append(scalars(), raw, &raw, json.RawMessage(raw), foreignID(sample), (*foreignID)(&sample), bytesOf{raw}, sql.Null[[]byte]{V: raw, Valid: true}) {
					if got, err := m.Encode(objectidOID, format, v, nil); string(got) != want || err != nil {
						t.Errorf("%T, format %d: %q, %v, want %q", v, format, got, err, want)
					}
				}
				for _, v := range []any{nil, (*oid.ID)(nil), []byte(nil), sqltype.ZeroNull{}, sql.Null[oid.ID]{}, sql.NullString{}, bytesOf{}, (*string)(nil)} {
					if got, err := m.Encode(objectidOID, format, v, nil); got != nil || err != nil {
						t.Errorf("%T, format %d: %q, %v, want NULL", v, format, got, err)
					}
				}
				type slug string
				for _, tt := range []struct {
					v    any
					want string
				}{
					{&digits, "pgxoid: *string is not an ID, and the domain objectid holds only IDs: pass an oid.ID, such as the result of oid.Parse"},
					{slug(digits), "pgxoid: pgxoid_test.slug is not an ID, and the domain"},
					{sql.NullString{String: digits, Valid: true}, "pgxoid: the string of a sql.NullString is not an ID, and the domain"},
					{sql.Null[string]{V: digits, Valid: true}, "pgxoid: the string of a sql.Null[string] is not an ID"},
					{pgtype.Text{String: digits, Valid: true}, "is not an ID"},
					{bytesOf{digits}, "pgxoid: the string of a pgxoid_test.bytesOf is not an ID"},
					{bytesOf{[]byte(digits)}, "pgxoid: a value of 24 bytes is not an ID"},
					{bytesOf{int64(7)}, "pgxoid: int64 is not an ID"},
					{[]byte(digits), "pgxoid: a value of 24 bytes is not an ID"},
					{sample[:11], "pgxoid: a value of 11 bytes is not an ID"},
					{[]byte{}, "pgxoid: a value of 0 bytes is not an ID"},
					{bytesOfTime{now}, "pgxoid: a value of 6 bytes is not an ID"},
					{n, "pgxoid: int is not an ID"},
					{&n, "pgxoid: int is not an ID"},
					{1.5, "pgxoid: float64 is not an ID"},
					{true, "pgxoid: bool is not an ID"},
					{struct{ A int }{1}, "pgxoid: struct { A int } is not an ID"},
					{definedID(sample), "pgxoid: pgx doesn't know pgxoid_test.definedID as an ID: convert the value to an oid.ID, or call pgxoid.RegisterFor before pgx loads the domain objectid"},
					{sqltype.UUID(sample), "use oid.ID for bytea"},
					{now, "pass oid.MinAt(t)"},
					{sql.NullTime{Time: now, Valid: true}, "pass oid.MinAt(t)"},
				} {
					if _, ok := tt.v.(pgtype.Text); ok && format == text {
						continue // as a string
					}
					if got, err := m.Encode(objectidOID, format, tt.v, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
						t.Errorf("%T %v, format %d: %q, %v, want %s", tt.v, tt.v, format, got, err, tt.want)
					}
				}
			}
			if got, err := m.Encode(objectidOID, binary, digits, nil); err == nil {
				t.Errorf("a string in CopyFrom: %q", got)
			}
			for _, v := range []any{[]string{digits}, [][]byte{sample[:11]}, []int{1}, []time.Time{now}} {
				if got, err := m.Encode(objectidArrayOID, binary, v, nil); err == nil {
					t.Errorf("%T: %q", v, got)
				}
			}
			if plan := m.PlanEncode(objectidOID, binary, nil); plan != nil {
				t.Errorf("PlanEncode(nil) = %T", plan)
			}
			// A type that is registered too late can be read, but not written.
			pgxoid.RegisterFor[definedID](m)
			var got definedID
			if err := m.Scan(objectidOID, binary, sample[:], &got); err != nil || oid.ID(got) != sample {
				t.Errorf("Scan of a type that was registered after the domain: %v, %v", got, err)
			}
			if err := m.Scan(objectidOID, binary, sample[:11], &got); err == nil || oid.ID(got) != sample {
				t.Errorf("Scan of 11 bytes: %v, %v", got, err)
			}
		})
	}
}

// A column of another domain over bytea may hold anything.
func TestOtherDomainsTakeBytes(t *testing.T) {
	m := pgtype.NewMap()
	pgxoid.Register(m)
	load(m, "not_an_objectid")
	if got, err := m.Encode(objectidOID, binary, []byte("a hash"), nil); string(got) != "a hash" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := m.Encode(objectidOID, binary, time.Now(), nil); err == nil {
		t.Errorf("a time: %q", got)
	}
}

func TestIDInAColumnOfTypeOIDIsAnError(t *testing.T) {
	const want = "pgxoid: PostgreSQL's type oid is a number of 4 bytes, and an ID has 12: use a column of type bytea or objectid"
	forEachRegistration(t, func(t *testing.T, m *pgtype.Map) {
		pgxoid.RegisterFor[foreignID](m)
		for _, format := range []int16{binary, text} {
			for _, v := range append(scalars(), sqltype.UUID(sample), ptr(sqltype.UUID(sample)), foreignID(sample)) {
				if got, err := m.Encode(pgtype.OIDOID, format, v, nil); err == nil || !strings.HasSuffix(err.Error(), want) {
					t.Errorf("%T, format %d: %q, %v, want %s", v, format, got, err, want)
				}
			}
			for _, v := range []any{[]oid.ID{sample}, []*oid.ID{&sample}, []userID{userID(sample)}, []foreignID{foreignID(sample)}, []any{sample}, sqltype.Array[oid.ID]{sample}} {
				if got, err := m.Encode(pgtype.OIDArrayOID, format, v, nil); err == nil || !strings.HasSuffix(err.Error(), want) {
					t.Errorf("%T, format %d: %q, %v, want %s", v, format, got, err, want)
				}
			}
			if got, err := m.Encode(pgtype.OIDOID, format, uint32(17), nil); len(got) == 0 || err != nil {
				t.Errorf("a number: %q, %v", got, err)
			}
		}
	})
}

func ptr[T any](v T) *T { return &v }

// An array type has a codec of its own for its elements.
func TestElementsOfArraysAreReadAsStrictlyAsColumns(t *testing.T) {
	raw := pgtype.NewMap()
	forEachRegistration(t, func(t *testing.T, m *pgtype.Map) {
		pgxoid.RegisterFor[foreignID](m)
		for _, tt := range []struct {
			typeOID uint32
			element any
			want    string
		}{
			{pgtype.TextArrayOID, "hello world!", "length 12, want 24 hex digits"},
			{pgtype.VarcharArrayOID, "hello world!", "length 12, want 24 hex digits"},
			{pgtype.BPCharArrayOID, "hello world!", "length 12, want 24 hex digits"},
			{pgtype.ByteaArrayOID, []byte(sample.Hex()), "length 24, want the 12 bytes of an ID"},
		} {
			src, err := raw.Encode(tt.typeOID, binary, []any{tt.element}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, target := range []any{new([]oid.ID), new([]userID), new([]foreignID), new([]*oid.ID), new(pgtype.FlatArray[oid.ID])} {
				if err := m.Scan(tt.typeOID, binary, src, target); err == nil || !strings.HasSuffix(err.Error(), tt.want) {
					t.Errorf("%v of type %d into %T: %v, want %s", tt.element, tt.typeOID, target, err, tt.want)
				}
			}
		}
	})
}

// TestTextOfAByteaIsRefused has what SELECT id::text returns.
func TestTextOfAByteaIsRefused(t *testing.T) {
	const want = `length 26, want 24 hex digits; \x begins the text of a bytea: select the column without ::text, or call objectid_text`
	forEachRegistration(t, func(t *testing.T, m *pgtype.Map) {
		pgxoid.RegisterFor[foreignID](m)
		for _, format := range []int16{binary, text} {
			for _, target := range []any{new(oid.ID), new(userID), new(foreignID), new(sqltype.Hex), new(sqltype.ZeroNull), new(*oid.ID)} {
				if err := m.Scan(pgtype.TextOID, format, []byte(`\x`+sample.Hex()), target); err == nil || !strings.HasSuffix(err.Error(), want) {
					t.Errorf("%T, format %d: %v, want %s", target, format, err, want)
				}
			}
		}
	})
}

// Package sql measures IDs on their way into and out of PostgreSQL, and compares them with a plain
// []byte and the usual UUIDs.
package sql

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oidkit/oidkit/internal/bench/processor"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
	pgxuuid "github.com/vgarvardt/pgx-google-uuid/v5"
)

func bare(*pgtype.Map) {}

type user struct{}

var (
	id     = oid.New()
	v7     = sqltype.UUID(id).Bytes()
	google = uuid.New()
)

// BenchmarkScan reads one column in binary, as pgx does for each row: the plan is
// made once.
func BenchmarkScan(b *testing.B) {
	for _, v := range []struct {
		name     string
		register func(*pgtype.Map)
		typeOID  uint32
		src      []byte
		target   any
	}{
		{"pgtype.UUID", bare, pgtype.UUIDOID, google[:], new(pgtype.UUID)},
		{"uuid.UUID,registered", pgxuuid.Register, pgtype.UUIDOID, google[:], new(uuid.UUID)},
		{"[]byte", bare, pgtype.ByteaOID, id[:], new([]byte)},
		{"oid.ID", bare, pgtype.ByteaOID, id[:], new(oid.ID)},
		{"oid.ID,Register", pgxoid.Register, pgtype.ByteaOID, id[:], new(oid.ID)},
		{"oid.For,RegisterFor", pgxoid.RegisterFor[oid.For[user]], pgtype.ByteaOID, id[:], new(oid.For[user])},
		{"oid.For,Register", pgxoid.Register, pgtype.ByteaOID, id[:], new(oid.For[user])},
		{"oid.ID,text", bare, pgtype.TextOID, []byte(id.Hex()), new(oid.ID)},
		{"sqltype.Hex,text,Register", pgxoid.Register, pgtype.TextOID, []byte(id.Hex()), new(sqltype.Hex)},
		{"sqltype.UUID", bare, pgtype.UUIDOID, v7[:], new(sqltype.UUID)},
		{"sqltype.UUID,Register", pgxoid.Register, pgtype.UUIDOID, v7[:], new(sqltype.UUID)},
	} {
		scan(b, v.name, v.register, v.typeOID, v.src, v.target)
	}
}

// BenchmarkScanText reads a column of text in binary. The UUID has 36 characters there.
func BenchmarkScanText(b *testing.B) {
	scan(b, "pgtype.UUID", bare, pgtype.TextOID, []byte(google.String()), new(pgtype.UUID))
	scan(b, "sqltype.Hex,Register", pgxoid.Register, pgtype.TextOID, []byte(id.Hex()), new(sqltype.Hex))
}

func scan(b *testing.B, name string, register func(*pgtype.Map), typeOID uint32, src []byte, target any) {
	m := pgtype.NewMap()
	register(m)
	plan := m.PlanScan(typeOID, pgtype.BinaryFormatCode, target)
	b.Run(name, func(b *testing.B) {
		defer processor.Time(b)()
		b.ReportAllocs()
		for b.Loop() {
			if err := plan.Scan(src, target); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkEncode writes one parameter in binary.
func BenchmarkEncode(b *testing.B) {
	raw := id[:]
	for _, v := range []struct {
		name     string
		register func(*pgtype.Map)
		typeOID  uint32
		value    any
	}{
		{"pgtype.UUID", bare, pgtype.UUIDOID, pgtype.UUID{Bytes: google, Valid: true}},
		{"uuid.UUID,registered", pgxuuid.Register, pgtype.UUIDOID, google},
		{"[]byte", bare, pgtype.ByteaOID, raw},
		{"oid.ID", bare, pgtype.ByteaOID, id},
		{"oid.ID,Register", pgxoid.Register, pgtype.ByteaOID, id},
		{"oid.ID,text", pgxoid.Register, pgtype.TextOID, id},
		{"oid.For,RegisterFor", pgxoid.RegisterFor[oid.For[user]], pgtype.ByteaOID, oid.For[user](id)},
		{"oid.For,Register", pgxoid.Register, pgtype.ByteaOID, oid.For[user](id)},
		{"sqltype.Hex,text", bare, pgtype.TextOID, sqltype.Hex(id)},
		{"sqltype.Hex,text,Register", pgxoid.Register, pgtype.TextOID, sqltype.Hex(id)},
		{"sqltype.UUID,Register", pgxoid.Register, pgtype.UUIDOID, sqltype.UUID(id)},
	} {
		encode(b, v.name, v.register, v.typeOID, v.value)
	}
}

// BenchmarkEncodeText writes one parameter for a column of text.
func BenchmarkEncodeText(b *testing.B) {
	encode(b, "pgtype.UUID", bare, pgtype.TextOID, pgtype.UUID{Bytes: google, Valid: true})
	encode(b, "sqltype.Hex,Register", pgxoid.Register, pgtype.TextOID, sqltype.Hex(id))
}

// BenchmarkEncode1000 writes a thousand IDs as one parameter, as for = ANY($1).
func BenchmarkEncode1000(b *testing.B) {
	raw, ids, googles, pgs := lists(1000)
	hexes, uuids, typed := make([]sqltype.Hex, len(ids)), make([]sqltype.UUID, len(ids)), make([]oid.For[user], len(ids))
	for i, id := range ids {
		hexes[i], uuids[i], typed[i] = sqltype.Hex(id), sqltype.UUID(id), oid.For[user](id)
	}
	for _, v := range []struct {
		name     string
		register func(*pgtype.Map)
		typeOID  uint32
		value    any
	}{
		{"pgtype.UUID", bare, pgtype.UUIDArrayOID, pgs},
		{"uuid.UUID,registered", pgxuuid.Register, pgtype.UUIDArrayOID, googles},
		{"[]byte", bare, pgtype.ByteaArrayOID, raw},
		{"oid.ID", bare, pgtype.ByteaArrayOID, ids},
		{"oid.ID,Register", pgxoid.Register, pgtype.ByteaArrayOID, ids},
		{"oid.For,RegisterFor", pgxoid.RegisterFor[oid.For[user]], pgtype.ByteaArrayOID, typed},
		{"sqltype.UUID,Register", pgxoid.Register, pgtype.UUIDArrayOID, uuids},
		{"sqltype.Hex,text,Register", pgxoid.Register, pgtype.TextArrayOID, hexes},
	} {
		encode(b, v.name, v.register, v.typeOID, v.value)
	}
}

func encode(b *testing.B, name string, register func(*pgtype.Map), typeOID uint32, value any) {
	m := pgtype.NewMap()
	register(m)
	buf := make([]byte, 0, 64<<10)
	b.Run(name, func(b *testing.B) {
		defer processor.Time(b)()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := m.Encode(typeOID, pgtype.BinaryFormatCode, value, buf); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// lists returns n keys of each kind.
func lists(n int) (raw [][]byte, ids []oid.ID, googles []uuid.UUID, pgs []pgtype.UUID) {
	ids = make([]oid.ID, n)
	oid.Fill(ids)
	for i := range ids {
		u := uuid.New()
		raw = append(raw, ids[i][:])
		googles = append(googles, u)
		pgs = append(pgs, pgtype.UUID{Bytes: u, Valid: true})
	}
	return raw, ids, googles, pgs
}

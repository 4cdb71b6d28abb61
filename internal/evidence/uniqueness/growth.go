package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	mathrand "math/rand/v2"
	"os"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
)

// A key is a kind of primary key in PostgreSQL.
type key struct {
	name, column string
	next         func() any
}

// keys are compared.
func keys() []key {
	one, many, hex := processes(1), processes(16), processes(16)
	serial := int64(0)
	return []key{
		{"oid.ID of 1 process", "bytea", func() any { return one() }},
		{"oid.ID of 16 processes", "bytea", func() any { return many() }},
		{"the same as hex", "char(24)", func() any { return hex().Hex() }},
		{"random UUID", "uuid", func() any {
			var u [16]byte
			rand.Read(u[:])
			u[6], u[8] = u[6]&0x0f|0x40, u[8]&0x3f|0x80
			return u
		}},
		{"bigint", "bigint", func() any { serial++; return serial }},
	}
}

// processes returns a function that makes IDs as n processes do, each time in a random
// one, 100 million a day in all. The IDs of one second are ordered by process first.
func processes(n int) (next func() oid.ID) {
	const gap = 24 * time.Hour / 100e6
	clock := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	random := mathrand.New(mathrand.NewPCG(1, uint64(n)))
	generators := make([]oid.Generator, n)
	for i := range generators {
		generators[i].Now = func() time.Time { return clock }
		binary.BigEndian.PutUint32(generators[i].Process[:], random.Uint32()) // the same in every run
	}
	return func() oid.ID {
		clock = clock.Add(gap)
		return generators[random.IntN(n)].New()
	}
}

// A measure is the state of a table's primary key after so many rows.
type measure struct {
	rows                  int64
	index                 int64 // bytes
	leafPages, innerPages int64
	levels                int64
	density               float64 // of leaf pages, percent
	walBytes              int64   // written since the last measure
	rebuilt               bool    // after REINDEX, with no further rows
}

func (m measure) bytesPerRow() float64 { return float64(m.index) / float64(m.rows) }

// growth measures the primary key's index of a table in PostgreSQL that grows to
// rows rows, for several kinds of keys, and extrapolates.
func growth(w io.Writer, rows int64) error {
	server, err := postgres.Run()
	if errors.Is(err, daemon.ErrNotInstalled) {
		return fmt.Errorf("growth: %w", err)
	} else if err != nil {
		return err
	}
	defer server.Close()
	ctx := context.Background()
	var grown [][]measure // of each kind of key
	for i, k := range keys() {
		conn, err := pgx.Connect(ctx, server.DSN) // a new one, which knows no other table of the name
		if err != nil {
			return err
		}
		if i == 0 {
			fmt.Fprintf(w, "PostgreSQL %s, default settings, rows of a key and an int4, by COPY of 10,000 rows\n",
				conn.PgConn().ParameterStatus("server_version"))
		}
		measures, err := grow(ctx, conn, k, rows)
		conn.Close(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		printMeasures(w, k, measures)
		grown = append(grown, measures)
	}
	fmt.Fprintf(w, "\n100 million rows a day for a year, as the last half grew\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "key\trows\tlevels\tindex GiB\tGiB a day\treindexed, GiB\tGiB a day\t")
	for i, k := range keys() {
		half, full, rebuilt := grown[i][2], grown[i][3], grown[i][4]
		e, r := extrapolate(half, full, 100e6*365), extrapolate(measure{}, rebuilt, 100e6*365)
		gib, dense := float64(e.index)/(1<<30), float64(r.index)/(1<<30)
		fmt.Fprintf(table, "%s\t%.3g\t%d\t%.0f\t%.2f\t%.0f\t%.2f\t\n", k.name, float64(e.rows), e.levels, gib, gib/365, dense, dense/365)
	}
	return table.Flush()
}

// grow fills a table and measures its index at 1, 2, 5 and 10 tenths of rows, and
// once more after it was built anew.
func grow(ctx context.Context, conn *pgx.Conn, k key, rows int64) ([]measure, error) {
	for _, sql := range []string{
		"create extension if not exists pgstattuple",
		"create table grown (key " + k.column + " primary key, cents int4 not null)",
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return nil, err
		}
	}
	defer conn.Exec(ctx, "drop table grown")
	var measures []measure
	start, lsn := time.Now(), ""
	if err := conn.QueryRow(ctx, "select pg_current_wal_lsn()::text").Scan(&lsn); err != nil {
		return nil, err
	}
	const batch = 10_000
	for done := int64(0); done < rows; {
		n := min(batch, rows-done)
		_, err := conn.CopyFrom(ctx, pgx.Identifier{"grown"}, []string{"key", "cents"},
			pgx.CopyFromSlice(int(n), func(i int) ([]any, error) { return []any{k.next(), int32(i)}, nil }))
		if err != nil {
			return nil, err
		}
		done += n
		if tenths := done * 10; tenths%rows != 0 || !isMilestone(tenths/rows) {
			continue
		}
		m, err := measureIndex(ctx, conn, done, &lsn)
		if err != nil {
			return nil, err
		}
		measures = append(measures, m)
		fmt.Fprintf(os.Stderr, "%s: %d rows in %s\n", k.name, done, time.Since(start).Round(time.Second))
	}
	if _, err := conn.Exec(ctx, "reindex index grown_pkey"); err != nil {
		return nil, err
	}
	m, err := measureIndex(ctx, conn, rows, &lsn)
	m.rebuilt = true
	return append(measures, m), err
}

// measureIndex measures the index of the table with so many rows. lsn is the
// position of the log at the last measure, and becomes that of this one.
func measureIndex(ctx context.Context, conn *pgx.Conn, rows int64, lsn *string) (measure, error) {
	m := measure{rows: rows}
	err := conn.QueryRow(ctx, `select index_size, leaf_pages, internal_pages, tree_level, avg_leaf_density,
		pg_wal_lsn_diff(pg_current_wal_lsn(), $1::pg_lsn)::int8, pg_current_wal_lsn()::text
		from pgstatindex('grown_pkey')`, *lsn).
		Scan(&m.index, &m.leafPages, &m.innerPages, &m.levels, &m.density, &m.walBytes, lsn)
	m.levels++ // PostgreSQL counts from 0
	return m, err
}

func isMilestone(tenths int64) bool { return tenths == 1 || tenths == 2 || tenths == 5 || tenths == 10 }

func printMeasures(w io.Writer, k key, measures []measure) {
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "%s, %s\tindex MiB\tbytes a row\tpages full\tlevels\tWAL bytes a row\t\n", k.name, k.column)
	before := int64(0)
	for _, m := range measures {
		name, wal := fmt.Sprintf("%d rows", m.rows), fmt.Sprintf("%.0f", float64(m.walBytes)/float64(m.rows-before))
		if m.rebuilt {
			name, wal = "reindexed", ""
		}
		fmt.Fprintf(table, "%s\t%.1f\t%.1f\t%.0f %%\t%d\t%s\t\n", name, float64(m.index)/(1<<20), m.bytesPerRow(), m.density, m.levels, wal)
		before = m.rows
	}
	table.Flush()
}

// extrapolate returns what an index comes to at rows rows if it goes on as it grew
// from a to b: so many bytes and leaf pages a row, and as many leaf pages to an
// inner page as b has.
func extrapolate(a, b measure, rows int64) measure {
	goOn := func(from, to int64) int64 {
		return to + int64(float64(to-from)/float64(b.rows-a.rows)*float64(rows-b.rows))
	}
	e := measure{rows: rows, index: goOn(a.index, b.index), leafPages: goOn(a.leafPages, b.leafPages)}
	fanOut := float64(b.leafPages) / float64(max(b.innerPages, 1))
	e.levels = 1 + int64(math.Ceil(math.Log(float64(e.leafPages))/math.Log(fanOut)))
	return e
}

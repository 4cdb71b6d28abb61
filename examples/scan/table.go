package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/oidkit/oidkit/oid"
)

// days is the number of days in which the rows were made.
const days = 90

// A table has these columns:
//
//	id       the primary key, 12 bytes
//	account  integer
//	cents    integer
//
// It needs no column created_at: the ID holds the time.
type table struct {
	db       *sql.DB
	name     string
	postgres bool
}

type row struct {
	ID      oid.ID `json:"id"`
	Account int    `json:"account"`
	Cents   int    `json:"cents"`
}

// openTable opens the database, and makes the table if it does not exist.
func openTable(ctx context.Context, c config) (*table, error) {
	t := &table{name: c.table, postgres: c.postgres != ""}
	driver, address := "pgx", c.postgres
	ddl := `CREATE TABLE IF NOT EXISTS %s (id bytea PRIMARY KEY, account integer NOT NULL, cents integer NOT NULL)`
	if !t.postgres {
		driver = "sqlite"
		address = "file:" + filepath.ToSlash(filepath.Join(c.dir, "events.db")) +
			"?_pragma=busy_timeout(60000)&_pragma=journal_mode(wal)&_pragma=synchronous(normal)"
		ddl = `CREATE TABLE IF NOT EXISTS %s (id blob PRIMARY KEY, account integer NOT NULL, cents integer NOT NULL) WITHOUT ROWID`
	}
	db, err := sql.Open(driver, address)
	if err != nil {
		return nil, err
	}
	t.db = db
	if err := t.exec(ctx, fmt.Sprintf(ddl, t.name)); err != nil {
		db.Close()
		return nil, err
	}
	return t, nil
}

// query returns a statement for the table's database. SQLite gets ?1 for $1. The name of
// the table replaces "events".
func (t *table) query(s string) string {
	if !t.postgres {
		s = strings.ReplaceAll(s, "$", "?")
	}
	return strings.ReplaceAll(s, " events", " "+t.name)
}

func (t *table) exec(ctx context.Context, s string, args ...any) error {
	_, err := t.db.ExecContext(ctx, t.query(s), args...)
	return err
}

// ids returns the IDs that a query selects.
func (t *table) ids(ctx context.Context, s string, args ...any) ([]oid.ID, error) {
	rows, err := t.db.QueryContext(ctx, t.query(s), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []oid.ID
	for rows.Next() {
		var id oid.ID
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// bounds returns lo and hi, so that lo <= id && id < hi for all IDs of the table.
func (t *table) bounds(ctx context.Context) (lo, hi oid.ID, err error) {
	ids, err := t.ids(ctx, "SELECT id FROM (SELECT id FROM events ORDER BY id LIMIT 1) a"+
		" UNION ALL SELECT id FROM (SELECT id FROM events ORDER BY id DESC LIMIT 1) b")
	if err != nil || len(ids) == 0 {
		return lo, hi, err
	}
	return ids[0], ids[len(ids)-1].Next(), nil
}

func (t *table) count(ctx context.Context) (rows, cents int, err error) {
	err = t.db.QueryRowContext(ctx, t.query("SELECT count(*), coalesce(sum(cents), 0) FROM events")).Scan(&rows, &cents)
	return rows, cents, err
}

// fill fills an empty table.
func fill(ctx context.Context, w io.Writer, t *table, c config) error {
	if rows, _, err := t.count(ctx); err != nil {
		return err
	} else if rows > 0 {
		fmt.Fprintf(w, "  an earlier run made %s rows\n", thousands(rows))
		return nil
	}
	start := time.Now()
	tx, err := t.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	progress := newBar(w, c.rows, 0)
	defer progress.end()
	const batch = 40
	insert, err := tx.PrepareContext(ctx, t.query(insertRows(batch)))
	if err != nil {
		return err
	}
	defer insert.Close()
	random := rand.New(rand.NewPCG(1, 1))
	var args []any
	done := 0
	for at := range times(c.rows, time.Now()) {
		id, err := oid.NewAt(at) // with the time of the row
		if err != nil {
			return err
		}
		args = append(args, id, random.IntN(5000), random.IntN(100_000))
		done++
		switch {
		case len(args) == 3*batch:
			_, err = insert.ExecContext(ctx, args...)
		case done == c.rows:
			_, err = tx.ExecContext(ctx, t.query(insertRows(len(args)/3)), args...)
		default:
			continue
		}
		if err != nil {
			return err
		}
		progress.add(len(args) / 3)
		args = args[:0]
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	progress.end()
	lo, hi, err := t.bounds(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "  made in %.1f s, with IDs from %s to %s\n", time.Since(start).Seconds(),
		lo.Timestamp().Format(time.DateOnly), hi.Timestamp().Format(time.DateOnly))
	return nil
}

// insertRows returns an INSERT of n rows.
func insertRows(n int) string {
	var s strings.Builder
	s.WriteString("INSERT INTO events (id, account, cents) VALUES ")
	for i := range n {
		if i > 0 {
			s.WriteString(", ")
		}
		fmt.Fprintf(&s, "($%d, $%d, $%d)", 3*i+1, 3*i+2, 3*i+3)
	}
	return s.String()
}

// times returns the times of n rows within 90 days. The last days have three times as many
// rows as the first ones. Weekends have few.
func times(n int, end time.Time) func(yield func(time.Time) bool) {
	first := end.UTC().Truncate(24*time.Hour).AddDate(0, 0, -days)
	weight := func(day int) float64 {
		w := 1 + 2*float64(day)/days
		if d := first.AddDate(0, 0, day).Weekday(); d == time.Saturday || d == time.Sunday {
			w /= 5
		}
		return w
	}
	total := 0.0
	for day := range days {
		total += weight(day)
	}
	return func(yield func(time.Time) bool) {
		sum, made := 0.0, 0
		for day := range days {
			sum += weight(day)
			rows := int(float64(n)*sum/total+0.5) - made
			for i := range rows {
				if !yield(first.AddDate(0, 0, day).Add(24 * time.Hour / time.Duration(rows) * time.Duration(i))) {
					return
				}
			}
			made += rows
		}
	}
}

// thousands returns n with commas, such as 1,000,000.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

package pgxoid_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// daily makes the table daily with a key of columnType, and a row for each of the ten
// days before now.
func daily(t *testing.T, conn *pgx.Conn, columnType string, now time.Time) {
	t.Helper()
	mustExec(t, conn, "drop table if exists daily; create table daily (id "+columnType+" primary key)")
	for days := range 10 {
		id, err := oid.NewAt(now.AddDate(0, 0, -days))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), "insert into daily values ($1)", id); err != nil {
			t.Fatal(err)
		}
	}
}

// These bounds compile, and no ID is less than their texts. So without the registration each
// of the statements finds, changes or deletes all rows.
func TestBoundThatMatchesEveryRowIsRefused(t *testing.T) {
	t.Parallel()
	now := time.Now()
	cut := now.AddDate(0, 0, -3).Add(-time.Hour)
	native := bson.ObjectID(oid.MinAt(cut))
	const forTime, forNative = "pass oid.MinAt(t), or both bounds of oid.Range", "doesn't know bson.ObjectID as an ID: convert the value to an oid.ID"
	for _, r := range registrations {
		for _, columnType := range []string{"bytea", "objectid"} {
			t.Run(r.name+"/"+columnType, func(t *testing.T) {
				t.Parallel()
				conn := withSchema(t)
				if err := r.setUp(t.Context(), conn); err != nil {
					t.Fatal(err)
				}
				daily(t, conn, columnType, now)
				for _, mode := range modes {
					for _, bound := range []struct {
						value  any
						remedy string
					}{
						{cut, forTime}, {&cut, forTime}, {sql.NullTime{Time: cut, Valid: true}, forTime}, {sql.Null[time.Time]{V: cut, Valid: true}, forTime},
						{native, forNative}, {&native, forNative},
					} {
						for _, statement := range []string{
							"select id from daily where id >= $1", "delete from daily where id >= $1",
							"update daily set id = id where not id < $1",
						} {
							tx, err := conn.Begin(t.Context())
							if err != nil {
								t.Fatal(err)
							}
							tag, err := tx.Exec(t.Context(), statement, mode, bound.value)
							tx.Rollback(t.Context())
							if r.registered && knowsTypes(mode) {
								if err == nil || !strings.Contains(err.Error(), bound.remedy) {
									t.Errorf("%v, %s with a %T: %v, %v, want %s", mode, statement, bound.value, tag, err, bound.remedy)
								}
							} else if err != nil || tag.RowsAffected() != 10 {
								// pgx knows no type: sql-reference.md says so.
								t.Errorf("%v, %s with a %T: %v, %v: it no longer touches all 10 rows: say so in sql-reference.md", mode, statement, bound.value, tag, err)
							}
						}
					}
					tag, err := conn.Exec(t.Context(), "select id from daily where id >= $1", mode, oid.MinAt(cut))
					if err != nil || tag.RowsAffected() != 4 {
						t.Errorf("%v, the remedy: %v, %v, want 4 rows", mode, tag, err)
					}
				}
			})
		}
	}
}

// A database/sql program passes its arguments to the same codecs.
func TestTimeAsABoundIsRefusedInDatabaseSQL(t *testing.T) {
	t.Parallel()
	conn := withSchema(t)
	daily(t, conn, "objectid", time.Now())
	db := stdlib.OpenDB(*conn.Config(), stdlib.OptionAfterConnect(pgxoid.AfterConnect))
	defer db.Close()
	_, err := db.ExecContext(t.Context(), "delete from daily where id >= $1", time.Now())
	if err == nil || !strings.Contains(err.Error(), "pass oid.MinAt(t)") {
		t.Errorf("Exec: %v", err)
	}
}

// What isn't an ID is refused by pgxoid or by the domain, and nothing is stored.
func TestObjectidColumnTakesOnlyIDs(t *testing.T) {
	t.Parallel()
	digits := sample.Hex()
	for _, r := range registrations {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			conn := withSchema(t)
			if err := r.setUp(t.Context(), conn); err != nil {
				t.Fatal(err)
			}
			mustExec(t, conn, "create table keys (id objectid, list objectid[])")
			for _, mode := range modes {
				for _, v := range []any{
					digits, &digits, sql.NullString{String: digits, Valid: true}, sql.Null[string]{V: digits, Valid: true}, []byte(digits),
					sample[:11], append(sample[:], 0), 42, int64(1 << 40), 1.5, true, time.Now(), sqltype.UUID(sample), "",
				} {
					for _, statement := range []string{"insert into keys (id) values ($1)", "insert into keys (id) values ($1::objectid)"} {
						if tag, err := conn.Exec(t.Context(), statement, mode, v); err == nil {
							t.Errorf("%v, %s with %T %v: %v", mode, statement, v, v, tag)
						}
					}
				}
				for _, v := range []any{[]string{digits}, [][]byte{[]byte(digits)}, []int{1}, []time.Time{time.Now()}} {
					if tag, err := conn.Exec(t.Context(), "insert into keys (list) values ($1)", mode, v); err == nil {
						t.Errorf("%v, a list of %T: %v", mode, v, tag)
					}
				}
				for _, v := range []any{sample, &sample, sample[:], sql.Null[oid.ID]{V: sample, Valid: true}, `\x` + digits} {
					if _, err := conn.Exec(t.Context(), "insert into keys (id) values ($1)", mode, v); err != nil {
						t.Errorf("%v, %T: %v", mode, v, err)
					}
				}
			}
			for _, v := range []any{digits, "65b3f7a40c1b", []byte(digits), 42, time.Now()} {
				if n, err := conn.CopyFrom(t.Context(), pgx.Identifier{"keys"}, []string{"id"}, pgx.CopyFromRows([][]any{{v}})); err == nil {
					t.Errorf("CopyFrom of %T %v: %d rows", v, v, n)
				}
			}
			for _, v := range []any{digits, []byte(digits)} {
				less := queryOne[int](t, conn, "select count(*) from keys where id <= $1", v)
				if more := queryOne[int](t, conn, "select count(*) from keys where id >= $1", v); less > 0 || more == 0 {
					t.Errorf("%T in a condition is compared as an ID: say so in docs/postgresql.md", v)
				}
				if tag, err := conn.Exec(t.Context(), "select 1 from keys where id >= $1::objectid", v); err == nil {
					t.Errorf("%T in a condition with a cast: %v", v, tag)
				}
			}
			if n := queryOne[int](t, conn, "select count(*) from keys where id is distinct from $1", sample); n != 0 {
				t.Errorf("%d rows hold something else than the ID", n)
			}
		})
	}
}

func TestColumnOfTypeOIDRefusesAnID(t *testing.T) {
	t.Parallel()
	conn := withSchema(t)
	mustExec(t, conn, "create table o (id oid)")
	if err := pgxoid.AfterConnect(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	for _, mode := range modes {
		_, err := conn.Exec(t.Context(), "insert into o values ($1)", mode, sample)
		if err == nil || knowsTypes(mode) && !strings.Contains(err.Error(), "use a column of type bytea or objectid") {
			t.Errorf("%v: %v", mode, err)
		}
	}
	_, err := conn.CopyFrom(t.Context(), pgx.Identifier{"o"}, []string{"id"}, pgx.CopyFromRows([][]any{{sample}}))
	if err == nil || !strings.Contains(err.Error(), "use a column of type bytea or objectid") {
		t.Errorf("CopyFrom: %v", err)
	}
}

// A registered pgx doesn't take the text of a bytea, because a text column that holds it
// was written wrongly, and no condition finds its rows by an ID.
func TestTextOfAKeyNamesTheRemedy(t *testing.T) {
	t.Parallel()
	for _, server := range postgres.Installations() {
		conn := server.Connect(t)
		mustExec(t, conn, sqltype.PostgresSchema())
		if err := pgxoid.AfterConnect(context.Background(), conn); err != nil {
			t.Fatal(err)
		}
		daily(t, conn, "objectid", time.Now())
		for _, mode := range modes {
			var id oid.ID
			err := conn.QueryRow(t.Context(), "select id::text from daily", mode).Scan(&id)
			if err == nil || !strings.Contains(err.Error(), "select the column without ::text, or call objectid_text") {
				t.Errorf("%s, %v: %v", server.Name, mode, err)
			}
			if err := conn.QueryRow(t.Context(), "select objectid_text(id) from daily order by id", mode).Scan(&id); err != nil || id.IsZero() {
				t.Errorf("%s, %v, the remedy: %v, %v", server.Name, mode, id, err)
			}
		}
	}
}

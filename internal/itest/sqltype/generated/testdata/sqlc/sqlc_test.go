package sqlc

import (
	"database/sql"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/oidkit/oidkit/internal/itest/sqltype/generated/testdata/sqlc/mysql"
	"github.com/oidkit/oidkit/internal/itest/sqltype/generated/testdata/sqlc/postgres"
	"github.com/oidkit/oidkit/internal/itest/sqltype/generated/testdata/sqlc/sqlite"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
	_ "modernc.org/sqlite"
)

// Ada has 20 children.
var ada, children = family()

func family() (oid.ID, []oid.ID) {
	children := make([]oid.ID, 20)
	ada := oid.New()
	oid.Fill(children)
	return ada, children
}

func TestQueries(t *testing.T) {
	switch os.Getenv("OIDKIT_DIALECT") {
	case "postgres":
		onPostgres(t)
	case "mysql":
		onMySQL(t)
	case "sqlite":
		onSQLite(t)
	}
}

func onPostgres(t *testing.T) {
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, os.Getenv("OIDKIT_DSN"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	ddl, err := os.ReadFile("testdata/sqlc/postgres.sql")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(ctx, string(ddl[strings.Index(string(ddl), "CREATE TABLE"):])); err != nil {
		t.Fatal(err)
	}
	if err := pgxoid.AfterConnect(ctx, conn); err != nil {
		t.Fatal(err)
	}
	q := postgres.New(conn)
	created, err := q.CreatePerson(ctx, postgres.CreatePersonParams{ID: ada, Friends: []oid.ID{}, Name: "old"})
	if err != nil || created.ID != ada || created.Parent != nil {
		t.Errorf("CreatePerson: %+v, %v", created, err)
	}
	for _, id := range children {
		created, err := q.CreatePerson(ctx, postgres.CreatePersonParams{ID: id, Parent: &ada, Friends: children[:2], Name: "old"})
		if err != nil || *created.Parent != ada || !slices.Equal(created.Friends, children[:2]) {
			t.Fatalf("CreatePerson: %+v, %v", created, err)
		}
	}
	people, err := q.ListPeople(ctx, []oid.ID{ada, children[3], oid.New()})
	if err != nil || len(people) != 2 || people[0].ID != ada || *people[1].Parent != ada {
		t.Errorf("ListPeople: %+v, %v", people, err)
	}
	lo, hi := oid.Range(time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	parents, err := q.ListParents(ctx, postgres.ListParentsParams{Lo: lo, Hi: hi})
	if err != nil || len(parents) != len(children) || parents[0].ID != ada {
		t.Errorf("ListParents: %d, %v", len(parents), err)
	}
	n, err := q.RenamePeople(ctx, children[:2])
	wantTouched(t, "RenamePeople", n, err, 2)
	n, err = q.DeleteChildren(ctx, postgres.DeleteChildrenParams{Parent: &ada, But: children[:3]})
	wantTouched(t, "DeleteChildren", n, err, 17)

	// char(24) holds the digits of an ID.
	top := sqltype.Hex(ada)
	for _, note := range []postgres.CreateNoteParams{{ID: top}, {ID: sqltype.Hex(children[0]), Parent: &top}} {
		if stored, err := q.CreateNote(ctx, note); err != nil || stored.ID != note.ID || (stored.Parent == nil) != (note.Parent == nil) {
			t.Errorf("CreateNote: %+v, %v", stored, err)
		}
	}
	notes, err := q.ListNotes(ctx, []sqltype.Hex{top, sqltype.Hex(children[0]), sqltype.Hex(children[1])})
	if err != nil || len(notes) != 2 || notes[0].ID != top || *notes[1].Parent != top {
		t.Errorf("ListNotes: %+v, %v", notes, err)
	}
}

func wantTouched(t *testing.T, what string, n int64, err error, want int64) {
	t.Helper()
	if n != want || err != nil {
		t.Errorf("%s touched %d of 21 rows, want %d: %v", what, n, want, err)
	}
}

func onMySQL(t *testing.T) {
	ctx := t.Context()
	q := mysql.New(database(t, "mysql", "mysql.sql"))
	if err := q.CreatePerson(ctx, mysql.CreatePersonParams{ID: ada, Name: "old"}); err != nil {
		t.Fatal(err)
	}
	for _, id := range children {
		if err := q.CreatePerson(ctx, mysql.CreatePersonParams{ID: id, Parent: &ada, Name: "old"}); err != nil {
			t.Fatal(err)
		}
	}
	people, err := q.ListPeople(ctx, []oid.ID{ada, children[3], oid.New()})
	if err != nil || len(people) != 2 || people[0].ID != ada || people[0].Parent != nil || *people[1].Parent != ada {
		t.Errorf("ListPeople: %+v, %v", people, err)
	}
	n, err := q.RenamePeople(ctx, children[:2])
	wantTouched(t, "RenamePeople", n, err, 2)
	n, err = q.DeleteChildren(ctx, mysql.DeleteChildrenParams{Parent: &ada, But: children[:3]})
	wantTouched(t, "DeleteChildren", n, err, 17)
}

func onSQLite(t *testing.T) {
	ctx := t.Context()
	q := sqlite.New(database(t, "sqlite", "sqlite.sql"))
	if err := q.CreatePerson(ctx, sqlite.CreatePersonParams{ID: ada, Name: "old"}); err != nil {
		t.Fatal(err)
	}
	for _, id := range children {
		if err := q.CreatePerson(ctx, sqlite.CreatePersonParams{ID: id, Parent: &ada, Name: "old"}); err != nil {
			t.Fatal(err)
		}
	}
	people, err := q.ListPeople(ctx, []oid.ID{ada, children[3], oid.New()})
	if err != nil || len(people) != 2 || people[0].ID != ada || people[0].Parent != nil || *people[1].Parent != ada {
		t.Errorf("ListPeople: %+v, %v", people, err)
	}
	n, err := q.RenamePeople(ctx, children[:2])
	wantTouched(t, "RenamePeople", n, err, 2)
	n, err = q.DeleteChildren(ctx, sqlite.DeleteChildrenParams{Parent: &ada, But: children[:3]})
	wantTouched(t, "DeleteChildren", n, err, 17)
}

// database opens the database and makes the tables of the file.
func database(t *testing.T, driver, file string) *sql.DB {
	t.Helper()
	ddl, err := os.ReadFile("testdata/sqlc/" + file)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open(driver, os.Getenv("OIDKIT_DSN"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec(string(ddl)); err != nil {
		t.Fatal(err)
	}
	return db
}

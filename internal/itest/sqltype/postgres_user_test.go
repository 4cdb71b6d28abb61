package sqltype_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/internal/servers/repo"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
	"github.com/oidkit/oidkit/sqltype"
)

// A user who isn't an administrator may make nothing in the schema public of PostgreSQL 15 and
// later. The script and Migrate work after each of the statements that docs/postgresql.md asks
// an administrator for.
func TestPostgresSchemaOfAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(repo.Path("docs/postgresql.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, installation := range pgserver.Installations() {
		for _, statement := range []string{"CREATE SCHEMA AUTHORIZATION ann", "ALTER DATABASE app OWNER TO ann"} {
			t.Run(installation.Name+", "+statement, func(t *testing.T) {
				t.Parallel()
				if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), "`"+statement+"`") {
					t.Errorf("docs/postgresql.md doesn't name %s", statement)
				}
				testPostgresSchemaOfAnOrdinaryUser(t, installation.Database(t), statement)
			})
		}
	}
}

func testPostgresSchemaOfAnOrdinaryUser(t *testing.T, dsn, statement string) {
	admin := open(t, "pgx", dsn)
	ann := "ann_" + oid.New().Hex() // roles belong to the whole server
	mustExec(t, admin, "CREATE ROLE "+ann)
	t.Cleanup(func() {
		admin := open(t, "pgx", dsn)
		mustExec(t, admin, "REASSIGN OWNED BY "+ann+" TO CURRENT_USER")
		mustExec(t, admin, "DROP OWNED BY "+ann)
		mustExec(t, admin, "DROP ROLE "+ann)
	})
	user := open(t, "pgx", dsn+"&role="+ann)
	store := sqlsequence.New(user, "sequences", sqlsequence.PostgreSQL)

	_, err := user.Exec(sqltype.PostgresSchema())
	for call, err := range map[string]error{"the script": err, "Migrate": store.Migrate(t.Context())} {
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.Code != "42501" || !strings.Contains(refused.Message, "permission denied for schema public") {
			t.Errorf("%s before the administrator's statement: %v: change docs/postgresql.md", call, err)
		}
	}

	app := pgx.Identifier{queryOne[string](t, admin, "SELECT current_database()")}.Sanitize()
	mustExec(t, admin, strings.NewReplacer("ann", ann, "app", app).Replace(statement))
	for range 2 {
		mustExec(t, user, sqltype.PostgresSchema())
		if err := store.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	mustExec(t, user, "CREATE TABLE users (id objectid PRIMARY KEY DEFAULT objectid_new(), name text)")
	mustExec(t, user, "INSERT INTO users (name) VALUES ('a')")
	if id := queryOne[oid.ID](t, user, "SELECT id FROM users"); time.Since(id.Timestamp()).Abs() > time.Hour {
		t.Errorf("the DEFAULT made %v, of %v", id, id.Timestamp())
	}
	if n, err := sequence.New(store, "tickets", sequence.Plan{First: 1, Last: 9}).Next(t.Context()); err != nil || n.Ordinal != 1 {
		t.Errorf("a draw: %v, %v", n, err)
	}
	if owner := queryOne[string](t, user, "SELECT string_agg(DISTINCT tableowner, ',') FROM pg_tables WHERE tablename IN ('users', 'sequences') AND schemaname <> 'information_schema'"); owner != ann {
		t.Errorf("the owner of what was made is %s, want %s", owner, ann)
	}
}

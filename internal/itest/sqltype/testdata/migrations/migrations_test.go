// Package migrations_test runs the scripts of `oid sql` with migration tools, as
// docs/sql-reference.md says. The tools need drivers of many databases, so this module is
// no part of the workspace:
//
//	cd internal/itest/sqltype/testdata/migrations && GOWORK=off go test .
package migrations_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ariga.io/atlas/sql/migrate"
	atlasmysql "ariga.io/atlas/sql/mysql"
	atlaspostgres "ariga.io/atlas/sql/postgres"
	_ "github.com/go-sql-driver/mysql"
	golangmigrate "github.com/golang-migrate/migrate/v4"
	golangmysql "github.com/golang-migrate/migrate/v4/database/mysql"
	_ "github.com/golang-migrate/migrate/v4/database/pgx/v5"
	_ "github.com/golang-migrate/migrate/v4/database/postgres"
	_ "github.com/golang-migrate/migrate/v4/source/file"
	_ "github.com/jackc/pgx/v5/stdlib"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/pressly/goose/v3"
	sqlmigrate "github.com/rubenv/sql-migrate"
)

// folder makes a folder with two migrations: the script, in a file that is named as the
// document names it for the tool, and a table of the program.
func folder(t *testing.T, tool string, mysql bool) string {
	t.Helper()
	page, err := os.ReadFile("../../../../../docs/sql-reference.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| " + tool + " \\| `oid sql postgres > (\\S+\\.sql)`").FindStringSubmatch(string(page))
	if row == nil {
		t.Fatalf("docs/sql-reference.md has no command for %s", tool)
	}
	script, table := sqltype.PostgresSchema(), "CREATE TABLE users (id objectid PRIMARY KEY);\n"
	if mysql {
		script, table = sqltype.MySQLSchema(), "CREATE TABLE users (id binary(12) PRIMARY KEY);\n"
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		row[1]: script,
		regexp.MustCompile(`^\d+_objectid`).ReplaceAllString(row[1], "99999999999999_users"): "-- +goose Up\n-- +migrate Up\n" + table,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t *testing.T, driver, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func withGoose(dialect goose.Dialect, db *sql.DB, dir string) error {
	provider, err := goose.NewProvider(dialect, db, os.DirFS(dir))
	if err != nil {
		return err
	}
	_, err = provider.Up(context.Background())
	return err
}

func withSQLMigrate(dialect string, db *sql.DB, dir string) error {
	n, err := sqlmigrate.Exec(db, dialect, sqlmigrate.FileMigrationSource{Dir: dir}, sqlmigrate.Up)
	if err == nil && n != 2 {
		err = fmt.Errorf("%d migrations ran", n)
	}
	return err
}

// withGolangMigrate runs all migrations of a folder on the database of a URL.
func withGolangMigrate(t *testing.T, url, dir string) error {
	t.Helper()
	return golangMigrate(t, url, dir).Up()
}

func golangMigrate(t *testing.T, url, dir string) *golangmigrate.Migrate {
	t.Helper()
	m, err := golangmigrate.New("file://"+dir, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// withAtlas does what `atlas migrate hash` and `atlas migrate apply` do.
func withAtlas(driver migrate.Driver, dir string) error {
	files, err := migrate.NewLocalDir(dir)
	if err != nil {
		return err
	}
	sum, err := files.Checksum()
	if err != nil {
		return err
	}
	if err := migrate.WriteSumFile(files, sum); err != nil {
		return err
	}
	executor, err := migrate.NewExecutor(driver, files, revisions{})
	if err != nil {
		return err
	}
	return executor.ExecuteN(context.Background(), 2)
}

// revisions keeps atlas's list of the migrations that ran. atlas itself stores it in a table.
type revisions map[string]*migrate.Revision

func (revisions) Ident() *migrate.TableIdent { return new(migrate.TableIdent) }

func (r revisions) ReadRevisions(context.Context) (all []*migrate.Revision, err error) {
	for _, revision := range r {
		all = append(all, revision)
	}
	return all, nil
}

func (r revisions) ReadRevision(_ context.Context, version string) (*migrate.Revision, error) {
	if revision, ok := r[version]; ok {
		return revision, nil
	}
	return nil, migrate.ErrRevisionNotExist
}

func (r revisions) WriteRevision(_ context.Context, revision *migrate.Revision) error {
	r[revision.Version] = revision
	return nil
}

func (r revisions) DeleteRevision(_ context.Context, version string) error {
	delete(r, version)
	return nil
}

// migrated checks that both migrations ran: an INSERT into the table calls the function.
func migrated(t *testing.T, db *sql.DB) {
	t.Helper()
	if _, err := db.Exec("INSERT INTO users VALUES (objectid_new())"); err != nil {
		t.Error(err)
	}
}

func TestPostgresScript(t *testing.T) {
	t.Parallel()
	// migrateURL returns the URL with which golang-migrate uses a driver.
	migrateURL := func(driver, dsn string, query string) string {
		u, err := url.Parse(dsn)
		if err != nil {
			t.Fatal(err)
		}
		u.Scheme = driver
		u.RawQuery += query
		return u.String()
	}
	atlas := func(db *sql.DB, dir string) error {
		driver, err := atlaspostgres.Open(db)
		if err != nil {
			return err
		}
		return withAtlas(driver, dir)
	}
	for _, driver := range []string{"pgx", "postgres"} {
		scheme := map[string]string{"pgx": "pgx5", "postgres": "postgres"}[driver]
		for _, tool := range []struct {
			name string
			run  func(t *testing.T, db *sql.DB, dsn, dir string) error
		}{
			{"goose", func(_ *testing.T, db *sql.DB, _, dir string) error { return withGoose(goose.DialectPostgres, db, dir) }},
			{"golang-migrate", func(t *testing.T, _ *sql.DB, dsn, dir string) error {
				return withGolangMigrate(t, migrateURL(scheme, dsn, ""), dir)
			}},
			{"sql-migrate", func(_ *testing.T, db *sql.DB, _, dir string) error { return withSQLMigrate("postgres", db, dir) }},
			{"atlas", func(_ *testing.T, db *sql.DB, _, dir string) error { return atlas(db, dir) }},
		} {
			t.Run(tool.name+" with "+driver, func(t *testing.T) {
				t.Parallel()
				dsn := postgres.Database(t)
				db := open(t, driver, dsn)
				if err := tool.run(t, db, dsn, folder(t, tool.name, false)); err != nil {
					t.Fatal(err)
				}
				migrated(t, db)
			})
		}
		// The option splits a file at every semicolon, also in functions. The document says to
		// run the script without it.
		t.Run("golang-migrate with x-multi-statement and "+driver, func(t *testing.T) {
			t.Parallel()
			dsn, dir := postgres.Database(t), folder(t, "golang-migrate", false)
			const multi = "&x-multi-statement=true"
			if err := withGolangMigrate(t, migrateURL(scheme, postgres.Database(t), multi), dir); err == nil || !strings.Contains(err.Error(), "unterminated dollar-quoted string") {
				t.Errorf("the script with x-multi-statement: %v: change docs/sql-reference.md", err)
			}
			if err := golangMigrate(t, migrateURL(scheme, dsn, ""), dir).Migrate(1); err != nil {
				t.Fatal(err)
			}
			if err := withGolangMigrate(t, migrateURL(scheme, dsn, multi), dir); err != nil {
				t.Fatal(err)
			}
			migrated(t, open(t, driver, dsn))
		})
	}
}

func TestMySQLScript(t *testing.T) {
	t.Parallel()
	for _, engine := range mysqlserver.Engines() {
		for _, tool := range []struct {
			name string
			run  func(t *testing.T, db *sql.DB, dsn, dir string) error
		}{
			{"goose", func(_ *testing.T, db *sql.DB, _, dir string) error { return withGoose(goose.DialectMySQL, db, dir) }},
			{"golang-migrate", func(t *testing.T, _ *sql.DB, dsn, dir string) error { return withGolangMigrate(t, "mysql://"+dsn, dir) }},
			{"sql-migrate", func(_ *testing.T, db *sql.DB, _, dir string) error { return withSQLMigrate("mysql", db, dir) }},
			{"atlas", func(_ *testing.T, db *sql.DB, _, dir string) error {
				driver, err := atlasmysql.Open(db)
				if err != nil {
					return err
				}
				return withAtlas(driver, dir)
			}},
		} {
			for _, option := range []string{"", "&multiStatements=true"} {
				t.Run(tool.name+" on "+engine.Name+option, func(t *testing.T) {
					t.Parallel()
					dsn := engine.Database(t) + option
					db := open(t, "mysql", dsn)
					if err := tool.run(t, db, dsn, folder(t, tool.name, true)); err != nil {
						t.Fatal(err)
					}
					migrated(t, db)
				})
			}
		}
		// With a *sql.DB instead of a URL, golang-migrate can't set multiStatements itself.
		t.Run("golang-migrate with a DB on "+engine.Name, func(t *testing.T) {
			t.Parallel()
			for _, option := range []string{"", "&multiStatements=true"} {
				db := open(t, "mysql", engine.Database(t)+option)
				driver, err := golangmysql.WithInstance(db, new(golangmysql.Config))
				if err != nil {
					t.Fatal(err)
				}
				m, err := golangmigrate.NewWithDatabaseInstance("file://"+folder(t, "golang-migrate", true), "mysql", driver)
				if err != nil {
					t.Fatal(err)
				}
				if err := m.Up(); (err == nil) != (option != "") {
					t.Errorf("%q: %v: change docs/sql-reference.md", option, err)
				}
				if option != "" {
					migrated(t, db)
				}
			}
		})
	}
}

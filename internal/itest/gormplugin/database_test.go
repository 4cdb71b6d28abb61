package gormplugin_test

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glebarez/sqlite"
	gomysql "github.com/go-sql-driver/mysql"
	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/internal/servers/daemon"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

func TestMain(m *testing.M) {
	gomysql.SetLogger(&gomysql.NopLogger{}) // it would log each connection that was killed
	daemon.AtOnce(4)
	m.Run()
}

// eachDB runs test once on every database, with the plugin in use and fresh
// tables for models.
func eachDB(t *testing.T, models []any, test func(t *testing.T, db *gorm.DB), plugins ...gorm.Plugin) {
	t.Helper()
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, migrated(t, use(t, open(t), plugins...), models))
		})
	}
}

// isLong asks for the full numbers of the tests that take long, as every night. The others
// keep each promise, with fewer rows or cases.
var isLong = os.Getenv("OIDKIT_LONG") != ""

// databases opens a new database of each kind, without the plugin. The names are those that
// GORM has for the dialects, and those of the engines that are like MySQL.
var databases = map[string]func(t *testing.T) *gorm.DB{
	"sqlite":   openSQLite,
	"postgres": openPostgres,
}

// likeMySQL opens a new database of each engine that is like MySQL.
var likeMySQL = map[string]func(t *testing.T) *gorm.DB{}

func init() {
	for _, e := range mysqlserver.Engines() {
		likeMySQL[e.Name] = func(t *testing.T) *gorm.DB { return openMySQL(t, e, "") }
		databases[e.Name] = likeMySQL[e.Name]
	}
}

// eachMySQL runs test with the DSN of a new database on each engine that is like MySQL.
func eachMySQL(t *testing.T, test func(t *testing.T, dsn string)) {
	t.Helper()
	for _, e := range mysqlserver.Engines() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			test(t, e.Database(t))
		})
	}
}

// openMySQL opens a new database of an engine. The DSN gets more parameters, such as
// "&charset=latin1".
func openMySQL(t *testing.T, e *mysqlserver.Engine, parameters string) *gorm.DB {
	t.Helper()
	return open(t, mysql.Open(e.Database(t)+parameters))
}

// returnsRows reports whether the server returns rows that it stores: MySQL and TiDB don't.
func returnsRows(db *gorm.DB) bool {
	dialector, ok := db.Dialector.(*mysql.Dialector)
	return !ok || strings.Contains(dialector.ServerVersion, "MariaDB") && !dialector.DisableWithReturning
}

// use gives db the plugin, which is one without options unless another is named.
func use(t *testing.T, db *gorm.DB, plugins ...gorm.Plugin) *gorm.DB {
	t.Helper()
	if err := db.Use(append(plugins, gormplugin.New())[0]); err != nil {
		t.Fatal(err)
	}
	return db
}

// migrated makes the tables of models.
func migrated(t *testing.T, db *gorm.DB, models []any) *gorm.DB {
	t.Helper()
	if err := db.AutoMigrate(models...); err != nil {
		t.Fatal(err)
	}
	return db
}

func openSQLite(t *testing.T) *gorm.DB {
	t.Helper()
	dsn := filepath.Join(t.TempDir(), "test.db") + "?_pragma=foreign_keys(1)&_pragma=busy_timeout(10000)"
	return open(t, sqlite.Open(dsn))
}

func openPostgres(t *testing.T) *gorm.DB {
	t.Helper()
	return open(t, postgres.Open(noWait(pgserver.Database(t))))
}

// noWait returns the DSN of PostgreSQL with commits that don't wait for the disk.
func noWait(dsn string) string {
	u, err := url.Parse(dsn)
	if err != nil || u.Scheme == "" {
		return dsn + " synchronous_commit=off"
	}
	query := u.Query()
	query.Set("synchronous_commit", "off")
	u.RawQuery = query.Encode()
	return u.String()
}

// open opens a database that is closed at the test's end.
func open(t *testing.T, dialector gorm.Dialector) *gorm.DB {
	t.Helper()
	return openWith(t, dialector, &gorm.Config{})
}

// openWith opens one with a configuration.
func openWith(t *testing.T, dialector gorm.Dialector, config *gorm.Config) *gorm.DB {
	t.Helper()
	config.Logger = &recorder{}
	db, err := gorm.Open(dialector, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if conns, err := db.DB(); err == nil {
			conns.Close()
		}
	})
	return db
}

// A recorder is a logger that keeps the statements that were sent.
type recorder struct {
	mu  sync.Mutex
	sql []string
}

func (r *recorder) LogMode(logger.LogLevel) logger.Interface { return r }
func (*recorder) Info(context.Context, string, ...any)       {}
func (*recorder) Warn(context.Context, string, ...any)       {}
func (*recorder) Error(context.Context, string, ...any)      {}

func (r *recorder) Trace(_ context.Context, _ time.Time, statement func() (string, int64), _ error) {
	sql, _ := statement()
	sql = postgresPlaceholder.ReplaceAllString(sql, "$$$1")
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sql = append(r.sql, sql)
}

// postgresPlaceholder is how gorm.io/driver/postgres leaves one without a value.
var postgresPlaceholder = regexp.MustCompile(`\$(\d+)\$`)

// ParamsFilter keeps the placeholders in the SQL for Trace.
func (*recorder) ParamsFilter(_ context.Context, sql string, _ ...any) (string, []any) {
	return sql, nil
}

// sent returns the statements that run sends, one per line. It is for tests that
// don't run in parallel.
func sent(db *gorm.DB, run func(db *gorm.DB)) string {
	r := &recorder{}
	run(db.Session(&gorm.Session{Logger: r}))
	return strings.Join(r.sql, "\n")
}

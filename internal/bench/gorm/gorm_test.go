// Package gorm measures what it costs to create rows with gormplugin, beside the
// other ways to give them a key.
package gorm

import (
	"path/filepath"
	"testing"

	"github.com/glebarez/sqlite"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/utils/tests"

	"github.com/oidkit/oidkit/gormplugin"
	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
)

// The rows have three columns each. They differ in the key alone.
type (
	pluginRow struct {
		ID   oid.ID
		Name string
		N    int
	}
	hookRow struct {
		ID   oid.ID
		Name string
		N    int
	}
	serialRow struct {
		ID   int64
		Name string
		N    int
	}
	uuidRow struct {
		ID   string `gorm:"type:uuid;default:gen_random_uuid()"`
		Name string
		N    int
	}
)

// BeforeCreate is the hook that people write.
func (r *hookRow) BeforeCreate(*gorm.DB) error {
	if r.ID.IsZero() {
		r.ID = oid.New()
	}
	return nil
}

// create runs one benchmark: an INSERT of n rows each time.
func create[R any](b *testing.B, name string, db *gorm.DB, n int) {
	b.Helper()
	b.Run(name, func(b *testing.B) {
		rows := make([]R, n)
		insert := func() {
			clear(rows)
			if err := db.Create(&rows).Error; err != nil {
				b.Fatal(err)
			}
		}
		insert() // GORM gets to know the model
		b.ReportAllocs()
		for b.Loop() {
			insert()
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
}

// createAll runs the benchmarks of a kind of database, the hook first, which the
// others are measured against. Each has a new database: in one that is shared, the
// later ones wait for what the first have left to do.
func createAll(b *testing.B, dialector func() gorm.Dialector, n int) {
	b.Helper()
	create[hookRow](b, "BeforeCreate hook", open[hookRow](b, dialector()), n)
	create[pluginRow](b, "gormplugin", open[pluginRow](b, dialector(), gormplugin.New()), n)
	create[serialRow](b, "autoincrement", open[serialRow](b, dialector()), n)
	if d := dialector(); d.Name() == "postgres" {
		create[uuidRow](b, "gen_random_uuid()", open[uuidRow](b, d), n)
	}
}

// open opens a database with a table of R. The one of GORM's own tests has none:
// there statements are not sent.
func open[R any](b *testing.B, dialector gorm.Dialector, plugins ...gorm.Plugin) *gorm.DB {
	b.Helper()
	_, dry := dialector.(tests.DummyDialector)
	db, err := gorm.Open(dialector, &gorm.Config{Logger: logger.Discard, DryRun: dry})
	if err != nil {
		b.Fatal(err)
	}
	for _, plugin := range plugins {
		if err := db.Use(plugin); err != nil {
			b.Fatal(err)
		}
	}
	if dry {
		return db
	}
	b.Cleanup(func() {
		if conns, err := db.DB(); err == nil {
			conns.Close()
		}
	})
	if err := db.AutoMigrate(new(R)); err != nil {
		b.Fatal(err)
	}
	return db
}

// On the databases no commit waits for the disk, whose time varies by more than
// what is measured here.

func onSQLite(b *testing.B, n int) {
	b.Helper()
	createAll(b, func() gorm.Dialector {
		return sqlite.Open(filepath.Join(b.TempDir(), "bench.db") + "?_pragma=synchronous(OFF)&_pragma=journal_mode(MEMORY)")
	}, n)
}

func onPostgres(b *testing.B, n int) {
	b.Helper()
	createAll(b, func() gorm.Dialector { return postgres.Open(pgserver.Database(b) + "&synchronous_commit=off") }, n)
}

// onNothing builds the statements but sends none: what GORM and the key cost by
// themselves.
func onNothing(b *testing.B, n int) {
	b.Helper()
	createAll(b, func() gorm.Dialector { return tests.DummyDialector{} }, n)
}

func BenchmarkBuild1(b *testing.B)     { onNothing(b, 1) }
func BenchmarkBuild100(b *testing.B)   { onNothing(b, 100) }
func BenchmarkBuild10000(b *testing.B) { onNothing(b, 10_000) }

func BenchmarkSQLite1(b *testing.B)     { onSQLite(b, 1) }
func BenchmarkSQLite100(b *testing.B)   { onSQLite(b, 100) }
func BenchmarkSQLite10000(b *testing.B) { onSQLite(b, 10_000) }

func BenchmarkPostgres1(b *testing.B)     { onPostgres(b, 1) }
func BenchmarkPostgres100(b *testing.B)   { onPostgres(b, 100) }
func BenchmarkPostgres10000(b *testing.B) { onPostgres(b, 10_000) }

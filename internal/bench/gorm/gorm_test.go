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
	"github.com/oidkit/oidkit/internal/itest/pgtest"
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

// createAll runs the benchmarks of a database: the hook first, which the others
// are measured against.
func createAll(b *testing.B, db *gorm.DB, n int) {
	b.Helper()
	with := func() *gorm.DB {
		db, err := gorm.Open(db.Dialector, &gorm.Config{Logger: logger.Discard, DryRun: db.DryRun, ConnPool: db.ConnPool})
		if err != nil {
			b.Fatal(err)
		}
		if err := db.Use(gormplugin.New()); err != nil {
			b.Fatal(err)
		}
		return db
	}()
	if !db.DryRun {
		models := []any{&pluginRow{}, &hookRow{}, &serialRow{}}
		if db.Name() == "postgres" {
			models = append(models, &uuidRow{})
		}
		if err := db.AutoMigrate(models...); err != nil {
			b.Fatal(err)
		}
	}
	create[hookRow](b, "BeforeCreate hook", db, n)
	create[pluginRow](b, "gormplugin", with, n)
	create[serialRow](b, "autoincrement", db, n)
	if db.Name() == "postgres" {
		create[uuidRow](b, "gen_random_uuid()", db, n)
	}
}

func open(b *testing.B, dialector gorm.Dialector, dry bool) *gorm.DB {
	b.Helper()
	db, err := gorm.Open(dialector, &gorm.Config{Logger: logger.Discard, DryRun: dry})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if conns, err := db.DB(); err == nil {
			conns.Close()
		}
	})
	return db
}

// On the databases no commit waits for the disk, whose time varies by more than
// what is measured here.

func onSQLite(b *testing.B, n int) {
	b.Helper()
	dsn := filepath.Join(b.TempDir(), "bench.db") + "?_pragma=synchronous(OFF)&_pragma=journal_mode(MEMORY)"
	createAll(b, open(b, sqlite.Open(dsn), false), n)
}

func onPostgres(b *testing.B, n int) {
	b.Helper()
	createAll(b, open(b, postgres.Open(pgtest.Database(b)+"&synchronous_commit=off"), false), n)
}

// The statements are built but not sent: what GORM and the key cost by themselves.
func BenchmarkBuild1(b *testing.B)     { createAll(b, open(b, tests.DummyDialector{}, true), 1) }
func BenchmarkBuild100(b *testing.B)   { createAll(b, open(b, tests.DummyDialector{}, true), 100) }
func BenchmarkBuild10000(b *testing.B) { createAll(b, open(b, tests.DummyDialector{}, true), 10_000) }

func BenchmarkSQLite1(b *testing.B)     { onSQLite(b, 1) }
func BenchmarkSQLite100(b *testing.B)   { onSQLite(b, 100) }
func BenchmarkSQLite10000(b *testing.B) { onSQLite(b, 10_000) }

func BenchmarkPostgres1(b *testing.B)     { onPostgres(b, 1) }
func BenchmarkPostgres100(b *testing.B)   { onPostgres(b, 100) }
func BenchmarkPostgres10000(b *testing.B) { onPostgres(b, 10_000) }

// Package gorm measures the cost to create, preload and find rows with gormplugin.
// It compares it with the other ways to give rows a key.
package gorm

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/glebarez/sqlite"
	"github.com/google/uuid"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/utils/tests"

	"github.com/oidkit/oidkit/gormplugin"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
)

// The rows have three columns and five children each. They differ only in the key,
// and in its source.
type (
	pluginRow struct {
		ID       oid.ID `gorm:"size:12"`
		Name     string
		N        int
		Children []pluginChild `gorm:"foreignKey:RowID"`
	}
	pluginChild struct {
		ID    oid.ID `gorm:"size:12"`
		RowID oid.ID `gorm:"size:12;index"`
	}
	hookRow struct {
		ID       oid.ID `gorm:"size:12"`
		Name     string
		N        int
		Children []hookChild `gorm:"foreignKey:RowID"`
	}
	hookChild struct {
		ID    oid.ID `gorm:"size:12"`
		RowID oid.ID `gorm:"size:12;index"`
	}
	serialRow struct {
		ID       int64
		Name     string
		N        int
		Children []serialChild `gorm:"foreignKey:RowID"`
	}
	serialChild struct {
		ID    int64
		RowID int64 `gorm:"index"`
	}
	uuid4Row struct {
		ID       uuid.UUID `gorm:"size:36"`
		Name     string
		N        int
		Children []uuid4Child `gorm:"foreignKey:RowID"`
	}
	uuid4Child struct {
		ID    uuid.UUID `gorm:"size:36"`
		RowID uuid.UUID `gorm:"size:36;index"`
	}
	uuid7Row struct {
		ID       uuid.UUID `gorm:"size:36"`
		Name     string
		N        int
		Children []uuid7Child `gorm:"foreignKey:RowID"`
	}
	uuid7Child struct {
		ID    uuid.UUID `gorm:"size:36"`
		RowID uuid.UUID `gorm:"size:36;index"`
	}
)

// The hooks are those that people write.

func (r *hookRow) BeforeCreate(*gorm.DB) error    { return setID(&r.ID, oid.New) }
func (r *hookChild) BeforeCreate(*gorm.DB) error  { return setID(&r.ID, oid.New) }
func (r *uuid4Row) BeforeCreate(*gorm.DB) error   { return setID(&r.ID, uuid.New) }
func (r *uuid4Child) BeforeCreate(*gorm.DB) error { return setID(&r.ID, uuid.New) }
func (r *uuid7Row) BeforeCreate(*gorm.DB) error   { return setID(&r.ID, newUUID7) }
func (r *uuid7Child) BeforeCreate(*gorm.DB) error { return setID(&r.ID, newUUID7) }

func newUUID7() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// setID sets id unless it is set.
func setID[T comparable](id *T, next func() T) error {
	var zero T
	if *id == zero {
		*id = next()
	}
	return nil
}

// A kind is one way to give rows their keys.
type kind struct {
	name    string
	plugins func() []gorm.Plugin
	models  []any
	insert  func(db *gorm.DB, n int) func() error        // n rows
	family  func(db *gorm.DB, n int) error               // n rows with five children each
	preload func(db *gorm.DB) (rows int, err error)      // all of them
	find    func(db *gorm.DB, n int) func() (int, error) // n of them, by a list of keys
	count   func(db *gorm.DB, n int) func() (int, error) // the same, but the rows are not read
}

func kindOf[R, C, K any](name string, child func(r *R) *[]C, key func(r *R) K, plugins func() []gorm.Plugin) kind {
	return kind{
		name:    name,
		plugins: plugins,
		models:  []any{new(R), new(C)},
		insert: func(db *gorm.DB, n int) func() error {
			rows := make([]R, n)
			return func() error {
				clear(rows)
				return db.CreateInBatches(&rows, 1000).Error
			}
		},
		family: func(db *gorm.DB, n int) error {
			rows := make([]R, n)
			for i := range rows {
				*child(&rows[i]) = make([]C, 5)
			}
			return db.CreateInBatches(&rows, 100).Error
		},
		preload: func(db *gorm.DB) (int, error) {
			var rows []R
			err := db.Preload("Children").Find(&rows).Error
			return len(rows), err
		},
		count: func(db *gorm.DB, n int) func() (int, error) {
			keys := keysOf(db, key, n)
			return func() (int, error) {
				var found int64
				err := db.Model(new(R)).Where("id IN ?", keys).Count(&found).Error
				return int(found), err
			}
		},
		find: func(db *gorm.DB, n int) func() (int, error) {
			keys := keysOf(db, key, n)
			return func() (int, error) {
				var found []R
				err := db.Find(&found, keys).Error
				return len(found), err
			}
		},
	}
}

// keysOf returns the keys of the first n rows.
func keysOf[R, K any](db *gorm.DB, key func(*R) K, n int) []K {
	var rows []R
	db.Order("id").Limit(n).Find(&rows)
	keys := make([]K, len(rows))
	for i := range rows {
		keys[i] = key(&rows[i])
	}
	return keys
}

// kinds returns all kinds. The hook comes first because the others are compared
// with it.
func kinds() []kind {
	none := func() []gorm.Plugin { return nil }
	plugin := func() []gorm.Plugin { return []gorm.Plugin{gormplugin.New()} }
	models := func() []gorm.Plugin {
		return []gorm.Plugin{gormplugin.New(gormplugin.WithModels(&pluginRow{}))}
	}
	hooked := kindOf("hook", func(r *hookRow) *[]hookChild { return &r.Children }, func(r *hookRow) oid.ID { return r.ID }, none)
	plain := kindOf("gormplugin", func(r *pluginRow) *[]pluginChild { return &r.Children }, func(r *pluginRow) oid.ID { return r.ID }, plugin)
	prepared := kindOf("WithModels", func(r *pluginRow) *[]pluginChild { return &r.Children }, func(r *pluginRow) oid.ID { return r.ID }, models)
	v4 := kindOf("uuid v4", func(r *uuid4Row) *[]uuid4Child { return &r.Children }, func(r *uuid4Row) uuid.UUID { return r.ID }, none)
	v7 := kindOf("uuid v7", func(r *uuid7Row) *[]uuid7Child { return &r.Children }, func(r *uuid7Row) uuid.UUID { return r.ID }, none)
	return append([]kind{hooked, plain, prepared, v4, v7}, integers()[:1]...)
}

// integers returns the kinds of rows that have integer keys, without and with the plugin.
func integers() []kind {
	of := func(name string, plugins ...gorm.Plugin) kind {
		return kindOf(name, func(r *serialRow) *[]serialChild { return &r.Children }, func(r *serialRow) int64 { return r.ID }, func() []gorm.Plugin { return plugins })
	}
	return []kind{of("autoincrement"), of("gormplugin", gormplugin.New())}
}

// open opens a database with the tables of a kind. The one of GORM's own tests has
// none, because there statements are not sent.
func open(b *testing.B, dialector gorm.Dialector, k kind) *gorm.DB {
	b.Helper()
	_, dry := dialector.(tests.DummyDialector)
	db, err := gorm.Open(dialector, &gorm.Config{Logger: logger.Discard, DryRun: dry, SkipDefaultTransaction: dry, PrepareStmt: !dry})
	if err != nil {
		b.Fatal(err)
	}
	for _, plugin := range k.plugins() {
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
	if err := db.AutoMigrate(k.models...); err != nil {
		b.Fatal(err)
	}
	return db
}

// On the databases no commit waits for the disk, because its time varies too much.
// Each benchmark has a new database. In a shared one, later benchmarks would wait
// for the work that the first have left.

func onSQLite(b *testing.B) gorm.Dialector {
	return sqlite.Open(filepath.Join(b.TempDir(), "bench.db") + "?_pragma=synchronous(OFF)&_pragma=journal_mode(MEMORY)")
}

func onPostgres(b *testing.B) gorm.Dialector {
	return postgres.Open(pgserver.Database(b) + "&synchronous_commit=off")
}

func onMySQL(b *testing.B) gorm.Dialector { return mysql.Open(mysqlserver.MySQL.Database(b)) }

func onMariaDB(b *testing.B) gorm.Dialector { return mysql.Open(mysqlserver.MariaDB.Database(b)) }

// onNothing builds the statements but sends none. The rest is the cost of GORM and
// of the key.
func onNothing(*testing.B) gorm.Dialector { return tests.DummyDialector{} }

// insert measures an INSERT of n rows, in batches of 1000.
func insert(b *testing.B, kinds []kind, dialector func(*testing.B) gorm.Dialector, n int) {
	for _, k := range kinds {
		run := k.insert(open(b, dialector(b), k), n)
		if err := run(); err != nil { // GORM gets to know the model
			b.Fatal(err)
		}
		b.Run(k.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := run(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// preload measures a query for 1000 rows with their five children each.
func preload(b *testing.B, kinds []kind, dialector func(*testing.B) gorm.Dialector) {
	const n = 1000
	for _, k := range kinds {
		db := open(b, dialector(b), k)
		if err := k.family(db, n); err != nil {
			b.Fatal(err)
		}
		b.Run(k.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if rows, err := k.preload(db); err != nil || rows != n {
					b.Fatal(rows, err)
				}
			}
		})
	}
}

// find measures a query for 10,000 of 10,000 rows by a list of their keys.
func find(b *testing.B, kinds []kind, dialector func(*testing.B) gorm.Dialector) {
	byList(b, kinds, dialector, func(k kind) func(*gorm.DB, int) func() (int, error) { return k.find })
}

// count is find, without the time that it takes to read the rows.
func count(b *testing.B, kinds []kind, dialector func(*testing.B) gorm.Dialector) {
	byList(b, kinds, dialector, func(k kind) func(*gorm.DB, int) func() (int, error) { return k.count })
}

func byList(b *testing.B, kinds []kind, dialector func(*testing.B) gorm.Dialector, query func(kind) func(*gorm.DB, int) func() (int, error)) {
	const n = 10_000
	for _, k := range kinds {
		db := open(b, dialector(b), k)
		if err := k.insert(db, n)(); err != nil {
			b.Fatal(err)
		}
		run := query(k)(db, n)
		b.Run(k.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if rows, err := run(); err != nil || rows != n {
					b.Fatal(rows, err)
				}
			}
		})
	}
}

// BenchmarkPostgresArrayToList measures counting rows by a list of 10,000 keys. The
// plugin sends the list as one array. Without it there is a parameter for each key. The
// three take turns:
//
//   - array/list is the median of the ratios to the same query of the same table
//     without the plugin.
//   - array/hook is the median of the ratios to the query of a table of rows whose
//     hook makes the ID, which is what users without the plugin have.
//
// A list of a length that was sent before is a prepared statement, and one of a new
// length isn't. The children are those that Preload asks for. In an empty table there
// are no rows to look up, so the rest is the cost of the list. It takes minutes, and so it
// runs with OIDKIT_LONG=1 only.
func BenchmarkPostgresArrayToList(b *testing.B) {
	if os.Getenv("OIDKIT_LONG") == "" {
		b.Skip("takes minutes: set OIDKIT_LONG=1")
	}
	for _, table := range []struct {
		name     string
		rows     int
		children bool
	}{
		{"all of 10,000 rows", 10_000, false},
		{"10,000 of 100,000 rows", 100_000, false},
		{"10,000 of 1,000,000 rows", 1_000_000, false},
		{"the 50,000 children of 10,000 rows", 10_000, true},
		{"empty table", 0, false},
	} {
		b.Run(table.name+"/same length", func(b *testing.B) { arrayToList(b, table.rows, table.children, 0) })
		b.Run(table.name+"/new length", func(b *testing.B) { arrayToList(b, table.rows, table.children, 1) })
	}
}

// arrayToList asks a table of so many rows, or the one of their children. It makes the
// list shorter by less each time.
func arrayToList(b *testing.B, rows int, children bool, less int) {
	const n = 10_000
	hook, array := kinds()[0], kinds()[1]
	list := array
	list.plugins = hook.plugins
	dialector := onPostgres(b)
	peers := []struct {
		db         *gorm.DB
		row, child any
	}{
		{open(b, dialector, array), &pluginRow{}, &pluginChild{}},
		{open(b, dialector, list), &pluginRow{}, &pluginChild{}},
		{open(b, dialector, hook), &hookRow{}, &hookChild{}},
	}
	keys := make([]oid.ID, max(n, rows))
	oid.Fill(keys)
	if rows > 0 {
		fillTables(b, peers[0].db, keys)
	}
	keys = keys[:n]
	var ratios [2][]float64
	for b.Loop() {
		var took [3]time.Duration
		for i, peer := range peers {
			query, want := peer.db.Model(peer.row).Where("id IN ?", keys), min(len(keys), rows)
			if children {
				query, want = peer.db.Model(peer.child).Where("row_id IN ?", keys), 5*want
			}
			var found int64
			begin := time.Now()
			if err := query.Count(&found).Error; err != nil || int(found) != want {
				b.Fatal(found, err)
			}
			took[i] = time.Since(begin)
		}
		for i := range ratios {
			ratios[i] = append(ratios[i], float64(took[0])/float64(took[i+1]))
		}
		keys = keys[:max(n/2, len(keys)-less)]
	}
	for i, unit := range []string{"array/list", "array/hook"} {
		slices.Sort(ratios[i])
		b.ReportMetric(ratios[i][len(ratios[i])/2], unit)
	}
}

// fillTables stores a row with five children under each key, in the tables of the plugin
// and of the hook.
func fillTables(b *testing.B, db *gorm.DB, keys []oid.ID) {
	b.Helper()
	for batch := range slices.Chunk(keys, 10_000) {
		rows, children := make([]pluginRow, len(batch)), make([]pluginChild, 0, 5*len(batch))
		for i, key := range batch {
			rows[i].ID = key
			if len(keys) <= 10_000 {
				for range 5 {
					children = append(children, pluginChild{RowID: key})
				}
			}
		}
		if err := db.CreateInBatches(&rows, 10_000).Error; err != nil {
			b.Fatal(err)
		}
		if err := db.CreateInBatches(&children, 10_000).Error; err != nil {
			b.Fatal(err)
		}
	}
	for _, statement := range []string{
		"INSERT INTO hook_rows SELECT * FROM plugin_rows",
		"INSERT INTO hook_children SELECT * FROM plugin_children",
		"VACUUM ANALYZE",
	} {
		if err := db.Exec(statement).Error; err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBuild1(b *testing.B)     { insert(b, kinds(), onNothing, 1) }
func BenchmarkBuild100(b *testing.B)   { insert(b, kinds(), onNothing, 100) }
func BenchmarkBuild10000(b *testing.B) { insert(b, kinds(), onNothing, 10_000) }

func BenchmarkSQLiteInsert1(b *testing.B)     { insert(b, kinds(), onSQLite, 1) }
func BenchmarkSQLiteInsert100(b *testing.B)   { insert(b, kinds(), onSQLite, 100) }
func BenchmarkSQLiteInsert10000(b *testing.B) { insert(b, kinds(), onSQLite, 10_000) }
func BenchmarkSQLitePreload(b *testing.B)     { preload(b, kinds(), onSQLite) }
func BenchmarkSQLiteFind10000(b *testing.B)   { find(b, kinds(), onSQLite) }
func BenchmarkSQLiteCount10000(b *testing.B)  { count(b, kinds(), onSQLite) }

func BenchmarkPostgresInsert1(b *testing.B)     { insert(b, kinds(), onPostgres, 1) }
func BenchmarkPostgresInsert100(b *testing.B)   { insert(b, kinds(), onPostgres, 100) }
func BenchmarkPostgresInsert10000(b *testing.B) { insert(b, kinds(), onPostgres, 10_000) }
func BenchmarkPostgresPreload(b *testing.B)     { preload(b, kinds(), onPostgres) }
func BenchmarkPostgresFind10000(b *testing.B)   { find(b, kinds(), onPostgres) }
func BenchmarkPostgresCount10000(b *testing.B)  { count(b, kinds(), onPostgres) }

func BenchmarkMySQLInsert1(b *testing.B)     { insert(b, kinds(), onMySQL, 1) }
func BenchmarkMySQLInsert100(b *testing.B)   { insert(b, kinds(), onMySQL, 100) }
func BenchmarkMySQLInsert10000(b *testing.B) { insert(b, kinds(), onMySQL, 10_000) }
func BenchmarkMySQLPreload(b *testing.B)     { preload(b, kinds(), onMySQL) }
func BenchmarkMySQLFind10000(b *testing.B)   { find(b, kinds(), onMySQL) }
func BenchmarkMySQLCount10000(b *testing.B)  { count(b, kinds(), onMySQL) }

func BenchmarkMariaDBInsert1(b *testing.B)     { insert(b, kinds(), onMariaDB, 1) }
func BenchmarkMariaDBInsert100(b *testing.B)   { insert(b, kinds(), onMariaDB, 100) }
func BenchmarkMariaDBInsert10000(b *testing.B) { insert(b, kinds(), onMariaDB, 10_000) }
func BenchmarkMariaDBPreload(b *testing.B)     { preload(b, kinds(), onMariaDB) }
func BenchmarkMariaDBFind10000(b *testing.B)   { find(b, kinds(), onMariaDB) }
func BenchmarkMariaDBCount10000(b *testing.B)  { count(b, kinds(), onMariaDB) }

// The groups Integers show what the plugin costs models without IDs.

func BenchmarkIntegersBuild100(b *testing.B)        { insert(b, integers(), onNothing, 100) }
func BenchmarkIntegersSQLiteInsert100(b *testing.B) { insert(b, integers(), onSQLite, 100) }
func BenchmarkIntegersSQLitePreload(b *testing.B)   { preload(b, integers(), onSQLite) }
func BenchmarkIntegersSQLiteFind10000(b *testing.B) { find(b, integers(), onSQLite) }

package gormplugin_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// A poet has poems. K has the primary key, and L the key of the poet.
type poet[K, L any] struct {
	K     K `gorm:"embedded"`
	Email string
	Name  string
	Poems []poem[K, L] `gorm:"foreignKey:PoetID"`
}

type poem[K, L any] struct {
	K     K `gorm:"embedded"`
	L     L `gorm:"embedded"`
	Title string
}

func (poet[K, L]) TableName() string { return "poets" }
func (poem[K, L]) TableName() string { return "poems" }

// The forms of keys.
type (
	bytesKey  struct{ ID oid.ID }
	bytesLink struct{ PoetID oid.ID }
	hexKey    struct{ ID sqltype.Hex }
	hexLink   struct{ PoetID sqltype.Hex }
	uuidKey   struct {
		ID sqltype.UUID `gorm:"type:uuid"`
	}
	uuidLink struct {
		PoetID sqltype.UUID `gorm:"type:uuid"`
	}
)

// TestModelsOnStrictServers creates, reads, updates, deletes and upserts behind proxies that
// refuse what Aurora DSQL and CockroachDB refuse, and fail 20 % of the commits with 40001.
// What failed is tried again with the same structs.
func TestModelsOnStrictServers(t *testing.T) {
	t.Parallel()
	strictModels(t, pgserver.CockroachDB, "bytea", func(k bytesKey) bytesLink { return bytesLink{k.ID} })
	for _, engine := range []*pgserver.Engine{pgserver.CockroachDB, pgserver.DSQL} {
		strictModels(t, engine, "uuid", func(k uuidKey) uuidLink { return uuidLink{k.ID} })
		strictModels(t, engine, "char(24)", func(k hexKey) hexLink { return hexLink{k.ID} })
	}
}

func strictModels[K, L comparable](t *testing.T, engine *pgserver.Engine, column string, link func(K) L) {
	t.Run(engine.Name+", "+column, func(t *testing.T) {
		t.Parallel()
		s := pgserver.StartStrict(t, pgserver.Database(t), engine, 0.2)
		db := use(t, open(t, postgres.Open(s.DSN)))
		settled := func(do func(tx *gorm.DB) *gorm.DB) *gorm.DB {
			t.Helper()
			for {
				tx := do(db)
				if tx.Error == nil {
					return tx
				}
				var e interface{ SQLState() string }
				if !errors.As(tx.Error, &e) || e.SQLState() != "40001" {
					t.Fatal(tx.Error)
				}
			}
		}
		for _, ddl := range []string{
			"CREATE TABLE IF NOT EXISTS poets (id " + column + " PRIMARY KEY, email text NOT NULL UNIQUE, name text NOT NULL)",
			"CREATE TABLE IF NOT EXISTS poems (id " + column + " PRIMARY KEY, poet_id " + column + " NOT NULL REFERENCES poets (id), title text NOT NULL)",
		} {
			settled(func(tx *gorm.DB) *gorm.DB { return tx.Exec(ddl) })
		}

		poets := make([]poet[K, L], 5000)
		for i := range poets {
			poets[i].Email = fmt.Sprint(i)
		}
		for part := range slices.Chunk(poets, 2500) { // a transaction of Aurora DSQL writes 3,000 rows
			settled(func(tx *gorm.DB) *gorm.DB { return tx.Create(&part) })
		}
		first, last := &poets[0], &poets[len(poets)-1]
		poems := []poem[K, L]{{L: link(first.K), Title: "a"}, {L: link(last.K), Title: "b"}}
		settled(func(tx *gorm.DB) *gorm.DB { return tx.Create(&poems) })

		var found []poet[K, L]
		settled(func(tx *gorm.DB) *gorm.DB { return tx.Preload("Poems").Order("id").Find(&found) })
		if len(found) != len(poets) || found[0].K != first.K || found[len(found)-1].K != last.K {
			t.Fatalf("%d poets", len(found))
		}
		if len(found[0].Poems) != 1 || found[0].Poems[0] != poems[0] || len(found[1].Poems) != 0 || len(found[len(found)-1].Poems) != 1 {
			t.Errorf("poems %v and %v", found[0].Poems, found[len(found)-1].Poems)
		}

		for i := range 20 {
			if tx := settled(func(tx *gorm.DB) *gorm.DB { return tx.Model(&poets[i]).Update("name", "changed") }); tx.RowsAffected != 1 {
				t.Errorf("Update: %d rows", tx.RowsAffected)
			}
		}
		if tx := settled(func(tx *gorm.DB) *gorm.DB { return tx.Delete(poets[1:3]) }); tx.RowsAffected != 2 {
			t.Errorf("Delete: %d rows", tx.RowsAffected)
		}

		byEmail := clause.OnConflict{Columns: []clause.Column{{Name: "email"}}, DoUpdates: clause.AssignmentColumns([]string{"name"})}
		merged := []poet[K, L]{{Email: first.Email, Name: "merged"}, {Email: "new", Name: "new"}}
		settled(func(tx *gorm.DB) *gorm.DB { return tx.Clauses(byEmail).Create(&merged) })
		skipped := []poet[K, L]{{Email: last.Email}, {Email: "newer"}}
		settled(func(tx *gorm.DB) *gorm.DB { return tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&skipped) })
		var zero K
		if merged[0].K != first.K || merged[1].K == zero || skipped[0].K != zero {
			t.Errorf("upserts: IDs %v, %v, %v; the stored one is %v", merged[0].K, merged[1].K, skipped[0].K, first.K)
		}
		for _, want := range []poet[K, L]{{K: first.K, Email: "0", Name: "merged"}, {K: merged[1].K, Email: "new", Name: "new"}, {K: skipped[1].K, Email: "newer"}} {
			stored := poet[K, L]{K: want.K}
			if db.Take(&stored); stored.Email != want.Email || stored.Name != want.Name {
				t.Errorf("stored: %+v, want %+v", stored, want)
			}
		}
		if engine == pgserver.DSQL {
			tooMany := make([]poem[K, L], 3001)
			for i := range tooMany {
				tooMany[i].L = link(last.K)
			}
			if err := db.Create(&tooMany).Error; err == nil || !strings.Contains(err.Error(), "transaction row limit exceeded") {
				t.Errorf("3,001 rows: %v", err)
			}
		}
		if tried, failed := s.Commits(); failed < 2 {
			t.Errorf("%d of %d commits failed, which shows nothing", failed, tried)
		}
	})
}

// TestGORMOnStrictDSQL shows what docs/engines.md says of GORM there.
func TestGORMOnStrictDSQL(t *testing.T) {
	t.Parallel()
	type Singer struct {
		ID   sqltype.UUID `gorm:"type:uuid"`
		Name string       `gorm:"unique"`
	}
	type Song struct {
		ID       sqltype.UUID `gorm:"type:uuid"`
		SingerID sqltype.UUID `gorm:"type:uuid;index"`
		Singer   *Singer
	}
	s := pgserver.StartStrict(t, pgserver.Database(t), pgserver.DSQL, 0)
	fails := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	db := use(t, open(t, postgres.Open(s.DSN)))
	if err := db.AutoMigrate(&Singer{}); err != nil {
		t.Fatal(err)
	}
	fails(db.AutoMigrate(&Song{}), "unsupported mode. please use CREATE INDEX ASYNC.")
	fails(db.AutoMigrate(&Parent{}), "datatype bytea is not supported in a key")
	nested := func(db *gorm.DB) error {
		return db.Transaction(func(tx *gorm.DB) error {
			return tx.Transaction(func(tx *gorm.DB) error { return tx.Create(&Singer{Name: "nested"}).Error })
		})
	}
	fails(nested(db), "25P02") // GORM's driver drops the error of SAVEPOINT
	if err := nested(db.Session(&gorm.Session{DisableNestedTransaction: true})); err != nil {
		t.Error(err)
	}
	singers := make([]Singer, 3001)
	for i := range singers {
		singers[i].Name = fmt.Sprint(i)
	}
	fails(db.Session(&gorm.Session{CreateBatchSize: 1000}).Create(&singers).Error, "transaction row limit exceeded")
	if err := db.Create(singers[:3000]).Error; err != nil {
		t.Error(err)
	}
}

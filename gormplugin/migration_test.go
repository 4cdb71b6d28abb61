package gormplugin_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/gorm"
	"gorm.io/gorm/migrator"
	"gorm.io/gorm/schema"
	"gorm.io/gorm/utils/tests"
)

// A transacting dialect keeps the calls for save points.
type transacting struct {
	named
	calls *[]string
	fails error
}

func (d transacting) SavePoint(_ *gorm.DB, name string) error {
	*d.calls = append(*d.calls, "SavePoint "+name)
	return d.fails
}

func (d transacting) RollbackTo(_ *gorm.DB, name string) error {
	*d.calls = append(*d.calls, "RollbackTo "+name)
	return d.fails
}

// pointed returns d with save points.
func pointed(d named) transacting { return transacting{named: d, calls: new([]string)} }

// sessionOf returns the dialect of a session for migration.
func sessionOf(t *testing.T, d gorm.Dialector) gorm.Dialector {
	t.Helper()
	db, err := gorm.Open(d, &gorm.Config{DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	tx := gormplugin.ForMigration(db)
	if tx.Error != nil {
		t.Fatal(tx.Error)
	}
	return tx.Dialector
}

// TestForMigrationPassesCallsOn shows that the dialect of the session passes save points
// and errors on to the driver, with their results. A driver without them is an error.
func TestForMigrationPassesCallsOn(t *testing.T) {
	var calls []string
	fails, driver, translated := errors.New("fails"), errors.New("of the driver"), errors.New("translated")
	d := transacting{named{tests.DummyDialector{TranslatedErr: translated}, "mysql"}, &calls, fails}
	session := sessionOf(t, d)
	points := session.(gorm.SavePointerDialectorInterface)
	if save, back := points.SavePoint(nil, "a"), points.RollbackTo(nil, "b"); save != fails || back != fails || !slices.Equal(calls, []string{"SavePoint a", "RollbackTo b"}) {
		t.Errorf("SavePoint: %v, RollbackTo: %v, calls %q", save, back, calls)
	}
	if got := session.(gorm.ErrorTranslator).Translate(driver); got != translated {
		t.Errorf("Translate: %v, want %v", got, translated)
	}
	db := must(gorm.Open(named{name: "mysql"}, &gorm.Config{DryRun: true}))
	const want = "gormplugin.ForMigration(): the dialector gormplugin_test.named is unknown: unsupported driver"
	if err := gormplugin.ForMigration(db).Error; !errors.Is(err, gorm.ErrUnsupportedDriver) || err.Error() != want || db.Error != nil {
		t.Errorf("without save points: %v, want %s", err, want)
	}
}

// TestForMigrationOfOtherDialects shows that a session has a dialect of its own only
// where one is needed, and only once.
func TestForMigrationOfOtherDialects(t *testing.T) {
	for name, want := range map[string]bool{"mysql": true, "sqlserver": true, "postgres": false, "sqlite": false, "clickhouse": false} {
		d := pointed(named{name: name})
		session := sessionOf(t, d)
		if got := session != gorm.Dialector(d); got != want {
			t.Errorf("%s: the dialect is %T", name, session)
		}
		if again := sessionOf(t, session); again != session {
			t.Errorf("%s: a session of a session: the dialect is %T, want %T", name, again, session)
		}
	}
}

// migrators are the types of migrators that a dialect can have.
type (
	migrates struct {
		transacting
		m gorm.Migrator
	}
	embedding struct{ migrator.Migrator }
	other     struct{ gorm.Migrator }
	anonymous interface{ gorm.Migrator }
	renamed   struct{ anonymous }
	pointer   struct{ migrator.Migrator }
)

func (d migrates) Migrator(*gorm.DB) gorm.Migrator { return d.m }

// TestForMigrationKnowsMigrators shows that the migrator stays the driver's own, with the
// dialect of the session in it. A migrator of another make is an error.
func TestForMigrationKnowsMigrators(t *testing.T) {
	for name, tt := range map[string]struct {
		m    gorm.Migrator
		want string
	}{
		"GORM's in a struct": {embedding{migrator.Migrator{Config: migrator.Config{CreateIndexAfterCreateTable: true}}}, ""},
		"another interface":  {renamed{}, "gormplugin.ForMigration(): the migrator gormplugin_test.renamed is unknown: unsupported driver"},
		"an interface":       {other{}, "gormplugin.ForMigration(): the migrator gormplugin_test.other is unknown: unsupported driver"},
		"a pointer":          {&pointer{}, "gormplugin.ForMigration(): the migrator *gormplugin_test.pointer is unknown: unsupported driver"},
	} {
		db, err := gorm.Open(migrates{pointed(named{name: "mysql"}), tt.m}, &gorm.Config{DryRun: true})
		if err != nil {
			t.Fatal(err)
		}
		tx := gormplugin.ForMigration(db)
		m := tx.Dialector.Migrator(tx)
		if tt.want == "" {
			if own, ok := m.(embedding); !ok || own.Dialector == nil || own.Dialector.Name() != "mysql" || !own.CreateIndexAfterCreateTable || tx.Error != nil {
				t.Errorf("%s: %T, %v", name, m, tx.Error)
			}
			continue
		}
		if !errors.Is(tx.Error, gorm.ErrUnsupportedDriver) || tx.Error.Error() != tt.want || m != tt.m {
			t.Errorf("%s: %T, %v, want %s", name, m, tx.Error, tt.want)
		}
	}
}

// A typing dialect has one type for all columns.
type typing struct{ transacting }

func (typing) DataTypeOf(*schema.Field) string { return "of the driver" }

// TestColumnTypes shows which columns of a session have a type of their own.
func TestColumnTypes(t *testing.T) {
	type row struct {
		ID     oid.ID
		Sized  oid.ID `gorm:"size:12"`
		Typed  oid.ID `gorm:"type:blob"`
		Text   sqltype.Hex
		Wide   wide
		Number int
		List   []oid.ID `gorm:"serializer:json"`
		Fresh  oid.For[typing]
	}
	s, err := schema.Parse(&row{}, new(sync.Map), schema.NamingStrategy{})
	if err != nil {
		t.Fatal(err)
	}
	for name, own := range map[string][]string{"mysql": {"id", "fresh"}, "sqlserver": {"id", "sized", "fresh"}} {
		session := sessionOf(t, typing{pointed(named{name: name})})
		for _, field := range s.Fields {
			want := "of the driver"
			if slices.Contains(own, field.DBName) {
				want = "binary(12)"
			}
			if got := session.DataTypeOf(field); got != want {
				t.Errorf("%s: %s is %q, want %q", name, field.DBName, got, want)
			}
		}
	}
}

// TestErrorOfAKeyNamesTheRemedy is for MySQL's error for a key of type longblob.
func TestErrorOfAKeyNamesTheRemedy(t *testing.T) {
	const key, elsewhere = "Error 1170 (42000): BLOB/TEXT column 'id' used in key specification without a key length", "Error 1146"
	for _, tt := range []struct {
		dialect, err string
		want         bool
	}{{"mysql", key, true}, {"mysql", elsewhere, false}, {"sqlite", key, false}} {
		db := openNamed(t, tt.dialect)
		if err := db.Callback().Raw().Before("oidkit:after_raw").Register("fail", func(tx *gorm.DB) { tx.AddError(errors.New(tt.err)) }); err != nil {
			t.Fatal(err)
		}
		got := db.Exec("CREATE TABLE x").Error.Error()
		if !strings.HasPrefix(got, tt.err) || strings.Contains(got, "gormplugin.WithModels") != tt.want {
			t.Errorf("%s: %s", tt.dialect, got)
		}
	}
	if err := openNamed(t, "mysql").Exec("CREATE TABLE x").Error; err != nil {
		t.Error(err)
	}
}

// Package sql_test shows IDs in libraries for SQL that need many modules.
package sql_test

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ariga.io/atlas-provider-gorm/gormschema"
	"github.com/upper/db/v4"
	"github.com/upper/db/v4/adapter/sqlite"
	"gorm.io/gorm"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
)

var sample = oid.MustParse("65b3f7a0c1d2e3f405060708")

// page names the document that an error of this package is about.
const page = ": change docs/libraries.md"

type order struct {
	ID     oid.ID  `db:"id,omitempty"`
	Parent *oid.ID `db:"parent"`
	Name   string  `db:"name"`
}

func TestUpperDB(t *testing.T) {
	session, err := sqlite.Open(sqlite.ConnectionURL{Database: filepath.Join(t.TempDir(), "test.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	sqlDB := session.Driver().(*sql.DB)
	if _, err := sqlDB.Exec("CREATE TABLE orders (id blob PRIMARY KEY DEFAULT (randomblob(12)), parent blob, name text)"); err != nil {
		t.Fatal(err)
	}
	orders := session.Collection("orders")
	ids := make([]oid.ID, 21)
	oid.Fill(ids)
	for _, id := range ids {
		if _, err := orders.Insert(order{ID: id, Parent: &sample, Name: "old"}); err != nil {
			t.Fatal(err)
		}
	}
	wantRows := func(what string, rows, renamed uint64) {
		t.Helper()
		n, err := orders.Count()
		if err != nil {
			t.Fatal(err)
		}
		m, err := orders.Find(db.Cond{"name": "new"}).Count()
		if err != nil || n != rows || m != renamed {
			t.Errorf("%s: %d rows, %d renamed, %v, want %d and %d", what, n, m, err, rows, renamed)
		}
	}
	var got []order
	if err := orders.Find(db.Cond{"id IN": ids[:2]}).OrderBy("id").All(&got); err != nil || len(got) != 2 || got[0].ID != ids[0] || *got[1].Parent != sample {
		t.Errorf("IN: %v, %v", got, err)
	}
	if err := orders.Find(db.Cond{"id IN": ids[:2]}).Update(map[string]any{"name": "new"}); err != nil {
		t.Error(err)
	}
	wantRows("Update IN", 21, 2)
	if err := orders.Find(db.Cond{"id": ids[0]}).Delete(); err != nil {
		t.Error(err)
	}
	wantRows("Delete", 20, 1)
	if err := orders.Find(db.Cond{"id NOT IN": ids[1:3]}).Delete(); err != nil {
		t.Error(err)
	}
	wantRows("Delete NOT IN", 2, 1)
	if _, err := orders.Insert(order{Name: "made by the server"}); err != nil {
		t.Error(err)
	}
	var made order
	if err := orders.Find(db.Cond{"name": "made by the server"}).One(&made); err != nil || made.ID.IsZero() || slices.Contains(ids, made.ID) {
		t.Errorf("a zero ID with omitempty: %v, %v", made.ID, err)
	}
}

func TestAtlasProviderNeedsThePluginInItsConfig(t *testing.T) {
	type User struct{ ID oid.ID }
	plain, err := gormschema.New("mysql").Load(&User{})
	if err != nil || !strings.Contains(plain, "`id` longblob") {
		t.Errorf("without the plugin: %s, %v%s", plain, err, page)
	}
	plugin := gormplugin.New(gormplugin.WithModels(&User{}))
	for dialect, want := range map[string]string{"mysql": "`id` binary(12)", "postgres": `"id" bytea`, "sqlite": "`id` blob"} {
		config := &gorm.Config{Plugins: map[string]gorm.Plugin{plugin.Name(): plugin}}
		ddl, err := gormschema.New(dialect, gormschema.WithConfig(config)).Load(&User{})
		if err != nil || !strings.Contains(ddl, want) {
			t.Errorf("%s: %s, %v, want %s", dialect, ddl, err, want)
		}
	}
}

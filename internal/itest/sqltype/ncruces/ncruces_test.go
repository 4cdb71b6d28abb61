// From Go 1.27 on, the driver imports encoding/json/v2.

//go:build nightly && (goexperiment.jsonv2 || !go1.27)

// Package ncruces_test shows IDs in github.com/ncruces/go-sqlite3, which registers
// the same name as mattn's driver.
package ncruces_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	_ "github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/gormlite"
	"gorm.io/gorm"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/internal/itest/sqltype/sqlitetest"
	"github.com/oidkit/oidkit/oid"
)

func TestNcruces(t *testing.T) {
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	sqlitetest.Check(t, db)
}

// TestGormlite stores an ID with the driver's dialect of GORM, and finds it.
func TestGormlite(t *testing.T) {
	type Order struct {
		ID       oid.ID
		ParentID *oid.ID
	}
	db, err := gorm.Open(gormlite.Open("file:" + filepath.Join(t.TempDir(), "test.db")))
	if err != nil {
		t.Fatal(err)
	}
	conns, err := db.DB()
	if err != nil {
		t.Fatal(err)
	}
	defer conns.Close()
	if err := db.Use(gormplugin.New()); err != nil {
		t.Fatal(err)
	}
	if err := db.AutoMigrate(&Order{}); err != nil {
		t.Fatal(err)
	}
	parent := Order{}
	if err := db.Create(&parent).Error; err != nil || parent.ID.IsZero() {
		t.Fatalf("Create gives the ID %v, %v", parent.ID, err)
	}
	child := Order{ParentID: &parent.ID}
	if err := db.Create(&child).Error; err != nil {
		t.Fatal(err)
	}
	var got Order
	if err := db.Where("id = ? AND typeof(id) = 'blob'", child.ID).Take(&got).Error; err != nil || got.ParentID == nil || *got.ParentID != parent.ID {
		t.Errorf("Take = %+v, %v, want parent %v", got, err, parent.ID)
	}
}

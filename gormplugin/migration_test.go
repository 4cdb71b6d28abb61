package gormplugin_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/gorm"
)

// TestColumnTypes shows which columns of WithModels have a type of their own.
func TestColumnTypes(t *testing.T) {
	type row struct {
		ID     oid.ID
		Sized  oid.ID `gorm:"size:12"`
		Typed  oid.ID `gorm:"type:blob"`
		Text   sqltype.Hex
		Wide   wide
		Number int
		List   []oid.ID `gorm:"serializer:json"`
		Fresh  oid.For[row]
	}
	for name, own := range map[string][]string{"mysql": {"id", "fresh"}, "sqlserver": {"id", "sized", "fresh"}, "postgres": nil, "sqlite": nil} {
		db := openNamed(t, name, gormplugin.New(gormplugin.WithModels(&row{})))
		for _, field := range schemaOf(t, db, &row{}).Fields {
			if got := field.DataType == "binary(12)"; got != slices.Contains(own, field.DBName) {
				t.Errorf("%s: %s is %q", name, field.DBName, field.DataType)
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

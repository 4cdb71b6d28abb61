package gormplugin_test

import (
	"bytes"
	"database/sql"
	"log"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

func TestLoggerPrintsHex(t *testing.T) {
	eachDB(t, []any{&Doc{}}, func(t *testing.T, db *gorm.DB) {
		var out bytes.Buffer
		plain := logger.New(log.New(&out, "", 0), logger.Config{LogLevel: logger.Info})
		logged := func(l logger.Interface, run func(db *gorm.DB)) string {
			out.Reset()
			run(db.Session(&gorm.Session{Logger: l}))
			return strings.ReplaceAll(out.String(), `"`, "'") // SQLite's quotes
		}
		id := oid.MustParse("65b3f7006b00310e041f9fe0")
		find := func(db *gorm.DB) { db.Find(&[]Doc{}, "id = ?", id) }
		if got := logged(plain, find); !strings.Contains(got, "'<binary>'") {
			t.Errorf("GORM prints IDs itself now:\n%s", got)
		}

		hex := gormplugin.Logger(plain)
		for name, param := range map[string]any{
			"oid.ID": id, "*oid.ID": &id, "oid.For": oid.For[Doc](id), "sql.Null": sql.Null[oid.ID]{V: id, Valid: true},
			"sqltype.ZeroNull": sqltype.ZeroNull(id), "sqltype.Hex": sqltype.Hex(id),
		} {
			got := logged(hex, func(db *gorm.DB) { db.Find(&[]Doc{}, "id = ?", param) })
			if !strings.Contains(got, "id = '65b3f7006b00310e041f9fe0'") {
				t.Errorf("%s:\n%s", name, got)
			}
			if !strings.Contains(got, "logger_test.go:") {
				t.Errorf("%s: the line of the caller is lost:\n%s", name, got)
			}
		}
		if got := logged(hex, func(db *gorm.DB) { db.Find(&[]Doc{}, "name = ? AND id <> ?", "a", (*oid.ID)(nil)) }); !strings.Contains(got, "name = 'a' AND id <> NULL") {
			t.Errorf("other values:\n%s", got)
		}
		var doc Doc
		if got := logged(hex, func(db *gorm.DB) { db.Create(&doc) }); !strings.Contains(got, doc.ID.Hex()) {
			t.Errorf("Create:\n%s", got)
		}
		if !stored(t, db, &Doc{}, doc.ID) {
			t.Error("what is logged was sent")
		}
		if got := logged(hex.LogMode(logger.Silent), find); got != "" {
			t.Errorf("LogMode: logged\n%s", got)
		}
		hidden := gormplugin.Logger(logger.New(log.New(&out, "", 0), logger.Config{LogLevel: logger.Info, ParameterizedQueries: true}))
		if got := logged(hidden, find); strings.Contains(got, id.Hex()) {
			t.Errorf("ParameterizedQueries: logged\n%s", got)
		}
	})
}

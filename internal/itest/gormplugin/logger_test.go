package gormplugin_test

import (
	"bytes"
	"database/sql"
	"log"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// TestLoggerPrintsIDs as SQL that can be run.
func TestLoggerPrintsIDs(t *testing.T) {
	t.Parallel()
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
			want := map[string]string{"postgres": `id = '\x65b3f7006b00310e041f9fe0'`, "mysql": "id = x'65b3f7006b00310e041f9fe0'", "sqlite": "id = x'65b3f7006b00310e041f9fe0'"}[db.Name()]
			if name == "sqltype.Hex" {
				want = "65b3f7006b00310e041f9fe0"
			}
			if !strings.Contains(got, want) {
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

// TestRefusedStatementsAreNotLoggedAsSent logs what is built of a statement that is refused
// while it is built.
func TestRefusedStatementsAreNotLoggedAsSent(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Box{}, &Item{}, &SoftItem{}}, func(t *testing.T, db *gorm.DB) {
		var out bytes.Buffer
		for _, l := range []logger.Interface{
			logger.New(log.New(&out, "", 0), logger.Config{LogLevel: logger.Info}),
			gormplugin.Logger(logger.New(log.New(&out, "", 0), logger.Config{LogLevel: logger.Info})),
		} {
			tx := db.Session(&gorm.Session{Logger: l})
			for name, err := range map[string]error{
				"Update":   tx.Model(&Item{}).Where("name = ?", "a").Update("box_id", 7).Error,
				"Create":   tx.Model(&Item{}).Create(map[string]any{"box_id": 7}).Error,
				"Delete":   tx.Delete(&Item{}, 7).Error,
				"Find":     tx.Find(&[]Item{}, 7).Error,
				"subquery": tx.Where("id IN (?)", db.Model(&Item{}).Select("id").Where("id = ?", 7)).Find(&[]Item{}).Error,
				"Having":   tx.Model(&Item{}).Select("name").Group("name").Having("id = ?", 7).Find(&[]Item{}).Error,
				"FROM":     tx.Model(&Item{}).Where("name IN (?)", gorm.Expr("?", gormplugin.CreatedSince(time.Now(), "name"))).Find(&[]Item{}).Error,
			} {
				if err == nil {
					t.Errorf("%s: no error", name)
				}
			}
			for line := range strings.Lines(out.String()) {
				isSQL := regexp.MustCompile("(SELECT|INSERT|UPDATE|DELETE) ").MatchString(line)
				if isSQL && !strings.Contains(line, "refused and not sent") {
					t.Errorf("logged %s", line)
				}
			}
			out.Reset()
		}
	})
}

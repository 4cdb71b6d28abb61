package gormplugin_test

import (
	"strings"
	"testing"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/driver/mysql"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// TestModelsUnderSettingsOfMySQL migrates, stores, joins and finds rows in sessions and on
// servers with settings that differ from the defaults.
func TestModelsUnderSettingsOfMySQL(t *testing.T) {
	t.Parallel()
	settings := []string{
		"sql_require_primary_key=ON", "sql_generate_invisible_primary_key=ON",
		"transaction_isolation=%27SERIALIZABLE%27", "time_zone=%27%2B13%3A00%27", "sql_mode=%27ANSI%2CSTRICT_TRANS_TABLES%27",
	}
	for _, e := range mysqlserver.Engines() {
		for _, setting := range settings {
			if e == mysqlserver.MariaDB {
				setting = strings.Replace(setting, "transaction_isolation", "tx_isolation", 1)
			}
			if strings.HasPrefix(setting, "sql_") && !strings.HasPrefix(setting, "sql_mode") && e != mysqlserver.MySQL {
				continue
			}
			t.Run(e.Name+", "+setting, func(t *testing.T) {
				t.Parallel()
				storeJoinFind(t, openMySQL(t, e, "&"+setting))
			})
		}
		t.Run(e.Name+", lower_case_table_names=1", func(t *testing.T) {
			t.Parallel()
			storeJoinFind(t, open(t, mysql.Open(e.StartOwn(t, "--lower-case-table-names=1").DSN)))
		})
	}
}

func storeJoinFind(t *testing.T, db *gorm.DB) {
	t.Helper()
	migrated(t, migrated(t, use(t, db), []any{&Article{}, &Topic{}}), []any{&Article{}, &Topic{}})
	red := topic("red")
	if err := db.Create(&red).Error; err != nil {
		t.Fatal(err)
	}
	article := Article{Topics: []Topic{topic("red"), topic("blue")}}
	if err := db.Create(&article).Error; err != nil || article.Topics[0].ID != red.ID {
		t.Errorf("joined %v, %v, want %v", article.Topics[0].ID, err, red.ID)
	}
	var found Article
	if err := db.Preload("Topics").First(&found, article.ID).Error; err != nil || len(found.Topics) != 2 {
		t.Errorf("%d topics, %v, want 2", len(found.Topics), err)
	}
	again := topic("red")
	if err := db.Clauses(clause.OnConflict{UpdateAll: true}).Create(&again).Error; err != nil {
		t.Errorf("upsert: %v", err)
	}
	ids := make([]oid.ID, 30_000)
	oid.Fill(ids)
	ids[29_999] = red.ID
	var topics []Topic
	if err := db.Find(&topics, ids).Error; err != nil || len(topics) != 1 {
		t.Errorf("%d of 30,000 IDs found, %v, want 1", len(topics), err)
	}
	if tx := db.Delete(&Topic{}, ids); tx.Error != nil || tx.RowsAffected != 1 {
		t.Errorf("Delete of 30,000 IDs: %d rows, %v", tx.RowsAffected, tx.Error)
	}
}

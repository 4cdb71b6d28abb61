package sqltype_test

import (
	"bytes"
	"database/sql"
	"testing"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	gormpostgres "gorm.io/driver/postgres"
	"gorm.io/gorm"
)

// A Job gets its ID from the program, or from the server where SQL inserts it.
type Job struct {
	ID   oid.ID `gorm:"type:objectid;default:objectid_new()"`
	Name string
}

func TestObjectidNewBesideThePluginOfGORM(t *testing.T) {
	t.Parallel()
	db, err := gorm.Open(gormpostgres.Open(postgres(t)))
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Use(gormplugin.New()); err != nil {
		t.Fatal(err)
	}
	if err := db.AutoMigrate(&Job{}); err != nil {
		t.Fatal(err)
	}
	set := oid.New()
	jobs := []Job{{Name: "by the plugin"}, {ID: set, Name: "by the program"}}
	if err := db.Create(&jobs).Error; err != nil {
		t.Fatal(err)
	}
	if err := db.Exec("insert into jobs (name) values ('by SQL')").Error; err != nil {
		t.Fatal(err)
	}
	var got []Job
	if err := db.Order("name").Find(&got).Error; err != nil || len(got) != 3 {
		t.Fatalf("%v, %v", got, err)
	}
	server, plugin, program := got[0].ID, got[1].ID, got[2].ID
	if plugin != jobs[0].ID || program != set || jobs[1].ID != set {
		t.Errorf("stored %v, %v, want %v, %v", plugin, program, jobs[0].ID, set)
	}
	// The plugin's ID has the process value of this program. The ID from SQL has another.
	if !bytes.Equal(plugin[4:9], set[4:9]) || bytes.Equal(server[4:9], set[4:9]) || server.IsZero() {
		t.Errorf("by the plugin %v, by SQL %v, by this process %v", plugin, server, set)
	}
}

// PostgreSQL's old format of bytea: each ID is the right one or an error.
func TestByteaOutputEscapeWithDatabaseSQL(t *testing.T) {
	t.Parallel()
	forEachDatabase(t, func(t *testing.T, db *sql.DB, d database) {
		if !d.dollar {
			return
		}
		db.SetMaxOpenConns(1)
		mustExec(t, db, "create table ids (id bytea); set bytea_output = escape")
		for _, id := range append(awkward, oid.ID([]byte(`\x65b3f7a40c`)), oid.ID([]byte("abcdefabcdef"))) {
			mustExec(t, db, "delete from ids")
			mustExec(t, db, "insert into ids values (decode('"+id.Hex()+"', 'hex'))")
			var got oid.ID
			if err := db.QueryRow("select id from ids").Scan(&got); err == nil && got != id {
				t.Errorf("%v reads as %v", id, got)
			}
		}
	})
}

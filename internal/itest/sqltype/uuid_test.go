package sqltype_test

import (
	"database/sql"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	mysqldriver "github.com/go-sql-driver/mysql"
	"github.com/google/uuid"
	"github.com/lib/pq"
	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/gormplugin"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"go.mongodb.org/mongo-driver/v2/bson"
	"gorm.io/driver/mysql"
	gormpostgres "gorm.io/driver/postgres"
	"gorm.io/gorm"
)

// uuidColumn returns the type of a column for sqltype.UUID.
func (d database) uuidColumn() string {
	switch {
	case d.engine() == "sqlite":
		return "text"
	case d.engine() == "mysql" && !strings.HasPrefix(d.name, "mariadb"):
		return "char(36)"
	}
	return "uuid" // PostgreSQL's and MariaDB's
}

func TestUUIDInEveryDatabase(t *testing.T) {
	t.Parallel()
	forEachDatabase(t, func(t *testing.T, db *sql.DB, d database) {
		mustExec(t, db, d.sql("create table keyed (id "+d.uuidColumn()+" primary key, parent "+d.uuidColumn()+")"))
		sorted := slices.Clone(awkward)
		for i, id := range awkward {
			var parent *sqltype.UUID
			if i > 0 {
				parent = (*sqltype.UUID)(&awkward[i-1])
			}
			mustExec(t, db, d.sql("insert into keyed values (?, ?)"), sqltype.UUID(id), parent)
			var got sqltype.UUID
			var gotParent *sqltype.UUID
			var null sql.Null[sqltype.UUID]
			err := db.QueryRow(d.sql("select id, parent, parent from keyed where id = ?"), sqltype.UUID(id)).Scan(&got, &gotParent, &null)
			if err != nil || got != sqltype.UUID(id) || (gotParent == nil) != (i == 0) || null.Valid != (i > 0) {
				t.Errorf("%v: %v, %v, %v, %v", id, got, gotParent, null, err)
			}
			if i > 0 && (*gotParent != *parent || null.V != *parent) {
				t.Errorf("%v: %v, %v, want %v", id, gotParent, null, *parent)
			}
			// The column holds what other tools take for a UUIDv7.
			text := queryOne[string](t, db, d.sql("select id from keyed where id = ?"), sqltype.UUID(id))
			if u, err := uuid.Parse(text); err != nil || u.Version() != 7 || u.Variant() != uuid.RFC4122 || u != uuid.UUID(sqltype.UUID(id).Bytes()) {
				t.Errorf("%v is %s, %v", id, text, err)
			}
		}
		slices.SortFunc(sorted, oid.ID.Compare)
		rows, err := db.Query(d.sql("select id from keyed where id > ? order by id"), sqltype.UUID(sorted[0]))
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var got []oid.ID
		for rows.Next() {
			var u sqltype.UUID
			if err := rows.Scan(&u); err != nil {
				t.Fatal(err)
			}
			got = append(got, oid.ID(u))
		}
		if !slices.Equal(got, sorted[1:]) {
			t.Errorf("in order of the column: %v, want %v", got, sorted[1:])
		}
		// What isn't the UUID of an ID is an error, and changes nothing.
		mustExec(t, db, d.sql("insert into keyed (id) values (?)"), "018d46ff-58a0-4000-8000-00000000031d")
		u := sqltype.UUID(sample)
		if err := db.QueryRow(d.sql("select id from keyed where id = ?"), "018d46ff-58a0-4000-8000-00000000031d").Scan(&u); err == nil || u != sqltype.UUID(sample) {
			t.Errorf("a UUIDv4 reads as %v, %v", u, err)
		}
		if _, err := db.Exec(d.sql("insert into keyed (id) values (?)"), oid.New()); err == nil && d.uuidColumn() == "uuid" && !strings.HasPrefix(d.name, "pgx") {
			t.Error("a uuid column takes an oid.ID")
		}
	})
}

func TestUUIDArrayOfLibPQ(t *testing.T) {
	t.Parallel()
	db := open(t, "postgres", postgres(t))
	ids := []sqltype.UUID{sqltype.UUID(sample), sqltype.UUID(printable)}
	var back []sqltype.UUID
	if err := db.QueryRow("select $1::uuid[]", pq.Array(ids)).Scan(pq.Array(&back)); err != nil || !slices.Equal(back, ids) {
		t.Errorf("%v, %v", back, err)
	}
}

// A Task has its key in a uuid column.
type Task struct {
	ID     sqltype.UUID  `gorm:"type:uuid"`
	Parent *sqltype.UUID `gorm:"type:uuid"`
	Name   string
}

func TestUUIDWithGORM(t *testing.T) {
	t.Parallel()
	opens := map[string]func(t *testing.T) gorm.Dialector{
		"postgres": func(t *testing.T) gorm.Dialector { return gormpostgres.Open(postgres(t)) },
	}
	for _, e := range mysqlserver.Engines() {
		opens[e.Name] = func(t *testing.T) gorm.Dialector {
			return mysql.New(mysql.Config{Conn: mysqlWith(e, func(*mysqldriver.Config) {})(t)})
		}
	}
	for name, open := range opens {
		t.Run(name, func(t *testing.T) {
			db, err := gorm.Open(open(t))
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Use(gormplugin.New(gormplugin.WithModels(&Task{}))); err != nil {
				t.Fatal(err)
			}
			if err := db.AutoMigrate(&Task{}); err != nil {
				t.Fatal(err)
			}
			parent := Task{Name: "a"}
			if err := db.Create(&parent).Error; err != nil || parent.ID.IsZero() {
				t.Fatalf("%v, %v", parent.ID, err)
			}
			child := Task{Name: "b", Parent: &parent.ID}
			if err := db.Create(&child).Error; err != nil {
				t.Fatal(err)
			}
			var got Task
			if err := db.First(&got, "id = ?", child.ID).Error; err != nil || got.ID != child.ID || got.Parent == nil || *got.Parent != parent.ID {
				t.Errorf("%+v, %v", got, err)
			}
			var found []Task
			if err := db.Order("id").Find(&found, []oid.ID{oid.ID(parent.ID), oid.ID(child.ID)}).Error; err != nil || len(found) != 2 || found[0].ID != parent.ID {
				t.Errorf("by a list of ids: %+v, %v", found, err)
			}
			hour := oid.ID(parent.ID).Timestamp()
			var n int64
			if err := db.Model(&Task{}).Where(gormplugin.CreatedSince(hour)).Count(&n).Error; err != nil || n != 2 {
				t.Errorf("CreatedSince: %d rows, %v", n, err)
			}
			if err := db.Delete(&Task{}, oid.ID(child.ID)).Error; err != nil {
				t.Error(err)
			}
			if err := db.Model(&Task{}).Count(&n).Error; err != nil || n != 1 {
				t.Errorf("after Delete by an id: %d rows, %v", n, err)
			}
		})
	}
}

// Outside of its column a UUID is an ID.
func TestUUIDIsAnIDInJSONAndBSON(t *testing.T) {
	t.Parallel()
	type row struct {
		ID     sqltype.UUID
		Parent *sqltype.UUID
	}
	type plain struct {
		ID     oid.ID
		Parent *oid.ID
	}
	parent := oid.New()
	want, in := plain{sample, &parent}, row{sqltype.UUID(sample), (*sqltype.UUID)(&parent)}
	for name, marshal := range map[string]func(any) ([]byte, error){"json": json.Marshal, "bson": bson.Marshal, "bsoncodec": bsoncodec.Marshal} {
		a, err := marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := marshal(in); err != nil || !slices.Equal(a, b) {
			t.Errorf("%s: %q, %v, want %q", name, b, err, a)
		}
	}
}

package gormplugin_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/driver/mysql"
	"gorm.io/gorm"
)

// A Node has IDs in every place, and no tag for any.
type Node struct {
	ID       oid.ID
	ParentID *oid.ID
	Parent   *Node
	Leaves   []Leaf
	Marks    []Mark `gorm:"many2many:node_marks"`
	Plain    oid.ID
	Indexed  oid.ID `gorm:"index"`
	Zero     sqltype.ZeroNull
	SQLNull  sql.Null[oid.ID]
}

type Leaf struct {
	ID     oid.For[Leaf]
	NodeID sqltype.ZeroNull
}

type Mark struct {
	ID   oid.ID
	Text string
}

// A Member embeds Model and has a relation to itself.
type Member struct {
	gormplugin.Model
	Name   string
	BossID sqltype.ZeroNull
	Boss   *Member
	Groups []Group `gorm:"many2many:member_groups"`
}

type Group struct {
	gormplugin.Model
	Name string
}

var ddl = regexp.MustCompile(`(?i)^\s*(create|alter|drop)`)

// ddlOf returns the statements of run that change tables.
func ddlOf(db *gorm.DB, run func(db *gorm.DB) error) (list []string, err error) {
	for sql := range strings.SplitSeq(sent(db, func(db *gorm.DB) { err = run(db) }), "\n") {
		if ddl.MatchString(sql) {
			list = append(list, sql)
		}
	}
	return list, err
}

// columnTypes returns the types that the database has for the columns of IDs.
func columnTypes(t *testing.T, db *gorm.DB, tables ...string) map[string]string {
	t.Helper()
	types := map[string]string{}
	for _, table := range tables {
		columns, err := db.Migrator().ColumnTypes(table)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range columns {
			typ, _ := c.ColumnType()
			types[table+"."+c.Name()] = strings.ToLower(typ)
		}
	}
	return types
}

// TestPreparedModelsMigrate shows that models of WithModels get columns that can be keys,
// also in a table of another name, and that their relations can be stored and read.
func TestPreparedModelsMigrate(t *testing.T) {
	t.Parallel()
	want := map[string]string{"sqlite": "blob", "postgres": "bytea", "mysql": "binary(12)"}
	eachDB(t, nil, func(t *testing.T, db *gorm.DB) {
		if err := db.AutoMigrate(&Node{}, &Leaf{}, &Mark{}); err != nil {
			t.Fatal(err)
		}
		types := columnTypes(t, db, "nodes", "leafs", "marks", "node_marks")
		for _, column := range []string{
			"nodes.id", "nodes.parent_id", "nodes.plain", "nodes.indexed", "nodes.zero", "nodes.sql_null",
			"leafs.id", "leafs.node_id", "marks.id", "node_marks.node_id", "node_marks.mark_id",
		} {
			if types[column] != want[db.Name()] {
				t.Errorf("%s is %q, want %q", column, types[column], want[db.Name()])
			}
		}
		node := Node{Leaves: []Leaf{{}, {}}, Marks: []Mark{{Text: "x"}}, Parent: &Node{}}
		if err := db.Create(&node).Error; err != nil {
			t.Fatal(err)
		}
		var found Node
		if err := db.Preload("Leaves").Preload("Marks").Preload("Parent").First(&found, node.ID).Error; err != nil {
			t.Fatal(err)
		}
		if len(found.Leaves) != 2 || len(found.Marks) != 1 || found.Parent == nil || !found.Zero.IsZero() || found.SQLNull.Valid {
			t.Errorf("found %+v", found)
		}
	}, gormplugin.New(gormplugin.WithModels(&Node{}, &Leaf{}, &Mark{})))
}

// TestModel shows that the base model needs nothing but AutoMigrate.
func TestModel(t *testing.T) {
	t.Parallel()
	want := map[string]string{"sqlite": "blob", "postgres": "bytea", "mysql": "varbinary(12)"}
	eachDB(t, nil, func(t *testing.T, db *gorm.DB) {
		migrate := func(db *gorm.DB) error { return db.AutoMigrate(&Member{}, &Group{}) }
		if err := migrate(db); err != nil {
			t.Fatal(err)
		}
		for column, typ := range columnTypes(t, db, "members", "groups", "member_groups") {
			if strings.HasSuffix(column, "id") && typ != want[db.Name()] {
				t.Errorf("%s is %q, want %q", column, typ, want[db.Name()])
			}
		}
		if list, err := ddlOf(db, migrate); err != nil || len(list) > 0 {
			t.Errorf("a second time: %v, sent %q", err, list)
		}
		m := Member{Name: "a", Boss: &Member{Name: "b"}, Groups: []Group{{Name: "g"}}}
		if err := db.Create(&m).Error; err != nil || m.BossID != sqltype.ZeroNull(m.Boss.ID) || m.ID.IsZero() || m.CreatedAt.IsZero() {
			t.Errorf("%+v, %v", m, err)
		}
		if err := db.Delete(&Member{}, m.ID).Error; err != nil {
			t.Error(err)
		}
		if err := db.First(&Member{}, m.ID).Error; !errors.Is(err, gorm.ErrRecordNotFound) {
			t.Errorf("after a soft delete: %v", err)
		}
		if err := db.Unscoped().First(&Member{}, m.ID).Error; err != nil {
			t.Error(err)
		}
	})
}

// TestPlainMigrationOnMySQL pins the column types without WithModels, and those after it is
// left out later.
func TestPlainMigrationOnMySQL(t *testing.T) {
	t.Parallel()
	type Loose struct {
		ID    oid.ID
		Plain oid.ID
	}
	eachMySQL(t, func(t *testing.T, dsn string) {
		db := use(t, open(t, mysql.Open(dsn)))
		if err := db.AutoMigrate(&Mark{}); err == nil || !strings.Contains(err.Error(), "1170") || !strings.Contains(err.Error(), "gormplugin.WithModels") {
			t.Errorf("a key without a size: %v, want error 1170 with the remedy", err)
		}
		prepared := open(t, mysql.Open(dsn))
		if err := errors.Join(prepared.Use(gormplugin.New(gormplugin.WithModels(&Loose{}))), prepared.AutoMigrate(&Loose{})); err != nil {
			t.Fatal(err)
		}
		list, err := ddlOf(db, func(db *gorm.DB) error { return db.AutoMigrate(&Loose{}) })
		if err != nil || len(list) != 1 || !strings.Contains(list[0], "MODIFY COLUMN `plain` longblob") {
			t.Errorf("a plain AutoMigrate without WithModels sends %q, %v; the documentation says otherwise", list, err)
		}
	})
}

// noServer is a driver for dialects whose SQL is looked at but not sent.
type noServer struct{}

func (noServer) Connect(context.Context) (driver.Conn, error) { return nil, errors.New("no server") }
func (noServer) Driver() driver.Driver                        { return nil }

// A dialect is the dialector of a database that doesn't run here, and parts of the DDL for
// a Node.
type dialect struct {
	open func(gorm.ConnPool) gorm.Dialector
	want []string
}

var dialects = map[string]dialect{
	"MySQL": {
		func(pool gorm.ConnPool) gorm.Dialector {
			return mysql.New(mysql.Config{Conn: pool, SkipInitializeWithVersion: true})
		},
		[]string{"`id` binary(12)", "`parent_id` binary(12)", "`plain` binary(12)", "`indexed` binary(12)", "`zero` binary(12)", "PRIMARY KEY (`id`)"},
	},
}

// TestMigrationWithoutServer shows the DDL for databases that don't run here.
func TestMigrationWithoutServer(t *testing.T) {
	t.Parallel()
	pool := sql.OpenDB(noServer{})
	defer pool.Close()
	for name, tt := range dialects {
		t.Run(name, func(t *testing.T) {
			db, err := gorm.Open(tt.open(pool), &gorm.Config{DisableAutomaticPing: true, Logger: &recorder{}})
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Use(gormplugin.New(gormplugin.WithModels(&Node{}, &Member{}))); err != nil {
				t.Fatal(err)
			}
			list, err := ddlOf(db.Session(&gorm.Session{DryRun: true}), func(db *gorm.DB) error {
				return db.Migrator().CreateTable(&Node{}, &Member{})
			})
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(list, "\n")
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("no %s in\n%s", want, got)
				}
			}
			if strings.Contains(got, "longblob") || strings.Contains(strings.ToLower(got), "varbinary(max)") {
				t.Errorf("a column that can't be a key in\n%s", got)
			}
		})
	}
}

// A Coupon has its key and a reference in columns of type uuid.
type Coupon struct {
	ID     sqltype.UUID  `gorm:"type:uuid"`
	Parent *sqltype.UUID `gorm:"type:uuid"`
}

// TestUUIDColumnsAreWhatTheServerHas makes columns of sqltype.UUID. MySQL has no type uuid, so
// they are text there, in the same order. A second AutoMigrate changes nothing.
func TestUUIDColumnsAreWhatTheServerHas(t *testing.T) {
	t.Parallel()
	want := map[string]string{"mysql": "char(36)", "mariadb": "uuid", "postgres": "uuid", "tidb": "char(36)", "sqlite": "uuid"}
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := migrated(t, use(t, open(t), gormplugin.New(gormplugin.WithModels(&Coupon{}))), []any{&Coupon{}})
			columns, err := db.Migrator().ColumnTypes(&Coupon{})
			if err != nil || len(columns) != 2 {
				t.Fatal(columns, err)
			}
			for _, column := range columns {
				if got, _ := column.ColumnType(); got != want[name] {
					t.Errorf("column %s is %s, want %s", column.Name(), got, want[name])
				}
			}
			again := sent(db, func(db *gorm.DB) {
				if err := db.AutoMigrate(&Coupon{}); err != nil {
					t.Error(err)
				}
			})
			if strings.Contains(again, "ALTER") || strings.Contains(again, "CREATE") {
				t.Errorf("a second AutoMigrate sends\n%s", again)
			}
			ids := make([]oid.ID, 300)
			zeroByte().Fill(ids)
			var rows []Coupon
			for i, id := range ids {
				rows = append(rows, Coupon{ID: sqltype.UUID(id), Parent: (*sqltype.UUID)(&ids[max(0, i-1)])})
			}
			rand.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			if err := db.Create(&rows).Error; err != nil {
				t.Fatal(err)
			}
			var got []Coupon
			if err := db.Order("id").Find(&got).Error; err != nil || len(got) != len(ids) {
				t.Fatal(len(got), err)
			}
			for i, id := range ids {
				if got[i].ID != sqltype.UUID(id) || *got[i].Parent != sqltype.UUID(ids[max(0, i-1)]) {
					t.Fatalf("row %d is %v, want %v", i, got[i], id)
				}
			}
		})
	}
}

// TestCharColumnsOnPostgres migrates tables that have columns char(24). PostgreSQL calls this
// type bpchar, and GORM compares the name with that in the tag. The foreign key of Old gets its
// column type from the key.
func TestCharColumnsOnPostgres(t *testing.T) {
	t.Parallel()
	db := use(t, openPostgres(t))
	for _, sql := range []string{
		"CREATE TABLE authors (id char(24) PRIMARY KEY, rival char(24))",
		"CREATE TABLE letters (id bytea PRIMARY KEY, author_id char(24) REFERENCES authors)",
		"CREATE VIEW rivals AS SELECT rival FROM authors", // an ALTER of the column fails
	} {
		if err := db.Exec(sql).Error; err != nil {
			t.Fatal(err)
		}
	}
	t.Run("bpchar", func(t *testing.T) {
		type Letter struct {
			ID       oid.ID
			AuthorID *sqltype.Hex
		}
		type Author struct {
			ID      sqltype.Hex  `gorm:"type:bpchar(24)"`
			Rival   *sqltype.Hex `gorm:"type:bpchar(24)"`
			Letters []Letter     `gorm:"constraint:-"`
		}
		for range 2 {
			if list, err := ddlOf(db, func(db *gorm.DB) error { return db.AutoMigrate(&Author{}, &Letter{}) }); err != nil || len(list) > 0 {
				t.Errorf("AutoMigrate sends %q, %v", list, err)
			}
		}
	})
	t.Run("char", func(t *testing.T) {
		type Letter struct {
			ID       oid.ID
			AuthorID *sqltype.Hex
		}
		type Author struct {
			ID      sqltype.Hex `gorm:"type:char(24)"`
			Letters []Letter    `gorm:"constraint:-"`
		}
		for range 2 {
			list, err := ddlOf(db, func(db *gorm.DB) error { return db.AutoMigrate(&Author{}, &Letter{}) })
			if err != nil || len(list) != 1 || !strings.Contains(list[0], "ALTER") {
				t.Errorf("AutoMigrate sends %q, %v: GORM no longer alters columns of type char, so change docs/migrating.md", list, err)
			}
		}
		type Plain struct {
			ID    string
			Rival string `gorm:"type:char(24)"`
		}
		if err := db.Table("authors").AutoMigrate(&Plain{}); err == nil || !strings.Contains(err.Error(), "cannot alter type of a column used by a view") {
			t.Errorf("AutoMigrate of a column that a view reads: %v", err)
		}
	})
}

// TestUUIDColumnWithoutWithModelsNamesTheRemedy migrates a model that the plugin doesn't know.
func TestUUIDColumnWithoutWithModelsNamesTheRemedy(t *testing.T) {
	t.Parallel()
	eachMySQL(t, func(t *testing.T, dsn string) {
		db := use(t, open(t, mysql.Open(dsn)))
		err := db.AutoMigrate(&Coupon{})
		if returnsRows(db) { // MariaDB
			if err != nil {
				t.Error(err)
			}
			return
		}
		if err == nil || !strings.Contains(err.Error(), "MySQL has no column type uuid: name the model in gormplugin.WithModels") {
			t.Errorf("error %v", err)
		}
		if err := db.Exec("CREATE TABLE wrong (id uud)").Error; err == nil || strings.Contains(err.Error(), "WithModels") {
			t.Errorf("another error: %v", err)
		}
	})
}

package gormplugin_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/gormplugin"
	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// TestIDsNameTheirRows passes lists that can be empty.
func TestIDsNameTheirRows(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Box{}, &Item{}, &SoftItem{}}, func(t *testing.T, db *gorm.DB) {
		ids := threeItems(t, db)
		typed := []oid.For[Item]{oid.For[Item](ids[1]), oid.For[Item](ids[2])}
		for name, tt := range map[string]struct {
			tx   *gorm.DB
			want []string
		}{
			"none":      {db.Where(gormplugin.IDs[oid.ID]()), nil},
			"none, Not": {db.Not(gormplugin.IDs[oid.ID]()), []string{"a", "b", "c"}},
			"none, Or":  {db.Where("name = ?", "a").Or(gormplugin.IDs[oid.ID]()), []string{"a"}},
			"none, in a negated condition": {
				db.Where("NOT (? OR name = ?)", gormplugin.IDs[oid.ID](), "a"), []string{"b", "c"},
			},
			"one":        {db.Where(gormplugin.IDs(ids[1])), []string{"b"}},
			"two, typed": {db.Where(gormplugin.IDs(typed...)), []string{"b", "c"}},
			"two, Not":   {db.Not(gormplugin.IDs(typed...)), []string{"a"}},
			"twelve":     {db.Where(gormplugin.IDs(slices.Concat(ids, make12())...)), []string{"a", "b", "c"}},
		} {
			var names []string
			if err := tt.tx.Model(&Item{}).Order("name").Pluck("name", &names).Error; err != nil || !slices.Equal(names, tt.want) {
				t.Errorf("%s: %q, %v, want %q", name, names, err, tt.want)
			}
		}
		for name, tx := range map[string]*gorm.DB{
			"Delete":      db.Where("name <> ?", "x").Delete(&Item{}, gormplugin.IDs[oid.ID]()),
			"soft Delete": db.Where("name <> ?", "x").Delete(&SoftItem{}, gormplugin.IDs[oid.ID]()),
			"Update":      db.Model(&Item{}).Where(gormplugin.IDs[oid.ID]()).Update("name", "x"),
		} {
			if tx.Error != nil || tx.RowsAffected != 0 {
				t.Errorf("%s by no IDs: %d rows, %v", name, tx.RowsAffected, tx.Error)
			}
		}
		if tx := db.Delete(&Item{}, gormplugin.IDs(oid.ID{}, oid.ID{})); tx.Error != nil || count(t, db, &Item{}) != 3 {
			t.Errorf("Delete by a zero ID: %d rows, %v", tx.RowsAffected, tx.Error)
		}
		if tx := db.Delete(&Item{}, gormplugin.IDs(ids[0], ids[1])); tx.Error != nil || tx.RowsAffected != 2 || count(t, db, &Item{}) != 1 {
			t.Errorf("Delete by two IDs: %d rows, %v", tx.RowsAffected, tx.Error)
		}
	})
}

// TestListsInTheOnOfAJoin names the joined rows by their key, which GORM doesn't know
// there.
func TestListsInTheOnOfAJoin(t *testing.T) {
	t.Parallel()
	eachDB(t, workModels, func(t *testing.T, db *gorm.DB) {
		a, b := newWorker("a"), newWorker("b")
		if err := db.Create([]*Worker{a, b}).Error; err != nil {
			t.Fatal(err)
		}
		company, manager := []oid.ID{a.Company.ID}, []oid.ID{a.Manager.ID, oid.New()}
		for name, tx := range map[string]*gorm.DB{
			"list":             db.InnerJoins("Company", db.Where(company)),
			"list, own table":  db.InnerJoins("Manager", db.Where(manager)),
			"Not":              db.InnerJoins("Company", db.Not([]oid.ID{b.Company.ID})),
			"IDs":              db.InnerJoins("Company", db.Where(gormplugin.IDs(company...))),
			"IDs, own table":   db.InnerJoins("Manager", db.Where(gormplugin.IDs(manager...))),
			"IDs, Not":         db.InnerJoins("Company", db.Not(gormplugin.IDs(b.Company.ID))),
			"IDs, not all":     db.InnerJoins("Company", db.Where("1 = 0").Or(gormplugin.IDs(company...))),
			"IDs of the model": db.InnerJoins("Company", db.Not(gormplugin.IDs[oid.ID]())).Where(gormplugin.IDs(a.ID)),
		} {
			var found []Worker
			if err := tx.Find(&found).Error; err != nil || len(found) != 1 || found[0].ID != a.ID {
				t.Errorf("%s: %d rows, %v, want a", name, len(found), err)
			}
		}
		if err := db.InnerJoins("Company", db.Where(gormplugin.IDs[oid.ID]())).Take(&Worker{}).Error; !errors.Is(err, gorm.ErrRecordNotFound) {
			t.Errorf("no IDs: %v", err)
		}
		var found []Worker
		if err := db.Joins("Company", db.Where(gormplugin.IDs(oid.ID{}))).Find(&found).Error; err != nil || len(found) != 8 {
			t.Errorf("the zero ID, which no company has: %d rows, %v", len(found), err)
		}
		for name, tx := range map[string]*gorm.DB{ // GORM ignores all but a *gorm.DB
			"a condition":            db.InnerJoins("Company", gormplugin.IDs(company...)),
			"a condition of times":   db.Joins("Company", gormplugin.CreatedSince(time.Now())),
			"a condition of GORM":    db.Joins("Manager.Company", clause.Eq{Column: "id", Value: company[0]}),
			"text and an ID":         db.Joins("Company", "Company.id = ?", company[0]),
			"text and a typed ID":    db.Joins("Company", "Company.id = ?", oid.For[Company](company[0])),
			"a subquery with a join": db.Where("id IN (?)", db.Model(&Worker{}).Select("workers.id").Joins("Company", gormplugin.IDs(company...))),
		} {
			if err := tx.Find(&found).Error; !errors.Is(err, gorm.ErrInvalidData) || !strings.Contains(err.Error(), "pass it as db.Where(condition)") {
				t.Errorf("%s in the place of a *gorm.DB: %v", name, err)
			}
		}
	})
}

// make12 returns a few IDs that no row has.
func make12() []oid.ID {
	ids := make([]oid.ID, 9)
	oid.Fill(ids)
	return ids
}

func TestIDsOfAnotherKeyAreRefused(t *testing.T) {
	t.Parallel()
	type Number struct{ ID uint }
	db := migrated(t, use(t, openSQLite(t)), []any{&Number{}})
	const want = "gormplugin.IDs(primary key): in the table numbers, this is not a column of IDs: invalid field"
	if err := db.Find(&[]Number{}, gormplugin.IDs(oid.New())).Error; !errors.Is(err, gorm.ErrInvalidField) || err.Error() != want {
		t.Errorf("error %v\nwant  %s", err, want)
	}
}

// A Form has an ID in every kind of column that lists are sent for.
type Form struct {
	ID     oid.ID `gorm:"size:12"`
	Option sqltype.ZeroNull
	Text   sqltype.Hex  `gorm:"size:24"`
	Char   sqltype.Hex  `gorm:"type:char(24)"`
	Typed  oid.For[Box] `gorm:"size:12"`
	Dashed dashed       `gorm:"size:36"`
}

// TestLongLists passes lists that are sent in another form. With OIDKIT_LONG all of them are
// longer than a statement takes parameters. Otherwise only that of TestPreloadHasNoLimit is,
// and databases whose lists must be that long have fewer columns to compare.
func TestLongLists(t *testing.T) {
	t.Parallel()
	check := func(t *testing.T, db *gorm.DB) {
		n := map[string]int{"postgres": 2000, "sqlite": 31_000, "mysql": 31_000}[db.Name()]
		if isLong {
			n = 70_000
		}
		ids, forms := make([]oid.ID, n), make([]Form, 3)
		oid.Fill(ids)
		for i, id := range []oid.ID{ids[0], ids[n-1], oid.New()} {
			forms[i] = Form{ID: id, Option: sqltype.ZeroNull(id), Text: sqltype.Hex(id), Char: sqltype.Hex(id), Typed: oid.For[Box](id), Dashed: dashed(id)}
		}
		if err := db.Create(&forms).Error; err != nil {
			t.Fatal(err)
		}
		hex := make([]string, n)
		for i, id := range ids {
			hex[i] = id.Hex()
		}
		columns := []string{"id", "option", "typed"}
		switch { // lists for columns of text keep one parameter per ID
		case !isLong && n > 2000:
			columns = []string{"id", "text", "char"}
		case !isLong:
			columns = append(columns, "text", "char")
		}
		for _, column := range columns {
			ids, hex, all := ids, hex, ids
			if db.Name() == "sqlite" && column != "id" && !isLong { // its driver reads all arguments once for each: one list is whole
				ids, hex = slices.Concat(ids[:1], ids[n-9999:]), slices.Concat(hex[:1], hex[n-9999:])
				if column == "char" {
					all = ids
				}
			}
			for name, tt := range map[string]struct {
				tx   *gorm.DB
				want []int
			}{
				"map":     {db.Where(map[string]any{column: all}), []int{0, 1}},
				"Not map": {db.Not(map[string]any{column: ids}), []int{2}},
				"hex":     {db.Where(map[string]any{column: hex}), []int{0, 1}},
				"short":   {db.Where(map[string]any{column: ids[:1001]}), []int{0}},
			} {
				var found []oid.ID
				if err := tt.tx.Model(&Form{}).Order("id").Pluck("id", &found).Error; err != nil {
					t.Errorf("%s of %s: %v", name, column, fmt.Sprintf("%.200s", err.Error()))
					continue
				}
				var want []oid.ID
				for _, i := range tt.want {
					want = append(want, forms[i].ID)
				}
				if !slices.Equal(found, want) {
					t.Errorf("%s of %s: %v, want %v", name, column, found, want)
				}
			}
		}
		for text, want := range map[string]int{"id IN ?": 2, "id IN (?)": 2, "id NOT IN ?": 1, "forms.id NOT IN (?)": 1} {
			var n int64
			if err := db.Model(&Form{}).Where(text, ids).Count(&n).Error; err != nil || int(n) != want {
				t.Errorf("%s: %d rows, %.200v, want %d", text, n, err, want)
			}
		}
		var found []Form
		if err := db.Find(&found, ids).Error; err != nil || len(found) != 2 {
			t.Errorf("Find: %d rows, %.200v", len(found), err)
		}
		ids[7] = oid.ID{}
		if err := db.Find(&found, ids).Error; err != nil || len(found) != 2 {
			t.Errorf("with a zero ID: %d rows, %.200v", len(found), err)
		}
		ids[7] = ids[8]
		if tx := db.Delete(&Form{}, gormplugin.IDs(ids...)); tx.Error != nil || tx.RowsAffected != 2 {
			t.Errorf("Delete: %d rows, %.200v", tx.RowsAffected, tx.Error)
		}
	}
	eachDB(t, []any{&Form{}}, check)
	for _, mode := range []string{"cache_statement", "cache_describe", "describe_exec", "exec", "simple_protocol"} {
		t.Run("postgres_"+mode, func(t *testing.T) {
			t.Parallel()
			db := open(t, postgres.Open(pgserver.Database(t)+"&default_query_exec_mode="+mode))
			check(t, migrated(t, use(t, db), []any{&Form{}}))
		})
	}
}

// TestLongListIsOneStatement shows that lists of every length are one statement to
// PostgreSQL, and that short ones stay as GORM has them.
func TestLongListIsOneStatement(t *testing.T) {
	t.Parallel()
	db := migrated(t, use(t, openPostgres(t)), []any{&Form{}})
	ids := make([]oid.ID, 5000)
	oid.Fill(ids)
	got := sent(db, func(db *gorm.DB) {
		db.Find(&[]Form{}, ids[:2])
		db.Find(&[]Form{}, ids[:1001])
		db.Find(&[]Form{}, ids)
		db.Not(map[string]any{"option": ids}).Find(&[]Form{})
		db.Where(map[string]any{"typed": ids}).Find(&[]Form{})
		db.Where(clause.IN{Column: "id", Values: []any{ids[0], gorm.Expr("NULL")}}).Find(&[]Form{})
	})
	want := strings.Join([]string{
		`SELECT * FROM "forms" WHERE "forms"."id" IN ($1,$2)`,
		`SELECT * FROM "forms" WHERE "forms"."id" IN (SELECT unnest($1::bytea[]) FROM json_array_elements('[0]'))`,
		`SELECT * FROM "forms" WHERE "forms"."id" IN (SELECT unnest($1::bytea[]) FROM json_array_elements('[0]'))`,
		`SELECT * FROM "forms" WHERE "forms"."option" NOT IN (SELECT unnest($1::bytea[]) FROM json_array_elements('[0]'))`,
		`SELECT * FROM "forms" WHERE "forms"."typed" IN (SELECT unnest($1::bytea[]) FROM json_array_elements('[0]'))`,
		`SELECT * FROM "forms" WHERE "id" IN ($1,NULL)`,
	}, "\n")
	if got != want {
		t.Errorf("sent\n%s\nwant\n%s", got, want)
	}
}

// TestLongListsOfADomain passes long lists for columns of the domain objectid.
func TestLongListsOfADomain(t *testing.T) {
	t.Parallel()
	type Guarded struct {
		ID      oid.ID  `gorm:"type:objectid"`
		OwnerID oid.ID  `gorm:"type:objectid;index"`
		NextID  *oid.ID `gorm:"type:objectid"`
		Name    string
	}
	for _, mode := range []string{"cache_statement", "describe_exec", "exec", "simple_protocol"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			db := use(t, open(t, postgres.Open(pgserver.Database(t)+"&default_query_exec_mode="+mode)))
			if err := db.Exec(sqltype.PostgresSchema()).Error; err != nil {
				t.Fatal(err)
			}
			migrated(t, db, []any{&Guarded{}})
			ids := make([]oid.ID, 5000)
			oid.Fill(ids)
			rows := []Guarded{
				{ID: ids[0], OwnerID: ids[1], NextID: &ids[2], Name: "in"},
				{ID: oid.New(), OwnerID: oid.New(), Name: "out"},
			}
			if err := db.Create(&rows).Error; err != nil {
				t.Fatal(err)
			}
			for name, tt := range map[string]struct {
				tx   *gorm.DB
				want string
			}{
				"key":         {db.Where(ids), "in"},
				"owner":       {db.Where("owner_id IN ?", ids), "in"},
				"next":        {db.Where(map[string]any{"next_id": ids}), "in"},
				"not the key": {db.Where("id NOT IN ?", ids), "out"},
				"not owner":   {db.Not(map[string]any{"owner_id": ids}), "out"},
			} {
				var names []string
				if err := tt.tx.Model(&Guarded{}).Pluck("name", &names).Error; err != nil || !slices.Equal(names, []string{tt.want}) {
					t.Errorf("%s: %q, %.200v, want %s", name, names, err, tt.want)
				}
			}
			if tx := db.Delete(&Guarded{}, gormplugin.IDs(ids...)); tx.Error != nil || tx.RowsAffected != 1 {
				t.Errorf("Delete: %d rows, %.200v", tx.RowsAffected, tx.Error)
			}
		})
	}
}

// TestLongListsCanUseTheIndex asks for the plans of long lists where nothing else is allowed
// than to look them up. One column is a foreign key that has its column type from the key
// that it refers to.
func TestLongListsCanUseTheIndex(t *testing.T) {
	t.Parallel()
	type Kid struct {
		ID      oid.ID
		OwnerID sqltype.Hex `gorm:"index"`
	}
	type Owner struct {
		ID   sqltype.Hex `gorm:"type:bpchar(24)"`
		Kids []Kid
	}
	db := migrated(t, use(t, openPostgres(t)), []any{&Owner{}, &Kid{}})
	ids := make([]oid.ID, 2000)
	oid.Fill(ids)
	err := db.Connection(func(tx *gorm.DB) error {
		if err := tx.Exec("SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off").Error; err != nil {
			return err
		}
		for _, column := range []string{"id", "owner_id"} {
			var plan []string
			list := gormplugin.ToSQL(tx, func(tx *gorm.DB) *gorm.DB {
				return tx.Where(map[string]any{column: ids}).Find(&[]Kid{})
			})
			if err := tx.Raw("EXPLAIN " + list).Scan(&plan).Error; err != nil {
				return err
			}
			if text := strings.Join(plan, "\n"); !strings.Contains(text, "Index Cond: (("+column) && !strings.Contains(text, "Index Cond: ("+column) {
				t.Errorf("%s: the plan has no index: %.300s ... %s", column, text, text[max(0, len(text)-300):])
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestUUIDColumns uses IDs in columns of PostgreSQL's type uuid, as keys and in long
// lists.
func TestUUIDColumns(t *testing.T) {
	t.Parallel()
	type Thing struct {
		ID     sqltype.UUID  `gorm:"type:uuid"`
		NextID *sqltype.UUID `gorm:"type:uuid"`
		Name   string
	}
	db := migrated(t, use(t, openPostgres(t)), []any{&Thing{}})
	things := []Thing{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	if err := db.Create(&things).Error; err != nil {
		t.Fatal(err)
	}
	ids := make([]oid.ID, 5000)
	oid.Fill(ids)
	ids[4000] = oid.ID(things[1].ID)
	for name, tx := range map[string]*gorm.DB{
		"lone":       db.Where(oid.ID(things[1].ID)),
		"as a UUID":  db.Where("id = ?", things[1].ID),
		"hex":        db.Where("id = ?", oid.ID(things[1].ID).Hex()),
		"short list": db.Where(map[string]any{"id": ids[3999:4001]}),
		"long list":  db.Where(map[string]any{"id": ids}),
		"long text":  db.Where("id IN ?", ids),
		"range":      db.Where("id > ?", things[0].ID).Where("id < ?", things[2].ID),
	} {
		var names []string
		if err := tx.Model(&Thing{}).Pluck("name", &names).Error; err != nil || !slices.Equal(names, []string{"b"}) {
			t.Errorf("%s: %q, %.200v", name, names, err)
		}
	}
	if tx := db.Delete(&Thing{}, "id = ?", 0); !errors.Is(tx.Error, gorm.ErrInvalidData) {
		t.Errorf("Delete by a number: %d rows, %v", tx.RowsAffected, tx.Error)
	}
}

// A Parent has more children than a statement takes parameters.
type Parent struct {
	ID       oid.ID `gorm:"size:12"`
	Children []Child
}

type Child struct {
	ID       oid.ID           `gorm:"size:12"`
	ParentID sqltype.ZeroNull `gorm:"index"`
}

func TestPreloadHasNoLimit(t *testing.T) {
	t.Parallel()
	n := 66_000 // a statement takes 65,535 parameters
	if isLong {
		n = 200_000
	}
	eachDB(t, []any{&Parent{}, &Child{}}, func(t *testing.T, db *gorm.DB) {
		parents := make([]Parent, n)
		if err := db.Session(&gorm.Session{CreateBatchSize: 5000}).Create(&parents).Error; err != nil {
			t.Fatal(err)
		}
		children := []Child{{ParentID: sqltype.ZeroNull(parents[0].ID)}, {ParentID: sqltype.ZeroNull(parents[len(parents)-1].ID)}}
		if err := db.Create(&children).Error; err != nil {
			t.Fatal(err)
		}
		var found []Parent
		if err := db.Preload("Children").Order("id").Find(&found).Error; err != nil || len(found) != len(parents) {
			t.Fatalf("%d parents, %.200v", len(found), err)
		}
		if len(found[0].Children) != 1 || len(found[len(found)-1].Children) != 1 {
			t.Errorf("children %v, %v", found[0].Children, found[len(found)-1].Children)
		}
	})
}

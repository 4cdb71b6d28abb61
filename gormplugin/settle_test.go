package gormplugin_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/utils/tests"

	"github.com/oidkit/oidkit/gormplugin"
)

// An account conflicts with others by its email, or by its region and name.
type account struct {
	ID     oid.ID
	Email  string `gorm:"unique"`
	Region string `gorm:"uniqueIndex:region_name"`
	Name   string `gorm:"uniqueIndex:region_name"`
}

// key returns a row that holds only an ID.
func key(id oid.ID) []driver.Value { return []driver.Value{id[:]} }

// live is what the plugin reads of a stored row that the first row of an INSERT conflicts
// with.
func live(id oid.ID) []driver.Value { return []driver.Value{int64(0), id[:]} }

// merge is an upsert whose rows the database may skip.
func merge(columns ...string) clause.OnConflict {
	conflict := clause.OnConflict{DoUpdates: clause.AssignmentColumns(columnName), Where: clause.Where{Exprs: []clause.Expression{clause.Expr{SQL: "1 = 1"}}}}
	for _, name := range columns {
		conflict.Columns = append(conflict.Columns, clause.Column{Name: name})
	}
	return conflict
}

const (
	insertX  = "INSERT INTO accounts (id,email,region,name) VALUES (#1,x,,)"
	updates  = " DO UPDATE SET name=excluded.name WHERE 1 = 1 "
	askOwn   = "SELECT 0, accounts.id FROM accounts WHERE accounts.id = #1"
	askEmail = "SELECT 0, accounts.id FROM accounts WHERE accounts.email = x"
)

// TestRowsHoldTheIDThatTheyAreStoredUnder is about INSERTs with ON CONFLICT, after which
// the plugin asks which IDs are in the table.
func TestRowsHoldTheIDThatTheyAreStoredUnder(t *testing.T) {
	one := oid.MustParse("65b3f7a20100000000000001")
	fails := errors.New("fails")
	none := clause.OnConflict{DoNothing: true}
	for _, tt := range []struct {
		name, dialect string
		conflict      clause.OnConflict
		steps         []step
		want          oid.ID
		wantErr       string
	}{
		{"nothing was skipped", "sqlite", none, []step{{sql: insertX + " ON CONFLICT DO NOTHING", affected: 1}}, one, ""},
		{"skipped", "sqlite", none, []step{
			{sql: insertX + " ON CONFLICT DO NOTHING"}, {sql: askOwn},
		}, oid.ID{}, ""},
		{"MySQL counts unchanged rows", "mysql", none, []step{
			{sql: insertX + " ON CONFLICT DO NOTHING", affected: 1}, {sql: askOwn},
		}, oid.ID{}, ""},
		{"stored under its own ID", "mysql", none, []step{
			{sql: insertX + " ON CONFLICT DO NOTHING", affected: 1}, {sql: askOwn, rows: [][]driver.Value{live(one)}},
		}, one, ""},
		{"merged", "sqlite", merge("email"), []step{
			{sql: insertX + " ON CONFLICT (email)" + updates, affected: 1}, {sql: askOwn}, {sql: askEmail, rows: [][]driver.Value{live(b)}},
		}, b, ""},
		{"merged by two columns", "sqlite", merge("region", "name"), []step{
			{sql: insertX + " ON CONFLICT (region,name)" + updates, affected: 1}, {sql: askOwn},
			{sql: "SELECT 0, accounts.id FROM accounts WHERE accounts.region =  AND accounts.name = ", rows: [][]driver.Value{live(b)}},
		}, b, ""},
		{"not merged but inserted", "sqlite", merge("email"), []step{
			{sql: insertX + " ON CONFLICT (email)" + updates, affected: 1}, {sql: askOwn, rows: [][]driver.Value{live(one)}},
		}, one, ""},
		{"merged with a row that is gone", "sqlite", merge("email"), []step{
			{sql: insertX + " ON CONFLICT (email)" + updates, affected: 1}, {sql: askOwn}, {sql: askEmail},
		}, oid.ID{}, ""},
		{"merged with one of two rows", "sqlite", merge("email"), []step{
			{sql: insertX + " ON CONFLICT (email)" + updates, affected: 1}, {sql: askOwn}, {sql: askEmail, rows: [][]driver.Value{live(a), live(b)}},
		}, oid.ID{}, ""},
		{"merged by the key among others", "sqlite", merge("email", "id"), []step{
			{sql: insertX + " ON CONFLICT (email,id)" + updates, affected: 1}, {sql: askOwn},
		}, oid.ID{}, ""},
		{"merged by an unknown column", "sqlite", merge("weight"), []step{
			{sql: insertX + " ON CONFLICT (weight)" + updates, affected: 1}, {sql: askOwn},
		}, oid.ID{}, ""},
		{"merged by any column", "sqlite", merge(), []step{
			{sql: insertX + " ON CONFLICT" + updates, affected: 1}, {sql: askOwn},
		}, oid.ID{}, ""},
		{"merged on MySQL by the key", "mysql", merge("id"), []step{
			{sql: insertX + " ON CONFLICT (id)" + updates, affected: 2}, {sql: askOwn},
			{sql: askEmail + " UNION ALL SELECT 0, accounts.id FROM accounts WHERE accounts.region =  AND accounts.name = ", rows: [][]driver.Value{live(b)}},
		}, b, ""},
		{"merged by the key", "sqlite", merge("id"), []step{
			{sql: insertX + " ON CONFLICT (id)" + updates, affected: 1},
		}, one, ""},

		{"skipped by a column", "sqlite", clause.OnConflict{Columns: columns("email"), DoNothing: true}, []step{
			{sql: insertX + " ON CONFLICT (email) DO NOTHING"}, {sql: askOwn},
		}, oid.ID{}, ""},
		{"merged, and the database tells", "sqlite", clause.OnConflict{Columns: columns("email"), DoUpdates: clause.AssignmentColumns(columnName)}, []step{
			{sql: insertX + " ON CONFLICT (email) DO UPDATE SET name=excluded.name RETURNING id", rows: [][]driver.Value{key(b)}, column: "id"},
		}, b, ""},

		{"the INSERT fails", "sqlite", merge("email"), []step{
			{sql: insertX + " ON CONFLICT (email)" + updates, err: fails},
		}, one, "fails"},
		{"the query fails", "sqlite", merge("email"), []step{
			{sql: insertX + " ON CONFLICT (email)" + updates, affected: 1}, {sql: askOwn, err: fails},
		}, one, "gormplugin.Create(*gormplugin_test.account): reading the stored IDs: fails"},
		{"the query for the other row fails", "sqlite", merge("email"), []step{
			{sql: insertX + " ON CONFLICT (email)" + updates, affected: 1}, {sql: askOwn}, {sql: askEmail, err: fails},
		}, oid.ID{}, "gormplugin.Create(*gormplugin_test.account): reading the stored IDs: fails"},
		{"reading fails at the end", "sqlite", merge("email"), []step{
			{sql: insertX + " ON CONFLICT (email)" + updates, affected: 1}, {sql: askOwn, rows: [][]driver.Value{live(one)}, readErr: fails},
		}, one, "gormplugin.Create(*gormplugin_test.account): reading the stored IDs: fails"},
		{"reading a number fails", "sqlite", merge("email"), []step{
			{sql: insertX + " ON CONFLICT (email)" + updates, affected: 1}, {sql: askOwn, rows: [][]driver.Value{{int64(0), int64(7)}, live(one)}},
		}, one, "gormplugin.Create(*gormplugin_test.account): reading the stored IDs: sql: Scan error on column index 1, name \"column\": oid.ID.Scan(int64): want 12 bytes or 24 hex digits as []byte or string"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			row := account{Email: "x"}
			err := openScript(t, tt.dialect, tt.steps...).Clauses(tt.conflict).Create(&row).Error
			text := ""
			if err != nil {
				text = err.Error()
			}
			if row.ID != tt.want || text != tt.wantErr {
				t.Errorf("ID %v, %v, want %v, %s", row.ID, err, tt.want, tt.wantErr)
			}
			for _, s := range tt.steps {
				if s.err != nil && !errors.Is(err, s.err) || s.readErr != nil && !errors.Is(err, s.readErr) {
					t.Errorf("error %v isn't that of the driver", err)
				}
			}
		})
	}
}

// TestUpsertWithoutReturning merges a row on a database that can't return its ID.
func TestUpsertWithoutReturning(t *testing.T) {
	db := openScript(t, "sqlite", step{sql: insertX + " ON CONFLICT (email) DO UPDATE SET name=excluded.name", affected: 1},
		step{sql: askOwn}, step{sql: askEmail, rows: [][]driver.Value{live(b)}})
	db.Callback().Create().Clauses = []string{"INSERT", "VALUES", "ON CONFLICT"}
	row := account{Email: "x"}
	err := db.Clauses(clause.OnConflict{Columns: columns("email"), DoUpdates: clause.AssignmentColumns(columnName)}).Create(&row).Error
	if err != nil || row.ID != b {
		t.Errorf("ID %v, %v", row.ID, err)
	}
}

// TestFirstOrInitTakesIDs makes a row from the conditions of a query, which name the ID as
// text.
func TestFirstOrInitTakesIDs(t *testing.T) {
	var row pet
	err := openScript(t, "sqlite", step{sql: "SELECT * FROM pets WHERE text = a AND owner_id = B ORDER BY pets.id LIMIT 1"}).
		Where(clause.Eq{Column: "text", Value: a}, clause.Eq{Column: "owner_id", Value: b.Hex()}).FirstOrInit(&row).Error
	if err != nil || row.Text != sqltype.Hex(a) || row.OwnerID == nil || *row.OwnerID != b {
		t.Errorf("%v, %v", row, err)
	}
	row = pet{}
	err = openScript(t, "sqlite", step{sql: "SELECT * FROM pets WHERE pets.id = A ORDER BY pets.id LIMIT 1"}).FirstOrInit(&row, a).Error
	if err != nil || row.ID != a {
		t.Errorf("a lone ID: %v, %v", row.ID, err)
	}
}

// TestRefusalsNeverReachTheServer has a refused subquery in a clause that the plugin
// doesn't look at. The driver's package stops the statement.
func TestRefusalsNeverReachTheServer(t *testing.T) {
	db := openScript(t, "sqlite")
	bad := db.Session(&gorm.Session{}).Model(&pet{}).Select("id").Where("id = ?", 7)
	err := db.Clauses(hint{bad}).Find(&[]pet{}).Error
	if !errors.Is(err, gorm.ErrInvalidData) || !strings.Contains(err.Error(), notID("pet.ID", "int")) {
		t.Error(err)
	}
}

// A hint is a clause of a program.
type hint struct{ query *gorm.DB }

func (h hint) Name() string                      { return "FOR" }
func (h hint) Build(builder clause.Builder)      { builder.AddVar(builder, h.query) }
func (h hint) MergeClause(clause *clause.Clause) { clause.Expression = h }

// TestOtherRowsKeepTheirID is about several rows, of which the database skips some.
func TestOtherRowsKeepTheirID(t *testing.T) {
	const insert = "INSERT INTO accounts (id,email,region,name) VALUES (A,x,,),(B,y,,)"
	rows := func() []*account { return []*account{{ID: a, Email: "x"}, {ID: b, Email: "y"}} }
	for _, tt := range []struct {
		name string
		rows any
		ids  func(rows any) [2]oid.ID
	}{
		{"pointers", rows(), func(rows any) [2]oid.ID { list := rows.([]*account); return [2]oid.ID{list[0].ID, list[1].ID} }},
		{"structs", &[]account{*rows()[0], *rows()[1]}, func(rows any) [2]oid.ID {
			list := *rows.(*[]account)
			return [2]oid.ID{list[0].ID, list[1].ID}
		}},
		{"maps", []map[string]any{{"id": a, "email": "x", "region": "", "name": ""}, {"id": b, "email": "y", "region": "", "name": ""}}, func(rows any) [2]oid.ID {
			list := rows.([]map[string]any)
			return [2]oid.ID{list[0]["id"].(oid.ID), list[1]["id"].(oid.ID)}
		}},
	} {
		sent := insert
		if tt.name == "maps" { // GORM sorts the columns
			sent = "INSERT INTO accounts (email,id,name,region) VALUES (x,A,,),(y,B,,)"
		}
		db := openScript(t, "sqlite",
			step{sql: sent + " ON CONFLICT DO NOTHING", affected: 1},
			step{sql: "SELECT 0, accounts.id FROM accounts WHERE accounts.id IN (A,B)", rows: [][]driver.Value{live(b)}})
		err := db.Model(&account{}).Clauses(clause.OnConflict{DoNothing: true}).Create(tt.rows).Error
		if got := tt.ids(tt.rows); err != nil || got != [2]oid.ID{{}, b} {
			t.Errorf("%s: IDs %v, %v", tt.name, got, err)
		}
	}

	held := a
	row := map[string]any{"id": &held, "email": "x"}
	db := openScript(t, "sqlite",
		step{sql: "INSERT INTO accounts (email,id) VALUES (x,A) ON CONFLICT (email) DO UPDATE SET name=excluded.name WHERE 1 = 1 ", affected: 1},
		step{sql: "SELECT 0, accounts.id FROM accounts WHERE accounts.id = A"},
		step{sql: askEmail, rows: [][]driver.Value{live(b)}})
	if err := db.Model(&account{}).Clauses(merge("email")).Create(row).Error; err != nil || held != b || row["id"] != &held {
		t.Errorf("a pointer in a map: %v in %v, %v", held, row, err)
	}

	value := account{ID: a, Email: "x"}
	db = openScript(t, "sqlite",
		step{sql: "INSERT INTO accounts (id,email,region,name) VALUES (A,x,,) ON CONFLICT DO NOTHING"},
		step{sql: "SELECT 0, accounts.id FROM accounts WHERE accounts.id = A"})
	if err := db.Clauses(clause.OnConflict{DoNothing: true}).Create(value).Error; err != nil || value.ID != a {
		t.Errorf("a struct by value: %v, %v", value.ID, err)
	}

	pointer := optional{ID: &held, Name: "x"}
	db = openScript(t, "sqlite",
		step{sql: "INSERT INTO optionals (id,name) VALUES (B,x) ON CONFLICT DO NOTHING"},
		step{sql: "SELECT 0, optionals.id FROM optionals WHERE optionals.id = B"})
	if err := db.Clauses(clause.OnConflict{DoNothing: true}).Create(&pointer).Error; err != nil || !pointer.ID.IsZero() {
		t.Errorf("a pointer: %v, %v", pointer.ID, err)
	}
}

// A tracing logger keeps the statements, with the number of their rows.
type tracing struct {
	logger.Interface
	lines *[]string
}

func (l tracing) Trace(_ context.Context, _ time.Time, statement func() (string, int64), err error) {
	sql, n := statement()
	*l.lines = append(*l.lines, fmt.Sprintf("%d rows, %v: %s", n, err, short(sql)))
}

// A hiding logger leaves the parameters out.
type hiding struct{ tracing }

func (hiding) ParamsFilter(_ context.Context, sql string, _ ...any) (string, []any) { return sql, nil }

// TestQueriesOfThePluginAreLogged shows the query for the stored IDs, through the filter
// of the logger.
func TestQueriesOfThePluginAreLogged(t *testing.T) {
	var lines []string
	l := tracing{logger.Discard, &lines}
	for name, tt := range map[string]struct {
		logger logger.Interface
		want   string
	}{
		"plain":  {l, `-1 rows, <nil>: SELECT 0, accounts.id FROM accounts WHERE accounts.id = "<binary>"`},
		"hiding": {hiding{l}, `-1 rows, <nil>: SELECT 0, accounts.id FROM accounts WHERE accounts.id = ?`},
	} {
		lines = nil
		db := openScript(t, "sqlite",
			step{sql: "INSERT INTO accounts (id,email,region,name) VALUES (A,x,,) ON CONFLICT DO NOTHING"},
			step{sql: "SELECT 0, accounts.id FROM accounts WHERE accounts.id = A", rows: [][]driver.Value{live(a), live(b)}, readErr: errors.New("fails")})
		db.Session(&gorm.Session{Logger: tt.logger}).Clauses(clause.OnConflict{DoNothing: true}).Create(&account{ID: a, Email: "x"})
		if len(lines) != 2 || lines[0] != tt.want {
			t.Errorf("%s: logged %q\nwant %s first", name, lines, tt.want)
		}
	}
}

// A flock belongs to a shepherd, and has sheep. A sheep's flock is the one it is in.
type (
	flock struct {
		ID         oid.ID
		Name       string `gorm:"unique"`
		ShepherdID oid.ID
		Shepherd   *shepherd
		Sheep      []sheep `gorm:"<-:create"`
		Marks      []mark  `gorm:"many2many:flock_marks"`
		Bells      []bell  `gorm:"foreignKey:FlockName;references:Name"`
	}
	shepherd struct {
		ID    oid.ID
		Email string `gorm:"unique"`
	}
	bell struct {
		ID        oid.ID
		FlockName string
	}
	sheep struct {
		ID      oid.ID
		FlockID oid.ID
	}
	mark struct {
		ID    oid.ID
		Name  string         `gorm:"unique"`
		Code  sql.NullString `gorm:"uniqueIndex:code_place"`
		Place *string        `gorm:"uniqueIndex:code_place"`
		Lower string         `gorm:"uniqueIndex:,expression:lower(lower)"`
		Note  string         `gorm:"-;unique"`
		Gone  gorm.DeletedAt
	}
)

// TestRowsOfASkippedOneAreRefused saves rows with a row that conflicts with another.
func TestRowsOfASkippedOneAreRefused(t *testing.T) {
	insert := step{sql: "INSERT INTO flocks (id,name,shepherd_id) VALUES (A,x,B) ON CONFLICT DO NOTHING"}
	ask := step{sql: "SELECT 0, flocks.id FROM flocks WHERE flocks.id = A"}
	for _, tt := range []struct {
		name string
		with func(f *flock)
		omit string
		want string
	}{
		{"sheep", func(f *flock) { f.Sheep = []sheep{{}} }, "", "gormplugin.Create(*gormplugin_test.flock): flock.Sheep belongs to a row that conflicts with another row and so has no ID: find the other row first: primary key required"},
		{"marks", func(f *flock) { f.Marks = []mark{{}} }, "", "gormplugin.Create(*gormplugin_test.flock): flock.Marks belongs to a row that conflicts with another row and so has no ID: find the other row first: primary key required"},
		{"sheep and marks", func(f *flock) { f.Sheep, f.Marks = []sheep{{}}, []mark{{}} }, "", "gormplugin.Create(*gormplugin_test.flock): flock.Sheep belongs to a row that conflicts with another row and so has no ID: find the other row first: primary key required"},
		{"bells, which refer to its name", func(f *flock) { f.Bells = []bell{} }, "", ""},
		{"no sheep", func(f *flock) { f.Sheep = []sheep{} }, "", ""},
		{"nil sheep", func(*flock) {}, "", ""},
		{"omitted", func(f *flock) { f.Sheep = []sheep{{}} }, "Sheep", ""},
	} {
		f := flock{ID: a, Name: "x", ShepherdID: b}
		tt.with(&f)
		db := openScript(t, "sqlite", insert, ask).Clauses(clause.OnConflict{DoNothing: true})
		if tt.omit != "" {
			db = db.Omit(tt.omit)
		}
		err := db.Create(&f).Error
		if got := fmt.Sprint(err); err != nil && (got != tt.want || !errors.Is(err, gorm.ErrPrimaryKeyRequired)) || err == nil && tt.want != "" || !f.ID.IsZero() {
			t.Errorf("%s: ID %v, %v, want %s", tt.name, f.ID, err, tt.want)
		}
	}
}

// TestRowsOfASkippedOneThatNeedNoID has rows that refer to another column than the key,
// and an upsert of a map.
func TestRowsOfASkippedOneThatNeedNoID(t *testing.T) {
	skip := func(sql string) []step {
		return []step{{sql: sql + " ON CONFLICT DO NOTHING"}, {sql: "SELECT 0, flocks.id FROM flocks WHERE flocks.id = A"}}
	}
	none := clause.OnConflict{DoNothing: true}
	f := flock{ID: a, Name: "x", ShepherdID: b, Bells: []bell{{ID: b}}}
	steps := append(skip("INSERT INTO flocks (id,name,shepherd_id) VALUES (A,x,B)"),
		step{sql: "INSERT INTO bells (id,flock_name) VALUES (B,x) ON CONFLICT (id) DO UPDATE SET flock_name=excluded.flock_name", affected: 1})
	if err := openScript(t, "sqlite", steps...).Clauses(none).Create(&f).Error; err != nil || !f.ID.IsZero() {
		t.Errorf("bells: ID %v, %v", f.ID, err)
	}
	row := map[string]any{"id": a, "name": "x"}
	if err := openScript(t, "sqlite", skip("INSERT INTO flocks (id,name) VALUES (A,x)")...).Model(&flock{}).Clauses(none).Create(row).Error; err != nil {
		t.Errorf("map: %v", err)
	}
	s := stall{ID: a}
	if err := openScript(t, "sqlite", step{sql: "INSERT INTO stalls (id,name) VALUES (A,) ON CONFLICT DO NOTHING"}, step{sql: "SELECT 0, stalls.id FROM stalls WHERE stalls.id = A"}).
		Clauses(none).Create(&s).Error; err != nil {
		t.Errorf("no lock: %v", err)
	}
	f = flock{ID: a, Name: "x", ShepherdID: b, Sheep: []sheep{{}}}
	steps = skip("INSERT INTO flocks (id,name,shepherd_id) VALUES (A,x,B)")
	steps[1].err = errors.New("fails")
	if err := openScript(t, "sqlite", steps...).Clauses(none).Create(&f).Error; err == nil || err.Error() != "gormplugin.Create(*gormplugin_test.flock): reading the stored IDs: fails" {
		t.Errorf("after an error: %v", err)
	}
	two := []flock{{ID: a, Name: "x", ShepherdID: b, Sheep: []sheep{{}}}, {ID: b, Name: "y", ShepherdID: b}}
	err := openScript(t, "sqlite",
		step{sql: "INSERT INTO flocks (id,name,shepherd_id) VALUES (A,x,B),(B,y,B) ON CONFLICT (name)" + updates, affected: 2},
		step{sql: "SELECT 0, flocks.id FROM flocks WHERE flocks.id IN (A,B)"},
		step{sql: "SELECT 0, flocks.id FROM flocks WHERE flocks.name = x UNION ALL SELECT 1, flocks.id FROM flocks WHERE flocks.name = y", err: errors.New("fails")},
	).Clauses(merge("name")).Create(&two).Error
	if fmt.Sprint(err) != "gormplugin.Create(*[]gormplugin_test.flock): reading the stored IDs: fails" {
		t.Errorf("an error after a row that was skipped: %v", err)
	}
}

// TestRowsThatLoseTheirOwnerAreRefused saves rows whose owner, which GORM saves first,
// conflicts with another.
func TestRowsThatLoseTheirOwnerAreRefused(t *testing.T) {
	owner := []step{
		{sql: "INSERT INTO shepherds (id,email) VALUES (B,x) ON CONFLICT DO NOTHING"},
		{sql: "SELECT 0, shepherds.id FROM shepherds WHERE shepherds.id = B"},
	}
	const want = "(*gormplugin_test.flock): flock.Shepherd conflicts with another row and so has no ID: find the other row first: primary key required"
	for _, call := range []string{"Create", "Update"} {
		f := flock{ID: a, Name: "x", Shepherd: &shepherd{ID: b, Email: "x"}}
		db := openScript(t, "sqlite", owner...)
		var err error
		if call == "Create" {
			err = db.Create(&f).Error
		} else {
			err = db.Updates(&f).Error
		}
		if err == nil || err.Error() != "gormplugin."+call+want || !errors.Is(err, gorm.ErrPrimaryKeyRequired) {
			t.Errorf("%v, want gormplugin.%s%s", err, call, want)
		}
	}
	f := flock{ID: a, Name: "x", Shepherd: &shepherd{ID: b, Email: "x"}}
	db := openScript(t, "sqlite", step{sql: "INSERT INTO flocks (id,name,shepherd_id) VALUES (A,x,ZERO)", affected: 1})
	if err := db.Omit("Shepherd").Create(&f).Error; err != nil {
		t.Errorf("without the owner: %v", err)
	}
	f = flock{ID: a, Name: "x", Shepherd: &shepherd{ID: b, Email: "x"}}
	db = openScript(t, "sqlite", step{sql: owner[0].sql, affected: 1}, step{sql: "INSERT INTO flocks (id,name,shepherd_id) VALUES (A,x,B)", affected: 1})
	if err := db.Create(&f).Error; err != nil || f.ShepherdID != b {
		t.Errorf("with an owner that is stored: %v, %v", f.ShepherdID, err)
	}
	db = openScript(t, "sqlite", step{sql: "INSERT INTO flocks (id,name) VALUES (A,x)", affected: 1})
	if err := db.Model(&flock{}).Create(map[string]any{"id": a, "name": "x"}).Error; err != nil {
		t.Errorf("a map: %v", err)
	}
}

// A branch has owners that GORM saves only when it creates or only when it updates.
type branch struct {
	ID      oid.ID
	Name    string
	FirstID oid.ID
	First   *shepherd `gorm:"<-:create"`
	LastID  oid.ID
	Last    *shepherd `gorm:"<-:update"`
}

// A twin has two owners.
type twin struct {
	ID       oid.ID
	FatherID oid.ID
	Father   *shepherd
	MotherID oid.ID
	Mother   *shepherd
}

// TestTwoLostOwnersAreOneError saves a row that loses both its owners.
func TestTwoLostOwnersAreOneError(t *testing.T) {
	lose := func(id string, email string) []step {
		return []step{{sql: "INSERT INTO shepherds (id,email) VALUES (" + id + "," + email + ") ON CONFLICT DO NOTHING"}, {sql: "SELECT 0, shepherds.id FROM shepherds WHERE shepherds.id = " + id}}
	}
	err := openScript(t, "sqlite", append(lose("A", "x"), lose("B", "y")...)...).
		Create(&twin{ID: a, Father: &shepherd{ID: a, Email: "x"}, Mother: &shepherd{ID: b, Email: "y"}}).Error
	const want = "gormplugin.Create(*gormplugin_test.twin): twin.Father conflicts with another row and so has no ID: find the other row first: primary key required"
	if fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}

type (
	home struct {
		OwnerID oid.ID
		Owner   *shepherd
	}
	// A farm has two owners, whose relations have one name.
	farm struct {
		ID    oid.ID
		First home `gorm:"embedded;embeddedPrefix:first_"`
		Last  home `gorm:"embedded;embeddedPrefix:last_"`
	}
)

// TestLostOwnersOfEmbeddedStructsAreErrors saves a row that loses one of its owners, in each
// of two structs that are embedded.
func TestLostOwnersOfEmbeddedStructsAreErrors(t *testing.T) {
	lost := func() home { return home{Owner: &shepherd{ID: b, Email: "x"}} }
	for _, f := range []farm{{ID: a, First: lost()}, {ID: a, Last: lost()}} {
		err := openScript(t, "sqlite",
			step{sql: "INSERT INTO shepherds (id,email) VALUES (B,x) ON CONFLICT DO NOTHING"},
			step{sql: "SELECT 0, shepherds.id FROM shepherds WHERE shepherds.id = B"}).Create(&f).Error
		const want = "gormplugin.Create(*gormplugin_test.farm): farm.Owner conflicts with another row and so has no ID: find the other row first: primary key required"
		if fmt.Sprint(err) != want {
			t.Errorf("%+v: %v, want %s", f, err, want)
		}
	}
}

// TestOwnersThatAreNotSavedAreNotLost names the relations that GORM saves by tags, Select
// and Omit. Only these can lose their rows.
func TestOwnersThatAreNotSavedAreNotLost(t *testing.T) {
	saved := []step{
		{sql: "INSERT INTO shepherds (id,email) VALUES (B,x) ON CONFLICT DO NOTHING"},
		{sql: "SELECT 0, shepherds.id FROM shepherds WHERE shepherds.id = B"},
	}
	lost := func(call, relation string) string {
		return "gormplugin." + call + "(*gormplugin_test.branch): branch." + relation + " conflicts with another row and so has no ID: find the other row first: primary key required"
	}
	owner := func() *shepherd { return &shepherd{ID: b, Email: "x"} }
	insert := step{sql: "INSERT INTO branches (id,name,first_id,last_id) VALUES (A,x,ZERO,ZERO)", affected: 1}
	update := step{sql: "UPDATE branches SET name=x WHERE id = A", affected: 1}
	for _, tt := range []struct {
		name  string
		row   branch
		save  func(db *gorm.DB, row *branch) error
		steps []step
		want  string
	}{
		{"Create, saved", branch{First: owner()}, func(db *gorm.DB, row *branch) error { return db.Create(row).Error }, saved, lost("Create", "First")},
		{"Create, not saved", branch{Last: owner()}, func(db *gorm.DB, row *branch) error { return db.Create(row).Error }, []step{insert}, ""},
		{"Create, selected", branch{First: owner()}, func(db *gorm.DB, row *branch) error { return db.Select("First").Create(row).Error }, saved, lost("Create", "First")},
		{"Create, not selected", branch{First: owner()}, func(db *gorm.DB, row *branch) error { return db.Select("Name").Create(row).Error }, []step{{sql: "INSERT INTO branches (id,name) VALUES (A,x)", affected: 1}}, ""},
		{"Create, omitted", branch{First: owner()}, func(db *gorm.DB, row *branch) error { return db.Omit("First").Create(row).Error }, []step{insert}, ""},
		{"Create, another omitted", branch{First: owner()}, func(db *gorm.DB, row *branch) error { return db.Omit("Name").Create(row).Error }, saved, lost("Create", "First")},
		{"Update, saved", branch{Last: owner()}, func(db *gorm.DB, row *branch) error { return db.Updates(row).Error }, saved, lost("Update", "Last")},
		{"Update, not saved", branch{First: owner()}, func(db *gorm.DB, row *branch) error { return db.Updates(row).Error }, []step{update}, ""},
	} {
		row := tt.row
		row.ID, row.Name = a, "x"
		err := tt.save(openScript(t, "sqlite", tt.steps...), &row)
		if got := fmt.Sprint(err); err == nil && tt.want != "" || err != nil && got != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}

// TestMarksAreJoinedUnderTheirStoredID saves a flock with marks that exist under a
// unique name.
func TestMarksAreJoinedUnderTheirStoredID(t *testing.T) {
	place, c := "p", oid.MustParse("65b3f7a20000000000000003")
	const (
		flocks  = "INSERT INTO flocks (id,name,shepherd_id) VALUES (A,x,B)"
		marks   = "INSERT INTO marks (id,name,code,place,lower,gone) VALUES (B,red,<nil>,<nil>,,<nil>) ON CONFLICT DO NOTHING"
		own     = "SELECT 0, marks.id FROM marks WHERE marks.id = B"
		byName  = "SELECT 0, marks.id FROM marks WHERE marks.name = red AND marks.gone IS NULL"
		refused = "gormplugin.Create([]*gormplugin_test.mark): a mark conflicts with "
	)
	for _, tt := range []struct {
		name string
		rows [][]driver.Value
		want string
	}{
		{"live", [][]driver.Value{live(c)}, ""},
		{"by two indexes", [][]driver.Value{live(c), live(c)}, ""},
		{"none", nil, refused + "a row that the plugin doesn't find: restore the row if it is deleted softly, declare its unique index in the model, or use READ COMMITTED if the row is newer than this transaction: primary key required"},
		{"two", [][]driver.Value{live(c), live(a)}, refused + "2 stored rows, each by a different unique column: give it the ID of one of them: primary key required"},
		{"a row of another form", [][]driver.Value{{int64(0), int64(7)}}, "gormplugin.Create([]*gormplugin_test.mark): reading the stored IDs: sql: Scan error on column index 1, name \"column\": oid.ID.Scan(int64): want 12 bytes or 24 hex digits as []byte or string"},
	} {
		steps := []step{{sql: flocks, affected: 1}, {sql: marks}, {sql: own}, {sql: byName, rows: tt.rows}}
		if tt.want == "" {
			id := short("x'" + c.Hex() + "'")
			steps = append(steps, step{sql: "INSERT INTO flock_marks (flock_id,mark_id) VALUES (A," + id + ") ON CONFLICT DO NOTHING", affected: 1})
		}
		f := flock{ID: a, Name: "x", ShepherdID: b, Marks: []mark{{ID: b, Name: "red"}}}
		err := openScript(t, "sqlite", steps...).Create(&f).Error
		if tt.want != "" && f.Marks[0].ID != b {
			t.Errorf("%s: a mark that isn't joined has the ID %v", tt.name, f.Marks[0].ID)
		}
		if got := fmt.Sprint(err); err == nil && (tt.want != "" || f.Marks[0].ID != c) || err != nil && got != tt.want+"; "+tt.want { // GORM adds it twice
			t.Errorf("%s: joined %v, %v, want %s", tt.name, f.Marks[0].ID, err, tt.want)
		}
	}

	// Two marks can't be joined. The first is the error.
	const (
		twoMarks = "INSERT INTO marks (id,name,code,place,lower,gone) VALUES (B,red,<nil>,<nil>,,<nil>),(A,tan,<nil>,<nil>,,<nil>) ON CONFLICT DO NOTHING"
		ownTwo   = "SELECT 0, marks.id FROM marks WHERE marks.id IN (B,A)"
	)
	byNames := byName + " UNION ALL " + strings.NewReplacer("SELECT 0", "SELECT 1", "red", "tan").Replace(byName)
	two := func(id oid.ID) []driver.Value { return []driver.Value{int64(1), id[:]} }
	for name, rows := range map[string][][]driver.Value{
		"none":    nil,
		"several": {live(c), live(a), two(c), two(a)},
	} {
		f := flock{ID: a, Name: "x", ShepherdID: b, Marks: []mark{{ID: b, Name: "red"}, {ID: a, Name: "tan"}}}
		err := openScript(t, "sqlite", step{sql: flocks, affected: 1}, step{sql: twoMarks}, step{sql: ownTwo}, step{sql: byNames, rows: rows}).Create(&f).Error
		if n := strings.Count(fmt.Sprint(err), "a mark conflicts with"); n != 2 { // GORM adds it twice
			t.Errorf("%s: %d errors: %v", name, n, err)
		}
	}

	// An UPDATE saves marks too.
	f := flock{ID: a, Name: "x", ShepherdID: b, Marks: []mark{{ID: b, Name: "red"}}}
	err := openScript(t, "sqlite", step{sql: "UPDATE flocks SET name=x,shepherd_id=B WHERE id = A", affected: 1}, step{sql: marks}, step{sql: own},
		step{sql: byName, rows: [][]driver.Value{live(c)}},
		step{sql: "INSERT INTO flock_marks (flock_id,mark_id) VALUES (A," + short("x'"+c.Hex()+"'") + ") ON CONFLICT DO NOTHING", affected: 1},
	).Updates(&f).Error
	if err != nil || f.Marks[0].ID != c {
		t.Errorf("UPDATE: %v, %v", f.Marks[0].ID, err)
	}

	half := mark{ID: b, Name: "red", Place: &place}
	f = flock{ID: a, Name: "x", ShepherdID: b, Marks: []mark{half}}
	err = openScript(t, "sqlite", step{sql: flocks, affected: 1}, step{sql: strings.Replace(marks, "<nil>,<nil>", "<nil>,p", 1)}, step{sql: own},
		step{sql: byName, rows: [][]driver.Value{live(c)}},
		step{sql: "INSERT INTO flock_marks (flock_id,mark_id) VALUES (A," + short("x'"+c.Hex()+"'") + ") ON CONFLICT DO NOTHING", affected: 1},
	).Create(&f).Error
	if err != nil || f.Marks[0].ID != c {
		t.Errorf("the other half of a unique index: %v, %v", f.Marks[0].ID, err)
	}

	half = mark{ID: b, Name: "red", Code: sql.NullString{String: "c", Valid: true}} // NULL never conflicts
	f = flock{ID: a, Name: "x", ShepherdID: b, Marks: []mark{half}}
	err = openScript(t, "sqlite", step{sql: flocks, affected: 1}, step{sql: strings.Replace(marks, "<nil>", "c", 1)}, step{sql: own},
		step{sql: byName, rows: [][]driver.Value{live(c)}},
		step{sql: "INSERT INTO flock_marks (flock_id,mark_id) VALUES (A," + short("x'"+c.Hex()+"'") + ") ON CONFLICT DO NOTHING", affected: 1},
	).Create(&f).Error
	if err != nil || f.Marks[0].ID != c {
		t.Errorf("half of a unique index: %v, %v", f.Marks[0].ID, err)
	}

	full := mark{ID: b, Name: "red", Code: sql.NullString{String: "c", Valid: true}, Place: &place}
	byCode := strings.NewReplacer("marks.name = red", "marks.code = c AND marks.place = p").Replace(byName)
	f = flock{ID: a, Name: "x", ShepherdID: b, Marks: []mark{full}}
	err = openScript(t, "sqlite", step{sql: flocks, affected: 1},
		step{sql: strings.Replace(marks, "<nil>,<nil>", "c,p", 1)}, step{sql: own},
		step{sql: byName + " UNION ALL " + byCode, rows: [][]driver.Value{live(c)}},
		step{sql: "INSERT INTO flock_marks (flock_id,mark_id) VALUES (A," + short("x'"+c.Hex()+"'") + ") ON CONFLICT DO NOTHING", affected: 1},
	).Create(&f).Error
	if err != nil || f.Marks[0].ID != c {
		t.Errorf("two unique indexes: %v, %v", f.Marks[0].ID, err)
	}
}

// A stall has a lock, and labels without soft deletion.
type (
	stall struct {
		ID     oid.ID
		Name   string
		Lock   *lock
		Labels []stallLabel `gorm:"many2many:stall_labels_of"`
	}
	lock struct {
		ID      oid.ID
		StallID oid.ID
	}
	stallLabel struct {
		ID   oid.ID `gorm:"index"`
		Name string `gorm:"unique"`
	}
)

// TestLockOfASkippedStallIsRefused is about a has-one relation.
func TestLockOfASkippedStallIsRefused(t *testing.T) {
	s := stall{ID: a, Lock: &lock{}}
	err := openScript(t, "sqlite", step{sql: "INSERT INTO stalls (id,name) VALUES (A,) ON CONFLICT DO NOTHING"}, step{sql: "SELECT 0, stalls.id FROM stalls WHERE stalls.id = A"}).
		Clauses(clause.OnConflict{DoNothing: true}).Create(&s).Error
	if !errors.Is(err, gorm.ErrPrimaryKeyRequired) || !strings.Contains(err.Error(), "stall.Lock belongs to a row") {
		t.Error(err)
	}
}

// TestManyLabelsAreAskedForInParts joins more rows than a query of SQLite takes.
func TestManyLabelsAreAskedForInParts(t *testing.T) {
	const n = 201
	s := stall{ID: a, Labels: make([]stallLabel, n)}
	var values, ids, joined []string
	var parts [2][]string
	var found [2][][]driver.Value
	for i := range s.Labels {
		id := oid.MustParse(fmt.Sprintf("65b3f7a2ffffffffff%06x", i+1))
		s.Labels[i] = stallLabel{ID: id, Name: fmt.Sprint("l", i)}
		stored := oid.MustParse(fmt.Sprintf("65b3f7a2eeeeeeeeee%06x", i+1))
		values = append(values, fmt.Sprintf("(x'%s',l%d)", id, i))
		ids = append(ids, fmt.Sprintf("x'%s'", id))
		joined = append(joined, fmt.Sprintf("(A,x'%s')", stored))
		part := i / 200
		parts[part] = append(parts[part], fmt.Sprintf("SELECT %d, stall_labels.id FROM stall_labels WHERE stall_labels.name = l%d", i, i))
		found[part] = append(found[part], []driver.Value{int64(i), stored[:]})
	}
	db := openScript(t, "sqlite",
		step{sql: "INSERT INTO stalls (id,name) VALUES (A,)", affected: 1},
		step{sql: "INSERT INTO stall_labels (id,name) VALUES " + strings.Join(values, ",") + " ON CONFLICT DO NOTHING"},
		step{sql: "SELECT 0, stall_labels.id FROM stall_labels WHERE stall_labels.id IN (" + strings.Join(ids, ",") + ")"},
		step{sql: strings.Join(parts[0], " UNION ALL "), rows: found[0]},
		step{sql: strings.Join(parts[1], " UNION ALL "), rows: found[1]},
		step{sql: "INSERT INTO stall_labels_of (stall_id,stall_label_id) VALUES " + strings.Join(joined, ",") + " ON CONFLICT DO NOTHING", affected: n})
	if err := db.Create(&s).Error; err != nil {
		t.Error(err)
	}

	// A query that fails is the last one.
	s = stall{ID: a, Labels: s.Labels}
	for i := range s.Labels {
		s.Labels[i].ID = oid.MustParse(fmt.Sprintf("65b3f7a2ffffffffff%06x", i+1))
	}
	db = openScript(t, "sqlite",
		step{sql: "INSERT INTO stalls (id,name) VALUES (A,)", affected: 1},
		step{sql: "INSERT INTO stall_labels (id,name) VALUES " + strings.Join(values, ",") + " ON CONFLICT DO NOTHING"},
		step{sql: "SELECT 0, stall_labels.id FROM stall_labels WHERE stall_labels.id IN (" + strings.Join(ids, ",") + ")"},
		step{sql: strings.Join(parts[0], " UNION ALL "), err: errors.New("fails")})
	if err := db.Create(&s).Error; err == nil || !strings.Contains(err.Error(), "reading the stored IDs: fails") {
		t.Error(err)
	}
}

// A defaultedPointer has a pointer for the key that the database makes.
type defaultedPointer struct {
	ID   *oid.ID `gorm:"oid:-;default:new_id()"`
	Name string
}

// A listing has a join table with a key of its own.
type (
	listing struct {
		ID     oid.ID
		Labels []stallLabel `gorm:"many2many:listing_labels"`
		Counts []numbered   `gorm:"many2many:listing_counts"`
	}
	listingLabel struct {
		ID           oid.ID
		ListingID    oid.ID
		StallLabelID oid.ID
		Note         string
		OwnerID      oid.ID
		Owner        *shepherd
	}
)

// TestHalfOfAJoinIsRefused saves a label that GORM doesn't store, and so has no ID.
func TestHalfOfAJoinIsRefused(t *testing.T) {
	open := func(steps ...step) *gorm.DB {
		db := openScript(t, "sqlite", steps...)
		if err := db.SetupJoinTable(&listing{}, "Labels", &listingLabel{}); err != nil {
			t.Fatal(err)
		}
		return db
	}
	insert := step{sql: "INSERT INTO listings (id) VALUES (A)", affected: 1}
	l := listing{ID: a, Labels: []stallLabel{{Name: "x"}, {Name: "y"}}}
	err := open(insert).Omit("Labels.*").Create(&l).Error
	const half = "listingLabel.stallLabel conflicts with another row and so has no ID: find the other row first: primary key required"
	if !errors.Is(err, gorm.ErrPrimaryKeyRequired) || strings.Count(err.Error(), half) != 1 {
		t.Errorf("%v, want %s", err, half)
	}
	l = listing{ID: a, Labels: []stallLabel{{ID: b}}}
	err = open(insert, step{sql: "INSERT INTO listing_labels (id,listing_id,stall_label_id,note,owner_id) VALUES (#1,A,B,,ZERO) ON CONFLICT DO NOTHING", affected: 1}).
		Omit("Labels.*").Create(&l).Error
	if err != nil {
		t.Errorf("both have IDs: %v", err)
	}
	l = listing{ID: a, Labels: []stallLabel{{ID: b}}}
	err = open(insert, step{sql: "INSERT INTO listing_labels (id,listing_id,stall_label_id,note,owner_id) VALUES (#1,A,B,,ZERO) ON CONFLICT DO NOTHING"},
		step{sql: "SELECT 0, listing_labels.id FROM listing_labels WHERE listing_labels.id = #1"}).Omit("Labels.*").Create(&l).Error
	if err != nil {
		t.Errorf("joined before: %v", err)
	}
	l = listing{ID: a, Counts: []numbered{{}}}
	err = open(insert, step{sql: "INSERT INTO listing_counts (listing_id,numbered_id) VALUES (A,0) ON CONFLICT DO NOTHING", affected: 1}).
		Omit("Counts.*").Create(&l).Error
	if err != nil {
		t.Errorf("the key of the other is a number: %v", err)
	}
	both := listingLabel{ID: a}
	err = open().Clauses(clause.OnConflict{DoNothing: true}).Create(&both).Error
	if strings.Count(fmt.Sprint(err), " conflicts with ") != 1 {
		t.Errorf("none has an ID: %v", err)
	}
	s := stall{ID: a, Labels: []stallLabel{{Name: "x"}}}
	err = openScript(t, "sqlite", step{sql: "INSERT INTO stalls (id,name) VALUES (A,)", affected: 1}).Omit("Labels.*").Create(&s).Error
	const want = "gormplugin.Create(stall_labels_of): stall_labels_of.StallLabelID is zero: set the ID of the row that it refers to: primary key required"
	if fmt.Sprint(err) != want {
		t.Errorf("a join table without a key of its own: %v, want %s", err, want)
	}
	row := listingLabel{ID: a, ListingID: b}
	err = open(step{sql: "INSERT INTO listing_labels (id,listing_id,stall_label_id,note,owner_id) VALUES (A,B,ZERO,,ZERO)", affected: 1}).Create(&row).Error
	if err != nil {
		t.Errorf("a row of the program: %v", err)
	}
}

// TestSkippedRowsWhoseIDTheDatabaseMakes upserts rows without an ID, which can't be asked
// for by their ID.
func TestSkippedRowsWhoseIDTheDatabaseMakes(t *testing.T) {
	none := clause.OnConflict{DoNothing: true}
	row := defaulted{Name: "x"}
	err := openScript(t, "sqlite", step{sql: "INSERT INTO defaulteds (name) VALUES (x) ON CONFLICT DO NOTHING RETURNING id"}).
		Clauses(none).Create(&row).Error
	if err != nil || !row.ID.IsZero() {
		t.Errorf("struct: %v, %v", row.ID, err)
	}
	rows := []defaulted{{Name: "x"}, {ID: b, Name: "y"}}
	err = openScript(t, "sqlite",
		step{sql: "INSERT INTO defaulteds (name,id) VALUES (x,DEFAULT),(y,B) ON CONFLICT DO NOTHING RETURNING id"},
		step{sql: "SELECT 0, defaulteds.id FROM defaulteds WHERE defaulteds.id = B"},
	).Clauses(none).Create(&rows).Error
	if err != nil || !rows[0].ID.IsZero() || !rows[1].ID.IsZero() {
		t.Errorf("structs: %v, %v", rows, err)
	}
	// GORM counts the row that has an ID without reading it.
	rows = []defaulted{{ID: a, Name: "x"}, {Name: "y"}}
	err = openScript(t, "sqlite",
		step{sql: "INSERT INTO defaulteds (name,id) VALUES (x,A),(y,DEFAULT) ON CONFLICT DO NOTHING RETURNING id", rows: [][]driver.Value{key(b)}, column: "id"},
		step{sql: "SELECT 0, defaulteds.id FROM defaulteds WHERE defaulteds.id = A"},
	).Clauses(none).Create(&rows).Error
	if err != nil || !rows[0].ID.IsZero() || rows[1].ID != b {
		t.Errorf("structs, of which one comes back: %v, %v", rows, err)
	}
	fields := map[string]any{"id": (*oid.ID)(nil), "name": "x"}
	err = openScript(t, "sqlite", step{sql: "INSERT INTO defaulteds (id,name) VALUES (<nil>,x) ON CONFLICT DO NOTHING RETURNING id"}).
		Model(&defaulted{}).Clauses(none).Create(fields).Error
	if err != nil || fields["id"] != (oid.ID{}) {
		t.Errorf("map: %v, %v", fields, err)
	}
	fields = map[string]any{"id": clause.Expr{SQL: "new_id()"}, "name": "x"}
	err = openScript(t, "sqlite", step{sql: "INSERT INTO defaulteds (id,name) VALUES (new_id(),x) ON CONFLICT DO NOTHING RETURNING id"}).
		Model(&defaulted{}).Clauses(none).Create(fields).Error
	if err != nil || fields["id"] != (oid.ID{}) {
		t.Errorf("map with an expression: %v, %v", fields, err)
	}
	pointer := defaultedPointer{Name: "x"}
	err = openScript(t, "sqlite", step{sql: "INSERT INTO defaulted_pointers (name) VALUES (x) ON CONFLICT DO NOTHING RETURNING id"}).
		Clauses(none).Create(&pointer).Error
	if err != nil || pointer.ID != nil {
		t.Errorf("pointer: %v, %v", pointer.ID, err)
	}
	row = defaulted{ID: a, Name: "x"}
	err = openScript(t, "sqlite",
		step{sql: "INSERT INTO defaulteds (name) VALUES (x) ON CONFLICT (name) DO UPDATE SET name=excluded.name WHERE 1 = 1  RETURNING id"},
		step{sql: "SELECT 0, defaulteds.id FROM defaulteds WHERE defaulteds.name = x", rows: [][]driver.Value{live(b)}},
	).Omit("ID").Clauses(merge("name")).Create(&row).Error
	if err != nil || row.ID != b {
		t.Errorf("omitted: %v, %v", row.ID, err)
	}
	row = defaulted{Name: "x"}
	err = openScript(t, "sqlite",
		step{sql: "INSERT INTO defaulteds (name) VALUES (x) ON CONFLICT (name) DO UPDATE SET name=excluded.name WHERE 1 = 1  RETURNING id"},
		step{sql: "SELECT 0, defaulteds.id FROM defaulteds WHERE defaulteds.name = x", rows: [][]driver.Value{live(b)}},
	).Clauses(merge("name")).Create(&row).Error
	if err != nil || row.ID != b {
		t.Errorf("merged: %v, %v", row.ID, err)
	}
}

// TestAliasesAreNamed refuses types of 12 bytes without methods, which no driver can send.
func TestAliasesAreNamed(t *testing.T) {
	type kept struct {
		ID   oid.ID
		Code bare12 `gorm:"serializer:json"`
	}
	if err := openDry(t, gormplugin.New(gormplugin.WithModels(&kept{}))).Create(&kept{}).Error; err != nil {
		t.Error(err)
	}
	err := openDry(t, gormplugin.New()).Create(&coded{ID: a}).Error
	const want = "gormplugin.Model(coded): Code: the type gormplugin_test.bare12 has no method Value, which a database needs: use oid.ID, or an alias such as type UserID = oid.For[User]"
	if !errors.Is(err, gorm.ErrInvalidField) || err.Error() != want+": invalid field" {
		t.Errorf("Create: %v, want %s", err, want)
	}
	db := must(gorm.Open(tests.DummyDialector{}, &gorm.Config{DryRun: true}))
	if err := db.Use(gormplugin.New(gormplugin.WithModels(&bareKey{}))); !errors.Is(err, gorm.ErrInvalidField) || !strings.Contains(err.Error(), "gormplugin.Model(bareKey): ID: the type gormplugin_test.bare12 has no method Value") {
		t.Errorf("WithModels: %v", err)
	}
}

// TestIDsAreNotWasted shows that a statement reserves no more IDs than it has rows from
// the first that needs one on.
func TestIDsAreNotWasted(t *testing.T) {
	for name, rows := range map[string]any{
		"maps":    []map[string]any{{"id": a}, {"id": a}, {"name": "x"}},
		"structs": &[]typed{{ID: oid.For[typed](a)}, {ID: oid.For[typed](a)}, {}},
	} {
		g := &oid.Generator{Process: [5]byte{1}}
		first := g.New()
		db := openNamed(t, "dummy", gormplugin.New(gormplugin.WithGenerator(g)))
		if err := db.Model(&typed{}).Create(rows).Error; err != nil {
			t.Fatal(err)
		}
		if got, want := oid.Inspect(g.New()).Counter-oid.Inspect(first).Counter, uint32(2); got != want {
			t.Errorf("%s: %d IDs were taken, want %d", name, got, want)
		}
	}
}

// TestFailedUpdatesLeaveTheKey updates the key of a row, which GORM writes into the
// struct before the database refuses it.
func TestFailedUpdatesLeaveTheKey(t *testing.T) {
	fails := errors.New("fails")
	for name, tt := range map[string]struct {
		err  error
		want oid.ID
	}{"fails": {fails, a}, "succeeds": {nil, b}} {
		row := typed{ID: oid.For[typed](a)}
		err := openScript(t, "sqlite", step{sql: "UPDATE typeds SET id=B WHERE id = A", affected: 1, err: tt.err}).
			Model(&row).Update("id", b).Error
		if !errors.Is(err, tt.err) || oid.ID(row.ID) != tt.want {
			t.Errorf("%s: ID %v, %v, want %v", name, row.ID, err, tt.want)
		}
	}
	// GORM's condition holds the pointer of the struct, and the new ID would be written there.
	held := a
	pointer := optional{ID: &held}
	for name, tx := range map[string]*gorm.DB{
		"Update": openScript(t, "sqlite").Model(&pointer).Update("id", b),
		"map":    openScript(t, "sqlite").Model(&pointer).Updates(map[string]any{"ID": b.Hex(), "name": "x"}),
	} {
		const want = "gormplugin.Update(optional.ID): a key of type *oid.ID can't be changed in an update with db.Model(&row): choose the row with Where: unsupported data"
		if held != a || fmt.Sprint(tx.Error) != want {
			t.Errorf("%s of a pointer: %v, %v, want %s", name, held, tx.Error, want)
		}
	}
	if err := openScript(t, "sqlite", step{sql: "UPDATE optionals SET id=B WHERE id = A", affected: 1}).Model(&optional{}).Where("id = ?", a).Update("id", b).Error; err != nil {
		t.Errorf("Update of a pointer, named in Where: %v", err)
	}
	number := numbered{ID: 1}
	err := openScript(t, "sqlite", step{sql: "UPDATE numbereds SET id=2 WHERE id = 1", err: fails}).Model(&number).Update("id", 2).Error
	if !errors.Is(err, fails) || number.ID != 2 {
		t.Errorf("another key, which GORM changes: %d, %v", number.ID, err)
	}
	row := typed{ID: oid.For[typed](a), Name: "x"}
	value := typed{ID: oid.For[typed](a)}
	err = openScript(t, "sqlite", step{sql: "UPDATE typeds SET name=y WHERE id = A", err: fails}).Model(value).Update("name", "y").Error
	if !errors.Is(err, fails) {
		t.Errorf("a struct by value: %v", err)
	}
	if err := openScript(t, "sqlite").Model(&row).Update("id", oid.ID{}).Error; err == nil || oid.ID(row.ID) != a {
		t.Errorf("refused: ID %v, %v", row.ID, err)
	}
}

// TestRowsOfStoredOnesAreSaved has two rows of which one is skipped, without sheep.
func TestRowsOfStoredOnesAreSaved(t *testing.T) {
	flocks := []flock{{ID: a, Name: "x", ShepherdID: b, Sheep: []sheep{{ID: a}}}, {ID: b, Name: "y", ShepherdID: b}}
	err := openScript(t, "sqlite",
		step{sql: "INSERT INTO flocks (id,name,shepherd_id) VALUES (A,x,B),(B,y,B) ON CONFLICT DO NOTHING", affected: 1},
		step{sql: "SELECT 0, flocks.id FROM flocks WHERE flocks.id IN (A,B)", rows: [][]driver.Value{live(a)}},
		step{sql: "INSERT INTO sheep (id,flock_id) VALUES (A,A) ON CONFLICT (id) DO UPDATE SET flock_id=excluded.flock_id", affected: 1},
	).Clauses(clause.OnConflict{DoNothing: true}).Create(&flocks).Error
	if err != nil || flocks[0].ID != a || !flocks[1].ID.IsZero() {
		t.Errorf("%v, %v", flocks, err)
	}
}

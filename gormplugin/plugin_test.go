package gormplugin_test

import (
	"errors"
	"testing"
	"time"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/utils/tests"
)

// The tests on real databases are in internal/itest/gormplugin. Here GORM builds its
// statements with its own test dialect, and sends none.

type user struct {
	ID   oid.ID
	Name string
}

func openDry(t testing.TB, p gorm.Plugin) *gorm.DB {
	t.Helper()
	db, err := gorm.Open(tests.DummyDialector{}, &gorm.Config{DryRun: true, Logger: logger.Discard})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Use(p); err != nil {
		t.Fatal(err)
	}
	return db
}

// TestAssignmentAllocates one slice a statement of many rows, and nothing for one
// row.
func TestAssignmentAllocates(t *testing.T) {
	p := gormplugin.New()
	db := openDry(t, p)
	for rows, want := range map[int]float64{1: 0, 2: 1, 1000: 1} {
		users := make([]*user, rows)
		for i := range users {
			users[i] = new(user)
		}
		tx := db.Create(users)
		tx.Statement.SQL.Reset()
		got := testing.AllocsPerRun(100, func() {
			for _, u := range users {
				u.ID = oid.ID{}
			}
			gormplugin.Assign(p, tx)
		})
		if tx.Error != nil || users[rows-1].ID.IsZero() {
			t.Fatalf("%d rows: ID %v, %v", rows, users[rows-1].ID, tx.Error)
		}
		if got != want && countsAllocations {
			t.Errorf("%d rows: %v allocations, want %v", rows, got, want)
		}
	}
}

// countsAllocations is false under the race detector.
var countsAllocations = true

// TestMendingNothingAllocatesNothing is for the statements that have nothing to
// mend. Nearly all are such.
func TestMendingNothingAllocatesNothing(t *testing.T) {
	db := openDry(t, gormplugin.New())
	id := oid.New()
	for name, tx := range map[string]*gorm.DB{
		"text":      db.Where("name = ?", "a").Where(db.Where("id = ?", id).Or("id IN ?", []oid.ID{id})).Not("name", "b"),
		"And":       db.Where(db.Where("name = ?", "a").Where("id = ?", id)).Or("name = ?", "b"),
		"Eq":        db.Where(clause.Eq{Column: clause.Column{Name: "id"}, Value: id}, clause.Eq{Column: "owner_id", Value: id}),
		"Eq, typed": db.Where(clause.Eq{Column: "typed", Value: oid.For[person](id)}, clause.Eq{Column: "typed", Value: id}),
		"Where":     db.Where(clause.Where{Exprs: []clause.Expression{clause.Eq{Column: "id", Value: id}}}),
		"Gt":        db.Where(clause.Gt{Column: "id", Value: id}),
		"SQL":       db.Where("name IS NOT NULL"),
		"IN":        db.Where(clause.IN{Column: "id", Values: []any{id, id}}),
		"zeros":     db.Where("typed IN ?", []oid.ID{{}}),
		"lists":     db.Where("typed IN ?", []oid.For[person]{oid.For[person](id)}).Where("typed IN ?", []oid.ID{id}).Where("text IN ?", []sqltype.Hex{sqltype.Hex(id)}),
	} {
		if err := tx.Statement.Parse(&pet{}); err != nil {
			t.Fatal(err)
		}
		if got := testing.AllocsPerRun(100, func() { gormplugin.Mend(tx) }); got != 0 && countsAllocations || tx.Error != nil {
			t.Errorf("%s: %v allocations, %v", name, got, tx.Error)
		}
	}
}

// TestModelsWithoutIDsCostNoAllocations counts those of whole statements, with and without
// the plugin.
func TestModelsWithoutIDsCostNoAllocations(t *testing.T) {
	type account struct {
		ID    uint
		Email string
	}
	for name, run := range withoutIDs[account](func(n int) []account { return make([]account, n) }) {
		var counts [2]float64
		for i, db := range []*gorm.DB{must(gorm.Open(tests.DummyDialector{}, &gorm.Config{DryRun: true, Logger: logger.Discard})), openDry(t, gormplugin.New())} {
			if err := run(db).Error; err != nil {
				t.Fatal(err)
			}
			counts[i] = testing.AllocsPerRun(200, func() { run(db) })
		}
		if counts[0] != counts[1] && countsAllocations {
			t.Errorf("%s: %v allocations, without the plugin %v", name, counts[1], counts[0])
		}
	}
}

// withoutIDs are statements on a model with an integer key.
func withoutIDs[T any](rows func(n int) []T) map[string]func(db *gorm.DB) *gorm.DB {
	return map[string]func(db *gorm.DB) *gorm.DB{
		"Create": func(db *gorm.DB) *gorm.DB { list := rows(10); return db.Create(&list) },
		"First":  func(db *gorm.DB) *gorm.DB { return db.First(new(T), 7) },
		"Find": func(db *gorm.DB) *gorm.DB {
			return db.Where("id IN ?", []uint{1, 2}).Or("email = ?", "a").Find(new([]T))
		},
		"Find, map": func(db *gorm.DB) *gorm.DB { return db.Where(map[string]any{"email": "a"}).Not("id", 3).Find(new([]T)) },
		"Update":    func(db *gorm.DB) *gorm.DB { return db.Model(new(T)).Where("id = ?", 7).Update("email", "b") },
		"Delete":    func(db *gorm.DB) *gorm.DB { return db.Delete(new(T), 7) },
	}
}

// TestName is the name under which GORM finds the plugin, and refuses a second one.
func TestName(t *testing.T) {
	db := openDry(t, gormplugin.New())
	if name := gormplugin.New().Name(); name != "oidkit" || db.Plugins["oidkit"] == nil {
		t.Errorf("Name() = %q; registered are %v", name, db.Plugins)
	}
	u := user{}
	if err := db.Create(&u).Error; err != nil || u.ID.IsZero() {
		t.Errorf("WithGenerator(nil): ID %v, %v", u.ID, err)
	}
}

// TestNilArgumentsAreErrors of db.Use, which name the call.
func TestNilArgumentsAreErrors(t *testing.T) {
	for want, p := range map[string]gorm.Plugin{
		"gormplugin.New(nil): an option is nil":                                                    gormplugin.New(nil),
		"gormplugin.WithGenerator(nil): the generator is nil: leave the option out to use oid.New": gormplugin.New(gormplugin.WithGenerator(nil)),
		"gormplugin.WithModels(<nil>): unsupported data type: <nil>":                               gormplugin.New(gormplugin.WithModels(nil)),
	} {
		db := must(gorm.Open(tests.DummyDialector{}, &gorm.Config{DryRun: true}))
		if err := db.Use(p); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestForgottenPluginIsAnError for the conditions that only mean something with it.
func TestForgottenPluginIsAnError(t *testing.T) {
	const want = "gormplugin: call db.Use(gormplugin.New(…)) first: invalid db"
	db := must(gorm.Open(tests.DummyDialector{}, &gorm.Config{DryRun: true, Logger: logger.Discard}))
	for name, tx := range map[string]*gorm.DB{
		"IDs":           db.Find(&[]user{}, gormplugin.IDs(a)),
		"IDs, none":     db.Find(&[]user{}, gormplugin.IDs[oid.ID]()),
		"CreatedSince":  db.Where(gormplugin.CreatedSince(time.Now())).Find(&[]user{}),
		"CreatedBefore": db.Where("name = ? OR ?", "x", gormplugin.CreatedBefore(time.Now())).Delete(&user{}),
		"Not":           db.Not(gormplugin.CreatedBetween(time.Now(), time.Now(), "id")).Model(&user{}).Update("name", "x"),
	} {
		if !errors.Is(tx.Error, gorm.ErrInvalidDB) || tx.Error.Error() != want {
			t.Errorf("%s: %v, want %s", name, tx.Error, want)
		}
	}
}

// TestConditionsAreCheckedWithBuildersOfOthers replaces all builders of clauses after the
// plugin, as another plugin may. The conditions of WHERE are checked before the clause is
// built. The values of SET are not.
func TestConditionsAreCheckedWithBuildersOfOthers(t *testing.T) {
	db := openDry(t, gormplugin.New())
	for name := range db.ClauseBuilders {
		delete(db.ClauseBuilders, name)
	}
	for name, tx := range map[string]*gorm.DB{
		"Find": db.Find(&[]user{}, "id = ?", 7), "Delete": db.Delete(&user{}, "id = ?", 7), "Update": db.Model(&user{}).Where("id IN ?", []int{7}).Update("name", "x"),
	} {
		if !errors.Is(tx.Error, gorm.ErrInvalidData) {
			t.Errorf("%s: %v, want gorm.ErrInvalidData", name, tx.Error)
		}
	}
	if err := db.Model(&pet{}).Where("id = ?", a).Update("owner_id", 7).Error; err != nil {
		t.Errorf("SET is checked now: say so in the documentation: %v", err)
	}
}

// TestTuplesThatBeginWithAnotherColumn asks for the zero ID in the second column.
func TestTuplesThatBeginWithAnotherColumn(t *testing.T) {
	tx := openDry(t, gormplugin.New()).Where("(name, id) IN ?", [][]any{{"x", oid.ID{}}}).Find(&[]pet{})
	if got, want := sentBy(tx), `SELECT * FROM pets WHERE (name, id) IN (("x",ZERO))`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
}

// TestRelationsAreUnlocked runs statements that look at the relations of models. GORM
// locks these when it parses another model.
func TestRelationsAreUnlocked(t *testing.T) {
	ids := make([]oid.ID, 2000)
	oid.Fill(ids)
	for name, send := range map[string]func(db *gorm.DB) *gorm.DB{
		"Create":       func(db *gorm.DB) *gorm.DB { return db.Create(&person{}) },
		"column":       func(db *gorm.DB) *gorm.DB { return db.Where("Owner.id = ?", a).Find(&[]pet{}) },
		"table":        func(db *gorm.DB) *gorm.DB { return db.Where("people.id = ?", a).Find(&[]pet{}) },
		"long list":    func(db *gorm.DB) *gorm.DB { return db.Where("id IN ?", ids).Find(&[]pet{}) },
		"ON CONFLICT":  func(db *gorm.DB) *gorm.DB { return db.Clauses(clause.OnConflict{DoNothing: true}).Create(&pet{}) },
		"many-to-many": func(db *gorm.DB) *gorm.DB { return db.Create(&pet{Tags: []tag{{}}}) },
	} {
		db := openNamed(t, "postgres")
		if tx := send(db); tx.Error != nil {
			t.Errorf("%s: %v", name, tx.Error)
		}
		for _, model := range []any{&pet{}, &person{}, &tag{}} {
			relations := &schemaOf(t, db, model).Relationships
			if !relations.Mux.TryLock() {
				t.Errorf("%s: the relations of %T are still locked", name, model)
				continue
			}
			relations.Mux.Unlock()
		}
	}
}

// A named dialect is GORM's test dialect under the name of another one.
type named struct {
	tests.DummyDialector
	name string
}

func (d named) Name() string { return d.name }

// openNamed opens a database that calls itself name, and sends nothing.
func openNamed(t testing.TB, name string, plugins ...gorm.Plugin) *gorm.DB {
	t.Helper()
	db, err := gorm.Open(named{name: name}, &gorm.Config{DryRun: true, Logger: logger.Discard})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Use(append(plugins, gormplugin.New())[0]); err != nil {
		t.Fatal(err)
	}
	return db
}

// TestLongListIsNotBoxed shows that a list of IDs becomes an array without an
// allocation per ID.
func TestLongListIsNotBoxed(t *testing.T) {
	ids := make([]oid.ID, 10_000)
	oid.Fill(ids)
	tx := openNamed(t, "postgres").Where("id IN ?", ids)
	if err := tx.Statement.Parse(&user{}); err != nil {
		t.Fatal(err)
	}
	changed := true
	if got := testing.AllocsPerRun(10, func() { changed = changed && gormplugin.Mend(tx) }); got > 20 || !changed {
		t.Errorf("%v allocations for %d IDs, changed: %v", got, len(ids), changed)
	}
}

// TestErrorsOfConditionsNameTheRemedy is for the values that programs pass by
// mistake: numbers, text of a request, and times.
func TestErrorsOfConditionsNameTheRemedy(t *testing.T) {
	db := openDry(t, gormplugin.New())
	now, text := time.Now(), "A1001"
	const (
		ids   = "pass an ID, a list of IDs, or 24 hex digits"
		parse = "parse it with oid.Parse first, or " + ids
		since = "use CreatedSince, or oid.MinAt(t)"
	)
	for _, tt := range []struct {
		value      any
		kind, want string
	}{
		{7, "int", ids},
		{"ord_6gj58nyjar56vf5y205p9xf0ej", "text of 30 bytes", "parse it with Parse of its form first, or " + ids},
		{"ord_6gj58nyjar56vf5y205p9xf0e", "text of 29 bytes", parse},
		{[]byte("A1001"), "[]uint8 of length 5", ids},
		{text, "text of 5 bytes", parse},
		{&text, "text of 5 bytes", parse},
		{[]string{text}, "text of 5 bytes", parse},
		{now, "time.Time", since},
		{&now, "*time.Time", since},
	} {
		err := db.Where("id IN ?", tt.value).Find(&[]user{}).Error
		want := "gormplugin.Where(user.ID): " + tt.kind + " is not an ID: " + tt.want + "; to pass another value, use gorm.Expr: unsupported data"
		if !errors.Is(err, gorm.ErrInvalidData) || err.Error() != want {
			t.Errorf("Where(%T) = %v, want %s", tt.value, err, want)
		}
	}
}

// TestOrderWithinAStatement creates rows while the counter wraps around and the
// clock steps back. The IDs are consecutive all the same.
func TestOrderWithinAStatement(t *testing.T) {
	now := time.Unix(0x65b3f700, 0)
	g := &oid.Generator{Process: [5]byte{1, 2, 3, 4, 5}, Now: func() time.Time { return now }}
	db := openDry(t, gormplugin.New(gormplugin.WithGenerator(g)))
	counter := oid.Inspect(g.New()).Counter
	g.Fill(make([]oid.ID, 1<<24-5000-counter)) // up to 5000 IDs before the wrap
	var last oid.ID
	for range 3 {
		users := make([]user, 10_000)
		if err := db.Create(&users).Error; err != nil {
			t.Fatal(err)
		}
		for i := range users {
			if users[i].ID.Compare(last) <= 0 {
				t.Fatalf("row %d: ID %v after %v", i, users[i].ID, last)
			}
			last = users[i].ID
		}
		now = now.Add(-time.Hour)
	}
	if got := oid.Inspect(last); got.Counter > 30_000 || got.Time.Unix() != 0x65b3f701 {
		t.Errorf("the counter has not wrapped around: %+v", got)
	}
}

// TestQueryWithoutADestination asks for rows of a statement whose model is known, but that has
// nothing to read into.
func TestQueryWithoutADestination(t *testing.T) {
	tx := openDry(t, gormplugin.New()).Where("name = ?", "a")
	if err := tx.Statement.Parse(&user{}); err != nil {
		t.Fatal(err)
	}
	_, err := tx.Rows()
	if got := tx.Statement.SQL.String(); !errors.Is(err, gorm.ErrDryRunModeUnsupported) || got != "SELECT * FROM `users` WHERE name = ?" {
		t.Errorf("Rows of a parsed statement = %q, %v", got, err)
	}
}

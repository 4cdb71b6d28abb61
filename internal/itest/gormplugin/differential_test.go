package gormplugin_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// The tests in this file do the same with integer keys and with IDs, and compare the
// results. Integers are used without the plugin. The seed is fixed, so that a failure can
// be repeated. OIDKIT_CASES=1000 is the number of cases for each database.

// cases returns how many random cases a test tries.
func cases(t *testing.T, few int) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("OIDKIT_CASES"))
	if err != nil {
		return few
	}
	return n
}

// A Peer is a row with a key of any type. Its boss may be NULL.
type Peer[K comparable] struct {
	ID     K `gorm:"primaryKey"`
	Name   string
	Mark   int
	BossID *K
}

func (Peer[K]) TableName() string { return "peers" }

// A comparing is one comparison of a random condition. Its keys are numbers of rows. Row 0
// isn't stored and has the zero key, and there are no rows after the last.
type comparing struct {
	column string // id or boss_id
	text   string // such as "id IN ?"; "" for an expression of package clause
	kind   string // Eq, Neq, IN, Gt, Lte, map, lone
	keys   []int
	isList bool
	long   int   // how many keys of no row are added to a list of IDs
	forms  []int // of the IDs
	name   string
}

// A term is a part of a random tree of conditions.
type term struct {
	method string // Where, Not, Or
	leaf   *comparing
	group  []term       // of db.Where(db.Where(…).Or(…))
	and    []*comparing // of one clause.And, clause.Or or clause.Not
	with   func(...clause.Expression) clause.Expression
}

const storedPeers = 9

// randomTerms returns a chain of conditions. At most one list in it is long, because
// SQLite and MySQL take 30,000 IDs in each.
func randomTerms(r *rand.Rand, depth int, limit int, long *bool) []term {
	var list []term
	for range 1 + r.IntN(3) {
		t := term{method: []string{"Where", "Where", "Not", "Or"}[r.IntN(4)]}
		switch kind := r.IntN(6); {
		case kind == 0 && depth > 0:
			t.group = randomTerms(r, depth-1, limit, long)
		case kind == 1:
			for range 1 + r.IntN(3) {
				t.and = append(t.and, randomComparing(r, limit, long))
			}
			t.with = []func(...clause.Expression) clause.Expression{clause.And, clause.Or, clause.Not}[r.IntN(3)]
		default:
			t.leaf = randomComparing(r, limit, long)
		}
		list = append(list, t)
	}
	return list
}

func randomComparing(r *rand.Rand, limit int, long *bool) *comparing {
	c := &comparing{column: []string{"id", "id", "boss_id"}[r.IntN(3)], name: string(rune('a' + r.IntN(storedPeers)))}
	count := 1
	switch r.IntN(9) {
	case 0:
		c.text = "name = ?"
	case 1:
		c.text = c.column + []string{" = ?", " <> ?", " > ?", " <= ?"}[r.IntN(4)]
	case 2:
		c.text, count = c.column+[]string{" BETWEEN ? AND ?", " NOT BETWEEN ? AND ?"}[r.IntN(2)], 2
	case 3, 4:
		c.text, c.isList = c.column+[]string{" IN ?", " NOT IN ?", " IN (?)"}[r.IntN(3)], true
	case 5:
		c.kind = []string{"Eq", "Neq", "Gt", "Lte"}[r.IntN(4)]
	case 6:
		c.kind, c.isList = []string{"Eq", "Neq", "IN", "map"}[r.IntN(4)], true
	case 7:
		c.kind, c.isList = "lone", true
	case 8:
		c.kind, c.column = "lone", "id"
	}
	if c.isList {
		count = 1 + r.IntN(4)
		if !*long && r.IntN(12) == 0 {
			c.long, *long = limit-count+r.IntN(3)-1, true // one less than the limit, the limit, one more
		}
	}
	for range count {
		key := 1 + r.IntN(storedPeers)
		if r.IntN(12) == 0 {
			key = 0
		}
		c.keys = append(c.keys, key)
		c.forms = append(c.forms, r.IntN(4))
	}
	return c
}

// A world is a database with keys of one type.
type world struct {
	db   *gorm.DB
	key  func(row, form int) any
	list func(c *comparing) any
}

// condition returns what is passed to Where.
func (w world) condition(c *comparing) (query any, args []any) {
	if c.text == "name = ?" {
		return c.text, []any{c.name}
	}
	if c.kind == "lone" {
		if c.isList {
			return w.list(c), nil
		}
		return w.key(c.keys[0], c.forms[0]), nil
	}
	if c.kind == "map" {
		return map[string]any{c.column: w.list(c)}, nil
	}
	if c.text == "" {
		return w.expr(c), nil
	}
	if c.isList {
		return c.text, []any{w.list(c)}
	}
	for i, key := range c.keys {
		args = append(args, w.key(key, c.forms[i]))
	}
	return c.text, args
}

// expr returns the condition as an expression.
func (w world) expr(c *comparing) clause.Expression {
	var value any
	if c.isList {
		value = w.list(c)
	} else {
		value = w.key(c.keys[0], c.forms[0])
	}
	switch c.kind {
	case "Neq":
		return clause.Neq{Column: c.column, Value: value}
	case "Gt":
		return clause.Gt{Column: c.column, Value: value}
	case "Lte":
		return clause.Lte{Column: c.column, Value: value}
	case "IN":
		return clause.IN{Column: c.column, Values: value.([]any)}
	case "Eq":
		return clause.Eq{Column: c.column, Value: value}
	case "lone", "map":
		return clause.Eq{Column: clause.Column{Table: clause.CurrentTable, Name: c.column}, Value: value}
	}
	query, args := w.condition(c)
	return clause.Expr{SQL: query.(string), Vars: args}
}

// apply adds a chain of conditions to tx.
func (w world) apply(tx *gorm.DB, terms []term) *gorm.DB {
	for _, t := range terms {
		var query any
		var args []any
		switch {
		case t.leaf != nil:
			query, args = w.condition(t.leaf)
		case t.group != nil:
			query = w.apply(w.db.Session(&gorm.Session{NewDB: true}), t.group)
		default:
			var exprs []clause.Expression
			for _, c := range t.and {
				exprs = append(exprs, w.expr(c))
			}
			query = t.with(exprs...)
		}
		switch t.method {
		case "Where":
			tx = tx.Where(query, args...)
		case "Not":
			tx = tx.Not(query, args...)
		case "Or":
			tx = tx.Or(query, args...)
		}
	}
	return tx
}

// errUndo ends a transaction whose changes are not to stay.
var errUndo = errors.New("undo")

// outcome returns the names of the rows that a statement by terms finds or leaves.
func outcome[K comparable](w world, kind int, terms []term) (names string, err error) {
	var found []string
	tx := w.apply(w.db.Model(&Peer[K]{}), terms)
	switch kind {
	case 0:
		err = tx.Order("name").Pluck("name", &found).Error
	case 1:
		var n int64
		err = tx.Count(&n).Error
		found = []string{fmt.Sprint(n)}
	default:
		undone := w.db.Transaction(func(db *gorm.DB) error {
			tx := w.apply(db.Model(&Peer[K]{}), terms)
			if kind == 2 {
				err = tx.Update("mark", 1).Error
			} else {
				err = tx.Delete(&Peer[K]{}).Error
			}
			if err == nil {
				err = db.Model(&Peer[K]{}).Where("mark = 0").Order("name").Pluck("name", &found).Error
			}
			return errUndo
		})
		if !errors.Is(undone, errUndo) {
			err = errors.Join(err, undone)
		}
	}
	return strings.Join(found, ""), err
}

// TestConditionsFindWhatIntegersFind tries random trees of conditions. The lists in them
// are about as long as those from which on the plugin sends a list in another form.
func TestConditionsFindWhatIntegersFind(t *testing.T) {
	t.Parallel()
	limits := map[string]int{"sqlite": 30_000, "mysql": 30_000, "postgres": 1000}
	few := map[string]int{"sqlite": 300, "mysql": 100, "postgres": 200}
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			integers, numbered := conditionWorlds(t, open)
			for seed := range cases(t, few[integers.db.Name()]) {
				r := rand.New(rand.NewPCG(uint64(seed), 1))
				long := limits[integers.db.Name()] > 1000 && seed%10 > 0 // such lists take long
				terms, kind := randomTerms(r, 2, limits[integers.db.Name()], &long), r.IntN(4)
				want, wantErr := outcome[uint](integers, kind, terms)
				got, err := outcome[oid.ID](numbered, kind, terms)
				if kind >= 2 && want == "" && onlyNamesZero(terms) { // a change of all rows but none, which integers allow
					if !errors.Is(err, gorm.ErrPrimaryKeyRequired) {
						t.Fatalf("seed %d, statement %d: %q, %v, want ErrPrimaryKeyRequired\n%s", seed, kind, got, err, describe(terms))
					}
					continue
				}
				if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Fatalf("seed %d, statement %d: %q, %v, want as with integers %q, %v\n%s", seed, kind, got, err, want, wantErr, describe(terms))
				}
			}
		})
	}
}

// onlyNamesZero reports whether terms are a single condition, whether a key is the zero key
// or not.
func onlyNamesZero(terms []term) bool {
	if len(terms) != 1 {
		return false
	}
	c := terms[0].leaf
	switch {
	case terms[0].group != nil:
		return onlyNamesZero(terms[0].group)
	case len(terms[0].and) == 1:
		c = terms[0].and[0]
	}
	return c != nil && c.column == "id" && c.long == 0 && slices.Max(c.keys) == 0 &&
		!slices.Contains([]string{"name = ?", "id > ?", "id <= ?", "id BETWEEN ? AND ?", "id NOT BETWEEN ? AND ?"}, c.text) &&
		c.kind != "Gt" && c.kind != "Lte"
}

// describe tells the conditions of a failure.
func describe(terms []term) string {
	var text strings.Builder
	for _, t := range terms {
		fmt.Fprintf(&text, "%s(", t.method)
		switch {
		case t.leaf != nil:
			fmt.Fprintf(&text, "%+v", *t.leaf)
		case t.group != nil:
			text.WriteString(describe(t.group))
		default:
			for _, c := range t.and {
				fmt.Fprintf(&text, "%T %+v ", t.with(clause.Expr{SQL: "1"}, clause.Expr{SQL: "1"}), *c)
			}
		}
		text.WriteString(") ")
	}
	return text.String()
}

// conditionWorlds returns two databases with the same rows, one with integers for keys and
// one with IDs.
func conditionWorlds(t *testing.T, open func(t *testing.T) *gorm.DB) (integers, numbered world) {
	t.Helper()
	ids := make([]oid.ID, storedPeers+1)
	oid.Fill(ids[1:])
	others := make([]oid.ID, 30_001) // of no row, and less than all
	for i := range others {
		others[i] = oid.ID{0: 1, 10: byte(i >> 8), 11: byte(i)}
	}
	plain, db := open(t), open(t)
	if err := db.Use(gormplugin.New(gormplugin.WithModels(&Peer[oid.ID]{}))); err != nil {
		t.Fatal(err)
	}
	migrated(t, plain, []any{&Peer[uint]{}})
	migrated(t, db, []any{&Peer[oid.ID]{}})
	var byNumber []Peer[uint]
	var byID []Peer[oid.ID]
	for i := 1; i <= storedPeers; i++ {
		one, other := Peer[uint]{ID: uint(i), Name: string(rune('a' + i - 1))}, Peer[oid.ID]{ID: ids[i], Name: string(rune('a' + i - 1))}
		if i%3 > 0 {
			boss := uint(i/2 + 1)
			one.BossID, other.BossID = &boss, &ids[boss]
		}
		byNumber, byID = append(byNumber, one), append(byID, other)
	}
	if err := errors.Join(plain.Create(&byNumber).Error, db.Create(&byID).Error); err != nil {
		t.Fatal(err)
	}
	integers = world{db: plain, key: func(row, _ int) any { return uint(row) }}
	integers.list = func(c *comparing) any {
		var list []any
		for _, key := range c.keys {
			list = append(list, uint(key))
		}
		return list
	}
	numbered = world{db: db, key: func(row, form int) any {
		switch form {
		case 1:
			return &ids[row]
		case 2:
			return ids[row].Hex()
		case 3:
			return oid.For[Peer[oid.ID]](ids[row])
		}
		return ids[row]
	}}
	numbered.list = func(c *comparing) any {
		if c.kind == "" && c.forms[0] == 0 { // a slice of IDs, which GORM hands over as it is
			list := make([]oid.ID, 0, len(c.keys)+c.long)
			for _, key := range c.keys {
				list = append(list, ids[key])
			}
			return slices.Concat(list, others[:c.long])
		}
		var list []any
		for i, key := range c.keys {
			list = append(list, numbered.key(key, c.forms[i]))
		}
		for _, id := range others[:c.long] {
			list = append(list, id)
		}
		return list
	}
	return integers, numbered
}

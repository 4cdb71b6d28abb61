package gormplugin_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// An Entry is dated by its ID, and refers to another by an ID that can be NULL.
type Entry struct {
	ID      oid.ID `gorm:"size:12"`
	Name    string `gorm:"size:10"`
	OwnerID sqltype.ZeroNull
	Owner   *Entry
}

var noon = time.Date(2025, time.March, 1, 12, 0, 0, 0, time.UTC)

// entries stores five entries, a to e, one per second from noon on. Each belongs to
// the one before it.
func entries(t *testing.T, db *gorm.DB) []Entry {
	t.Helper()
	var list []Entry
	for i := range 5 {
		id, err := oid.NewAt(noon.Add(time.Duration(i) * time.Second))
		if err != nil {
			t.Fatal(err)
		}
		e := Entry{ID: id, Name: string(rune('a' + i))}
		if i > 0 {
			e.OwnerID = sqltype.ZeroNull(list[i-1].ID)
		}
		list = append(list, e)
	}
	if err := db.Create(&list).Error; err != nil {
		t.Fatal(err)
	}
	return list
}

func TestCreated(t *testing.T) {
	t.Parallel()
	at := func(seconds float64) time.Time { return noon.Add(time.Duration(seconds * float64(time.Second))) }
	eachDB(t, []any{&Entry{}}, func(t *testing.T, db *gorm.DB) {
		entries(t, db)
		for _, tt := range []struct {
			name    string
			created clause.Expression
			want    string
		}{
			{"between", gormplugin.CreatedBetween(at(1), at(3)), "bc"},
			{"between, rounded outwards", gormplugin.CreatedBetween(at(1.5), at(2.5)), "bc"},
			{"between, backwards", gormplugin.CreatedBetween(at(3), at(1)), ""},
			{"between, all time", gormplugin.CreatedBetween(time.Time{}, at(1e9)), "abcde"},
			{"since", gormplugin.CreatedSince(at(3)), "de"},
			{"since, rounded down", gormplugin.CreatedSince(at(3.9)), "de"},
			{"before", gormplugin.CreatedBefore(at(2)), "ab"},
			{"before, rounded up", gormplugin.CreatedBefore(at(1.1)), "ab"},
			{"before 1970", gormplugin.CreatedBefore(time.Time{}), ""},
			{"before 9999", gormplugin.CreatedBefore(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)), "abcde"},
			{"another column", gormplugin.CreatedBetween(at(1), at(3), "owner_id"), "cd"},
			{"another column by its field", gormplugin.CreatedBetween(at(1), at(3), "OwnerID"), "cd"},
			{"another column by table", gormplugin.CreatedBetween(at(1), at(3), "entries.owner_id"), "cd"},
		} {
			rest := strings.Map(func(r rune) rune {
				if strings.ContainsRune(tt.want, r) {
					return -1
				}
				return r
			}, "abcde")
			if strings.HasPrefix(tt.name, "another") {
				rest = "be" // a has no owner: NULL is on neither side
			}
			for how, q := range map[string]struct {
				tx   *gorm.DB
				want string
			}{
				"Where":    {db.Where(tt.created), tt.want},
				"Where 2":  {db.Where("name <> ?", "b").Where(tt.created), strings.ReplaceAll(tt.want, "b", "")},
				"Not":      {db.Not(tt.created), rest},
				"Or":       {db.Where("name = ?", "a").Or(tt.created), "a" + strings.ReplaceAll(tt.want, "a", "")},
				"Clauses":  {db.Clauses(clause.Where{Exprs: []clause.Expression{tt.created}}), tt.want},
				"group":    {db.Where(db.Where("name = ?", "a").Or(tt.created)).Where("name <> ?", "c"), strings.ReplaceAll("a"+strings.ReplaceAll(tt.want, "a", ""), "c", "")},
				"subquery": {db.Where("id IN (?)", db.Model(&Entry{}).Select("id").Where(tt.created)), tt.want},
				"Table":    {db.Table("entries").Model(&Entry{}).Where(tt.created), tt.want},
			} {
				var names []string
				if err := q.tx.Model(&Entry{}).Order("name").Pluck("name", &names).Error; err != nil || strings.Join(names, "") != q.want {
					t.Errorf("%s, %s: %q, %v, want %q", tt.name, how, names, err, q.want)
				}
			}
			found, err := gorm.G[Entry](db).Where(tt.created).Order("name").Find(context.Background())
			if err != nil || len(found) != len(tt.want) {
				t.Errorf("%s, generics: %d rows, %v", tt.name, len(found), err)
			}
		}
		tx := db.Where(gormplugin.CreatedSince(at(4))).Delete(&Entry{})
		if tx.Error != nil || tx.RowsAffected != 1 {
			t.Errorf("Delete: %d rows, %v", tx.RowsAffected, tx.Error)
		}
	})
}

func TestCreatedInJoins(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Entry{}}, func(t *testing.T, db *gorm.DB) {
		entries(t, db)
		for column, want := range map[string]string{"Owner.id": "c", "Owner.ID": "c", "entries.id": "b", "": "b"} {
			created := gormplugin.CreatedBetween(noon.Add(time.Second), noon.Add(2*time.Second), column)
			if column == "" {
				created = gormplugin.CreatedBetween(noon.Add(time.Second), noon.Add(2*time.Second))
			}
			var found []Entry
			if err := db.Joins("Owner").Where(created).Find(&found).Error; err != nil || len(found) != 1 || found[0].Name != want {
				t.Errorf("%q: %v, %v, want %s", column, found, err, want)
			}
		}
	})
}

// TestCreatedInTheConditionOfAJoin names the key of the joined model.
func TestCreatedInTheConditionOfAJoin(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Entry{}}, func(t *testing.T, db *gorm.DB) {
		entries(t, db)
		second := gormplugin.CreatedBetween(noon.Add(time.Second), noon.Add(2*time.Second))
		var found []Entry
		if err := db.InnerJoins("Owner", db.Where(second)).Find(&found).Error; err != nil || len(found) != 1 || found[0].Name != "c" {
			t.Errorf("%v, %v, want c, which b owns", found, err)
		}
		err := db.Joins("Owner", db.Where(gormplugin.CreatedSince(noon, "name"))).Find(&found).Error
		if want := "gormplugin.CreatedSince(name): in the table Owner, this is not a column of IDs: invalid field"; err == nil || err.Error() != want {
			t.Errorf("error %v\nwant  %s", err, want)
		}
	})
}

func TestCreatedRefusesColumnsThatHoldNoIDs(t *testing.T) {
	t.Parallel()
	type Number struct {
		ID   uint
		Name string
	}
	db := migrated(t, use(t, openSQLite(t)), []any{&Entry{}, &Number{}})
	for want, tx := range map[string]*gorm.DB{
		"gormplugin.CreatedSince(primary key): in the table numbers, this is not a column of IDs: invalid field": db.Where(gormplugin.CreatedSince(noon)).Find(&[]Number{}),
		"gormplugin.CreatedSince(name): in the table entries, this is not a column of IDs: invalid field":        db.Where(gormplugin.CreatedSince(noon, "name")).Find(&[]Entry{}),
		"gormplugin.CreatedBefore(nothing): in the table entries, this is not a column of IDs: invalid field":    db.Not(gormplugin.CreatedBefore(noon, "nothing")).Find(&[]Entry{}),
		"gormplugin.CreatedBefore(primary key): the statement has no model: name the column, or call db.Model: invalid field": db.Table("entries").Where(gormplugin.CreatedBefore(noon)).
			Find(&[]map[string]any{}),
	} {
		if !errors.Is(tx.Error, gorm.ErrInvalidField) || tx.Error.Error() != want {
			t.Errorf("error %v\nwant  %s", tx.Error, want)
		}
	}
}

// TestPages goes through a table in pages, in both directions.
func TestPages(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Doc{}}, func(t *testing.T, db *gorm.DB) {
		docs := make([]Doc, 25)
		if err := db.Create(&docs).Error; err != nil {
			t.Fatal(err)
		}
		walk := func(condition, order string, last oid.ID) (seen []oid.ID) {
			for {
				var page []Doc
				if err := db.Where(condition, last).Order(order).Limit(10).Find(&page).Error; err != nil {
					t.Fatal(err)
				}
				if len(page) == 0 {
					return seen
				}
				for _, d := range page {
					seen = append(seen, oid.ID(d.ID))
				}
				last = oid.ID(page[len(page)-1].ID)
			}
		}
		forward, backward := walk("id > ?", "id", oid.ID{}), walk("id < ?", "id DESC", oid.Until(time.Now().Add(time.Hour)))
		slices.Reverse(backward)
		if len(forward) != 25 || !slices.Equal(forward, backward) || !slices.IsSortedFunc(forward, oid.ID.Compare) {
			t.Errorf("forward %v\nbackward %v", forward, backward)
		}
	})
}

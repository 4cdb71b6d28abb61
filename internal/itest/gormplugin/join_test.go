package gormplugin_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

// An Article has Topics, which exist under unique names.
type Article struct {
	ID     oid.ID  `gorm:"size:12"`
	Topics []Topic `gorm:"many2many:article_topics"`
}

type Topic struct {
	ID        oid.ID  `gorm:"size:12"`
	Name      string  `gorm:"size:50;uniqueIndex"`
	Code      *string `gorm:"size:50;unique"`
	Region    string  `gorm:"size:20;uniqueIndex:place"`
	Place     string  `gorm:"size:20;uniqueIndex:place"`
	DeletedAt gorm.DeletedAt
}

// topic returns a topic that conflicts with others only by its name.
func topic(name string) Topic { return Topic{Name: name, Region: name, Place: oid.New().Hex()[12:]} }

// TestManyToManyJoinsTheStoredRow saves rows that exist under a unique name.
func TestManyToManyJoinsTheStoredRow(t *testing.T) {
	t.Parallel()
	eachUpsertDB(t, []any{&Article{}, &Topic{}}, func(t *testing.T, db *gorm.DB) {
		red, blue := topic("red"), topic("blue")
		red.Code = ptr("r")
		if err := db.Create([]*Topic{&red, &blue}).Error; err != nil {
			t.Fatal(err)
		}
		again, byCode, byPlace := topic("red"), topic("other"), topic("another")
		byCode.Code, byPlace.Region, byPlace.Place = ptr("r"), blue.Region, blue.Place
		for name, tt := range map[string]struct {
			topics []Topic
			want   []oid.ID
		}{
			"by name":             {[]Topic{again}, []oid.ID{red.ID}},
			"by code":             {[]Topic{byCode}, []oid.ID{red.ID}},
			"by two columns":      {[]Topic{byPlace}, []oid.ID{blue.ID}},
			"among others":        {[]Topic{topic("new"), topic("blue"), red, topic("newer")}, []oid.ID{{}, blue.ID, red.ID, {}}},
			"twice":               {[]Topic{topic("red"), topic("red")}, []oid.ID{red.ID, red.ID}},
			"new and twice again": {[]Topic{topic("fresh"), topic("red"), topic("blue")}, []oid.ID{{}, red.ID, blue.ID}},
		} {
			article := Article{Topics: tt.topics}
			if err := db.Create(&article).Error; err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			joined := map[oid.ID]bool{}
			for i, want := range tt.want {
				got := article.Topics[i].ID
				joined[got] = true
				if !want.IsZero() && got != want || !stored(t, db, &Topic{}, got) {
					t.Errorf("%s: topic %d is %v, want %v", name, i, got, want)
				}
			}
			var loaded Article
			if err := db.Preload("Topics").First(&loaded, article.ID).Error; err != nil || len(loaded.Topics) != len(joined) {
				t.Errorf("%s: %d topics joined, %v, want %d", name, len(loaded.Topics), err, len(joined))
			}
		}
		var article Article
		list := []Topic{topic("blue"), topic("appended")}
		if err := errors.Join(db.Create(&article).Error, db.Model(&article).Association("Topics").Append(list)); err != nil {
			t.Fatal(err)
		}
		if n := db.Model(&article).Association("Topics").Count(); n != 2 || article.Topics[0].ID != blue.ID {
			t.Errorf("Append: %d topics, the first %v, want 2 and %v", n, article.Topics[0].ID, blue.ID)
		}
		var ignoresCase int64 // as MariaDB's collation does, and TiDB's doesn't
		if err := db.Model(&Topic{}).Where("name = ?", "RED").Count(&ignoresCase).Error; err != nil {
			t.Fatal(err)
		}
		if ignoresCase > 0 {
			upper := Article{Topics: []Topic{topic("RED")}}
			if err := db.Create(&upper).Error; err != nil || upper.Topics[0].ID != red.ID {
				t.Errorf("another case: %v, want %v", err, red.ID)
			}
		}
	})
}

// TestManyToManyThatCannotBeJoinedIsRefused is for rows that conflict with none or
// several that could be meant.
func TestManyToManyThatCannotBeJoinedIsRefused(t *testing.T) {
	t.Parallel()
	eachUpsertDB(t, []any{&Article{}, &Topic{}}, func(t *testing.T, db *gorm.DB) {
		red, blue, gone := topic("red"), topic("blue"), topic("gone")
		blue.Code = ptr("b")
		if err := errors.Join(db.Create([]*Topic{&red, &blue, &gone}).Error, db.Delete(&gone).Error); err != nil {
			t.Fatal(err)
		}
		if err := db.Exec("CREATE UNIQUE INDEX unknown ON topics (place)").Error; err != nil {
			t.Fatal(err)
		}
		both, unknown := topic("red"), topic("unknown")
		both.Code, unknown.Place = ptr("b"), red.Place
		for want, tt := range map[string]Topic{
			"conflicts with 2 stored rows":          both,
			"a row that the plugin doesn't find":    topic("gone"),
			"declare its unique index in the model": unknown,
		} {
			err := db.Create(&Article{Topics: []Topic{tt}}).Error
			if !errors.Is(err, gorm.ErrPrimaryKeyRequired) || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v\nwant  %s", err, want)
			}
		}
		if n := count(t, db, &Article{}); n != 0 {
			t.Errorf("%d articles", n)
		}
	})
}

// A Shelf has Books, whose titles are unique among those that are not deleted.
type Shelf struct {
	ID    oid.ID `gorm:"size:12"`
	Books []Book `gorm:"many2many:shelf_books"`
}

type Book struct {
	ID        oid.ID `gorm:"size:12"`
	Title     string `gorm:"size:50;uniqueIndex:,where:deleted_at IS NULL OR title = 'x'"`
	DeletedAt gorm.DeletedAt
}

// TestManyToManyByAPartOfAnIndex shows that a row outside a partial index conflicts with
// none.
func TestManyToManyByAPartOfAnIndex(t *testing.T) {
	t.Parallel()
	for name, open := range databases {
		if likeMySQL[name] != nil {
			continue // it has no partial indexes
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := migrated(t, use(t, open(t)), []any{&Shelf{}, &Book{}})
			old, live := Book{Title: "a"}, Book{Title: "a"}
			if err := errors.Join(db.Create(&old).Error, db.Delete(&old).Error, db.Create(&live).Error); err != nil {
				t.Fatal(err)
			}
			shelf := Shelf{Books: []Book{{Title: "a"}}}
			if err := db.Create(&shelf).Error; err != nil || shelf.Books[0].ID != live.ID {
				t.Errorf("%v, joined %v, want %v", err, shelf.Books[0].ID, live.ID)
			}
		})
	}
}

// TestManyToManyAsksOnce counts the queries that this takes.
func TestManyToManyAsksOnce(t *testing.T) {
	t.Parallel()
	db := migrated(t, use(t, openSQLite(t)), []any{&Article{}, &Topic{}})
	stored := []Topic{topic("a"), topic("b"), topic("c")}
	if err := db.Create(&stored).Error; err != nil {
		t.Fatal(err)
	}
	got := sent(db, func(db *gorm.DB) {
		if err := db.Create(&Article{Topics: []Topic{topic("a"), topic("b"), topic("c")}}).Error; err != nil {
			t.Error(err)
		}
	})
	// One asks which rows were stored, the other which rows those that weren't
	// conflict with.
	if n := strings.Count("\n"+got, "\nSELECT"); n != 2 {
		t.Errorf("%d queries, want 2\n%s", n, got)
	}
}

// TestJoinOfSQLWithConditions joins by SQL, with conditions that GORM ignores there.
func TestJoinOfSQLWithConditions(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Box{}, &Item{}, &SoftItem{}}, func(t *testing.T, db *gorm.DB) {
		threeItems(t, db)
		var found []Item
		tx := db.Joins("JOIN items AS other ON other.id = items.id", db.Where("other.name = ?", "none"))
		if err := tx.Find(&found).Error; err != nil || len(found) != 3 {
			t.Errorf("%d rows, %v, want 3", len(found), err)
		}
	})
}

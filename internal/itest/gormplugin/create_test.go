package gormplugin_test

import (
	"errors"
	"testing"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

// A User has the key that needs no tag but, for MySQL, a size.
type User struct {
	ID    oid.ID `gorm:"size:12"`
	Name  string
	Email *string `gorm:"uniqueIndex;size:100"`
	Note  string
}

// A Doc has a key of an ID type of its own.
type Doc struct {
	ID   oid.For[Doc] `gorm:"size:12"`
	Name string
}

// A Ptr has a key that can be nil.
type Ptr struct {
	ID   *oid.ID `gorm:"size:12"`
	Name string
}

type Base struct {
	ID oid.ID `gorm:"primaryKey;size:12"`
}

type Embedding struct {
	Base
	Name string
}

type EmbeddingPtr struct {
	*Base
	Name string
}

type EmbeddingPrefix struct {
	Base Base `gorm:"embedded;embeddedPrefix:base_"`
	Name string
}

func stored(t *testing.T, db *gorm.DB, model any, id any) bool {
	t.Helper()
	var n int64
	if err := db.Model(model).Where("id = ?", id).Count(&n).Error; err != nil {
		t.Fatal(err)
	}
	return n == 1
}

func TestCreateAssignsIDs(t *testing.T) {
	t.Parallel()
	shapes := map[string]func() (rows any, users func() []*User){
		"&struct": func() (any, func() []*User) {
			u := &User{Name: "a"}
			return u, func() []*User { return []*User{u} }
		},
		"**struct": func() (any, func() []*User) {
			u := &User{Name: "a"}
			return &u, func() []*User { return []*User{u} }
		},
		"&[]struct": func() (any, func() []*User) {
			us := []User{{Name: "a"}, {Name: "b"}, {Name: "c"}}
			return &us, func() []*User { return []*User{&us[0], &us[1], &us[2]} }
		},
		"[]struct": func() (any, func() []*User) {
			us := []User{{Name: "a"}, {Name: "b"}}
			return us, func() []*User { return []*User{&us[0], &us[1]} }
		},
		"[]*struct": func() (any, func() []*User) {
			us := []*User{{Name: "a"}, {Name: "b"}}
			return us, func() []*User { return us }
		},
		"&[2]struct": func() (any, func() []*User) {
			us := [2]User{{Name: "a"}, {Name: "b"}}
			return &us, func() []*User { return []*User{&us[0], &us[1]} }
		},
		"[2]*struct": func() (any, func() []*User) {
			us := [2]*User{{Name: "a"}, {Name: "b"}}
			return us, func() []*User { return us[:] }
		},
	}
	eachDB(t, []any{&User{}}, func(t *testing.T, db *gorm.DB) {
		for name, shape := range shapes {
			t.Run(name, func(t *testing.T) {
				rows, users := shape()
				if err := db.Create(rows).Error; err != nil {
					t.Fatal(err)
				}
				last := oid.ID{}
				for i, u := range users() {
					if i > 0 && u.ID != last.Next() {
						t.Errorf("row %d has ID %v after %v, want the next one", i, u.ID, last)
					}
					last = u.ID
					if u.ID.IsZero() || !stored(t, db, &User{}, u.ID) {
						t.Errorf("row %d: ID %v is not in the table", i, u.ID)
					}
				}
			})
		}
	})
}

func TestCreateKeepsIDsThatAreSet(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&User{}}, func(t *testing.T, db *gorm.DB) {
		one, two := oid.New(), oid.New()
		us := []User{{ID: one}, {}, {ID: two}, {}}
		if err := db.Create(&us).Error; err != nil {
			t.Fatal(err)
		}
		if us[0].ID != one || us[2].ID != two || us[1].ID.IsZero() || us[3].ID.IsZero() || us[1].ID == us[3].ID {
			t.Errorf("ids %v %v %v %v", us[0].ID, us[1].ID, us[2].ID, us[3].ID)
		}
	})
}

func TestCreateAssignsEveryIDType(t *testing.T) {
	t.Parallel()
	models := []any{&Doc{}, &Ptr{}, &Embedding{}, &EmbeddingPtr{}, &EmbeddingPrefix{}}
	eachDB(t, models, func(t *testing.T, db *gorm.DB) {
		docs, ptrs := []Doc{{}, {}}, []*Ptr{{}, {ID: new(oid.ID)}}
		held := ptrs[1].ID
		embedding, embeddingPtr, prefix := Embedding{}, []EmbeddingPtr{{}, {}}, EmbeddingPrefix{}
		for _, rows := range []any{&docs, &ptrs, &embedding, &embeddingPtr, &prefix} {
			if err := db.Create(rows).Error; err != nil {
				t.Fatalf("%T: %v", rows, err)
			}
		}
		if docs[0].ID.IsZero() || docs[1].ID != docs[0].ID.Next() || !stored(t, db, &Doc{}, docs[1].ID) {
			t.Errorf("oid.For: IDs %v, %v", docs[0].ID, docs[1].ID)
		}
		if ptrs[0].ID == nil || held.IsZero() || ptrs[1].ID != held || !stored(t, db, &Ptr{}, held) {
			t.Errorf("*oid.ID: IDs %v, %v", ptrs[0].ID, held)
		}
		if embedding.ID.IsZero() || embeddingPtr[1].ID.IsZero() || prefix.Base.ID.IsZero() {
			t.Errorf("embedded: IDs %v, %v, %v", embedding.ID, embeddingPtr[1].ID, prefix.Base.ID)
		}
	})
}

func TestCreateRefusesWhatItCannotAssign(t *testing.T) {
	t.Parallel()
	type Other struct{ Name string }
	eachDB(t, []any{&User{}}, func(t *testing.T, db *gorm.DB) {
		for _, tt := range []struct {
			name    string
			create  func() error
			want    error
			wantErr string
		}{
			{
				"struct by value", func() error { return db.Create(User{}).Error },
				gorm.ErrInvalidValue, "gormplugin.Create(gormplugin_test.User): can't set User.ID of a struct passed by value: invalid value, should be pointer to struct or slice",
			}, {
				"array by value", func() error { return db.Create([2]User{}).Error },
				gorm.ErrInvalidValue, "gormplugin.Create([2]gormplugin_test.User): can't set User.ID of a struct passed by value: invalid value, should be pointer to struct or slice",
			}, {
				"[]any", func() error { return db.Model(&User{}).Create([]any{&User{}}).Error },
				gorm.ErrInvalidData, "gormplugin.Create([]interface {}): a row is interface {}, not the model gormplugin_test.User: unsupported data",
			}, {
				"another struct", func() error { return db.Model(&User{}).Create(&Other{}).Error },
				gorm.ErrInvalidData, "gormplugin.Create(*gormplugin_test.Other): a row is gormplugin_test.Other, not the model gormplugin_test.User: unsupported data",
			}, {
				"nil element", func() error { return db.Create([]*User{{}, nil}).Error },
				gorm.ErrInvalidData, "slice data #1 is invalid: unsupported data",
			}, {
				"nil", func() error { return db.Create((*User)(nil)).Error },
				gorm.ErrInvalidValue, "invalid value, should be pointer to struct or slice",
			}, {
				"empty slice", func() error { return db.Create([]User{}).Error },
				gorm.ErrEmptySlice, "empty slice found",
			},
		} {
			t.Run(tt.name, func(t *testing.T) {
				err := tt.create()
				if !errors.Is(err, tt.want) || err.Error() != tt.wantErr {
					t.Errorf("error %v\nwant  %s", err, tt.wantErr)
				}
			})
		}
		var n int64
		if db.Model(&User{}).Count(&n); n != 0 {
			t.Errorf("%d rows stored", n)
		}
	})
}

func TestWithGenerator(t *testing.T) {
	t.Parallel()
	g := &oid.Generator{Process: [5]byte{1, 2, 3, 4, 5}}
	db := migrated(t, use(t, openSQLite(t), gormplugin.New(gormplugin.WithGenerator(g))), []any{&User{}})
	us := []User{{}, {}, {}}
	if err := db.Create(&us).Error; err != nil {
		t.Fatal(err)
	}
	if err := db.Create(&us[0]).Error; err == nil {
		t.Error("the same ID was stored twice")
	}
	for _, u := range us {
		if oid.Inspect(u.ID).Process != g.Process {
			t.Errorf("id %v is not of the generator", u.ID)
		}
	}
}

func TestPluginIsRegisteredOnce(t *testing.T) {
	t.Parallel()
	db := use(t, openSQLite(t))
	if err := db.Use(gormplugin.New()); !errors.Is(err, gorm.ErrRegistered) {
		t.Errorf("a second Use: %v, want gorm.ErrRegistered", err)
	}
	if db.Plugins["oidkit"] == nil {
		t.Errorf("Plugins: %v, want one named oidkit", db.Plugins)
	}
}

func TestCreateIsOneInsert(t *testing.T) {
	t.Parallel()
	eachDB(t, []any{&Doc{}}, func(t *testing.T, db *gorm.DB) {
		got := sent(db, func(db *gorm.DB) { db.Create(&[]Doc{{Name: "a"}, {Name: "b"}}) })
		want := map[string]string{
			"sqlite":   "INSERT INTO `docs` (`id`,`name`) VALUES (?,?),(?,?)",
			"postgres": `INSERT INTO "docs" ("id","name") VALUES ($1,$2),($3,$4)`,
			"mysql":    "INSERT INTO `docs` (`id`,`name`) VALUES (?,?),(?,?)",
		}[db.Name()]
		if got != want {
			t.Errorf("sent %s\nwant %s", got, want)
		}
	})
}

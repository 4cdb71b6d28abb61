package gormplugin_test

import (
	"database/sql"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type (
	tagged struct {
		ID    oid.ID `gorm:"oid:-"`
		Token oid.ID `gorm:"oid:auto"`
		Plain oid.ID
	}
	composite struct {
		ID   oid.ID `gorm:"primaryKey"`
		Part oid.ID `gorm:"primaryKey"`
	}
	compositeAuto struct {
		ID   oid.ID `gorm:"primaryKey;oid:auto"`
		Part oid.ID `gorm:"primaryKey"`
	}
	defaulted struct {
		ID   oid.ID `gorm:"oid:-;default:new_id()"`
		Name string
	}
	leftover struct {
		ID   oid.ID `gorm:"oid:-;autoIncrement"`
		Name string
	}
	optional struct {
		ID   *oid.ID
		Name string
	}
	typed struct {
		ID   oid.For[typed]
		Name string
	}
	readOnly struct {
		ID   oid.ID `gorm:"<-:update"`
		Name string
	}
	ranked struct {
		ID     oid.ID
		Name   string
		Rank   int `gorm:"default:next_rank()"`
		Secret int `gorm:"default:next_secret();->:false;<-:create"`
	}
	writeOnce struct {
		ID   oid.ID `gorm:"<-:create"`
		Name string
	}
	bareKey  struct{ ID bare12 }
	writeKey struct{ ID odd }
	readKey  struct{ ID scanned }
	scanned  [12]byte
	textKey  struct {
		ID sql.NullString
	}
	hiddenTag struct {
		ID    oid.ID
		Other oid.ID `gorm:"-;oid:auto"`
	}
	owned struct {
		ID      oid.ID
		OwnerID uint
		Owner   *numbered
	}
	jsonKey struct {
		ID oid.ID `gorm:"serializer:json"`
	}
	visit struct {
		ID      uint
		OwnerID oid.ID
		Owner   *person
	}
	badTag struct {
		ID oid.ID `gorm:"oid:always"`
	}
	misplacedTag struct {
		ID   oid.ID
		Name string `gorm:"oid:auto"`
	}
	embeds struct {
		Base
		Name string
	}
	Base     struct{ ID oid.ID }
	passport struct {
		ID     oid.ID
		Bearer *bearer `gorm:"foreignKey:ID"`
	}
	bearer struct {
		ID   oid.ID
		Name string
	}
	hooked struct {
		ID   oid.ID
		Name string
		seen oid.ID
	}
)

func (s *scanned) Scan(src any) error { return (*oid.ID)(s).Scan(src) }

func (h *hooked) BeforeCreate(*gorm.DB) error {
	h.seen = h.ID
	if h.Name == "wipe" {
		h.ID = oid.ID{}
	}
	return nil
}

// A saved row has only the hook BeforeSave, and wipes its ID out.
type saved struct {
	ID   oid.ID
	Name string
}

func (s *saved) BeforeSave(*gorm.DB) error {
	s.ID = oid.ID{}
	return nil
}

// TestWhatCreateSends shows which fields get an ID, and what is refused. The IDs
// that are made are #1, #2 and so on.
func TestWhatCreateSends(t *testing.T) {
	now := func() time.Time { return time.Unix(0x65b3f7a2, 0) }
	nilMap := map[string]any(nil)
	for _, tt := range []struct {
		name string
		run  func(db *gorm.DB) *gorm.DB
		want string
	}{
		{"struct", func(db *gorm.DB) *gorm.DB { return db.Create(&label{}) }, "INSERT INTO labels (id) VALUES (#1)"},
		{"struct with an ID", func(db *gorm.DB) *gorm.DB { return db.Create(&typed{ID: oid.For[typed](a)}) }, `INSERT INTO typeds (id,name) VALUES (A,"")`},
		{"slice", func(db *gorm.DB) *gorm.DB { return db.Create(&[]typed{{Name: "x"}, {ID: oid.For[typed](a)}, {}}) }, `INSERT INTO typeds (id,name) VALUES (#1,"x"),(A,""),(#2,"")`},
		{"slice of pointers", func(db *gorm.DB) *gorm.DB { return db.Create([]*typed{{Name: "x"}, {}}) }, `INSERT INTO typeds (id,name) VALUES (#1,"x"),(#2,"")`},
		{"slice with a nil pointer", func(db *gorm.DB) *gorm.DB { return db.Create([]*typed{nil, {}}) }, "slice data #0 is invalid: unsupported data"},
		{"array", func(db *gorm.DB) *gorm.DB { return db.Create(&[2]typed{}) }, `INSERT INTO typeds (id,name) VALUES (#1,""),(#2,"")`},
		{"empty slice", func(db *gorm.DB) *gorm.DB { return db.Create(&[]typed{}) }, "empty slice found"},
		{"struct by value", func(db *gorm.DB) *gorm.DB { return db.Create(typed{}) }, "gormplugin.Create(gormplugin_test.typed): can't set typed.ID of a struct passed by value: invalid value, should be pointer to struct or slice"},
		{"struct by value with an ID", func(db *gorm.DB) *gorm.DB { return db.Create(typed{ID: oid.For[typed](a)}) }, `INSERT INTO typeds (id,name) VALUES (A,"")`},
		{"pointer key", func(db *gorm.DB) *gorm.DB { return db.Create(&optional{}) }, `INSERT INTO optionals (id,name) VALUES (#1,"")`},
		{"pointer key of a struct by value", func(db *gorm.DB) *gorm.DB { return db.Create(optional{}) }, "gormplugin.Create(gormplugin_test.optional): can't set optional.ID of a struct passed by value: invalid value, should be pointer to struct or slice"},
		{"pointer key to zero of a struct by value", func(db *gorm.DB) *gorm.DB { return db.Create(optional{ID: new(oid.ID)}) }, "gormplugin.Create(gormplugin_test.optional): can't set optional.ID of a struct passed by value: invalid value, should be pointer to struct or slice"},
		{"embedded", func(db *gorm.DB) *gorm.DB { return db.Create(&embeds{}) }, `INSERT INTO embeds (id,name) VALUES (#1,"")`},
		{"rows of another model", func(db *gorm.DB) *gorm.DB { return db.Model(&typed{}).Create(&label{}) }, "gormplugin.Create(*gormplugin_test.label): a row is gormplugin_test.label, not the model gormplugin_test.typed: unsupported data"},
		{"rows of another model stay", func(db *gorm.DB) *gorm.DB {
			row := label{}
			tx := db.Model(&typed{}).Create(&row)
			if row.ID != (sqltype.Hex{}) {
				t.Errorf("a row of another model got the ID %v", row.ID)
			}
			return tx
		}, "gormplugin.Create(*gormplugin_test.label): a row is gormplugin_test.label, not the model gormplugin_test.typed: unsupported data"},
		{"rows of another model, which has no ID", func(db *gorm.DB) *gorm.DB {
			return db.Model(&numbered{}).Create(&struct {
				ID   uint
				Name string
			}{})
		}, "INSERT INTO numbereds DEFAULT VALUES RETURNING id"},
		{"number as a row", func(db *gorm.DB) *gorm.DB { return db.Model(&visit{}).Create(7) }, "unsupported data"},
		{"key without methods", func(db *gorm.DB) *gorm.DB { return db.Create(&bareKey{}) }, "gormplugin.Model(bareKey): ID: the type gormplugin_test.bare12 has no method Value, which a database needs: use oid.ID, or an alias such as type UserID = oid.For[User]: invalid field"},
		{"key that can't be read", func(db *gorm.DB) *gorm.DB { return db.Create(&writeKey{}) }, `INSERT INTO write_keys (id) VALUES ("id 000000000000000000000000")`},
		{"key that can't be written", func(db *gorm.DB) *gorm.DB { return db.Create(&readKey{}) }, "gormplugin.Model(readKey): ID: the type gormplugin_test.scanned has no method Value, which a database needs: use oid.ID, or an alias such as type UserID = oid.For[User]: invalid field"},
		{"key of optional text", func(db *gorm.DB) *gorm.DB { return db.Create(&textKey{}) }, "INSERT INTO text_keys (id) VALUES (NULL)"},
		{"tag of a field without a column", func(db *gorm.DB) *gorm.DB { return db.Create(&hiddenTag{ID: a}) }, "gormplugin.Model(hiddenTag): Other: the tag oid is only for columns of IDs, and this field of type oid.ID is not one"},
		{"owner with a number for its key", func(db *gorm.DB) *gorm.DB { return db.Create(&owned{Owner: &numbered{}}) }, "INSERT INTO owneds (id,owner_id) VALUES (#1,0)"},
		{"key in JSON", func(db *gorm.DB) *gorm.DB { return db.Create(&jsonKey{}) }, `INSERT INTO json_keys (id) VALUES ("""000000000000000000000000""")`},
		{"rows of a like model", func(db *gorm.DB) *gorm.DB {
			return db.Model(&typed{}).Create(&[]struct {
				ID   oid.For[typed]
				Name string
			}{{Name: "x"}})
		}, `INSERT INTO typeds (id,name) VALUES (#1,"x")`},
		{"map", func(db *gorm.DB) *gorm.DB { return db.Model(&typed{}).Create(map[string]any{"name": "x"}) }, `INSERT INTO typeds (id,name) VALUES (#1,"x")`},
		{"map with a zero ID", func(db *gorm.DB) *gorm.DB {
			return db.Model(&typed{}).Create(map[string]any{"ID": oid.ID{}, "name": "x"})
		}, `INSERT INTO typeds (id,name) VALUES (#1,"x")`},
		{"map with a pointer to zero", func(db *gorm.DB) *gorm.DB { return db.Model(&typed{}).Create(map[string]any{"id": new(oid.ID)}) }, "INSERT INTO typeds (id) VALUES (#1)"},
		{"map with a pointer to zero, which is filled", func(db *gorm.DB) *gorm.DB {
			var id oid.ID
			tx := db.Model(&typed{}).Create(map[string]any{"id": &id})
			if id.IsZero() {
				t.Error("the pointer in the map is zero")
			}
			return tx
		}, "INSERT INTO typeds (id) VALUES (#1)"},
		{"map with empty text", func(db *gorm.DB) *gorm.DB { return db.Model(&typed{}).Create(map[string]any{"id": ""}) }, "INSERT INTO typeds (id) VALUES (#1)"},
		{"map with no bytes", func(db *gorm.DB) *gorm.DB { return db.Model(&typed{}).Create(map[string]any{"id": []byte(nil)}) }, "INSERT INTO typeds (id) VALUES (#1)"},
		{"map with a pointer to any", func(db *gorm.DB) *gorm.DB { v := any(a); return db.Model(&typed{}).Create(map[string]any{"id": &v}) }, "INSERT INTO typeds (id) VALUES (A)"},
		{"map with a nil pointer to any", func(db *gorm.DB) *gorm.DB { return db.Model(&typed{}).Create(map[string]any{"id": (*any)(nil)}) }, "INSERT INTO typeds (id) VALUES (#1)"},
		{"map with a nil ID", func(db *gorm.DB) *gorm.DB { return db.Model(&typed{}).Create(map[string]any{"id": (*oid.ID)(nil)}) }, "INSERT INTO typeds (id) VALUES (#1)"},
		{"nil map", func(db *gorm.DB) *gorm.DB { return db.Model(&typed{}).Create(nilMap) }, "gormplugin.Create(map[string]interface {}): a row is a nil map: unsupported data"},
		{"maps", func(db *gorm.DB) *gorm.DB {
			return db.Model(&typed{}).Create([]map[string]any{{"name": "x"}, {"name": "y"}})
		}, `INSERT INTO typeds (id,name) VALUES (#1,"x"),(#2,"y")`},

		{"Select", func(db *gorm.DB) *gorm.DB { return db.Select("Name").Create(&typed{}) }, `INSERT INTO typeds (id,name) VALUES (#1,"")`},
		{"Omit of another field", func(db *gorm.DB) *gorm.DB { return db.Omit("Name").Create(&typed{}) }, "INSERT INTO typeds (id) VALUES (#1)"},
		{"Omit", func(db *gorm.DB) *gorm.DB { return db.Omit("ID").Create(&typed{}) }, "gormplugin.Create(*gormplugin_test.typed): typed.ID is left out and has no default: primary key required"},
		{"Omit with a default", func(db *gorm.DB) *gorm.DB { return db.Omit("ID").Create(&defaulted{}) }, `INSERT INTO defaulteds (name) VALUES ("") RETURNING id`},
		{"default", func(db *gorm.DB) *gorm.DB { return db.Create(&defaulted{}) }, `INSERT INTO defaulteds (name) VALUES ("") RETURNING id`},
		{"autoIncrement left over", func(db *gorm.DB) *gorm.DB { return db.Create(&leftover{}) }, "gormplugin.Create(*gormplugin_test.leftover): leftover.ID is zero: set it, or tag it oid:auto: primary key required"},
		{"not creatable", func(db *gorm.DB) *gorm.DB { return db.Create(&readOnly{}) }, "gormplugin.Create(*gormplugin_test.readOnly): readOnly.ID is left out and has no default: primary key required"},
		{"not creatable, selected", func(db *gorm.DB) *gorm.DB { return db.Select("ID", "Name").Create(&readOnly{}) }, "gormplugin.Create(*gormplugin_test.readOnly): readOnly.ID is left out and has no default: primary key required"},
		{"not updatable, left out", func(db *gorm.DB) *gorm.DB { return db.Select("Name").Create(&writeOnce{}) }, `INSERT INTO write_onces (id,name) VALUES (#1,"")`},
		{"tags", func(db *gorm.DB) *gorm.DB { return db.Create(&tagged{ID: a}) }, "INSERT INTO taggeds (id,token,plain) VALUES (A,#1,ZERO)"},
		{"tags, zero key", func(db *gorm.DB) *gorm.DB { return db.Create(&tagged{}) }, "gormplugin.Create(*gormplugin_test.tagged): tagged.ID is zero: set it, or tag it oid:auto: primary key required"},
		{"tags, selected", func(db *gorm.DB) *gorm.DB { return db.Select("Plain").Create(&tagged{ID: a}) }, "INSERT INTO taggeds (id,token,plain) VALUES (A,#1,ZERO)"},
		{"tags, omitted", func(db *gorm.DB) *gorm.DB {
			row := tagged{ID: a}
			tx := db.Omit("Token").Create(&row)
			if !row.Token.IsZero() {
				t.Errorf("a field that isn't written got the ID %v", row.Token)
			}
			return tx
		}, "INSERT INTO taggeds (id,plain) VALUES (A,ZERO)"},
		{"composite", func(db *gorm.DB) *gorm.DB { return db.Create(&composite{a, b}) }, "INSERT INTO composites (id,part) VALUES (A,B)"},
		{"composite, half", func(db *gorm.DB) *gorm.DB { return db.Create(&[]composite{{a, b}, {ID: a}}) }, "gormplugin.Create(*[]gormplugin_test.composite): composite.Part is zero: set it, or tag it oid:auto: primary key required"},
		{"composite, nil pointer", func(db *gorm.DB) *gorm.DB { return db.Create([]*composite{{a, b}, nil}) }, "slice data #1 is invalid: unsupported data"},
		{"composite, nil map", func(db *gorm.DB) *gorm.DB {
			return db.Model(&composite{}).Create([]map[string]any{{"id": a, "part": b}, nil})
		}, "gormplugin.Create([]map[string]interface {}): a row is a nil map: unsupported data"},
		{"composite, none", func(db *gorm.DB) *gorm.DB { return db.Create(&composite{}) }, "gormplugin.Create(*gormplugin_test.composite): composite.ID is zero: set it, or tag it oid:auto: primary key required; gormplugin.Create(*gormplugin_test.composite): composite.Part is zero: set it, or tag it oid:auto: primary key required"},
		{"composite, auto", func(db *gorm.DB) *gorm.DB { return db.Create(&compositeAuto{Part: b}) }, "INSERT INTO composite_autos (id,part) VALUES (#1,B)"},
		{"composite, selected", func(db *gorm.DB) *gorm.DB { return db.Select("ID").Create(&composite{a, b}) }, "INSERT INTO composites (id,part) VALUES (A,B)"},
		{"foreign key as key", func(db *gorm.DB) *gorm.DB { return db.Create(&passport{}) }, "INSERT INTO passports (id) VALUES (#1)"},
		{"key that is a foreign key of another model", func(db *gorm.DB) *gorm.DB {
			db.Create(&passport{})
			return db.Create(&bearer{})
		}, "gormplugin.Create(*gormplugin_test.bearer): bearer.ID is zero: set it, or tag it oid:auto: primary key required"},
		{"foreign key as key, saved with it", func(db *gorm.DB) *gorm.DB { return db.Create(&passport{Bearer: &bearer{ID: a}}) }, "INSERT INTO passports (id) VALUES (#1)"},
		{"bad tag", func(db *gorm.DB) *gorm.DB { return db.Create(&badTag{}) }, "gormplugin.Model(badTag): ID: the tag is oid:always, want oid:auto or oid:-"},
		{"misplaced tag", func(db *gorm.DB) *gorm.DB { return db.Create(&misplacedTag{}) }, "gormplugin.Model(misplacedTag): Name: the tag oid is only for columns of IDs, and this field of type string is not one"},
		{"another key", func(db *gorm.DB) *gorm.DB { return db.Create(&numbered{}) }, "INSERT INTO numbereds DEFAULT VALUES RETURNING id"},

		{"hook", func(db *gorm.DB) *gorm.DB {
			h := &hooked{Name: "x"}
			tx := db.Create(h)
			if h.seen != h.ID {
				tx.AddError(fmt.Errorf("the hook saw %v", h.seen))
			}
			return tx
		}, `INSERT INTO hookeds (id,name) VALUES (#1,"x")`},
		{"hook that wipes the ID", func(db *gorm.DB) *gorm.DB { return db.Create(&hooked{Name: "wipe"}) }, `INSERT INTO hookeds (id,name) VALUES (#2,"wipe")`},

		{"hook before saving that wipes the ID", func(db *gorm.DB) *gorm.DB { return db.Create(&saved{}) }, `INSERT INTO saveds (id,name) VALUES (#2,"")`},
		{"upsert of all", func(db *gorm.DB) *gorm.DB { return upsert(db, clause.OnConflict{UpdateAll: true}) }, `INSERT INTO typeds (id,name) VALUES (#1,"x") ON CONFLICT (id) DO UPDATE SET name=excluded.name`},
		{"upsert by the key", func(db *gorm.DB) *gorm.DB {
			return upsert(db, clause.OnConflict{Columns: columns("id"), DoUpdates: clause.AssignmentColumns(columnName)})
		}, `INSERT INTO typeds (id,name) VALUES (#1,"x") ON CONFLICT (id) DO UPDATE SET name=excluded.name`},
		{"upsert by another column", func(db *gorm.DB) *gorm.DB {
			return upsert(db, clause.OnConflict{Columns: columns("name"), DoUpdates: clause.AssignmentColumns(columnName)})
		}, `INSERT INTO typeds (id,name) VALUES (#1,"x") ON CONFLICT (name) DO UPDATE SET name=excluded.name RETURNING id`},
		{"upsert by the key and another column", func(db *gorm.DB) *gorm.DB {
			return upsert(db, clause.OnConflict{Columns: columns("id", "name"), UpdateAll: true})
		}, `INSERT INTO typeds (id,name) VALUES (#1,"x") ON CONFLICT (id,name) DO UPDATE SET name=excluded.name RETURNING id`},
		{"upsert by another column and the key", func(db *gorm.DB) *gorm.DB {
			return upsert(db, clause.OnConflict{Columns: columns("name", "id"), UpdateAll: true})
		}, `INSERT INTO typeds (id,name) VALUES (#1,"x") ON CONFLICT (name,id) DO UPDATE SET name=excluded.name RETURNING id`},
		{"upsert by no column", func(db *gorm.DB) *gorm.DB {
			return upsert(db, clause.OnConflict{DoUpdates: clause.AssignmentColumns(columnName)})
		}, `INSERT INTO typeds (id,name) VALUES (#1,"x") ON CONFLICT DO UPDATE SET name=excluded.name RETURNING id`},
		{"upsert by a constraint", func(db *gorm.DB) *gorm.DB {
			return upsert(db, clause.OnConflict{OnConstraint: "c", UpdateAll: true})
		}, `INSERT INTO typeds (id,name) VALUES (#1,"x") ON CONFLICT ON CONSTRAINT c DO UPDATE SET name=excluded.name RETURNING id`},
		{"upsert with a condition", func(db *gorm.DB) *gorm.DB {
			where := clause.Where{Exprs: []clause.Expression{clause.Eq{Column: "name", Value: "x"}}}
			return upsert(db, clause.OnConflict{Columns: columns("name"), Where: where, DoUpdates: clause.AssignmentColumns(columnName)})
		}, `INSERT INTO typeds (id,name) VALUES (#1,"x") ON CONFLICT (name) DO UPDATE SET name=excluded.name WHERE name = "x" `},
		{"upsert of nothing", func(db *gorm.DB) *gorm.DB { return upsert(db, clause.OnConflict{DoNothing: true}) }, `INSERT INTO typeds (id,name) VALUES (#1,"x") ON CONFLICT DO NOTHING`},
		{"upsert that returns the name", func(db *gorm.DB) *gorm.DB {
			return upsert(db.Clauses(clause.Returning{Columns: columns("name")}), clause.OnConflict{Columns: columns("name"), UpdateAll: true})
		}, `INSERT INTO typeds (id,name) VALUES (#1,"x") ON CONFLICT (name) DO UPDATE SET name=excluded.name RETURNING name,id`},
		{"upsert that returns the key", func(db *gorm.DB) *gorm.DB {
			return upsert(db.Clauses(clause.Returning{Columns: columns("id")}), clause.OnConflict{Columns: columns("name"), UpdateAll: true})
		}, `INSERT INTO typeds (id,name) VALUES (#1,"x") ON CONFLICT (name) DO UPDATE SET name=excluded.name RETURNING id`},
		{"upsert that returns all", func(db *gorm.DB) *gorm.DB {
			return upsert(db.Clauses(clause.Returning{}), clause.OnConflict{Columns: columns("name"), UpdateAll: true})
		}, `INSERT INTO typeds (id,name) VALUES (#1,"x") ON CONFLICT (name) DO UPDATE SET name=excluded.name RETURNING *`},
		{"upsert that returns defaults", func(db *gorm.DB) *gorm.DB {
			return db.Clauses(clause.OnConflict{Columns: columns("name"), DoUpdates: clause.AssignmentColumns(columnName)}).Create(&ranked{Name: "x"})
		}, `INSERT INTO rankeds (id,name) VALUES (#1,"x") ON CONFLICT (name) DO UPDATE SET name=excluded.name RETURNING rank,id`},
		{"upsert of a map", func(db *gorm.DB) *gorm.DB {
			return db.Model(&typed{}).Clauses(clause.OnConflict{Columns: columns("name"), DoUpdates: clause.AssignmentColumns(columnName)}).Create(map[string]any{"name": "x"})
		}, `INSERT INTO typeds (id,name) VALUES (#1,"x") ON CONFLICT (name) DO UPDATE SET name=excluded.name RETURNING id`},
		{"upsert of a composite key", func(db *gorm.DB) *gorm.DB {
			return db.Clauses(clause.OnConflict{Columns: columns("part"), UpdateAll: true}).Create(&composite{a, b})
		}, "INSERT INTO composites (id,part) VALUES (A,B) ON CONFLICT (part) DO NOTHING"},
		{"upsert of defaults", func(db *gorm.DB) *gorm.DB {
			return db.Clauses(clause.OnConflict{Columns: columns("name"), DoUpdates: clause.AssignmentColumns(columnName)}).Create(&defaulted{ID: a})
		}, `INSERT INTO defaulteds (name,id) VALUES ("",A) ON CONFLICT (name) DO UPDATE SET name=excluded.name RETURNING id`},
		{"save", func(db *gorm.DB) *gorm.DB { return db.Save(&typed{Name: "x"}) }, `INSERT INTO typeds (id,name) VALUES (#1,"x")`},
	} {
		g := &oid.Generator{Process: [5]byte{1}, Now: now, Rand: zeros{}}
		got := sentBy(tt.run(openNamed(t, "dummy", gormplugin.New(gormplugin.WithGenerator(g)))))
		if got != tt.want {
			t.Errorf("%s: sent %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// made matches the IDs of the generator.
var made = regexp.MustCompile(`x?['"]65b3f7a20100000000000*([0-9a-f]+)['"]`)

// zeros is a source of randomness that isn't one.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

var columnName = []string{"name"}

func columns(names ...string) (list []clause.Column) {
	for _, name := range names {
		list = append(list, clause.Column{Name: name})
	}
	return list
}

func upsert(db *gorm.DB, conflict clause.OnConflict) *gorm.DB {
	return db.Clauses(conflict).Create(&typed{Name: "x"})
}

// TestAfterHooks shows that hooks see no ID with the option, and that rows get one all
// the same.
func TestAfterHooks(t *testing.T) {
	db := openNamed(t, "dummy", gormplugin.New(gormplugin.WithAfterHooks()))
	h, l := &hooked{Name: "x"}, &typed{}
	if err := db.Create(h).Error; err != nil || !h.seen.IsZero() || h.ID.IsZero() {
		t.Errorf("the hook saw %v; ID %v, %v", h.seen, h.ID, err)
	}
	if err := db.Create(l).Error; err != nil || l.ID.IsZero() {
		t.Errorf("without a hook: ID %v, %v", l.ID, err)
	}
}

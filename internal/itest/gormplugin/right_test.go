package gormplugin_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Keys is embedded in the models below.
type Keys struct {
	ID      oid.ID           `gorm:"size:12"`
	OwnerID sqltype.ZeroNull `gorm:"size:12"`
}

// A Housed row has its key in an embedded struct, and more with a prefix.
type Housed struct {
	Keys
	Was       Keys `gorm:"embedded;embeddedPrefix:was_"`
	Name      string
	DeletedAt gorm.DeletedAt
}

// A Seat has a composite key.
type Seat struct {
	RoomID oid.ID      `gorm:"primaryKey;size:12"`
	UserID sqltype.Hex `gorm:"primaryKey;size:24"`
	Place  int         `gorm:"primaryKey;autoIncrement:false"`
	Name   string
}

// TestRightIDsAreNotRefused runs statements with right IDs in the settings that
// programs use. Each must touch one row.
func TestRightIDsAreNotRefused(t *testing.T) {
	t.Parallel()
	sessions := map[string]*gorm.Session{
		"plain":                      {NewDB: true},
		"prepared":                   {NewDB: true, PrepareStmt: true},
		"skip hooks":                 {NewDB: true, SkipHooks: true},
		"query fields":               {NewDB: true, QueryFields: true},
		"full save":                  {NewDB: true, FullSaveAssociations: true},
		"no default tx, all allowed": {NewDB: true, SkipDefaultTransaction: true, AllowGlobalUpdate: true},
	}
	opens := maps.Clone(databases)
	for _, e := range mysqlserver.Engines() { // which else don't count the rows that an UPDATE leaves as they were
		opens[e.Name] = func(t *testing.T) *gorm.DB { return openMySQL(t, e, "&clientFoundRows=true") }
	}
	for name, open := range opens {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := migrated(t, use(t, open(t)), []any{&Housed{}, &Seat{}})
			for name, session := range sessions {
				checkHoused(t, db.Session(session), name)
				checkSeats(t, db.Session(session), name)
				unscoped := db.Session(session).Unscoped().Session(&gorm.Session{})
				checkHoused(t, unscoped, name+", unscoped")
				checkSeats(t, unscoped, name+", unscoped")
			}
		})
	}
}

// checkHoused runs statements on an embedded key, and generic ones.
func checkHoused(t *testing.T, db *gorm.DB, session string) {
	t.Helper()
	ctx := context.Background()
	owner, was := oid.New(), oid.New()
	rows := []Housed{{Name: "a", Was: Keys{ID: was}}, {Name: "b"}}
	if err := db.Create(&rows).Error; err != nil {
		t.Errorf("%s: %v", session, err)
		return
	}
	id := rows[0].ID
	for name, run := range map[string]func() *gorm.DB{
		"First":  func() *gorm.DB { return db.First(&Housed{}, id) },
		"prefix": func() *gorm.DB { return db.Find(&[]Housed{}, "was_id = ?", was) },
		"struct": func() *gorm.DB { return db.Find(&[]Housed{}, &Housed{Was: Keys{ID: was}}) },
		"Save": func() *gorm.DB {
			return db.Select("*").Updates(&Housed{Keys: Keys{ID: id}, Name: "a", Was: Keys{ID: was}})
		},
		"Update": func() *gorm.DB { return db.Model(&rows[0]).Update("owner_id", owner) },
		"Updates": func() *gorm.DB {
			return db.Model(&Housed{}).Where(id).Updates(map[string]any{"OwnerID": owner.Hex(), "was_id": &was})
		},
		"UpdateColumns": func() *gorm.DB {
			return db.Model(&rows[0]).UpdateColumns(Housed{Keys: Keys{OwnerID: sqltype.ZeroNull(owner)}})
		},
		"NULL":  func() *gorm.DB { return db.Model(&rows[0]).Update("owner_id", nil) },
		"swap":  func() *gorm.DB { return db.Model(&rows[0]).Update("owner_id", clause.Column{Name: "was_id"}) },
		"IN":    func() *gorm.DB { return db.Find(&[]Housed{}, "id IN (?, ?)", id, was) },
		"tuple": func() *gorm.DB { return db.Find(&[]Housed{}, "(id, name) IN ?", [][]any{{id, "a"}, {id, "0"}}) },
		"page": func() *gorm.DB {
			return db.Where("(name, id) > (?, ?)", "a", id).Find(&[]Housed{}, []oid.ID{id, rows[1].ID})
		},
		"BETWEEN": func() *gorm.DB {
			return db.Find(&[]Housed{}, "id BETWEEN @from AND @to AND 1 = 1", map[string]any{"from": id, "to": id})
		},
	} {
		if tx := run(); tx.Error != nil || tx.RowsAffected != 1 {
			t.Errorf("%s, %s: %d rows, %v", session, name, tx.RowsAffected, tx.Error)
		}
	}
	g := gorm.G[Housed](db)
	for name, run := range map[string]func() (int, error){
		"Find": func() (int, error) { found, err := g.Where("id = ?", id).Find(ctx); return len(found), err },
		"First": func() (int, error) {
			found, err := g.Where(id).First(ctx)
			return slices.Index([]oid.ID{{}, id}, found.ID), err
		},
		"Update":  func() (int, error) { return g.Where("id IN ?", []oid.ID{id}).Update(ctx, "owner_id", owner) },
		"Updates": func() (int, error) { return g.Where("id = ?", id.Hex()).Updates(ctx, Housed{Was: Keys{ID: was}}) },
		"Set": func() (int, error) {
			return g.Where(id).Set(clause.Assignment{Column: clause.Column{Name: "owner_id"}, Value: owner}).Update(ctx)
		},
	} {
		if n, err := run(); err != nil || n != 1 {
			t.Errorf("%s, generic %s: %d rows, %v", session, name, n, err)
		}
	}
	if n, err := g.Where(map[string]any{"id": id}).Delete(ctx); err != nil || n != 1 {
		t.Errorf("%s, generic Delete: %d rows, %v", session, n, err)
	}
	if tx := db.Delete(&Housed{}, []oid.ID{rows[1].ID}); tx.Error != nil || tx.RowsAffected != 1 {
		t.Errorf("%s, Delete: %d rows, %v", session, tx.RowsAffected, tx.Error)
	}
}

// checkSeats runs statements on a composite key.
func checkSeats(t *testing.T, db *gorm.DB, session string) {
	t.Helper()
	room, user := oid.New(), oid.New()
	seats := []Seat{{room, sqltype.Hex(user), 0, "a"}, {room, sqltype.Hex(user), 1, "b"}}
	if err := db.Create(&seats).Error; err != nil {
		t.Errorf("%s: %v", session, err)
		return
	}
	for name, run := range map[string]func() *gorm.DB{
		"row":    func() *gorm.DB { return db.Find(&[]Seat{}, &seats[1]) },
		"rows":   func() *gorm.DB { return db.Where(seats[1:]).Find(&[]Seat{}) },
		"update": func() *gorm.DB { return db.Model(&seats[1]).Update("name", "c") },
		"save": func() *gorm.DB {
			return db.Model(&seats[1]).Select("Name", "UserID").Updates(Seat{UserID: sqltype.Hex(user), Name: "c"})
		},
		"tuples": func() *gorm.DB {
			return db.Find(&[]Seat{}, "(room_id, user_id, place) IN ?", [][]any{{room, user, 1}, {room, user.Hex(), 7}})
		},
		"longer text": func() *gorm.DB {
			return db.Find(&[]Seat{}, "(room_id, user_id) IN ? AND place = 1", [][]any{{room, sqltype.Hex(user)}})
		},
		"columns": func() *gorm.DB {
			columns := []clause.Column{{Name: "room_id"}, {Name: "user_id"}, {Name: "name"}}
			return db.Where(clause.IN{Column: columns, Values: []any{[]any{room, user, "a"}}}).Find(&[]Seat{})
		},
		"upsert": func() *gorm.DB {
			return db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "room_id"}, {Name: "user_id"}, {Name: "place"}}, DoNothing: true}).
				Model(&Seat{}).Create(map[string]any{"room_id": room, "user_id": user, "place": 2, "name": "d"})
		},
	} {
		if tx := run(); tx.Error != nil || tx.RowsAffected != 1 {
			t.Errorf("%s, seat by %s: %d rows, %v", session, name, tx.RowsAffected, tx.Error)
		}
	}
	if tx := db.Delete(&seats); tx.Error != nil || tx.RowsAffected != 2 {
		t.Errorf("%s, Delete of seats: %d rows, %v", session, tx.RowsAffected, tx.Error)
	}
}

package public_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/glebarez/sqlite"
	"github.com/oidkit/oidkit/gormplugin"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/public"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
)

func TestGORM(t *testing.T) {
	dialectors := map[string]func(t *testing.T) gorm.Dialector{
		"SQLite":     func(t *testing.T) gorm.Dialector { return sqlite.Open(filepath.Join(t.TempDir(), "test.db")) },
		"PostgreSQL": func(t *testing.T) gorm.Dialector { return postgres.Open(pgserver.Database(t)) },
	}
	for _, e := range mysqlserver.Engines() {
		dialectors[e.Name] = func(t *testing.T) gorm.Dialector { return mysql.Open(e.Database(t)) }
	}
	for name, open := range dialectors {
		t.Run(name, func(t *testing.T) {
			db, err := gorm.Open(open(t), &gorm.Config{Logger: logger.Discard})
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Use(gormplugin.New(gormplugin.WithModels(&Shop{}, &Order{}))); err != nil {
				t.Fatal(err)
			}
			if err := db.AutoMigrate(&Shop{}, &Order{}); err != nil {
				t.Fatal(err)
			}
			withGORM(t, db)
			if sqlDB, err := db.DB(); err != nil || sqlDB.Close() != nil {
				t.Error(err)
			}
		})
	}
}

func withGORM(t *testing.T, db *gorm.DB) {
	before := time.Now().Add(-time.Second)
	shop := Shop{Name: "corner", Orders: []Order{{Note: "a"}, {Note: "b"}}}
	if err := db.Create(&shop).Error; err != nil || shop.ID.IsZero() || shop.Orders[0].ID.IsZero() || shop.Orders[1].ShopID != shop.ID {
		t.Fatalf("Create: %v, %v", shop, err)
	}
	first, second := shop.Orders[0], shop.Orders[1]
	types, err := db.Migrator().ColumnTypes(&Order{})
	if err != nil {
		t.Fatal(err)
	}
	for _, column := range types {
		if name := column.DatabaseTypeName(); column.Name() == "id" && name != "blob" && name != "bytea" && name != "BLOB" && name != "BYTEA" && name != "binary" && name != "varbinary" {
			t.Errorf("the column id is a %s", name)
		}
	}
	var stored []byte
	if err := db.Raw("SELECT id FROM orders WHERE note = 'a'").Row().Scan(&stored); err != nil || string(stored) != string(first.ID[:]) {
		t.Errorf("the column holds %x, %v, want %x", stored, err, first.ID[:])
	}

	var got Order
	if err := db.First(&got, first.ID).Error; err != nil || got != first {
		t.Errorf("First = %v, %v", got, err)
	}
	parsed, err := orderForm.Parse(second.ID.String())
	got = Order{}
	if err := errors.Join(err, db.Take(&got, parsed).Error); err != nil || got != second {
		t.Errorf("Take of what Parse returns = %v, %v", got, err)
	}
	for name, find := range map[string]*gorm.DB{
		"id IN":        db.Where("id IN ?", []OrderID{first.ID, second.ID}),
		"map":          db.Where(map[string]any{"id": []OrderID{first.ID, second.ID}}),
		"struct":       db.Where(&Order{ShopID: shop.ID}),
		"column":       db.Where("shop_id = ?", shop.ID),
		"pointer":      db.Where("shop_id = ?", &shop.ID),
		"oid.ID":       db.Where("shop_id = ?", oid.ID(shop.ID)),
		"CreatedSince": db.Where(gormplugin.CreatedSince(before)),
		"between":      db.Where("id BETWEEN ? AND ?", first.ID, second.ID),
		"Not":          db.Not("id = ?", OrderID(sample)),
		"plugin's IDs": db.Where(gormplugin.IDs(oid.ID(first.ID), oid.ID(second.ID))),
	} {
		var list []Order
		if err := find.Order("note").Find(&list).Error; err != nil || len(list) != 2 || list[0] != first || list[1] != second {
			t.Errorf("%s: %v, %v", name, list, err)
		}
	}
	var shops []Shop
	if err := db.Preload("Orders").Find(&shops).Error; err != nil || len(shops) != 1 || len(shops[0].Orders) != 2 {
		t.Errorf("Preload: %v, %v", shops, err)
	}
	var names []string
	err = db.Model(&Order{}).Joins("JOIN shops ON shops.id = orders.shop_id AND shops.id = ?", shop.ID).Pluck("note", &names).Error
	if err != nil || len(names) != 2 {
		t.Errorf("Joins: %v, %v", names, err)
	}
	third := Order{Note: "c"}
	if err := db.Model(&shop).Association("Orders").Append(&third); err != nil || third.ShopID != shop.ID || third.ID.IsZero() {
		t.Errorf("Append: %v, %v", third, err)
	}
	if err := db.Save(&Order{ID: third.ID, ShopID: shop.ID, Note: "saved"}).Error; err != nil {
		t.Errorf("Save: %v", err)
	}

	// A text in the form, in each kind of condition.
	text := first.ID.String()
	for name, find := range map[string]func(db *gorm.DB) *gorm.DB{
		"Where":    func(db *gorm.DB) *gorm.DB { return db.Where("id = ?", text).Find(&[]Order{}) },
		"IN":       func(db *gorm.DB) *gorm.DB { return db.Where("id IN ?", []string{text}).Find(&[]Order{}) },
		"map":      func(db *gorm.DB) *gorm.DB { return db.Where(map[string]any{"id": text}).Find(&[]Order{}) },
		"Delete":   func(db *gorm.DB) *gorm.DB { return db.Where("id = ?", text).Delete(&Order{}) },
		"Update":   func(db *gorm.DB) *gorm.DB { return db.Model(&Order{}).Where("id = ?", text).Update("note", "x") },
		"shop_id":  func(db *gorm.DB) *gorm.DB { return db.Where("shop_id = ?", shop.ID.String()).Find(&[]Order{}) },
		"not even": func(db *gorm.DB) *gorm.DB { return db.Where("id <> ?", text).Delete(&Order{}) },
		"no prefix": func(db *gorm.DB) *gorm.DB {
			return db.Where("id = ?", public.Must(public.Prefixed("")).Text(oid.ID(first.ID))).Find(&[]Order{})
		},
	} {
		err := find(db.Session(&gorm.Session{})).Error
		if !errors.Is(err, gorm.ErrInvalidData) || !strings.Contains(err.Error(), "Parse of its form") {
			t.Errorf("a text in %s: %v", name, err)
		}
	}
	refusesOtherModels(t, db, first)
	if err := db.Delete(&Order{}, first.ID).Error; err != nil {
		t.Errorf("Delete: %v", err)
	}
	var left int64
	if err := db.Model(&Order{}).Count(&left).Error; err != nil || left != 2 {
		t.Errorf("%d rows are left, want 2", left)
	}
}

// refusesOtherModels fails the test if an ID of another model meets the column of order,
// whichever of the typed forms it has.
func refusesOtherModels(t *testing.T, db *gorm.DB, order Order) {
	t.Helper()
	for typ, wrong := range map[string]map[string]any{
		"public.ID[Order]": {"id": order.ID, "list": []OrderID{order.ID, order.ID}, "pointer": &order.ID, "null": sql.Null[OrderID]{V: order.ID, Valid: true}},
		"oid.For[Order]": {"id": oid.For[Order](order.ID), "list": []oid.For[Order]{oid.For[Order](order.ID)}, "pointer": ptr(oid.For[Order](order.ID)),
			"null": sql.Null[oid.For[Order]]{V: oid.For[Order](order.ID), Valid: true}},
	} {
		id, none := wrong["id"], func(db *gorm.DB) *gorm.DB { return db.Model(&Order{}).Where("id = ?", OrderID(sample)) }
		for name, run := range map[string]func(db *gorm.DB) error{
			"text":       func(db *gorm.DB) error { return db.Find(&[]Order{}, "shop_id = ?", id).Error },
			"pointer":    func(db *gorm.DB) error { return db.Find(&[]Order{}, "shop_id <> ?", wrong["pointer"]).Error },
			"sql.Null":   func(db *gorm.DB) error { return db.Find(&[]Order{}, "shop_id = ?", wrong["null"]).Error },
			"list":       func(db *gorm.DB) error { return db.Find(&[]Order{}, "shop_id IN ?", wrong["list"]).Error },
			"map":        func(db *gorm.DB) error { return db.Where(map[string]any{"shop_id": id}).Find(&[]Order{}).Error },
			"Not":        func(db *gorm.DB) error { return db.Not("shop_id", id).Find(&[]Order{}).Error },
			"Or":         func(db *gorm.DB) error { return db.Where("1 = 0").Or("shop_id = ?", id).Find(&[]Order{}).Error },
			"key":        func(db *gorm.DB) error { return db.Take(&Shop{}, "id = ?", id).Error },
			"Delete":     func(db *gorm.DB) error { return db.Delete(&Order{}, "shop_id = ?", id).Error },
			"Update":     func(db *gorm.DB) error { return none(db).Update("shop_id", id).Error },
			"Update all": func(db *gorm.DB) error { return db.Model(&Order{}).Where("shop_id = ?", id).Update("note", "x").Error },
			"Updates":    func(db *gorm.DB) error { return none(db).Updates(map[string]any{"shop_id": wrong["pointer"]}).Error },
			"Create": func(db *gorm.DB) error {
				return db.Model(&Order{}).Create(map[string]any{"id": OrderID(oid.New()), "shop_id": id, "note": "x"}).Error
			},
		} {
			err, want := run(db.Session(&gorm.Session{})), "shop_id holds IDs of Shop, got "+typ
			if name == "key" {
				want = "id holds IDs of Shop, got " + typ
			}
			if !errors.Is(err, gorm.ErrInvalidData) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s in %s: %v, want %s", typ, name, err, want)
			}
		}
	}
	var n int64
	if err := db.Model(&Order{}).Where("shop_id = ?", oid.For[Shop](order.ShopID)).Count(&n).Error; err != nil || n == 0 {
		t.Errorf("an oid.For of the same model finds %d orders, %v", n, err)
	}
	// The first relation holds IDs of another model, and so does the second one.
	for name, model := range map[string]any{"has many": &cart{Lines: []cartLine{{}}}, "belongs to": &ticket{Shop: &Shop{Name: "x"}}} {
		for call, err := range map[string]error{"Create": db.Create(model).Error, "Preload": db.Preload(clause.Associations).Find(model).Error} {
			if err == nil || !strings.Contains(err.Error(), "is public.ID[Order], but refers to") {
				t.Errorf("%s of a model whose relation %s is of another model: %v", call, name, err)
			}
		}
	}
}

// Models whose relations hold the IDs of another model.
type (
	cart struct {
		ID    public.ID[cart]
		Lines []cartLine `gorm:"foreignKey:CartID"`
	}
	cartLine struct {
		ID     oid.ID
		CartID OrderID
	}
	ticket struct {
		ID     oid.ID
		ShopID OrderID
		Shop   *Shop
	}
)

func (cart) IDForm() *public.Form { return orderForm }

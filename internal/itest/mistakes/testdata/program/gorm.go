package program

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"gorm.io/gorm"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
)

// found counts the users, of whom there is one, with the ID Sample.
func found(db *gorm.DB) error {
	var users []User
	if err := db.Find(&users).Error; err != nil {
		return err
	}
	return silent(len(users) == 0)
}

// F: sql-reference.md: LIKE
func (e Env) LikeAPrefix() error { return found(e.Gorm.Where("id LIKE ?", Text[:6]+"%")) }

// A: oid.For
func (e Env) IDOfAnotherModel() error {
	return found(e.Gorm.Where("team_id = ?", UserID(Sample)))
}

// A: oid.For
func (e Env) UpdateToAnIDOfAnotherModel() error {
	return e.Gorm.Model(&User{ID: Sample}).Update("team_id", UserID(Sample)).Error
}

// F: gorm-reference.md: What GORM drops
func (e Env) EmptyStructAsACondition() error {
	var users []User
	if err := e.Gorm.Where(&User{}).Find(&users).Error; err != nil {
		return err
	}
	return silent(len(users) == 1)
}

// Invoice keeps the integer key of gorm.Model.
type Invoice struct {
	gorm.Model
	UserID oid.ID
}

// V: this model has the integer key of gorm.Model
func (e Env) ModelWithAnIntegerKey() error {
	gormplugin.WithModels(&Invoice{})
	if err := e.Gorm.AutoMigrate(&Invoice{}); err != nil {
		return err
	}
	invoice := Invoice{UserID: Sample}
	if err := e.Gorm.Create(&invoice).Error; err != nil {
		return err
	}
	return silent(invoice.ID == 1)
}

// Note has a key of text.
type Note struct {
	ID   string
	Text string
}

// V: this model has no field with an ID type
func (e Env) ModelWithAKeyOfText() error {
	gormplugin.WithModels(&Note{})
	return silent(true)
}

// V: users.id gets IDs of 12 bytes in other statements
func (e Env) HexDigitsWithATableOnly() error {
	var rows []map[string]any
	if err := e.Gorm.Table("users").Where("id = ?", Text).Find(&rows).Error; err != nil {
		return err
	}
	return silent(len(rows) == 0)
}

// F: vet.md: hex digits in SQL that is not a constant, or next to a column that the package uses nowhere else
func (e Env) HexDigitsInAJoin() error {
	var users []User
	err := e.Gorm.Joins("JOIN teams ON teams.id = ?", Text).Find(&users).Error
	if err != nil {
		return err
	}
	return silent(len(users) == 0)
}

// V: zero ID
func (e Env) ZeroIDInAMap() error {
	if err := e.Gorm.Model(&User{ID: Sample}).Updates(map[string]any{"boss_id": oid.ID{}}).Error; err != nil {
		return err
	}
	var n int64
	if err := e.Gorm.Model(&User{}).Where("boss_id IS NULL").Count(&n).Error; err != nil {
		return err
	}
	return silent(n == 0)
}

// V: takes seconds
func (e Env) CreatedSinceMilliseconds() error {
	return found(e.Gorm.Where(gormplugin.CreatedSince(time.Unix(time.Now().UnixMilli(), 0))))
}

// V: earlier time first
func (e Env) CreatedBetweenSwappedTimes() error {
	from, to := time.Unix(0, 0), time.Now()
	return found(e.Gorm.Where(gormplugin.CreatedBetween(to, from)))
}

// D: used in key specification without a key length
func (e Env) AutoMigrateBeforeThePlugin() error {
	return e.NoPlugin.AutoMigrate(&User{})
}

// V: GORM reads
func (e Env) ScanOfOneID() error {
	var id oid.ID
	return e.Gorm.Raw("SELECT id FROM users").Scan(&id).Error
}

// V: GORM reads the 12 bytes
func (e Env) PluckIntoStrings() error {
	var texts []string
	if err := e.Gorm.Model(&User{}).Pluck("id", &texts).Error; err != nil {
		return err
	}
	return silent(texts[0] != Text)
}

// A: CreatedSince
func (e Env) TimeAsACondition() error { return found(e.Gorm.Where("id >= ?", time.Now())) }

// A: pass an ID
func (e Env) NumberAsAKey() error { return e.Gorm.Delete(&User{}, 7).Error }

// B: record not found
func (e Env) UnknownID() error { return e.Gorm.First(&User{}, oid.New()).Error }

// A: oid.Parse
func (e Env) OtherTextAsAKey() error { return found(e.Gorm.Where("id = ?", "abc")) }

// A: conditions
func (e Env) DeleteOfEverything() error { return e.Gorm.Delete(&User{}).Error }

// A: write Delete(&User{}, id)
func (e Env) DeleteOfAnID() error {
	id := Sample
	return e.Gorm.Delete(&id).Error
}

// B: registered
func (e Env) PluginTwice() error { return e.Gorm.Use(gormplugin.New()) }

// B: UNIQUE constraint failed
func (e Env) CreateOfAStoredID() error { return e.Gorm.Create(&User{ID: Sample}).Error }

// B: no such column
func (e Env) ColumnThatDoesNotExist() error { return found(e.Gorm.Where("user_id = ?", Sample)) }

// Order is a document whose ID has no tag.
type Order struct {
	ID   oid.ID
	Name string
}

// V: and makes another _id
func (e Env) DocumentWithoutATag() error {
	_ = func(c *mongo.Collection) { c.InsertOne(e.Ctx, Order{ID: Sample}) }
	data, err := bsoncodec.Marshal(Order{ID: Sample})
	if err != nil {
		return err
	}
	return silent(bson.Raw(data).Lookup("_id").IsZero())
}

// V: this text never equals an ObjectId
func (e Env) FilterByHexDigits() error { return filtered(bson.M{"_id": Sample.Hex()}) }

// V: this text never equals an ObjectId
func (e Env) FilterByAListOfHexDigits() error {
	return filtered(bson.M{"_id": bson.M{"$in": []string{Sample.Hex()}}})
}

// V: a time in a filter never equals an ObjectId
func (e Env) FilterByATime() error {
	return filtered(bson.M{"_id": bson.M{"$gte": time.Now()}})
}

// filtered returns nil if no part of the filter is an ObjectId, and so matches none.
func filtered(filter bson.M) error {
	data, err := bsoncodec.Marshal(filter)
	if err != nil {
		return err
	}
	return silent(!holdsObjectID(bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: data}))
}

func holdsObjectID(v bson.RawValue) bool {
	if v.Type == bson.TypeObjectID {
		return true
	}
	doc, ok := v.DocumentOK()
	if array, isArray := v.ArrayOK(); isArray {
		doc, ok = bson.Raw(array), true
	}
	if !ok {
		return false
	}
	elements, _ := doc.Elements()
	for _, e := range elements {
		if holdsObjectID(e.Value()) {
			return true
		}
	}
	return false
}

// B: want an ObjectId of 12 bytes
func (e Env) NumberInADocument() error {
	data, err := bson.Marshal(bson.M{"_id": 7})
	if err != nil {
		return err
	}
	return bsoncodec.Unmarshal(data, &struct {
		ID oid.ID `bson:"_id"`
	}{})
}

// B: hex digit
func (e Env) OtherTextInADocument() error {
	data, err := bson.Marshal(bson.M{"_id": "abc"})
	if err != nil {
		return err
	}
	return bsoncodec.Unmarshal(data, &struct {
		ID oid.ID `bson:"_id"`
	}{})
}

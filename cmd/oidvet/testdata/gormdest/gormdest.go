// Package gormdest has destinations of statements on models with IDs.
package gormdest

import (
	"database/sql"

	"gorm.io/gorm"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

type User struct {
	gormplugin.Model
	Name     string
	BossID   sqltype.ZeroNull
	Boss1ID  *oid.For[User] `gorm:"index"`
	FriendID sql.Null[oid.ID]
	PostID   sqltype.Hex
	List     []oid.ID `gorm:"serializer:json"`
	Packed   oid.ID   `gorm:"serializer:json"`
}

type Post struct {
	ID   sqltype.Hex
	Name string
}

type userJSON struct {
	ID   string
	Name string
}

type nested struct {
	User userJSON `gorm:"embedded"`
	Boss *string  `gorm:"column:boss_id"`
}

type names struct {
	Name, PostID, Packed string
}

type typedJSON struct {
	ID   oid.ID
	Name string
}

type digits string

func (d *digits) Scan(any) error { return nil }

type scanning struct{ ID digits }

func destinations(db *gorm.DB, column string, dynamic []string) {
	var row userJSON
	var rows []userJSON
	var pointers []*userJSON
	var deep nested
	var s string
	var ss []string
	var sp *string

	db.Model(&User{}).First(&row)                         // want `GORM reads the 12 bytes of an ID of User into the string ID: make it an oid.ID`
	db.Model(&User{}).Where("name = ?", "x").Find(&rows)  // want `into the string ID`
	db.Model(User{}).Limit(1).Scan(&pointers)             // want `into the string ID`
	db.Model(&User{}).Select("id", "name").Take(&row)     // want `into the string ID`
	db.Model(&User{}).Select("name, users.id").Last(&row) // want `into the string ID`
	db.Model(&User{}).Select([]string{"id"}).Find(&row)   // want `into the string ID`
	db.Model(&User{}).Select("*").Find(&row)              // want `into the string ID`
	db.Model(&User{}).Scan(&deep)                         // want `into the string ID` `into the string Boss`
	db.Model(&User{}).Pluck("id", &ss)                    // want `GORM reads the 12 bytes of an ID of User into a string: use an oid.ID`
	db.Model(&User{}).Pluck("`users`.`boss1_id`", &ss)    // want `an ID of User into a string`
	db.Model(&User{}).Pluck("FRIEND_ID", &ss)             // want `an ID of User into a string`
	db.Model(&User{}).Select("id").Find(&ss)              // want `an ID of User into a string`
	db.Model(&User{}).Select("boss_id").Limit(1).Scan(&s) // want `an ID of User into a string`
	db.Model(&User{}).Select("id").Limit(1).Scan(&sp)     // want `an ID of User into a string`
	db.Model(&[]User{}).Select("id").Find(&[]*string{})   // want `an ID of User into a string`
	(db.Debug().Model(&User{}).Where("1 = 1")).Scan(&row) // want `into the string ID`
	db.Model(&User{}).Joins("Boss").Find(&rows)           // want `into the string ID`

	var bare struct{ ID, Name string }
	db.Model(&User{}).First(&bare)                   // want `into the string ID`
	db.Model(&User{}).Find(&[]struct{ ID string }{}) // want `into the string ID`

	var id oid.ID
	var owner sqltype.ZeroNullFor[User]
	db.Model(&User{}).Select("id").Scan(&id)         // want `GORM reads into a single ID byte by byte`
	db.Table("users").Select("id").Take(&id)         // want `GORM reads into a single ID byte by byte`
	db.Raw("SELECT boss_id FROM users").Scan(&owner) // want `GORM reads into a single ID byte by byte`
	db.Model(&User{}).Select("id").Row().Scan(&id)
	db.Model(&User{}).Pluck("id", &[]oid.ID{id})

	// These are right, or nobody can tell.
	db.Model(&User{}).First(&typedJSON{})
	db.Model(&User{}).First(&User{})
	db.Model(&User{}).First(&names{})
	db.Model(&User{}).First(&scanning{})
	db.Model(&User{}).Select("name").First(&row)
	db.Model(&User{}).Select("hex(id) AS id").First(&row)
	db.Model(&User{}).Select(column).First(&row)
	db.Model(&User{}).Select("id", dynamic).First(&row)
	db.Model(&User{}).Select(dynamic).First(&row)
	db.Model(&User{}).Omit("id").First(&row)
	db.Model(&User{}).Table("reports").First(&row)
	db.Model(&User{}).Scopes(func(db *gorm.DB) *gorm.DB { return db }).First(&row)
	db.Model(&User{}).Pluck("name", &ss)
	db.Model(&User{}).Pluck("post_id", &ss)
	db.Model(&User{}).Pluck("packed", &ss)
	db.Model(&User{}).Pluck(column, &ss)
	db.Model(&User{}).Pluck("hex(id)", &ss)
	db.Model(&User{}).Pluck("id", &[]oid.ID{})
	db.Model(&User{}).Pluck("id", &[]digits{})
	db.Model(&User{}).Select("id", "name").Scan(&s)
	db.Model(&User{}).Scan(&s)
	db.Model(&Post{}).First(&row)
	db.Model(&Post{}).Pluck("id", &ss)
	db.Raw("SELECT id FROM users").Scan(&ss)
	db.Table("users").Select("id").Scan(&ss)
	db.First(&row)
	db.Model(&User{}).First(&row) //oidvet:ignore gormdest the test shows it
}

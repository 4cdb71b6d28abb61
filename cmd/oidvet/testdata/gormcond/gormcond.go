// Package gormcond has conditions for models whose key is an ID.
package gormcond

import (
	"gorm.io/gorm"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
)

type User struct {
	gormplugin.Model
	Name   string
	Age    int
	BossID *oid.ID
	Friend oid.ID `gorm:"column:other"`
}

type Typed struct {
	Key  oid.For[Typed] `gorm:"column:key;primaryKey"`
	ID   int
	Name string
}

type Numbered struct {
	ID   int64
	Name string
}

type Composite struct {
	A oid.ID `gorm:"primaryKey"`
	B int    `gorm:"primaryKey"`
}

const all = "1 = 1"

func conditions(db *gorm.DB, n int, u uint, text string, list []oid.ID, typed []oid.For[Typed], pointer *oid.ID, id oid.ID, args []any) {
	var user User
	var users []User

	db.Delete(&User{}, 0)                                    // want `the column of User holds IDs, and this condition is an int: pass the ID`
	db.Delete(&User{}, u)                                    // want `this condition is a uint`
	db.Delete(&User{}, []int{0, 1})                          // want `this condition is a \[\]int`
	db.Delete(&User{}, false)                                // want `this condition is a bool`
	db.First(&user, n)                                       // want `this condition is an int`
	db.First(&Typed{}, n)                                    // want `the column of Typed holds IDs`
	db.Where(7).Find(&users)                                 // want `this condition is an int`
	db.Model(&User{}).Where("id = ?", n).Update("name", "x") // want `this condition is an int`
	db.Where("id", 0).Delete(&User{})                        // want `this condition is an int`
	db.Model(&user).Not(1).Updates(user)                     // want `this condition is an int`

	db.First(&user, text)              // want `GORM takes this string as SQL: parse it with oid.Parse`
	db.Delete(&User{}, text)           // want `SQL injection`
	db.Find(&users, "id = '"+text+"'") // want `SQL injection`

	db.Where("tenant = 1").Delete(&User{}, list)                          // want `GORM drops this condition if the list is empty, .* pass gormplugin.IDs`
	db.Delete(&User{}, []oid.ID{})                                        // want `GORM drops this condition`
	db.Model(&User{}).Where("tenant = 1").Where(list).Update("name", "x") // want `GORM drops this condition`
	db.Delete(&Typed{}, typed)                                            // want `GORM drops this condition`

	db.First(&user, pointer)          // want `GORM panics if this \*oid.ID is nil`
	db.Where(pointer).Delete(&User{}) // want `GORM panics`

	db.Where("boss_id", n).Find(&users)                         // want `the column of User holds IDs`
	db.Where("boss_id = ?", n).Find(&users)                     // want `this condition is an int`
	db.Delete(&User{}, "boss_id = ?", n)                        // want `this condition is an int`
	db.Where(map[string]any{"id": n, "age": 7}).Delete(&User{}) // want `this condition is an int`
	db.Delete(&User{}, map[string]any{"boss_id": 7})            // want `this condition is an int`
	db.Where("users.id = ?", n).Find(&users)                    // want `this condition is an int`
	db.Where("`id`=?", n).Find(&users)                          // want `this condition is an int`
	db.Where("id > ?", n).Find(&users)                          // want `this condition is an int`
	db.Where("id NOT IN ?", []int{n}).Find(&users)              // want `this condition is a \[\]int`
	db.Where("other = ?", n).Find(&users)                       // want `this condition is an int`

	// These are right.
	db.Where("orders.id = ?", n).Find(&users)
	db.Where("age", n).Find(&users)
	db.Where(map[string]any{"age": 7, "id": id}).Find(&users)
	db.Where("id = ? AND age = ?", id, 7).Find(&users)
	db.Where("boss_id = ?", id).Find(&users)
	db.First(&user, id)
	db.First(&user, "id = ?", text)
	db.First(&user, &id)
	db.First(&user, all)
	db.First(&user, args...)
	db.First(&user, "age > ?", n)
	db.Find(&users, list)
	db.Delete(&User{}, []oid.ID{id})
	db.Where("age = ?", 7).Delete(&User{})
	db.Where("id = ?", text).Delete(&User{})
	db.Delete(&Numbered{}, 7)
	db.First(&Numbered{}, text)
	db.Delete(&Composite{}, "a = ?", id)
	db.Limit(7).Find(&users)
	db.Delete(&User{}, 0) //oidvet:ignore gormcond,idtype the plugin refuses it, and this test shows it
	var model any = &user
	db.Delete(model, 7)
}

func checked(db *gorm.DB, list []oid.ID) {
	if len(list) == 0 {
		return
	}
	db.Delete(&User{}, list)
}

package gormplugin_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/utils/tests"
)

// The examples print each statement that GORM would send. They use the dialect of
// GORM's own tests, which needs no database.

type User struct {
	ID    oid.ID
	Name  string
	Email string
}

type tracer struct{ logger.Interface }

func (tracer) Trace(_ context.Context, _ time.Time, statement func() (string, int64), _ error) {
	sql, _ := statement()
	fmt.Println(sql)
}

type printer struct{ tracer }

func (printer) ParamsFilter(_ context.Context, sql string, _ ...any) (string, []any) { return sql, nil }

func open() *gorm.DB {
	db, err := gorm.Open(tests.DummyDialector{}, &gorm.Config{DryRun: true, Logger: printer{tracer{logger.Discard}}})
	if err != nil {
		panic(err)
	}
	if err := db.Use(gormplugin.New()); err != nil {
		panic(err)
	}
	return db
}

// Each call sends one statement that contains the IDs. The database doesn't have to return
// them.
func ExampleNew() {
	db := open()

	ann := User{Name: "Ann"}
	db.Create(&ann)
	fmt.Println(ann.ID.IsZero())

	users := []User{{Name: "Bob"}, {Name: "Cem"}}
	db.Create(&users)
	fmt.Println(users[1].ID == users[0].ID.Next())

	db.Model(&User{}).Create(map[string]any{"name": "Dan"})
	db.Select("Name").Create(&User{Name: "Eve"}) // the key is never optional
	// Output:
	// INSERT INTO `users` (`id`,`name`,`email`) VALUES (?,?,?)
	// false
	// INSERT INTO `users` (`id`,`name`,`email`) VALUES (?,?,?),(?,?,?)
	// true
	// INSERT INTO `users` (`id`,`name`) VALUES (?,?)
	// INSERT INTO `users` (`id`,`name`) VALUES (?,?)
}

// With the plugin, an ID that is the only argument of a condition is one value. Without
// the plugin, these conditions would be IN (?,?,?,?,?,?,?,?,?,?,?,?), and the last
// statement could delete every row.
func ExampleNew_conditions() {
	db := open()
	id := oid.MustParse("65b3f7006b00310e041f9fe0")

	db.Take(&User{}, id)
	db.Not(id).Find(&[]User{})
	db.Find(&[]User{}, []oid.ID{id, id.Next()})
	db.Model(&User{}).Where(id).Update("name", "Ann")
	db.Delete(&User{}, id)

	fmt.Println(db.Delete(&User{}, 0).Error)
	// Output:
	// SELECT * FROM `users` WHERE `users`.`id` = ? LIMIT ?
	// SELECT * FROM `users` WHERE `users`.`id` <> ?
	// SELECT * FROM `users` WHERE `users`.`id` IN (?,?)
	// UPDATE `users` SET `name`=? WHERE `users`.`id` = ?
	// DELETE FROM `users` WHERE `users`.`id` = ?
	// gormplugin.Where(User.ID): int is not an ID: pass an ID, a list of IDs, or 24 hex digits; to pass another value, use gorm.Expr: unsupported data
}

// If an upsert can merge a row into an older row, the plugin asks for the ID of the stored
// row. After DoNothing, a row that was skipped has the zero ID. With DoNothing, the plugin
// sends a second statement only if rows were skipped.
func ExampleNew_upsert() {
	db := open()
	ann := User{Name: "Ann", Email: "ann@example.com"}
	db.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "email"}},
		DoUpdates: clause.AssignmentColumns([]string{"name"}),
	}).Create(&ann)
	db.Clauses(clause.OnConflict{DoNothing: true}).Create(&ann)
	// Output:
	// INSERT INTO `users` (`id`,`name`,`email`) VALUES (?,?,?) ON CONFLICT (`email`) DO UPDATE SET `name`=`excluded`.`name` RETURNING `id`
	// INSERT INTO `users` (`id`,`name`,`email`) VALUES (?,?,?) ON CONFLICT DO NOTHING
}

func ExampleCreatedBetween() {
	db := open()
	from := time.Date(2025, time.March, 1, 0, 0, 0, 0, time.UTC)
	march := gormplugin.CreatedBetween(from, from.AddDate(0, 1, 0))

	var users []User
	db.Where(march).Find(&users)
	db.Not(march).Find(&users)
	db.Where("name = ?", "Ann").Or(march).Find(&users)
	gorm.G[User](db).Where(march).Find(context.Background())

	db.Logger = logger.Discard
	fmt.Println(db.Where(gormplugin.CreatedSince(from, "email")).Find(&users).Error)
	// Output:
	// SELECT * FROM `users` WHERE (`users`.`id` >= ? AND `users`.`id` < ?)
	// SELECT * FROM `users` WHERE NOT (`users`.`id` >= ? AND `users`.`id` < ?)
	// SELECT * FROM `users` WHERE name = ? OR (`users`.`id` >= ? AND `users`.`id` < ?)
	// SELECT * FROM `users` WHERE (`users`.`id` >= ? AND `users`.`id` < ?)
	// gormplugin.CreatedSince(email): in the table users, this is not a column of IDs: invalid field
}

// Wrap the logger of the database, such as logger.Default. The logger of this example
// prints only the SQL.
func ExampleLogger() {
	config := &gorm.Config{DryRun: true, Logger: gormplugin.Logger(tracer{logger.Discard})}
	db, err := gorm.Open(tests.DummyDialector{}, config)
	if err != nil {
		panic(err)
	}
	db.Take(&User{}, "id = ?", oid.MustParse("65b3f7006b00310e041f9fe0"))
	// Output:
	// SELECT * FROM `users` WHERE id = x'65b3f7006b00310e041f9fe0' LIMIT 1
}

// GORM drops an empty list, so only the other conditions would select the rows to delete.
// An empty IDs is a condition that matches no row.
func ExampleIDs() {
	db := open()
	ids := []oid.ID{oid.New(), oid.New()}
	db.Where("email = ?", "").Delete(&User{}, gormplugin.IDs(ids...))
	db.Where("email = ?", "").Delete(&User{}, gormplugin.IDs(ids[:0]...))
	// Output:
	// DELETE FROM `users` WHERE email = ? AND (`users`.`id` IN (?,?))
	// DELETE FROM `users` WHERE email = ? AND (1 = 0)
}

// Pass the models to WithModels when you open the database. Models to which their
// relation fields lead are prepared too.
func ExampleWithModels() {
	db, err := gorm.Open(tests.DummyDialector{}, &gorm.Config{})
	if err != nil {
		panic(err)
	}
	fmt.Println(db.Use(gormplugin.New(gormplugin.WithModels(&User{}))))
	// Output: <nil>
}

// With a seeded generator, rows get the same IDs in every run of a test.
func ExampleWithGenerator() {
	db, err := gorm.Open(tests.DummyDialector{}, &gorm.Config{DryRun: true})
	if err != nil {
		panic(err)
	}
	ids := &oid.Generator{
		Rand: rand.NewChaCha8([32]byte{1}), // of math/rand/v2
		Now:  func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) },
	}
	if err := db.Use(gormplugin.New(gormplugin.WithGenerator(ids))); err != nil {
		panic(err)
	}
	user := User{Name: "Ann"}
	db.Create(&user)
	fmt.Println(user.ID)
	// Output: 69a42a406ae6783f4fbde91c
}

// The SQL can be pasted into a shell of the database.
func ExampleToSQL() {
	db := open().Session(&gorm.Session{Logger: logger.Discard})
	id := oid.MustParse("65b3f7a20123456789abcdef")
	fmt.Println(gormplugin.ToSQL(db, func(tx *gorm.DB) *gorm.DB { return tx.Delete(&User{}, id) }))
	// Output: DELETE FROM `users` WHERE `users`.`id` = x'65b3f7a20123456789abcdef'
}

// The key of an Account is an oid.For[Account], which differs from the key types of other
// models.
func ExampleModelFor() {
	type Account struct {
		gormplugin.ModelFor[Account]
		Name string
	}
	var account Account
	open().Session(&gorm.Session{Logger: logger.Discard}).Create(&account)
	fmt.Println(account.ID.IsZero())
	// Output: false
}

// Package mistakes has mistakes with IDs that compile. The comment of each says which
// analyzer finds it, or "none", and what it is.
package mistakes

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"github.com/huandu/go-sqlbuilder"
	"github.com/jackc/pgx/v5"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"gorm.io/gorm"
	"xorm.io/xorm"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

type Bad oid.ID // idtype: a type defined from oid.ID has no methods
type Bad2 Bad   // idtype: so has a type defined from it

type Embeds struct {
	oid.ID // embedid: a struct embeds an ID
	Name   string
}

type Team struct {
	ID oid.ID
}

type User struct {
	ID     oid.ID
	TeamID oid.For[Team]
	BossID oid.ID `json:"boss,omitempty"` // omitempty: the zero ID is written
}

type Page[T any] struct {
	Next T `json:"next,omitempty"` // omitempty: so is that of a type parameter
}

var page Page[oid.ID]

type numbered struct {
	gorm.Model
	Owner oid.ID
}

type untagged struct {
	ID   oid.ID
	Name string
}

func driver(ctx context.Context, c *mongo.Collection, id oid.ID, doc bson.M, raw []byte) {
	res, _ := c.InsertOne(ctx, bson.M{"_id": id})
	_ = res.InsertedID == id    // anycompare: an InsertedID is compared with an ID
	_ = res.InsertedID.(oid.ID) // anycompare: it is asserted to be one
	var want any = id
	_ = res.InsertedID == want // anycompare: it is compared with an any that holds one
	switch res.InsertedID {
	case id: // anycompare: it is switched on
	}
	c.FindOne(ctx, bson.M{"_id": id.Hex()})                          // bsonhex: a filter by the digits
	c.FindOne(ctx, bson.M{"_id": bson.M{"$in": []string{id.Hex()}}}) // bsonhex: a list of digits
	h := id.Hex()
	c.FindOne(ctx, bson.M{"_id": h})                                                     // bsonhex: a variable with the digits
	c.FindOne(ctx, bson.M{"_id": fmt.Sprintf("%s", id)})                                 // bsonhex: the digits by Sprintf
	c.UpdateByID(ctx, id.Hex(), bson.M{"$set": bson.M{"n": 1}})                          // bsonhex: an update by the digits
	c.CountDocuments(ctx, bson.M{"_id": bson.M{"$gte": time.Now()}})                     // bsonhex: a time as a bound
	c.InsertOne(ctx, untagged{ID: id})                                                   // idcalls: a field ID without a tag
	c.Find(ctx, bsoncodec.CreatedBetween("_id", time.Now(), time.Now().Add(-time.Hour))) // timerange: a range of the driver ends before it begins
	_ = doc["_id"] == id                                                                 // none: a value of a map, whose registry isn't known
	var m bson.M
	bson.UnmarshalExtJSON(raw, true, &m) // none: a decode without a registry
}

func gorms(db *gorm.DB, id oid.ID, list []oid.ID, text string, n int, p *oid.ID, u User) {
	db.Delete(&User{}, n)                                      // gormcond: a number as the key
	db.First(&u, text)                                         // gormcond: text from a request runs as SQL
	db.Where("team_id IS NULL").Delete(&User{}, list)          // gormcond: an empty list drops the condition
	db.Where("boss_id", n).Find(&u)                            // gormcond: a number next to a column of IDs
	db.First(&u, p)                                            // gormcond: a nil pointer panics
	db.Model(&User{}).Where("id >= ?", time.Now()).Find(&u)    // gormcond: a time next to a column of IDs
	db.Model(&u).Update("team_id", oid.For[User](u.ID))        // gormcond: the ID of another model
	find[User](db, n)                                          // none: a number that a caller passes on
	db.Model(&User{}).Pluck("id", &[]string{})                 // gormdest: an ID is read into a string
	db.Raw("SELECT id FROM users").Scan(&id)                   // gormdest: a Scan byte by byte
	db.Model(&u).Update("boss_id", oid.ID{})                   // idcalls: the zero ID is stored
	db.Use(gormplugin.New(gormplugin.WithModels(&numbered{}))) // idcalls: gorm.Model in a model of IDs
	db.Where("team_id = ?", u.TeamID).Delete(&u)               // none: a zero key, so the rows of a team go
}

func find[T any](db *gorm.DB, n int) {
	db.First(new(T), n) // gormcond: a number in generic code
}

func sqls(ctx context.Context, db *sql.DB, conn *pgx.Conn, e *xorm.Engine, id oid.ID, user oid.For[User], team oid.For[Team], text string) {
	db.Exec("INSERT INTO orders (id, user_id, name) VALUES (?, ?, 'a')", id, user)
	db.Exec("DELETE FROM orders WHERE id < ?", time.Now())            // sqlargs: a time as a bound
	conn.Query(ctx, "SELECT 1 FROM orders WHERE id = $1", id.Hex())   // sqlargs: the digits next to a column of bytes
	db.Query("SELECT 1 FROM orders WHERE id = ?", text)               // sqlargs: a text next to it
	db.Query("SELECT 1 FROM orders WHERE user_id = ?", team)          // sqlargs: the ID of another model in SQL
	db.QueryRow("SELECT id FROM orders").Scan(&text)                  // sqlargs: a string gets 12 bytes
	db.Query("SELECT 1 FROM orders WHERE id > ?", sqltype.ZeroNull{}) // none: a bound that is NULL
	db.Query("SELECT 1 FROM others WHERE id = ?", text)               // none: a column that is used nowhere else
	db.Query("SELECT 1 FROM orders WHERE "+text, id.Hex())            // none: SQL that isn't constant
	db.Exec("INSERT INTO refunds (number) VALUES (?)", id)            // none: a column of text or of type uuid
	e.Insert(&User{ID: id})                                           // none: xorm stores an ID as JSON
	b := sqlbuilder.NewSelectBuilder()
	b.Where(b.In("id", sqlbuilder.Flatten([]oid.ID{id})...)) // flatten: 12 numbers for each ID
	e.Update(&Team{}, &Team{ID: id})                         // flatten: a condition that is dropped
}

func calls(id oid.ID, row struct{ CreatedAt time.Time }, from, to time.Time) {
	fmt.Printf("%x", id)                               // idcalls: a verb for bytes
	json.Marshal(id[:])                                // idcalls: bytes in JSON
	_ = url.PathEscape(string(id[:]))                  // idcalls: bytes in a URL
	oid.Derive(time.Now(), "orders", "7")              // idcalls: Derive by the clock
	oid.Fill(make([]oid.ID, 0, 8))                     // idcalls: Fill of no elements
	oid.MinAt(time.Unix(row.CreatedAt.UnixMilli(), 0)) // idcalls: milliseconds as seconds
	_ = id.Timestamp().Equal(row.CreatedAt)            // idcalls: whole seconds compared with a fraction
	oid.Range(to, from)                                // timerange: swapped names
	yesterday := to.Add(-24 * time.Hour)
	oid.Range(to, yesterday)                                                                                       // timerange: swapped times in variables
	id.Scan("Hello, World")                                                                                        // none: text of 12 bytes
	lo, hi := oid.Range(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC)) // none: the last day is missing
	var request struct {
		UserID oid.ID `json:"user_id"`
	}
	json.Unmarshal([]byte(`{"userId": "65b3f7a40c1b2d3e4f506172"}`), &request) // none: a field with another name
	g := oid.Generator{Now: func() time.Time { return time.Time{} }}           // none: a clock that is wrong
	fmt.Println(lo, hi, g.New())
}

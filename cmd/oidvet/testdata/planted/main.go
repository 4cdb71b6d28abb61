// Planted is a small shop with every mistake that oidvet finds. A comment with
// the name of the analyzer stands at each.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/huandu/go-sqlbuilder"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"gorm.io/gorm"
	"xorm.io/xorm"

	"github.com/oidkit/oidkit/oid"
)

type CustomerID oid.ID // idtype

type Customer struct {
	oid.ID // embedid
	Name   string
}

type Order struct {
	ID       oid.ID
	Customer oid.ID `json:"customer,omitempty"` // omitempty
	Cents    int
}

type orderJSON struct {
	ID    string
	Cents int
}

type shop struct {
	sql    *gorm.DB
	pool   *sql.DB
	legacy *xorm.Engine
	docs   *mongo.Collection
}

func (s shop) insert(ctx context.Context, id oid.ID) error {
	res, err := s.docs.InsertOne(ctx, bson.M{"_id": id})
	if err != nil {
		return err
	}
	if res.InsertedID != id { // anycompare
		return fmt.Errorf("inserted %v, want %v", res.InsertedID, id)
	}
	return nil
}

func (s shop) show(w http.ResponseWriter, r *http.Request) {
	var o Order
	s.sql.First(&o, r.PathValue("id")) // gormcond
	json.NewEncoder(w).Encode(o)
}

func (s shop) list(w http.ResponseWriter, _ *http.Request) {
	var rows []orderJSON
	s.sql.Model(&Order{}).Find(&rows) // gormdest
	json.NewEncoder(w).Encode(rows)
}

func (s shop) remove(ids []oid.ID) {
	s.sql.Where("cents = 0").Delete(&Order{}, ids) // gormcond
	s.sql.Delete(&Order{}, 0)                      // gormcond
	b := sqlbuilder.DeleteFrom("orders")
	fmt.Println(b.Where(b.In("id", sqlbuilder.Flatten(ids)...)).Build()) // flatten
}

func (s shop) report(ctx context.Context, from, to time.Time, id oid.ID) error {
	lo, hi := oid.Range(to, from) // timerange
	fmt.Println(s.docs.CountDocuments(ctx, bson.M{"_id": bson.M{"$gte": lo, "$lt": hi}}))
	return s.docs.FindOne(ctx, bson.M{"_id": id.Hex()}).Err() // bsonhex
}

func (s shop) purge(cutoff time.Time) {
	s.pool.Exec("DELETE FROM orders WHERE id < ?", cutoff) // sqlargs
}

func (s shop) pay(id oid.ID) {
	s.legacy.Update(&Order{Cents: 0}, &Order{ID: id}) // flatten
	fmt.Printf("paid %x", id)                         // idcalls
}

func main() {
	s := shop{}
	http.HandleFunc("GET /orders/{id}", s.show)
	http.HandleFunc("GET /orders", s.list)
	s.remove(nil)
	s.pay(oid.New())
	s.purge(time.Now())
	fmt.Println(s.report(context.Background(), time.Now(), time.Now(), oid.New()))
	fmt.Println(s.insert(context.Background(), oid.New()), CustomerID{}, Customer{})
}

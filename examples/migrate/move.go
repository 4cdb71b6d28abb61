package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"gorm.io/gorm"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/oid"
)

// batchSize is how many documents or rows are written in one step.
const batchSize = 100

// byID sorts as ORDER BY id does in SQL: by the bytes of the IDs.
var byID = bson.D{{Key: "_id", Value: 1}}

// migrate fills docs, moves everything to db, moves it back to other collections, and
// compares.
func migrate(ctx context.Context, w io.Writer, docs *mongo.Database, db *gorm.DB, orders int) error {
	now := time.Now()
	if err := fill(ctx, docs, orders, now); err != nil {
		return err
	}
	sql := db.Dialector.Name()
	fmt.Fprintf(w, "MongoDB to %s\n", sql)
	// Customers come first, because the foreign key of an order needs them.
	if err := moveToSQL[Customer](ctx, w, docs, "customers", db); err != nil {
		return err
	}
	if err := moveToSQL[Order](ctx, w, docs, "orders", db); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s to MongoDB\n", sql)
	if err := moveBack(ctx, w, docs, "customers", db, func(c Customer) oid.ID { return c.ID }); err != nil {
		return err
	}
	if err := moveBack(ctx, w, docs, "orders", db, func(o Order) oid.ID { return o.ID }); err != nil {
		return err
	}
	return lastMonth(ctx, w, docs, db, now)
}

// moveToSQL copies a collection to the table of T, and compares the IDs.
func moveToSQL[T any](ctx context.Context, w io.Writer, docs *mongo.Database, name string, db *gorm.DB) error {
	cursor, err := docs.Collection(name).Find(ctx, bson.D{}, options.Find().SetSort(byID).SetBatchSize(batchSize))
	if err != nil {
		return err
	}
	defer cursor.Close(ctx)
	var batch []T
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		// The plugin keeps an ID that is set.
		err := db.Create(&batch).Error
		batch = batch[:0]
		return err
	}
	for cursor.Next(ctx) {
		var v T
		if err := cursor.Decode(&v); err != nil {
			return err
		}
		if batch = append(batch, v); len(batch) == batchSize {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := cursor.Err(); err != nil {
		return err
	}
	if err := flush(); err != nil {
		return err
	}
	return compareIDs[T](ctx, w, docs, name, db)
}

// moveBack copies the table of T, page by page, to a second collection. It then
// compares the documents of both.
func moveBack[T any](ctx context.Context, w io.Writer, docs *mongo.Database, name string, db *gorm.DB, id func(T) oid.ID) error {
	for last := (oid.ID{}); ; {
		var page []T
		if err := db.Where("id > ?", last).Order("id").Limit(batchSize).Find(&page).Error; err != nil {
			return err
		}
		if len(page) == 0 {
			return compareDocuments(ctx, w, docs, name)
		}
		if _, err := docs.Collection(name+"_back").InsertMany(ctx, page); err != nil {
			return err
		}
		last = id(page[len(page)-1])
	}
}

// lastMonth counts the orders of the last 30 days on each side, by ranges of IDs.
func lastMonth(ctx context.Context, w io.Writer, docs *mongo.Database, db *gorm.DB, now time.Time) error {
	from := now.AddDate(0, 0, -30)
	inMongo, err := docs.Collection("orders").CountDocuments(ctx, bsoncodec.CreatedBetween("_id", from, now))
	if err != nil {
		return err
	}
	lo, hi := oid.Range(from, now)
	var inSQL int64
	if err := db.Model(&Order{}).Where("id >= ? AND id < ?", lo, hi).Count(&inSQL).Error; err != nil {
		return err
	}
	if inMongo != inSQL {
		return fmt.Errorf("the last 30 days have %d orders in MongoDB but %d in SQL", inMongo, inSQL)
	}
	fmt.Fprintf(w, "\nOrders of the last 30 days, by ranges of IDs: %d on both sides\n", inMongo)
	return nil
}

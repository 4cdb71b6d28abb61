package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"gorm.io/gorm"
)

var errDiffer = errors.New("the two sides differ")

// compareIDs compares the IDs of a collection with those of the table of T, in the
// order of each side. It reads the stored bytes, without oid.ID.
func compareIDs[T any](ctx context.Context, w io.Writer, docs *mongo.Database, name string, db *gorm.DB) error {
	cursor, err := docs.Collection(name).Find(ctx, bson.D{}, options.Find().SetSort(byID).SetProjection(byID))
	if err != nil {
		return err
	}
	defer cursor.Close(ctx)
	rows, err := db.Model(new(T)).Select("id").Order("id").Rows()
	if err != nil {
		return err
	}
	defer rows.Close()
	digest := sha256.New()
	n := 0
	for ; rows.Next(); n++ {
		var inSQL []byte
		if err := rows.Scan(&inSQL); err != nil {
			return err
		}
		if !cursor.Next(ctx) {
			return fmt.Errorf("%s: SQL has the ID %x after the last one of MongoDB: %w", name, inSQL, errDiffer)
		}
		inMongo := cursor.Current.Lookup("_id")
		if inMongo.Type != bson.TypeObjectID || !bytes.Equal(inMongo.Value, inSQL) {
			return fmt.Errorf("%s: number %d is %s in MongoDB but %x in SQL: %w", name, n, inMongo, inSQL, errDiffer)
		}
		digest.Write(inSQL)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if cursor.Next(ctx) {
		return fmt.Errorf("%s: MongoDB has %s after the last one of SQL: %w", name, cursor.Current.Lookup("_id"), errDiffer)
	}
	if err := cursor.Err(); err != nil {
		return err
	}
	fmt.Fprintf(w, "  %-9s %5d rows have the same IDs in the same order: SHA-256 %x…\n", name, n, digest.Sum(nil)[:6])
	return nil
}

// compareDocuments compares the documents of a collection with those that came back.
func compareDocuments(ctx context.Context, w io.Writer, docs *mongo.Database, name string) error {
	sorted := options.Find().SetSort(byID)
	before, err := docs.Collection(name).Find(ctx, bson.D{}, sorted)
	if err != nil {
		return err
	}
	defer before.Close(ctx)
	after, err := docs.Collection(name+"_back").Find(ctx, bson.D{}, sorted)
	if err != nil {
		return err
	}
	defer after.Close(ctx)
	n, size := 0, 0
	for ; before.Next(ctx); n++ {
		if !after.Next(ctx) {
			return fmt.Errorf("%s: %s did not come back: %w", name, before.Current.Lookup("_id"), errDiffer)
		}
		if !bytes.Equal(before.Current, after.Current) {
			return fmt.Errorf("%s: %s came back as %s: %w", name, before.Current, after.Current, errDiffer)
		}
		size += len(before.Current)
	}
	if after.Next(ctx) {
		return fmt.Errorf("%s: %s came back, but was not there before: %w", name, after.Current.Lookup("_id"), errDiffer)
	}
	if err := before.Err(); err != nil {
		return err
	}
	if err := after.Err(); err != nil {
		return err
	}
	fmt.Fprintf(w, "  %-9s %5d documents have the same %d bytes\n", name, n, size)
	return nil
}

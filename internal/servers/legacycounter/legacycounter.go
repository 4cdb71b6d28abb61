// Package legacycounter is the older design of a cyclic counter that package sequence
// replaces: read the last serial, change it by compare-and-set, and start again if
// someone else was faster. It is here for comparison. Tests also draw with it and with
// mongosequence.NewLegacy at the same time, because some programs still use it.
package legacycounter

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// Mongo draws the next serial of the document {_id, val, maxval} of key. It takes the
// same steps as the function getNextUniqueSeq. It also returns how often someone else
// was faster.
func Mongo(ctx context.Context, coll *mongo.Collection, key string) (serial int64, retries int, err error) {
	for ; ; retries++ {
		var doc struct{ Val, Maxval float64 }
		if err := coll.FindOne(ctx, bson.D{{Key: "_id", Value: key}}).Decode(&doc); err != nil {
			return 0, retries, err
		}
		change := bson.D{{Key: "$inc", Value: bson.D{{Key: "val", Value: 1.0}}}}
		if doc.Val >= doc.Maxval {
			change = bson.D{{Key: "$set", Value: bson.D{{Key: "val", Value: 0.0}}}}
		}
		res, err := coll.UpdateOne(ctx, bson.D{{Key: "_id", Value: key}, {Key: "val", Value: doc.Val}}, change)
		if err != nil {
			return 0, retries, err
		}
		if res.ModifiedCount == 1 && doc.Val < doc.Maxval {
			return int64(doc.Val) + 1, retries, nil
		}
	}
}

// MongoCreate makes the document of key.
func MongoCreate(ctx context.Context, coll *mongo.Collection, key string, last int64) error {
	_, err := coll.InsertOne(ctx, bson.D{{Key: "_id", Value: key}, {Key: "val", Value: 0.0}, {Key: "maxval", Value: float64(last)}})
	return err
}

// Postgres does the same on the table that PostgresCreate makes.
func Postgres(ctx context.Context, pool *pgxpool.Pool, key string) (serial int64, retries int, err error) {
	for ; ; retries++ {
		var val, maxval int64
		if err := pool.QueryRow(ctx, "SELECT val, maxval FROM casloop WHERE id = $1", key).Scan(&val, &maxval); err != nil {
			return 0, retries, err
		}
		next := val + 1
		if val >= maxval {
			next = 0
		}
		tag, err := pool.Exec(ctx, "UPDATE casloop SET val = $3 WHERE id = $1 AND val = $2", key, val, next)
		if err != nil {
			return 0, retries, err
		}
		if tag.RowsAffected() == 1 && next > 0 {
			return next, retries, nil
		}
	}
}

// PostgresCreate makes the table and the row of key.
func PostgresCreate(ctx context.Context, pool *pgxpool.Pool, key string, last int64) error {
	_, err := pool.Exec(ctx, "CREATE TABLE IF NOT EXISTS casloop (id text PRIMARY KEY, val bigint NOT NULL, maxval bigint NOT NULL)")
	if err == nil {
		_, err = pool.Exec(ctx, "INSERT INTO casloop VALUES ($1, 0, $2)", key, last)
	}
	if err != nil {
		return fmt.Errorf("legacycounter.PostgresCreate: %w", err)
	}
	return nil
}

// SQL does the same on the table that SQLCreate makes, through database/sql, on MySQL,
// MariaDB and SQLite.
func SQL(ctx context.Context, db *sql.DB, key string) (serial int64, retries int, err error) {
	for ; ; retries++ {
		var val, maxval int64
		if err := db.QueryRowContext(ctx, "SELECT val, maxval FROM casloop WHERE id = ?", key).Scan(&val, &maxval); err != nil {
			return 0, retries, err
		}
		next := val + 1
		if val >= maxval {
			next = 0
		}
		res, err := db.ExecContext(ctx, "UPDATE casloop SET val = ? WHERE id = ? AND val = ?", next, key, val)
		if err != nil {
			return 0, retries, err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return 0, retries, err
		}
		if n == 1 && next > 0 {
			return next, retries, nil
		}
	}
}

// SQLCreate makes the table and the row of key.
func SQLCreate(ctx context.Context, db *sql.DB, key string, last int64) error {
	_, err := db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS casloop (id varchar(100) PRIMARY KEY, val bigint NOT NULL, maxval bigint NOT NULL)")
	if err == nil {
		_, err = db.ExecContext(ctx, "INSERT INTO casloop VALUES (?, 0, ?)", key, last)
	}
	if err != nil {
		return fmt.Errorf("legacycounter.SQLCreate: %w", err)
	}
	return nil
}

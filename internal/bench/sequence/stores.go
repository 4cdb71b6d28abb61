package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/oidkit/oidkit/internal/servers/legacycounter"
	"github.com/oidkit/oidkit/internal/servers/mongodb"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/mongosequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// A rawSQL is a statement that draws.
type rawSQL struct {
	name string
	// rows says that the statement returns the number as a row.
	rows bool
	// statement may have %s for a name that each caller has of its own.
	statement string
}

func mysqlPrograms(ctx context.Context) error {
	return eachMySQL(func(e *mysqlserver.Engine, dsn string) error {
		var setup []string
		statements := []rawSQL{
			{"UPDATE … LAST_INSERT_ID", false, "UPDATE hot SET n = LAST_INSERT_ID(n + 1) WHERE k = 'k'"},
			{"INSERT … ON DUPLICATE KEY", false, "INSERT INTO hot VALUES ('k', 1) ON DUPLICATE KEY UPDATE n = LAST_INSERT_ID(n + 1)"},
			{"a row per caller", false, "INSERT INTO own VALUES ('%s', 1) ON DUPLICATE KEY UPDATE n = LAST_INSERT_ID(n + 1)"},
		}
		if e == mysqlserver.MariaDB {
			setup = append(setup, "CREATE SEQUENCE plain")
			statements = append(statements, rawSQL{"NEXTVAL", true, "SELECT NEXTVAL(plain)"})
		}
		return sqlPrograms(ctx, e.String()+", durable", "mysql", dsn, sqlsequence.MySQL, setup, statements)
	})
}

func sqlitePrograms(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "oidkit-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	return sqlPrograms(ctx, "SQLite in WAL mode, synchronous FULL", "sqlite", sqliteDSN(folder), sqlsequence.SQLite, nil, []rawSQL{
		{"UPDATE … RETURNING", true, "UPDATE hot SET n = n + 1 WHERE k = 'k' RETURNING n"},
		{"INSERT … ON CONFLICT", true, "INSERT INTO hot VALUES ('k', 1) ON CONFLICT (k) DO UPDATE SET n = n + 1 RETURNING n"},
		{"a row per caller", true, "INSERT INTO own VALUES ('%s', 1) ON CONFLICT (k) DO UPDATE SET n = n + 1 RETURNING n"},
	})
}

// sqlPrograms measures sqlsequence and raw statements. Next and the first of the
// statements also draw in turns.
func sqlPrograms(ctx context.Context, title, driver, dsn string, d sqlsequence.Dialect, setup []string, statements []rawSQL) error {
	admin, err := sql.Open(driver, dsn)
	if err != nil {
		return err
	}
	defer admin.Close()
	for _, statement := range append(setup, "CREATE TABLE hot (k varchar(50) PRIMARY KEY, n bigint NOT NULL)",
		"INSERT INTO hot VALUES ('k', 0)", "CREATE TABLE own (k varchar(50) PRIMARY KEY, n bigint NOT NULL)") {
		if _, err := admin.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	store := sqlsequence.New(admin, "sequences", d)
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	pooled := func(f func(db *sql.DB, program int) func(context.Context, int) error) func(context.Context, int) (func(context.Context, int) error, func(), error) {
		return func(_ context.Context, program int) (func(context.Context, int) error, func(), error) {
			db, err := sql.Open(driver, dsn)
			if err != nil {
				return nil, nil, err
			}
			db.SetMaxOpenConns(10)
			db.SetMaxIdleConns(10)
			return f(db, program), func() { db.Close() }, nil
		}
	}
	next := func(opts ...sequence.Option) func(db *sql.DB, _ int) func(context.Context, int) error {
		return func(db *sql.DB, _ int) func(context.Context, int) error {
			seq := sequence.New(sqlsequence.New(db, "sequences", d), "next", cycling, opts...)
			return func(ctx context.Context, _ int) error { _, err := seq.Next(ctx); return err }
		}
	}
	methods := []method{
		{"sqlsequence, `Sequence.Next`", pooled(next())},
		{"sqlsequence, `Sequence.Next` with a lease of 100", pooled(next(lease))},
		{"sqlsequence, `Numbering.Next`", pooled(func(db *sql.DB, _ int) func(context.Context, int) error {
			n := sequence.NewNumbering(sqlsequence.New(db, "sequences", d), "numbers", "INV-{2006}-{0+}")
			return func(ctx context.Context, _ int) error { _, err := n.Next(ctx); return err }
		})},
	}
	for _, raw := range statements {
		methods = append(methods, method{raw.name, pooled(func(db *sql.DB, program int) func(context.Context, int) error {
			return func(ctx context.Context, caller int) error { return raw.draw(ctx, db, program, caller) }
		})})
	}
	if err := grid(ctx, title+", one key", methods); err != nil {
		return err
	}
	return inTurns(ctx, title, []method{methods[3], methods[0]})
}

func (r rawSQL) draw(ctx context.Context, db *sql.DB, program, caller int) error {
	statement := r.statement
	if r.name == "a row per caller" {
		statement = fmt.Sprintf(statement, fmt.Sprint(program, "/", caller))
	}
	if !r.rows {
		_, err := db.ExecContext(ctx, statement)
		return err
	}
	var n int64
	return db.QueryRowContext(ctx, statement).Scan(&n)
}

// cycling is the plan of the keys that all methods draw from.
var cycling = sequence.Plan{First: 1, Last: 99, Cycle: true}

func mongoPrograms(ctx context.Context) error {
	server, err := mongodb.Run()
	if err != nil {
		return err
	}
	defer server.Close()
	connected := func(f func(coll *mongo.Collection, program int) func(context.Context, int) error) func(context.Context, int) (func(context.Context, int) error, func(), error) {
		return func(_ context.Context, program int) (func(context.Context, int) error, func(), error) {
			client, err := mongo.Connect(options.Client().ApplyURI(server.URI).SetMaxPoolSize(10))
			if err != nil {
				return nil, nil, err
			}
			return f(client.Database(server.Database).Collection("sequences"), program), func() { client.Disconnect(context.Background()) }, nil
		}
	}
	next := func(store func(*mongo.Collection) *mongosequence.Store, key string, opts ...sequence.Option) func(coll *mongo.Collection, _ int) func(context.Context, int) error {
		return func(coll *mongo.Collection, _ int) func(context.Context, int) error {
			seq := sequence.New(store(coll), key, cycling, opts...)
			return func(ctx context.Context, _ int) error { _, err := seq.Next(ctx); return err }
		}
	}
	raw := func(id func(program, caller int) string) func(coll *mongo.Collection, program int) func(context.Context, int) error {
		opts := options.FindOneAndUpdate().SetUpsert(true).SetReturnDocument(options.After)
		return func(coll *mongo.Collection, program int) func(context.Context, int) error {
			return func(ctx context.Context, caller int) error {
				_, err := coll.FindOneAndUpdate(ctx, bson.D{{Key: "_id", Value: id(program, caller)}},
					bson.D{{Key: "$inc", Value: bson.D{{Key: "n", Value: int64(1)}}}}, opts).Raw()
				return err
			}
		}
	}
	client, err := mongo.Connect(options.Client().ApplyURI(server.URI))
	if err != nil {
		return err
	}
	defer client.Disconnect(ctx)
	coll := client.Database(server.Database).Collection("sequences")
	if err := legacycounter.MongoCreate(ctx, coll, "legacy", cycling.Last); err != nil {
		return err
	}
	title := "MongoDB, the server of " + mongodb.URIVariable
	if server.Ours() {
		title = "MongoDB protocol, FerretDB v1 (SQLite) behind the serializing proxy"
	}
	methods := []method{
		{"mongosequence, `Sequence.Next`", connected(next(mongosequence.New, "next"))},
		{"mongosequence, `Sequence.Next` with a lease of 100", connected(next(mongosequence.New, "next", lease))},
		{"mongosequence, `NewLegacy`, `Sequence.Next`", connected(next(mongosequence.NewLegacy, "legacy"))},
		{"findAndModify, $inc", connected(raw(func(int, int) string { return "hot" }))},
		{"a document per caller", connected(raw(func(program, caller int) string { return fmt.Sprint(program, "/", caller) }))},
	}
	if err := grid(ctx, title+", one key", methods); err != nil {
		return err
	}
	return inTurns(ctx, title, []method{methods[3], methods[0]})
}

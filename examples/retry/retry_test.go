package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	sqldriver "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/internal/servers/mongodb"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/internal/servers/wire"
	"github.com/oidkit/oidkit/oid"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
)

func init() { sqldriver.SetLogger(&sqldriver.NopLogger{}) } // it would log each lost connection

func TestProgram(t *testing.T) {
	for name, dsns := range map[string]func(t *testing.T) (string, string){
		"sqlite":   func(*testing.T) (string, string) { return "", "" },
		"postgres": func(t *testing.T) (string, string) { return pgserver.Database(t), "" },
		"mysql":    func(t *testing.T) (string, string) { return "", mysqlserver.MySQL.Database(t) },
		"mariadb":  func(t *testing.T) (string, string) { return "", mysqlserver.MariaDB.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			postgresDSN, mysqlDSN := dsns(t)
			for range 2 { // it leaves nothing behind
				var out strings.Builder
				if err := run(t.Context(), &out, postgresDSN, mysqlDSN); err != nil {
					t.Fatalf("%v\n%s", err, &out)
				}
				if !regexp.MustCompile(`(?s)answer is lost.*Was it mine\?.*another order has the number A-1\n\d+ inserts, 4 orders, 8 lines\n$`).MatchString(out.String()) {
					t.Errorf("it printed\n%s", &out)
				}
			}
		})
	}
}

// A broken is a shop behind a wire, and what counts its rows.
type broken struct {
	shop
	wire  *wire.Wire
	last  string // what the client sends last for an order
	count func() (orders, lines int, err error)
}

// TestEachOrderIsStoredOnce breaks the connection at each commit, before, in and after the
// request, and in the answer. OIDKIT_LONG=1 does so 1,000 times on each
// database.
func TestEachOrderIsStoredOnce(t *testing.T) {
	orders := 40
	long := os.Getenv("OIDKIT_LONG") != ""
	if long {
		orders = 1000
	}
	tests := map[string]func(t *testing.T) broken{
		"PostgreSQL": func(t *testing.T) broken {
			dsn, w := postgresBehindAWire(t)
			db := open(t, "pgx", dsn)
			execute(t, db, "CREATE TABLE orders (id bytea PRIMARY KEY, number varchar(20) UNIQUE)", "CREATE TABLE order_lines (id bytea PRIMARY KEY, order_id bytea, product text)")
			return onSQL(sqlShop(db, func(n int) string { return fmt.Sprintf("$%d", n) }), w, db)
		},
		"PostgreSQL, GORM": func(t *testing.T) broken {
			dsn, w := postgresBehindAWire(t)
			db, err := openGORM(postgres.Open(dsn))
			if err != nil {
				t.Fatal(err)
			}
			if err := db.AutoMigrate(&Order{}, &OrderLine{}); err != nil {
				t.Fatal(err)
			}
			return onSQL(gormShop(db), w, open(t, "pgx", dsn))
		},
		"MongoDB": func(t *testing.T) broken {
			server := mongodb.Start(t)
			u, err := url.Parse(server.URI)
			if err != nil {
				t.Fatal(err)
			}
			w := wire.Start(t, u.Host)
			u.Host = w.Addr()
			client, err := mongo.Connect(options.Client().ApplyURI(u.String()).SetRegistry(bsoncodec.NewRegistry()))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { client.Disconnect(context.Background()) })
			coll := client.Database(server.Database).Collection("orders")
			return broken{mongoShop(coll), w, "insert", func() (orders, lines int, err error) {
				cursor, err := coll.Find(context.Background(), bson.D{})
				if err != nil {
					return 0, 0, err
				}
				var all []Order
				err = cursor.All(context.Background(), &all)
				for _, o := range all {
					lines += len(o.Lines)
				}
				return len(all), lines, err
			}}
		},
	}
	for _, e := range mysqlserver.Engines() {
		tests[e.Name] = func(t *testing.T) broken {
			dsn, w := mysqlBehindAWire(t, e)
			db := open(t, "mysql", dsn)
			execute(t, db, "CREATE TABLE orders (id binary(12) PRIMARY KEY, number varchar(20) UNIQUE)", "CREATE TABLE order_lines (id binary(12) PRIMARY KEY, order_id binary(12), product text)")
			return onSQL(sqlShop(db, func(int) string { return "?" }), w, db)
		}
		tests[e.Name+", GORM"] = func(t *testing.T) broken {
			dsn, w := mysqlBehindAWire(t, e)
			db, err := openGORM(mysql.Open(dsn))
			if err != nil {
				t.Fatal(err)
			}
			if err := db.AutoMigrate(&Order{}, &OrderLine{}); err != nil {
				t.Fatal(err)
			}
			return onSQL(gormShop(db), w, open(t, "mysql", dsn))
		}
	}
	for name, start := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t)
			tries, mine := 0, 0
			insert, stored := b.insert, b.stored
			b.insert = func(ctx context.Context, o Order) error {
				tries++
				return insert(ctx, o)
			}
			b.stored = func(ctx context.Context, id oid.ID) (bool, error) {
				was, err := stored(ctx, id)
				if was {
					mine++
				}
				return was, err
			}
			orders := orders
			if name == "MongoDB" && !long {
				orders = 10 // its client waits for half a second after each fault
			}
			faults := []wire.Fault{wire.LostAnswer, wire.HalfAnswer, wire.LostRequest, wire.HalfRequest, wire.Cut}
			for i := range orders {
				b.wire.BreakOn(b.last, faults[i%len(faults)])
				if err := b.store(t.Context(), newOrder(fmt.Sprint("A-", i), "tea", "cup")); err != nil {
					t.Fatal(err)
				}
			}
			if n, lines, err := b.count(); n != orders || lines != 2*orders || err != nil {
				t.Errorf("%d orders with %d lines, %v, want %d orders with 2 lines each", n, lines, err, orders)
			}
			if mine < orders/10 {
				t.Errorf("only %d of %d answers were lost after the order was stored", mine, orders)
			}
			t.Logf("%d orders in %d tries: %d were stored although the answer was lost", orders, tries, mine)
		})
	}
}

// TestErrorsAfterALostAnswerDontEndTheLoop has a server that refuses connections after the
// answer to the commit was lost, and stores the order anyway.
func TestErrorsAfterALostAnswerDontEndTheLoop(t *testing.T) {
	dsn, w := postgresBehindAWire(t)
	admin := open(t, "pgx", dsn)
	role := "shop_" + oid.New().Hex()
	execute(t, admin, "CREATE TABLE orders (id bytea PRIMARY KEY, number varchar(20) UNIQUE)", "CREATE TABLE order_lines (id bytea PRIMARY KEY, order_id bytea, product text)",
		"CREATE ROLE "+role+" LOGIN", "GRANT ALL ON orders, order_lines TO "+role)
	t.Cleanup(func() { execute(t, admin, "DROP OWNED BY "+role, "DROP ROLE "+role) })
	s := sqlShop(open(t, "pgx", strings.Replace(dsn, "postgres@", role+"@", 1)), func(n int) string { return fmt.Sprintf("$%d", n) })
	insert, refused := s.insert, 0
	s.insert = func(ctx context.Context, o Order) error {
		err := insert(ctx, o)
		limit := "0"
		if pg := (*pgconn.PgError)(nil); errors.As(err, &pg) && pg.Code == "53300" { // too many connections
			refused++
			limit = "-1"
		}
		execute(t, admin, "ALTER ROLE "+role+" CONNECTION LIMIT "+limit)
		return err
	}
	w.BreakOn("commit", wire.LostAnswer)
	if err := s.store(t.Context(), newOrder("A-1", "tea")); err != nil || refused == 0 {
		t.Errorf("%v, after %d refused connections", err, refused)
	}
	if n, _, err := onSQL(s, w, admin).count(); n != 1 || err != nil {
		t.Errorf("%d orders, %v", n, err)
	}
	s.insert = insert
	if err := s.store(t.Context(), newOrder(strings.Repeat("A", 21))); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a number that is too long: %v", err)
	}
}

// TestAWrongColumnEndsTheLoop has tables that lack a column of the statement.
func TestAWrongColumnEndsTheLoop(t *testing.T) {
	dollar, question := func(n int) string { return fmt.Sprintf("$%d", n) }, func(int) string { return "?" }
	for name, s := range map[string]struct {
		driver, dsn, columns string
		mark                 func(n int) string
	}{
		"postgres": {"pgx", pgserver.Database(t), "id bytea PRIMARY KEY, no varchar(20)", dollar},
		"mysql":    {"mysql", mysqlserver.MySQL.Database(t), "id binary(12) PRIMARY KEY, no varchar(20)", question},
		"mariadb":  {"mysql", mysqlserver.MariaDB.Database(t), "id binary(12) PRIMARY KEY, no varchar(20)", question},
	} {
		db := open(t, s.driver, s.dsn)
		execute(t, db, "CREATE TABLE orders ("+s.columns+")")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if err := sqlShop(db, s.mark).store(ctx, newOrder("A-1")); err == nil || ctx.Err() != nil {
			t.Errorf("%s: %v, want the server's error", name, err)
		}
		cancel()
	}
}

func onSQL(s shop, w *wire.Wire, db *sql.DB) broken {
	return broken{s, w, "commit", func() (orders, lines int, err error) {
		err = db.QueryRow("SELECT (SELECT count(*) FROM orders), (SELECT count(*) FROM order_lines)").Scan(&orders, &lines)
		return orders, lines, err
	}}
}

func postgresBehindAWire(t *testing.T) (dsn string, w *wire.Wire) {
	t.Helper()
	u, err := url.Parse(pgserver.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	w = wire.Start(t, u.Host)
	u.Host = w.Addr()
	return u.String(), w
}

func mysqlBehindAWire(t *testing.T, e *mysqlserver.Engine) (dsn string, w *wire.Wire) {
	t.Helper()
	config, err := sqldriver.ParseDSN(e.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	w = wire.Start(t, config.Addr)
	config.Addr = w.Addr()
	return config.FormatDSN(), w
}

func open(t *testing.T, driver, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func execute(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// Package sqlargs has SQL with arguments.
package sqlargs

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"github.com/uptrace/bun"
	"gorm.io/gorm"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

type (
	UserID = oid.For[User]
	TeamID = oid.For[Team]
)

type User struct {
	ID     UserID  `db:"id"`
	TeamID *TeamID `db:"team_id"`
	Name   string  `db:"name"`
}

type Team struct {
	ID TeamID
}

const insertOrder = `INSERT INTO shop.orders (id, user_id, created_at) VALUES ($1, $2, $3)`

func insert(ctx context.Context, pool *pgxpool.Pool, id oid.ID, user UserID, now time.Time) {
	pool.Exec(ctx, insertOrder, id, user, now)
}

// A time, where the package stores IDs.
func times(ctx context.Context, conn *pgx.Conn, tx pgx.Tx, db *sql.DB, batch *pgx.Batch, cut time.Time, maybe sql.NullTime, p *time.Time, generic sql.Null[time.Time], n int) {
	conn.Exec(ctx, "DELETE FROM orders WHERE id >= $1", cut)                          // want `orders.id holds IDs, and the driver sends this time in a form that sorts before all of them, or after: pass oid.MinAt\(…\)`
	db.Query("SELECT 1 FROM orders WHERE id < ? LIMIT ?", time.Now().UTC(), n)        // want `pass oid.Until\(…\)`
	db.QueryRow("SELECT 1 FROM orders o JOIN users u ON true WHERE o.id > ?", cut)    // want `pass oid.MaxAt\(…\)`
	tx.Query(ctx, `SELECT 1 FROM "orders" WHERE $1 >= "id"`, cut)                     // want `pass oid.MaxAt\(…\)`
	tx.QueryRow(ctx, "SELECT 1 FROM orders WHERE id BETWEEN $1 AND $2", cut, cut)     // want `pass oid.MinAt` `pass oid.MaxAt`
	batch.Queue("SELECT 1 FROM orders WHERE (user_id, id) > ($2, $1)", cut, UserID{}) // want `pass oid.MaxAt`
	db.QueryContext(ctx, "SELECT 1 FROM orders WHERE id IN (?, ?)", cut, oid.ID{})    // want `orders.id holds IDs, and this is a time: pass an ID`
	conn.Exec(ctx, "UPDATE orders SET id = $1", cut)                                  // want `orders.id holds IDs, and this is a time: pass an ID`
	conn.Exec(ctx, "SELECT 1 FROM orders WHERE id > @cut", pgx.NamedArgs{"cut": cut}) // want `pass oid.MaxAt`
	db.Query("SELECT 1 FROM orders WHERE id > @cut", sql.Named("cut", cut))           // want `pass oid.MaxAt`
	conn.Query(ctx, "SELECT 1 FROM orders WHERE id < $1", pgx.QueryExecModeExec, cut) // want `pass oid.Until`
	db.Query("SELECT 1 FROM orders WHERE id < ?", maybe)                              // want `pass oid.Until`
	db.Query("SELECT 1 FROM orders WHERE id < ?", (any)(p))                           // want `pass oid.Until`
	open().Query("SELECT 1 FROM orders WHERE id < ?", cut)                            // want `pass oid.Until`
	query := "SELECT 1 FROM orders"
	query += " WHERE id < ?"
	old := "DELETE FROM orders WHERE id < ?"
	db.Exec(old, cut) // want `pass oid.Until`

	// These are right, or nobody can tell.
	db.Query("SELECT 1 FROM orders WHERE created_at < ? AND id >= ?", cut, oid.MinAt(cut))
	db.Query("SELECT 1 FROM orders WHERE objectid_time(id) < ? AND id >= objectid_min(?)", cut, cut)
	db.Query("SELECT 1 FROM invoices WHERE id < ?", cut)
	db.Query("SELECT 1 FROM orders o, users u WHERE id < ? AND u.id = o.user_id", cut)
	db.Query("SELECT 1 FROM orders WHERE id IN (?)", cut, cut)
	db.Query("SELECT 1 FROM orders WHERE id < ? AND user_id = ?", []any{cut, UserID{}}...)
	db.Query("SELECT 1 FROM orders WHERE id < $2", cut)
	db.Query(query, cut)
	db.Query("SELECT 1 FROM orders WHERE id < ?", cut) //oidvet:ignore sqlargs a test
	print("SELECT 1 FROM orders WHERE id < ?", cut)
	logged("SELECT 1 FROM orders WHERE id < ?", cut)
	numbered(1, cut)
	typed("SELECT 1 FROM orders WHERE id < ?", cut)
	func(query string, args ...any) {}("SELECT 1 FROM orders WHERE id < ?", cut)
	_ = sql.ErrNoRows.Error()
	db.Query("SELECT 1 FROM orders WHERE id < ?", generic) // want `pass oid.Until`
	n++
	for query = range strings.Lines(query) {
	}
}

func print(format string, args ...any)      {}
func logged(query string, at time.Time)     {}
func numbered(query int, args ...any)       {}
func typed(query string, args ...time.Time) {}
func open() interface {
	Query(query string, args ...any)
} {
	return nil
}

// A text, where the package stores the 12 bytes.
func texts(ctx context.Context, conn *pgx.Conn, db *sql.DB, id oid.ID, user UserID, p *oid.ID, text string, list []string, null sql.NullString) {
	conn.Query(ctx, "SELECT 1 FROM orders WHERE id > $1 LIMIT 50", id.Hex())  // want `orders.id gets IDs of 12 bytes in other statements, which never equal this text: pass the ID itself`
	db.Query("SELECT 1 FROM orders WHERE id = ?", (user.String()))            // want `pass the ID itself`
	db.Query("SELECT 1 FROM orders WHERE id = ?", fmt.Sprint(p))              // want `pass the ID itself`
	db.Query("SELECT 1 FROM orders WHERE id = ?", fmt.Sprintf("%s", id))      // want `pass the ID itself`
	db.Query("SELECT 1 FROM orders WHERE id = ?", fmt.Sprintf("%s", text))    // want `pass the ID, from oid.Parse`
	db.Query("SELECT 1 FROM orders WHERE id = ?", fmt.Sprintf("%x", id))      // want `pass the ID, from oid.Parse`
	db.Query("SELECT 1 FROM orders WHERE id = ?", fmt.Sprintln(id))           // want `pass the ID, from oid.Parse`
	db.Query("SELECT 1 FROM orders WHERE id = ?", text)                       // want `pass the ID, from oid.Parse`
	db.Query("SELECT 1 FROM orders WHERE id = ?", "65b3f7a20123456789abcdef") // want `pass the ID, from oid.Parse`
	db.Query("SELECT 1 FROM orders WHERE id = ?", null)                       // want `pass the ID, from oid.Parse`
	conn.Query(ctx, "SELECT 1 FROM orders WHERE id = ANY($1)", list)          // want `pass the ID, from oid.Parse`
	sqlx.In("SELECT 1 FROM orders WHERE id IN (?)", list)                     // want `pass the ID, from oid.Parse`
	conn.Exec(ctx, insertOrder, id.Hex(), user, time.Now())                   // want `pass the ID itself`
	hex := id.Hex()
	db.Query("SELECT 1 FROM orders WHERE id = ?", hex) // want `pass the ID itself`

	// These are right, or nobody can tell.
	db.Query("SELECT 1 FROM orders WHERE id = ?", id)
	db.Query("SELECT 1 FROM orders WHERE id = ?", id[:])
	db.Query("SELECT 1 FROM orders WHERE id = ?", string(id[:]))
	db.Query("SELECT 1 FROM orders WHERE id = ?", `\x`+id.Hex())
	db.Query("SELECT 1 FROM orders WHERE HEX(id) = ?", id.Hex())
	db.Query("SELECT 1 FROM orders WHERE name = ?", id.Hex())
	db.Query("SELECT 1 FROM logs WHERE id = ?", id.Hex())
}

// Columns of text, and tables of which several are in this package.
func other(db *sql.DB, id oid.ID, cut time.Time, hex sqltype.Hex, n int) {
	db.Exec("CREATE TABLE texts (id char(24) PRIMARY KEY, at timestamp)")
	db.Exec("INSERT INTO texts (id, at) VALUES (?, ?)", id, cut)
	db.Query("SELECT 1 FROM texts WHERE id = ?", id.Hex())
	db.Query("SELECT 1 FROM texts WHERE id < ?", cut) // want `texts.id holds IDs`

	db.Exec("INSERT INTO hexes (id) VALUES (?)", hex)
	db.Query("SELECT 1 FROM hexes WHERE id = ?", id.Hex())
	db.Query("SELECT 1 FROM hexes WHERE id = ?", id)
	db.QueryRow("SELECT id FROM digits").Scan(&hex)
	db.Query("SELECT 1 FROM digits WHERE id = ?", id)
	db.Query("SELECT 1 FROM digits WHERE id = ?", id.Hex())
	db.Query("SELECT 1 FROM hexes WHERE id < ?", cut) // want `hexes.id holds IDs`

	db.Exec("CREATE TABLE domains (id objectid PRIMARY KEY, data bytea)")
	db.Query("SELECT 1 FROM domains WHERE id = ?", id.Hex()) // want `domains.id gets IDs`
	db.Query("SELECT 1 FROM domains WHERE data = ?", id.Hex())

	// The table stores texts, so the comparison with an ID is the mistake.
	db.Exec("INSERT INTO strings (id) VALUES (?)", id.Hex())
	db.Query("SELECT 1 FROM strings WHERE id = ?", id)
	db.Query("SELECT 1 FROM strings WHERE id = ?", id.Hex())

	db.Exec("CREATE TABLE many (id timestamp, n int)")
	db.Exec("INSERT INTO many (id, n) VALUES (?, ?)", id, id)
	db.Query("SELECT 1 FROM many WHERE id < ? AND n = ?", cut, id.Hex())
	db.Exec("INSERT INTO keys (id, old, at) VALUES (?, ?, ?)", n, 7, id)
	db.Exec("INSERT INTO keys (id, old, at) VALUES (?, ?, ?)", id, id, id)
	db.Query("SELECT 1 FROM keys WHERE id < ?", cut)
	var at time.Time
	db.QueryRow("SELECT at FROM keys").Scan(&at)
	db.Query("SELECT 1 FROM keys WHERE at < ?", cut)
}

// IDs of another model.
func models(ctx context.Context, conn *pgx.Conn, db *sql.DB, x *sqlx.DB, user UserID, team TeamID, id oid.ID) {
	var u User
	x.Get(&u, "SELECT * FROM users WHERE id = ?", user)
	x.Get(&u, "SELECT * FROM users WHERE id = ?", team)                                                          // want `users.id holds IDs of User, and this is an ID of Team`
	db.Exec("UPDATE users SET team_id = ? WHERE id = ?", user, user)                                             // want `users.team_id holds IDs of Team, and this is an ID of User`
	db.Query("SELECT 1 FROM users WHERE team_id = ANY(?)", []UserID{user})                                       // want `this is an ID of User`
	conn.Query(ctx, "SELECT 1 FROM orders WHERE user_id = $1", team)                                             // want `orders.user_id holds IDs of User, and this is an ID of Team`
	db.Query("SELECT 1 FROM users WHERE team_id = ?", sqltype.ZeroNullFor[User](user))                           // want `this is an ID of User`
	x.NamedExec("INSERT INTO users (id, team_id) VALUES (:team, :id)", map[string]any{"team": team, "id": user}) // want `this is an ID of Team` `this is an ID of User`
	x.NamedExec("INSERT INTO users (id, team_id) VALUES (:id, :id)", u)                                          // want `users.team_id holds IDs of Team`

	NamedExecContext(ctx, x, "UPDATE users SET team_id = :id", u) // want `users.team_id holds IDs of Team`

	x.NamedExec("INSERT INTO users (id, team_id) VALUES (:id, :team_id)", &u)
	Exec("UPDATE users SET team_id = :id", u)
	db.Exec("UPDATE users SET team_id = ? WHERE id = ?", team, user)
	db.Exec("UPDATE users SET team_id = ? WHERE id = ?", id, id)

	// Nobody can tell which of these is right.
	db.Exec("INSERT INTO notes (of) VALUES (?)", user)
	db.Exec("INSERT INTO notes (of) VALUES (?)", team)
	db.Query("SELECT 1 FROM notes WHERE of = ?", user)
}

func NamedExecContext(ctx context.Context, x *sqlx.DB, query string, data any) {}

func Exec(query string, data any) {}

// Variables into which the bytes are read.
func read(db *sql.DB, x *sqlx.DB) error {
	var id oid.ID
	var text, name string
	var null sql.NullString
	db.QueryRow("SELECT id, name FROM orders").Scan(&text, &name)    // want `orders.id gets IDs of 12 bytes in other statements, and this string would hold the raw bytes: read into an oid.ID`
	db.QueryRow("SELECT HEX(id), id FROM orders").Scan(&text, &null) // want `read into an oid.ID`
	rows, err := db.Query("SELECT user_id FROM orders")
	if err != nil {
		return err
	}
	for rows.Next() {
		rows.Scan(&text) // want `orders.user_id gets IDs`
	}
	var row struct {
		ID   string
		Name string
	}
	x.Get(&row, "SELECT id, name FROM orders")           // want `orders.id gets IDs`
	x.QueryRowx("SELECT * FROM orders").StructScan(&row) // want `orders.id gets IDs`

	db.QueryRow("SELECT id, name FROM orders").Scan(&id, &name)
	db.QueryRow("SELECT max(id) FROM orders").Scan(&text)
	db.QueryRow("SELECT id FROM texts").Scan(&text)
	db.QueryRow("SELECT id FROM orders").Scan()
	x.Get(&name, "SELECT name FROM orders")
	fmt.Sscan("1", &name)
	other := db.QueryRow
	other("SELECT id FROM orders").Scan(&id)
	var scan scanner
	scan.Scan(&text)
	return rows.Scan(&text, &name) // want `orders.user_id gets IDs`
}

type scanner struct{}

func (scanner) Scan(...any) {}

type Invoice struct {
	bun.BaseModel `bun:"table:bills,alias:b"`

	ID       oid.ID `bun:"id,pk"`
	Customer TeamID
	Note     string
}

type Plain struct{ ID oid.ID }

func chains(db *bun.DB, g *gorm.DB, cut time.Time, id oid.ID, user UserID, text string, n int64) {
	db.NewSelect().Model(&[]Invoice{}).Where("id >= ?", cut)                        // want `bills.id holds IDs`
	db.NewSelect().Model((*Invoice)(nil)).Where("b.id = ?", id.Hex())               // want `bills.id gets IDs of 12 bytes`
	db.NewUpdate().Model(&Invoice{}).Set("customer = ?", user).Exec(nil)            // want `bills.customer holds IDs of Team`
	db.NewDelete().Model(&Plain{}).Where("plain.id IN (?)", bun.In([]string{text})) // want `plains.id gets IDs`
	db.NewRaw("SELECT 1 FROM bills WHERE id < ?", cut)                              // want `bills.id holds IDs`
	db.NewSelect().Model(&Invoice{}).Where("? = ?", bun.Ident("id"), id.Hex()).Where("other.id = ?", cut)
	db.NewSelect().Model(&n).Where("id = ?", text)
	db.NewSelect().Where("id = ?", text)

	var plains []Plain
	g.Find(&plains)
	g.Raw("SELECT * FROM plains WHERE id = ?", text)                   // want `plains.id gets IDs`
	g.Exec("UPDATE plains SET id = id WHERE id > ?", cut)              // want `plains.id holds IDs`
	g.Table("plains").Where("id = ?", text).Or("id = ?", id).Count(&n) // want `plains.id gets IDs`
	g.Table("plains").Where("id = ?", text).UpdateColumn("name", "x")  // want `plains.id gets IDs`
	g.Joins("JOIN plains ON plains.id = ?", text).Find(&plains)        // want `plains.id gets IDs`
	g.Joins("JOIN plains ON other_id = ?", text).Find(&plains)
	g.Joins("JOIN others ON id = ?", text).Find(&plains)
	g.Table("plains").Where("id = ?", text).Find(&plains)
	g.Table("plains").Model(&plains).Where("id = ?", text).Count(&n)
	g.Where("id = ?", text).Find(&plains)
	g.Find(&named{})
	g.Exec("UPDATE nameds SET id = ?", text)
	g.Begin()
}

type named struct{ ID oid.ID }

func (*named) TableName() string { return "x" }

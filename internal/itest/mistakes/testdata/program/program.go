// Package program makes the mistakes that newcomers made with IDs. Each method of Env is one
// mistake. It returns what the program would see: the error, or nil if there is none.
//
// The last line of a comment is the mistake's class and a part of the error, or of the page
// that names the mistake:
//
//	A: the error says what to do
//	B: the error is clear
//	C: the error is unclear
//	D: the error is misleading, or comes far from the mistake
//	V: no error, but oidvet reports the line
//	F: no error, and no report
package program

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sequence/pgsequence"
)

// Env is what the mistakes use. Its databases have the tables of the test.
type Env struct {
	Ctx      context.Context
	PG       *pgx.Conn         // after pgxoid.AfterConnect
	Bare     *pgx.Conn         // without it
	Pool     *pgxpool.Pool     // without it, of one connection
	Other    *pgxpool.Pool     // of another database
	SQL      *sql.DB           // PostgreSQL by pgx's stdlib, after AfterConnect
	Store    *pgsequence.Store // of Pool
	MySQL    *sql.DB           // or MariaDB
	NoPlugin *gorm.DB          // the same server without the plugin
	Gorm     *gorm.DB          // SQLite with the plugin
}

// The rows of the test have these IDs.
var (
	Sample = oid.MustParse("65b3f7a40c1b2d3e4f506172")
	Text   = Sample.Hex()
)

// User is a model of the test.
type User struct {
	ID     oid.ID
	TeamID oid.For[Team]
	BossID *oid.ID
	Name   string
}

// Team is another one.
type Team struct {
	ID   oid.ID
	Name string
}

type (
	UserID = oid.For[User]
	TeamID = oid.For[Team]
)

// errRight is the error of a mistake that has no effect any more.
var errRight = errors.New("the result is right")

// silent returns nil if the result is wrong, which nobody has noticed.
func silent(wrong bool) error {
	if wrong {
		return nil
	}
	return errRight
}

// Package sqltype has ID types for the SQL columns that [oid.ID] can't serve.
// An [oid.ID] reads and writes a binary column: bytea, binary(12) or blob.
//
//	column                          Go type
//	binary, not null                oid.ID, oid.For[T]
//	binary, nullable                *oid.ID, *oid.For[T], sql.Null[oid.ID]
//	binary, nullable, zero is NULL  ZeroNull, ZeroNullFor[T]
//	24 hex digits as text           Hex, and *Hex where nullable
//	uuid with only such IDs         UUID, and *UUID where nullable
//	an array of PostgreSQL          Array[T] with database/sql; []oid.ID with pgx
//
// A range by creation time needs no function of this package. [oid.Range] has the
// bounds, and the column's type has their form:
//
//	lo, hi := oid.Range(from, to)
//	db.Query("select … where id >= $1 and id < $2", lo, hi)                           // bytea, objectid
//	db.Query("select … where id >= ? and id < ?", lo, hi)                             // binary(12), blob
//	db.Query("select … where id >= $1 and id < $2", sqltype.Hex(lo), sqltype.Hex(hi)) // text
//	db.Query("select … where id >= $1 and id < $2", sqltype.UUID(lo), sqltype.UUID(hi))
//
// Pass the bounds in the form of the column. A text column compared with an oid.ID
// gives wrong rows on some drivers, and in a DELETE those rows are lost.
//
// In JSON, BSON and text these types have the form of an oid.ID. MongoDB's driver v1
// reads one only after a call of mongov1.RegisterFor.
//
// [PostgresSchema] returns SQL that creates the domain objectid, which refuses
// anything but an ID. The SQL of PostgresSchema and of [MySQLSchema] also creates
// functions that convert IDs to creation times and back.
//
// Package pgxoid adds support for pgx, used directly or through database/sql.
package sqltype

import (
	"errors"
	"fmt"
	"strings"

	"github.com/oidkit/oidkit/oid"
)

// as renames an error of an oid.ID method to the same method of typ, a type of this
// package. It returns other errors unchanged.
func as(typ string, err error) error {
	if err == nil {
		return nil
	}
	var found *oid.SyntaxError
	if !errors.As(err, &found) {
		return err
	}
	renamed := *found
	renamed.Call = "sqltype." + typ + strings.TrimPrefix(found.Call, "oid.ID")
	return &renamed
}

// null returns the error of typ's method for NULL.
func null(typ, method string) error {
	err := &oid.SyntaxError{Call: "sqltype." + typ + "." + method + "(nil)", Problem: "NULL"}
	return fmt.Errorf("%w: use *sqltype.%s or sql.Null[sqltype.%s] for a nullable column", err, typ, typ)
}

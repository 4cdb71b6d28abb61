// Package sqltype stores IDs in SQL columns that aren't binary, or that can be NULL: text,
// uuid, nullable columns and PostgreSQL arrays. An [oid.ID] itself reads and writes a
// binary column: bytea, binary(12) or blob.
//
//	column                          Go type
//	binary, not null                oid.ID, oid.For[T]
//	binary, nullable                *oid.ID, *oid.For[T], sql.Null[oid.ID]
//	binary, nullable, zero is NULL  ZeroNull, ZeroNullFor[T]
//	24 hex digits as text           Hex, and *Hex where nullable
//	uuid that holds only IDs        UUID, and *UUID where nullable
//	an array of PostgreSQL          Array[T] with database/sql; []oid.ID with pgx
//
// To find rows by creation time, convert the bounds of [oid.Range] to the type of the
// column:
//
//	lo, hi := oid.Range(from, to)
//	db.Query("select … where id >= $1 and id < $2", lo, hi)                           // bytea, objectid
//	db.Query("select … where id >= ? and id < ?", lo, hi)                             // binary(12), blob
//	db.Query("select … where id >= $1 and id < $2", sqltype.Hex(lo), sqltype.Hex(hi)) // text
//	db.Query("select … where id >= $1 and id < $2", sqltype.UUID(lo), sqltype.UUID(hi))
//
// Don't compare a text column with an oid.ID. With some drivers, < or <> then
// matches every row, and a DELETE removes these rows.
//
// In JSON, BSON and XML, the types of this package write an ID in the same form as an
// oid.ID. With MongoDB's driver v1, they need package mongov1, as an oid.ID does.
//
// [PostgresSchema] returns SQL that creates the domain objectid, a column type that accepts
// only 12 bytes, not all zero. The SQL of PostgresSchema and of [MySQLSchema] also creates
// functions that convert IDs to creation times and back.
//
// Package pgxoid lets pgx, also through database/sql, use IDs in more types.
//
// # Guarantees
//
//   - Each type reads back the ID that it wrote, in every column that the table above names
//     for the type.
//   - If the value of a column is not an ID, the method Scan returns an error that matches
//     [oid.ErrSyntax], and leaves its receiver unchanged. Any 12 bytes of a binary column
//     are an ID.
//   - IDs sort alike in binary, text and uuid columns, except uuid columns of MariaDB
//     before 10.11.6, 11.0.4, 11.1.3 and 11.2.2. A UUID keeps every bit of its ID.
//   - Only [ZeroNull] and [ZeroNullFor] write the zero ID as NULL, and read NULL as the
//     zero ID. [Hex] and [UUID] write the zero ID as a value, and return an error when
//     they read NULL.
//
// # Not guaranteed
//
//   - Some drivers accept a Go type that doesn't fit the column. They store an oid.ID in a
//     text column as 12 raw bytes, or as \x and 24 hex digits. They store a Hex in a binary
//     column as 24 characters.
//   - If the type of an ID in a condition doesn't fit the column, the condition can match
//     wrong rows. The bytes, the hex digits and the UUID of an ID are different values
//     for a database.
//   - Not every UUID that can be read was made from an ID. About one in a million UUIDv7s
//     from other programs is read as an ID that nobody made.
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
	if errors.As(err, &found) {
		renamed := *found
		renamed.Call = "sqltype." + typ + strings.TrimPrefix(found.Call, "oid.ID")
		err = &renamed
	}
	return err
}

// null returns the error of typ's method for NULL.
func null(typ, method string) error {
	err := &oid.SyntaxError{Call: "sqltype." + typ + "." + method + "(nil)", Problem: "NULL is not an ID"}
	return fmt.Errorf("%w: use *sqltype.%s or sql.Null[sqltype.%s] for a nullable column", err, typ, typ)
}

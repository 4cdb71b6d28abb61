// Package sqltype holds what SQL columns need beyond [oid.ID] itself, which reads
// and writes a binary column: bytea, binary(12), blob.
//
//	column                          Go type
//	binary, not null                oid.ID
//	binary, nullable                *oid.ID, sql.Null[oid.ID], Null
//	binary, nullable, zero is NULL  ZeroNull
//	24 hex digits as text           Hex, and *Hex where nullable
//	bytea[] of PostgreSQL           Array with database/sql; []oid.ID with pgx
//
// [PostgresSchema] and [MySQLSchema] are the SQL side: a domain that refuses what
// isn't an id, and functions between ids and the times of their creation.
//
// Package pgxoid, below this one, is for pgx without database/sql.
package sqltype

import "fmt"

// in says in an error of package oid which type of this package it befell.
func in(typ string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("sqltype.%s: %w", typ, err)
}

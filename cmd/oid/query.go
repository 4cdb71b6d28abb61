package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/oidkit/oidkit/oid"
)

// A query is a way to print a range.
type query struct {
	name  string // for --as
	title string
	print func(b bounds) string
}

var queries = []query{
	{"hex", "", func(b bounds) string { return b.Lo.Hex() + "\n" + b.Hi.Hex() }},
	{"mongosh", "mongosh", bounds.mongosh},
	{"postgres", "PostgreSQL", postgres.query},
	{"mysql", "MySQL", mysql.query},
	{"sqlite", "SQLite", sqlite.query},
	{"go", "Go", bounds.goCode},
}

func queryNames() (names []string) {
	for _, q := range queries {
		names = append(names, q.name)
	}
	return names
}

// A dialect is how a database writes SQL.
type dialect struct {
	quote   string         // around a name
	plain   *regexp.Regexp // matches names that need no quotes, unless they are words of SQL
	literal string         // of 12 bytes

	// select returns the columns to select. With them, a shell shows the IDs of the
	// table in readable form.
	selected func(d dialect, table, column string) string
}

var (
	postgres = dialect{`"`, regexp.MustCompile(`^[a-z_][a-z0-9_]*$`), `'\x%s'`, func(dialect, string, string) string { return "*" }}
	mysql    = dialect{"`", regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`), "x'%s'", func(d dialect, table, column string) string { return d.hex(column) + ", " + d.name(table) + ".*" }}
	sqlite   = dialect{`"`, regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`), "x'%s'", func(d dialect, _, column string) string { return d.hex(column) + ", *" }}
)

// hex returns an expression for the column in readable form, with a name of its own.
func (d dialect) hex(column string) string {
	names := splitName(column)
	return "lower(hex(" + d.name(column) + ")) as " + d.quoted(names[len(names)-1]+"_hex")
}

// query returns the statement that selects b.
func (d dialect) query(b bounds) string {
	column := b.sqlColumn()
	literal, columns := d.literal, d.selected(d, b.table, column)
	if b.text || b.uuid {
		literal, columns = "'%s'", "*"
	}
	return fmt.Sprintf("select %s from %s where %s >= "+literal+" and %s < "+literal+";",
		columns, d.name(b.table), d.name(column), b.bound(b.Lo), d.name(column), b.bound(b.Hi))
}

// name returns name as SQL. It quotes each part between dots that needs quotes. A part
// that is in double quotes may contain dots.
func (d dialect) name(name string) string {
	parts := splitName(name)
	for i, part := range parts {
		parts[i] = d.quoted(part)
	}
	return strings.Join(parts, ".")
}

// quoted returns a part of a name, in quotes if it needs them.
func (d dialect) quoted(part string) string {
	if d.plain.MatchString(part) && !isReserved(part) {
		return part
	}
	return d.quote + strings.ReplaceAll(part, d.quote, d.quote+d.quote) + d.quote
}

var namePart = regexp.MustCompile(`^"((?:[^"]|"")*)"(?:\.|$)|^([^.]*)(?:\.|$)`)

// splitName splits a name at its dots outside double quotes.
func splitName(name string) (parts []string) {
	for rest := name; ; {
		m := namePart.FindStringSubmatchIndex(rest)
		if inQuotes := m[2] >= 0; inQuotes {
			parts = append(parts, strings.ReplaceAll(rest[m[2]:m[3]], `""`, `"`))
		} else {
			parts = append(parts, rest[m[4]:m[5]])
		}
		end := m[1]
		if end == 0 || rest[end-1] != '.' {
			return parts
		}
		rest = rest[end:]
	}
}

// isReserved reports whether name is an SQL word that at least one of the databases
// doesn't accept as a name.
func isReserved(name string) bool {
	_, found := slices.BinarySearch(reserved, strings.ToLower(name))
	return found
}

func (b bounds) sqlColumn() string {
	if b.column == "" {
		return "id"
	}
	return b.column
}

// bound returns a bound in the form that the column holds, without quotes.
func (b bounds) bound(id oid.ID) string {
	if b.uuid {
		return formNamed("uuid").text(id)
	}
	return id.Hex()
}

func (b bounds) mongosh() string {
	literal := `ObjectId("%s")`
	switch {
	case b.text:
		literal = `"%s"`
	case b.uuid:
		literal = `UUID("%s")`
	}
	key := b.column
	if key == "" {
		key = "_id"
	}
	if !scriptName.MatchString(key) {
		key = scriptString(key)
	}
	collection := "db." + b.table
	if !collectionName.MatchString(b.table) || slices.Contains(databaseMethods, b.table) {
		collection = "db.getCollection(" + scriptString(b.table) + ")"
	}
	return fmt.Sprintf("%s.find({%s: {$gte: "+literal+", $lt: "+literal+"}})", collection, key, b.bound(b.Lo), b.bound(b.Hi))
}

var (
	// scriptName matches names of JavaScript, which need no quotes.
	scriptName = regexp.MustCompile(`^[A-Za-z_$][\w$]*$`)

	// collectionName matches names of collections that can be written as db.NAME.
	// Other names could be names of methods.
	collectionName  = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$`)
	databaseMethods = []string{"aggregate", "auth", "constructor", "eval", "hello", "help", "logout", "sql", "stats", "version", "watch"}
)

// scriptString returns s as a string of JavaScript.
func scriptString(s string) string {
	text, _ := json.Marshal(s) // a string always has one
	return string(text)
}

func (b bounds) goCode() string {
	bound := "%s"
	switch {
	case b.text:
		bound = "%s.Hex()"
	case b.uuid:
		bound = "sqltype.UUID(%s)"
	}
	ansi := dialect{quote: `"`, plain: postgres.plain}
	column := ansi.name(b.sqlColumn())
	statement := fmt.Sprintf("select * from %s where %s >= ? and %s < ?", ansi.name(b.table), column, column)
	to := b.To.Unix()
	if b.To.Nanosecond() > 0 { // as Range does
		to++
	}
	return fmt.Sprintf("lo, hi := oid.Range(time.Unix(%d, 0), time.Unix(%d, 0))\n", b.From.Unix(), to) +
		fmt.Sprintf("rows, err := db.Query(%s, "+bound+", "+bound+") // pgx and lib/pq: $1 and $2", strconv.Quote(statement), "lo", "hi")
}

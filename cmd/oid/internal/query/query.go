// Package query writes queries for the IDs of a range, to paste into a shell or a program.
package query

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/oidkit/oidkit/cmd/oid/internal/format"
	"github.com/oidkit/oidkit/cmd/oid/internal/ids"
	"github.com/oidkit/oidkit/oid"
)

// A Range is the IDs lo <= id < hi, and the column that holds them.
type Range struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	Lo   oid.ID    `json:"lo"`
	Hi   oid.ID    `json:"hi"`

	Table, Column string `json:"-"` // "": orders, and id or _id
	Text, UUID    bool   `json:"-"` // the column holds 24 hex digits, or the UUID form
}

// Check returns an error for names that no query can hold.
func (r Range) Check() error {
	for _, name := range []string{r.Table, r.Column} {
		if name != "" && slices.Contains(strings.Split(name, "."), "") || strings.ContainsFunc(name, unicode.IsControl) {
			return fmt.Errorf("%s is not a name: want no control character, and no empty part before or after a dot", format.Quote(name))
		}
	}
	return nil
}

// A Form is a way to print a range.
type Form struct {
	Name  string
	Title string // "": not a query
	uuid  string // how it writes a UUID
	print func(r Range, lo, hi string) string
}

// Forms are all forms of a range.
var Forms = []Form{
	{"hex", "", "", func(r Range, _, _ string) string { return r.Lo.Hex() + "\n" + r.Hi.Hex() }},
	{"mongosh", "mongosh", `UUID("%s")`, Range.mongosh},
	{"extjson", "", `{"$uuid":"%s"}`, Range.extjson},
	{"postgres", "PostgreSQL", "'%s'", postgres.query},
	{"mysql", "MySQL", "'%s'", mysql.query},
	{"sqlite", "SQLite", "'%s'", sqlite.query},
	{"go", "Go", "", Range.goCode},
}

// Print returns r in the form.
func (f Form) Print(r Range) string { return f.print(r, f.bound(r, r.Lo), f.bound(r, r.Hi)) }

// bound returns a bound as the column holds it.
func (f Form) bound(r Range, id oid.ID) string {
	form := ids.Named(f.Name)
	switch {
	case r.UUID:
		return fmt.Sprintf(f.uuid, ids.Named("uuid").Text(id))
	case r.Text:
		return string(form.Quote) + id.Hex() + string(form.Quote)
	}
	return form.Text(id)
}

// Names returns the names of all forms.
func Names() (names []string) {
	for _, f := range Forms {
		names = append(names, f.Name)
	}
	return names
}

// A dialect is how a database writes SQL.
type dialect struct {
	quote string // around a name
	hex   string // the columns to select, so that the shell shows the IDs in readable form; "": it does so itself
	plain bool   // names that match plainName aren't quoted
}

var (
	postgres = dialect{quote: `"`}
	mysql    = dialect{quote: "`", hex: "lower(hex(%[1]s)) as %[2]s, %[3]s.*"}
	sqlite   = dialect{quote: `"`, hex: "lower(hex(%[1]s)) as %[2]s, *"}

	// In Go code the dialect isn't known, and a name in double quotes is a string to MySQL.
	goCode = dialect{quote: `"`, plain: true}
)

// query returns the statement that selects r.
func (d dialect) query(r Range, lo, hi string) string {
	table, column, columns := d.name(r.Table, "orders"), d.name(r.Column, "id"), "*"
	if d.hex != "" && !r.Text && !r.UUID {
		alias := "id_hex"
		if r.Column != "" {
			alias = d.quoted(r.Column[strings.LastIndexByte(r.Column, '.')+1:] + "_hex")
		}
		columns = fmt.Sprintf(d.hex, column, alias, table)
	}
	return fmt.Sprintf("select %s from %s where %[3]s >= %s and %[3]s < %[5]s;", columns, table, column, lo, hi)
}

// name returns name in quotes, because any word may be reserved, or none if it is "".
// A dot separates its parts.
func (d dialect) name(name, none string) string {
	if name == "" || d.plain && plainName.MatchString(name) {
		return cmp.Or(name, none)
	}
	parts := strings.Split(name, ".")
	for i, part := range parts {
		parts[i] = d.quoted(part)
	}
	return strings.Join(parts, ".")
}

func (d dialect) quoted(part string) string {
	return d.quote + strings.ReplaceAll(part, d.quote, d.quote+d.quote) + d.quote
}

// mongosh returns the statement of the shell of MongoDB.
func (r Range) mongosh(lo, hi string) string {
	key, collection := cmp.Or(r.Column, "_id"), cmp.Or(r.Table, "orders")
	if !scriptName.MatchString(key) {
		key = scriptString(key)
	}
	if !collectionName.MatchString(collection) || slices.Contains(databaseMethods, collection) {
		collection = "getCollection(" + scriptString(collection) + ")"
	}
	return fmt.Sprintf("db.%s.find({%s: {$gte: %s, $lt: %s}})", collection, key, lo, hi)
}

// extjson returns the filter that mongoexport --query and mongodump --query take.
func (r Range) extjson(lo, hi string) string {
	return fmt.Sprintf(`{%s:{"$gte":%s,"$lt":%s}}`, scriptString(cmp.Or(r.Column, "_id")), lo, hi)
}

var (
	// scriptName matches names of JavaScript, which need no quotes.
	scriptName = regexp.MustCompile(`^[A-Za-z_$][\w$]*$`)

	// plainName matches unquoted names, reserved words too.
	plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)*$`)

	// collectionName matches names that can be written as db.NAME, except databaseMethods.
	// Names with capitals could be methods.
	collectionName  = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$`)
	databaseMethods = []string{"aggregate", "auth", "constructor", "eval", "hello", "help", "logout", "sql", "stats", "version", "watch"}
)

// scriptString returns s as a string of JavaScript.
func scriptString(s string) string {
	text, _ := json.Marshal(s) // a string always has one
	return string(text)
}

// goCode returns statements of Go. They make the bounds from the times.
func (r Range) goCode(_, _ string) string {
	lo, hi := "lo", "hi"
	switch {
	case r.Text:
		lo, hi = "lo.Hex()", "hi.Hex()"
	case r.UUID:
		lo, hi = "sqltype.UUID(lo)", "sqltype.UUID(hi)"
	}
	statement := fmt.Sprintf("select * from %s where %s >= ? and %[2]s < ?", goCode.name(r.Table, "orders"), goCode.name(r.Column, "id"))
	return fmt.Sprintf("lo, hi := oid.Range(time.Unix(%d, 0), time.Unix(%d, 0))\n", r.From.Unix(), r.To.Add(time.Second-1).Unix()) + // as Range rounds
		fmt.Sprintf("rows, err := db.Query(%s, %s, %s) // pgx and lib/pq: $1 and $2", strconv.Quote(statement), lo, hi)
}

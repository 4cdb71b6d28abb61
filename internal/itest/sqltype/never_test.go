package sqltype_test

import (
	"cmp"
	"database/sql"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/internal/servers/repo"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// TestNever runs the tables of the section "Never" in docs/sql-reference.md. It stores each
// value in each column over each connection, and compares each column with each value. What is
// wrong without an error must be in a line of the table, and each line must be true.
func TestNever(t *testing.T) {
	t.Parallel()
	statements := neverStatements(t)
	for _, s := range neverSections() {
		t.Run(s.heading, func(t *testing.T) {
			lines := neverLines(t, s)
			seen := map[trial]effect{}
			for _, c := range s.connections {
				db := c.open(t)
				for i, column := range s.columns {
					if c.lacks(column.name) {
						continue
					}
					for v, e := range column.try(t, db, c.database, fmt.Sprintf("never_%d", i), s.values) {
						seen[trial{c.name, column.name, v}] = e
					}
				}
				makeOrders(t, db, c.database)
				for i := range statements {
					statements[i].try(t, db, c.database)
				}
			}
			for _, l := range lines {
				l.check(t, seen)
			}
			for tr, e := range seen {
				if e.silent() && !slices.ContainsFunc(lines, func(l neverLine) bool { return l.names(tr) }) {
					t.Errorf("%s: add a line: %v: INSERT %v, condition %v", neverPage, tr, e.insert, e.condition)
				}
			}
			for _, l := range statements {
				for what, done := range l.done {
					if !done {
						t.Errorf("%s: %s: no driver does that: %s", neverPage, l.text, what)
					}
				}
			}
		})
	}
}

const neverPage = "docs/sql-reference.md"

// A trial passes a value to a column over a connection. The fields are names.
type trial struct{ connection, column, value string }

// An effect is what a trial does, in the words of the page.
type effect struct{ insert, condition words }

// silent reports whether the trial can do something wrong without an error.
func (e effect) silent() bool {
	return e.insert.has("wrong") || slices.ContainsFunc(e.condition, func(w string) bool { return w != "right" && w != "error" })
}

// words are a sorted set.
type words []string

func (w words) with(more ...string) words {
	w = append(slices.Clone(w), more...)
	slices.Sort(w)
	return slices.Compact(w)
}

func (w words) has(word string) bool { return slices.Contains(w, word) }

// A neverSection is a heading of the page and what its lines may name.
type neverSection struct {
	heading     string
	connections []neverConnection
	names       map[string]func(connection string) bool // a phrase of the page, and the connections that it means
	columns     []neverColumn
	values      []string
}

type neverConnection struct {
	database
	lacks func(column string) bool
}

// hasAll is what a connection lacks that has every type of column.
func hasAll(string) bool { return false }

// neverSections are the engines with their drivers and settings.
func neverSections() []neverSection {
	everywhere := func(string) bool { return true }
	values := []string{
		"`oid.ID`", "`sqltype.Hex`", "`sqltype.UUID`", "a `time.Time`", "a number", "hex digits", "upper-case hex digits",
		"hex digits as `[]byte`", "a date as text", "other text", "text of 12 characters", "`id[:]`", "`string(id[:])`", "`sqltype.Array`",
		"`bson.ObjectID`",
	}
	registered := stdlib.OptionAfterConnect(pgxoid.AfterConnect)
	postgresql := neverSection{
		heading: "PostgreSQL",
		names: map[string]func(string) bool{
			"every driver":               everywhere,
			"pgx":                        func(c string) bool { return strings.HasPrefix(c, "pgx") },
			"pgx without `AfterConnect`": func(c string) bool { return c == "pgx" },
			"pgx exec": func(c string) bool {
				return strings.HasPrefix(c, "pgx exec") || strings.HasPrefix(c, "pgx simple protocol")
			},
			"lib/pq": func(c string) bool { return strings.HasPrefix(c, "lib/pq") },
		},
		columns: []neverColumn{
			{"`bytea`", "bytea", binaryForm}, {"`objectid`", "objectid", binaryForm},
			{"`text`", "text", hexForm}, {"`varchar(24)`", "varchar(24)", hexForm}, {"`char(24)`", "char(24)", hexForm},
			{"`citext`", "citext", hexForm}, {"a domain over `text`", "note", hexForm}, {"`uuid`", "uuid", uuidForm},
		},
		values: values,
	}
	for _, c := range []struct {
		name string
		open func(testing.TB) *sql.DB
	}{
		{"pgx", pgxWith(pgx.QueryExecModeCacheStatement)},
		{"pgx registered", pgxWith(pgx.QueryExecModeCacheStatement, registered)},
		{"pgx exec", pgxWith(pgx.QueryExecModeExec)},
		{"pgx exec registered", pgxWith(pgx.QueryExecModeExec, registered)},
		{"pgx simple protocol", pgxWith(pgx.QueryExecModeSimpleProtocol)},
		{"pgx simple protocol registered", pgxWith(pgx.QueryExecModeSimpleProtocol, registered)},
		{"lib/pq", func(t testing.TB) *sql.DB { return open(t, "postgres", postgres(t)) }},
		{"lib/pq binary", func(t testing.TB) *sql.DB { return open(t, "postgres", postgres(t)+"&binary_parameters=yes") }},
	} {
		prepared := func(t testing.TB) *sql.DB {
			db := c.open(t)
			mustExec(t, db, "create extension citext")
			mustExec(t, db, "create domain note as text")
			return db
		}
		postgresql.connections = append(postgresql.connections, neverConnection{database{c.name, prepared, "bytea", "text", true}, hasAll})
	}

	both := neverSection{
		heading: "MySQL and MariaDB",
		names: map[string]func(string) bool{
			"both servers": everywhere,
			"MySQL":        func(c string) bool { return strings.HasPrefix(c, "mysql") },
			"MariaDB":      func(c string) bool { return strings.HasPrefix(c, "mariadb") },
			"`interpolateParams=true`": func(c string) bool {
				return strings.HasSuffix(c, "interpolated")
			},
		},
		columns: []neverColumn{
			{"`binary(12)`", "binary(12)", binaryForm}, {"`varbinary(24)`", "varbinary(24)", binaryForm}, {"`blob`", "blob", binaryForm},
			{"`binary(16)`", "binary(16)", binaryForm},
			{"`char(24)`", "char(24)", hexForm}, {"`text`", "text", hexForm},
			{"`char(24)` of the character set `ascii`", "char(24) character set ascii", hexForm},
			{"`varchar(50)` of the character set `utf16`", "varchar(50) character set utf16", hexForm},
			{"`char(36)`", "char(36)", uuidForm}, {"`uuid`", "uuid", uuidForm},
		},
		values: values,
	}
	for _, e := range mysqlserver.Engines() {
		for _, s := range []struct {
			name string
			set  func(*mysql.Config)
		}{
			{"", func(*mysql.Config) {}},
			{" interpolated", func(c *mysql.Config) { c.InterpolateParams = true }},
			{" latin1", func(c *mysql.Config) { c.Params = map[string]string{"charset": "latin1"} }},
			{" not strict", func(c *mysql.Config) { c.Params = map[string]string{"sql_mode": "''"} }},
		} {
			lacks := hasAll
			if e != mysqlserver.MariaDB {
				lacks = func(column string) bool { return column == "`uuid`" }
			}
			both.connections = append(both.connections, neverConnection{database{e.Name + s.name, mysqlWith(e, s.set), "binary(12)", "char(24)", false}, lacks})
		}
	}

	sqlite := neverSection{
		heading: "SQLite",
		names:   map[string]func(string) bool{"every driver": everywhere},
		columns: []neverColumn{
			{"`blob`", "blob", binaryForm}, {"`text`", "text", hexForm}, {"`char(24)`", "char(24)", hexForm},
			{"`char(36)`", "char(36)", uuidForm}, {"another type name such as `uuid`", "uuid", hexForm},
		},
		values: values,
	}
	for name, driver := range sqliteDrivers {
		sqlite.connections = append(sqlite.connections, neverConnection{database{name, sqliteWith(driver), "blob", "text", false}, hasAll})
	}
	return []neverSection{postgresql, both, sqlite}
}

// A neverColumn is a type of a column that holds IDs in a form.
type neverColumn struct {
	name, sqlType string
	form          columnForm
}

type columnForm int

const (
	binaryForm columnForm = iota
	hexForm
	uuidForm
)

// text returns id as the column holds it: the digits of a binary column, or the text.
func (f columnForm) text(id oid.ID) string {
	if f == uuidForm {
		v, _ := sqltype.UUID(id).Value()
		return v.(string)
	}
	return id.Hex()
}

// literal returns id as SQL.
func (f columnForm) literal(id oid.ID, engine string) string {
	switch {
	case f != binaryForm:
		return "'" + f.text(id) + "'"
	case engine == "postgres":
		return `'\x` + id.Hex() + "'"
	}
	return "x'" + id.Hex() + "'"
}

// read returns the expression whose text is that of the form, and differs for all else.
func (f columnForm) read(engine string) string {
	switch {
	case engine == "postgres" && f == binaryForm:
		return "encode(c, 'hex')"
	case engine == "postgres":
		return "c::text"
	case engine == "sqlite" && f == binaryForm:
		return "case typeof(c) when 'blob' then lower(hex(c)) else typeof(c) end"
	case engine == "sqlite":
		return "case typeof(c) when 'text' then c else typeof(c) end"
	case f == binaryForm:
		return "lower(hex(c))"
	}
	return "lower(c)" // the collation takes both cases for equal
}

// neverValue returns what the phrase of the page names, for id.
func neverValue(phrase string, id oid.ID) any {
	switch phrase {
	case "`oid.ID`":
		return id
	case "`sqltype.Hex`":
		return sqltype.Hex(id)
	case "`sqltype.UUID`":
		return sqltype.UUID(id)
	case "a `time.Time`":
		return id.Timestamp()
	case "a number":
		return id.Timestamp().Unix()
	case "hex digits":
		return id.Hex()
	case "upper-case hex digits":
		return strings.ToUpper(id.Hex())
	case "hex digits as `[]byte`":
		return []byte(id.Hex())
	case "a date as text":
		return id.Timestamp().Format(time.DateOnly)
	case "`id[:]`":
		return id[:]
	case "`sqltype.Array`":
		return sqltype.Array[oid.ID]{id}
	case "`bson.ObjectID`":
		return bson.ObjectID(id)
	case "other text":
		return "A1001"
	case "text of 12 characters":
		return "abcdefghijkl"
	case "`string(id[:])`":
		return string(id[:])
	}
	panic(phrase)
}

// Among ten rows, each of a day of its own, the seventh has bytes that are text.
const textRow, randomRow = 6, 3

func neverRows(t *testing.T) []oid.ID {
	t.Helper()
	text := oid.ID([]byte("jabcdefghijk"))
	var ids []oid.ID
	for i := range 10 {
		id, err := oid.Derive(text.Timestamp().AddDate(0, 0, i-textRow), "row")
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	ids[textRow] = text
	return ids
}

// try passes each value to a table of its own.
func (column neverColumn) try(t *testing.T, db *sql.DB, d database, table string, values []string) map[string]effect {
	t.Helper()
	engine := d.engine()
	mustExec(t, db, fmt.Sprintf("create table %s (n int, c %s)", table, column.sqlType))
	mustExec(t, db, fmt.Sprintf("create table %s_new (n int, c %s)", table, column.sqlType))
	rows := neverRows(t)
	var literals []string
	for i, id := range rows {
		literals = append(literals, fmt.Sprintf("(%d, %s)", i, column.form.literal(id, engine)))
	}
	mustExec(t, db, "insert into "+table+" (n, c) values "+strings.Join(literals, ", "))

	// An ID of digits only, or with one e, is a number too.
	ids := []oid.ID{sample, rows[textRow], oid.MustParse("651234567890123456789012"), oid.MustParse("65e123456789012345678901")}
	effects := map[string]effect{}
	for v, phrase := range values {
		var e effect
		for i, id := range ids {
			if _, err := db.Exec(d.sql(fmt.Sprintf("insert into %s_new (n, c) values (%d, ?)", table, len(ids)*v+i)), neverValue(phrase, id)); err != nil {
				e.insert = e.insert.with("error")
			}
		}
		for _, i := range []int{textRow, randomRow} {
			e.condition = e.condition.with(compare(db, d, table, neverValue(phrase, rows[i]), i))
		}
		effects[phrase] = e
	}
	stored, err := db.Query("select n, " + column.form.read(engine) + " from " + table + "_new")
	if err != nil {
		t.Fatal(err)
	}
	defer stored.Close()
	for stored.Next() {
		var n int
		var text sql.NullString
		if err := stored.Scan(&n, &text); err != nil {
			t.Fatal(err)
		}
		phrase := values[n/len(ids)]
		e := effects[phrase]
		if text.String == column.form.text(ids[n%len(ids)]) {
			e.insert = e.insert.with("right")
		} else {
			e.insert = e.insert.with("wrong")
		}
		effects[phrase] = e
	}
	if err := stored.Err(); err != nil {
		t.Fatal(err)
	}
	return effects
}

// compare compares the column of each of ten rows with v, which stands for that of row i, and
// says in a word of the page what the comparison finds.
func compare(db *sql.DB, d database, table string, v any, i int) string {
	var found []int
	for _, operator := range []string{"=", "<>", ">", "<"} {
		var n int
		if err := db.QueryRow(d.sql("select count(*) from "+table+" where c "+operator+" ?"), v).Scan(&n); err != nil {
			return "error"
		}
		found = append(found, n)
	}
	for word, want := range map[string][]int{
		"right": {1, 9, 9 - i, i},
		"below": {0, 10, 10, 0},
		"above": {0, 10, 0, 10},
		"NULL":  {0, 0, 0, 0},
		"next":  {0, 10, 10 - i, i},
	} {
		if slices.Equal(found, want) {
			return word
		}
	}
	return fmt.Sprint(found)
}

// A neverLine is a line of a table of the page.
type neverLine struct {
	text                         string
	section                      neverSection
	columns, values, connections []string
	insert, condition            words
	instead                      []string
}

var neverHeader = "| column | you pass | with | `INSERT` | in a condition | pass instead |"

// neverTable returns the lines of the table under heading, and their cells.
func neverTable(t *testing.T, heading, header string) iter.Seq2[string, []string] {
	t.Helper()
	page, err := os.ReadFile(repo.Path(neverPage))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), "\n### "+heading+"\n")
	if !found {
		t.Fatalf("%s has no heading %s", neverPage, heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	section, _, _ = strings.Cut(section, "\n### ")
	_, table, found := strings.Cut(section, header+"\n"+strings.Repeat("| --- ", strings.Count(header, "|")-1)+"|\n")
	if !found {
		t.Fatalf("%s: no table under %s", neverPage, heading)
	}
	return func(yield func(string, []string) bool) {
		for text := range strings.Lines(table) {
			cells := strings.Split(strings.Trim(strings.TrimSpace(text), "|"), "|")
			if !strings.HasPrefix(text, "|") || len(cells) != 6 {
				if strings.HasPrefix(text, "|") {
					t.Errorf("%s: %d cells: %s", neverPage, len(cells), text)
				}
				return
			}
			if !yield(strings.TrimSpace(text), cells) {
				return
			}
		}
	}
}

// neverLines reads the table under the heading of s.
func neverLines(t *testing.T, s neverSection) (lines []neverLine) {
	t.Helper()
	for text, cells := range neverTable(t, s.heading, neverHeader) {
		l := neverLine{
			text: text, section: s, columns: phrases(cells[0]), values: phrases(cells[1]), connections: phrases(cells[2]),
			insert: words{}.with(phrases(cells[3])...), condition: words{}.with(phrases(cells[4])...), instead: phrases(cells[5]),
		}
		if l.columns[0] == "any text column" {
			l.columns = nil
			for _, c := range s.columns {
				if c.form == hexForm {
					l.columns = append(l.columns, c.name)
				}
			}
		}
		if except, ok := strings.CutPrefix(l.values[0], "any value"); ok {
			l.values = slices.DeleteFunc(slices.Clone(s.values), func(v string) bool { return except == " except "+v })
		}
		if i := slices.Index(l.values, "any text"); i >= 0 {
			l.values = slices.Replace(l.values, i, i+1, "hex digits", "upper-case hex digits", "hex digits as `[]byte`", "a date as text", "other text", "text of 12 characters")
		}
		lines = append(lines, l)
	}
	return lines
}

// phrases returns the parts of a cell, which commas separate.
func phrases(cell string) []string { return strings.Split(strings.TrimSpace(cell), ", ") }

// names reports whether the line says what tr does.
func (l neverLine) names(tr trial) bool {
	return slices.Contains(l.columns, tr.column) && slices.Contains(l.values, tr.value) &&
		slices.ContainsFunc(l.connections, func(phrase string) bool { return l.section.names[phrase](tr.connection) })
}

// remedies are what the last cell can name: a value, and the column if it is another one.
var remedies = map[string]struct{ value, column string }{
	"`oid.ID`":                          {value: "`oid.ID`"},
	"`sqltype.Args(ids)...`":            {value: "`oid.ID`"},
	"`oid.MinAt(t)`":                    {value: "`oid.ID`"},
	"`sqltype.Hex`":                     {value: "`sqltype.Hex`"},
	"`sqltype.Hex(oid.MinAt(t))`":       {value: "`sqltype.Hex`"},
	"`sqltype.UUID`":                    {value: "`sqltype.UUID`"},
	"`oid.ID` in a `binary(12)` column": {"`oid.ID`", "`binary(12)`"},
	"`sqltype.Hex` in a `text` column":  {"`sqltype.Hex`", "`text`"},
}

// check compares the line with what was seen.
func (l neverLine) check(t *testing.T, seen map[trial]effect) {
	t.Helper()
	for _, phrase := range l.connections {
		if l.section.names[phrase] == nil {
			t.Fatalf("%s: %s: the test doesn't know the driver %q", neverPage, l.text, phrase)
		}
	}
	for _, name := range slices.Concat(l.columns, l.values) {
		if !slices.ContainsFunc(l.section.columns, func(c neverColumn) bool { return c.name == name }) && !slices.Contains(l.section.values, name) {
			t.Fatalf("%s: %s: the test doesn't know %q", neverPage, l.text, name)
		}
	}
	var all effect
	for tr, e := range seen {
		if !l.names(tr) {
			continue
		}
		all.insert, all.condition = all.insert.with(e.insert...), all.condition.with(e.condition...)
		for _, phrase := range l.instead {
			remedy, ok := remedies[phrase]
			if !ok {
				t.Fatalf("%s: %s: the test doesn't know the remedy %q", neverPage, l.text, phrase)
			}
			column := cmp.Or(remedy.column, tr.column)
			if right := seen[trial{tr.connection, column, remedy.value}]; right.silent() || !right.condition.has("right") {
				t.Errorf("%s: %s: over %s, %s: INSERT %v, condition %v", neverPage, l.text, tr.connection, phrase, right.insert, right.condition)
			}
		}
	}
	if os.Getenv(mysqlserver.DSNVariable) != "" { // of the line's servers there may be one, or none
		missing := func(seen words) func(string) bool { return func(word string) bool { return !seen.has(word) } }
		l.insert = slices.DeleteFunc(slices.Clone(l.insert), missing(all.insert))
		l.condition = slices.DeleteFunc(slices.Clone(l.condition), missing(all.condition))
		if len(all.insert) == 0 {
			return
		}
	}
	if !all.silent() || !slices.Equal(all.insert, l.insert) || !slices.Equal(all.condition, l.condition) {
		t.Errorf("%s: %s: INSERT is %v, the condition is %v", neverPage, l.text, all.insert, all.condition)
	}
}

// Package cmdoid_test holds the tests of cmd/oid with real databases and their shells.
package cmdoid_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/mongodb"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/internal/servers/repo"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	_ "modernc.org/sqlite"
)

// binary is the command, built once for all tests.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "oidkit-cmd")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binary = filepath.Join(dir, "oid")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", binary, repo.Program("cmd/oid"))
	status := 1
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v: %v\n%s", build, err, out)
	} else {
		daemon.AtOnce(4)
		status = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(status)
}

// command returns what oid prints.
func command(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Env = append(os.Environ(), "TZ=UTC", "NO_COLOR=1", "LC_ALL=C.UTF-8", "COLUMNS=80")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("oid %q: %v\n%s", args, err, errs.String())
	}
	return string(out)
}

// A shell is the command line of a database.
type shell struct {
	form    string // of oid range
	driver  string
	dsn     func(t *testing.T) string
	engines []*mysqlserver.Engine                   // which dsn is for, if there are several
	args    func(t *testing.T, dsn string) []string // of the shell, which reads statements from stdin
	quote   string                                  // around names
	kinds   []kind                                  // of columns
	names   []name
}

// A kind is a type of column that holds IDs.
type kind struct {
	option, column string
	literal        func(id oid.ID) string
}

// A name is one of a table and one of a column, as in options of oid range. Without them,
// they are the defaults.
type name struct{ table, column string }

func hexText(id oid.ID) string  { return "'" + id.Hex() + "'" }
func hexBytes(id oid.ID) string { return "x'" + id.Hex() + "'" }

func uuidText(id oid.ID) string {
	text, err := sqltype.UUID(id).Value()
	if err != nil {
		panic(err)
	}
	return "'" + text.(string) + "'"
}

// plainNames are names that need quotes in some database, or in none.
var plainNames = []name{{"orders", "id"}, {"order", "select"}, {"Users", "userId"}, {"USERS_2", "ID"}, {"it's; drop", "a b"}, {"grün", "größe"}, {`say "hi"`, "`"}, {"2026", "1st"}, {"a-b", "c$d"}}

var shells = []shell{
	{
		form: "postgres", driver: "pgx", quote: `"`,
		dsn: func(t *testing.T) string { return postgres.Database(t) },
		args: func(t *testing.T, dsn string) []string {
			return []string{find(t, "psql"), "-X", "-v", "ON_ERROR_STOP=1", dsn}
		},
		kinds: []kind{
			{"", "bytea", func(id oid.ID) string { return `'\x` + id.Hex() + "'" }}, {"--text", "char(24)", hexText}, {"--uuid", "uuid", uuidText},
		},
		names: append(slices.Clone(plainNames), name{"public.Order", "orders_id"}),
	},
	{
		form: "mysql", driver: "mysql", quote: "`",
		engines: mysqlserver.Engines(),
		args: func(t *testing.T, dsn string) []string {
			config, err := mysql.ParseDSN(dsn)
			if err != nil {
				t.Fatal(err)
			}
			host, port, err := net.SplitHostPort(config.Addr)
			if err != nil {
				t.Fatal(err)
			}
			return []string{find(t, "mariadb"), "--no-defaults", "--default-character-set=utf8mb4", "--host=" + host, "--port=" + port,
				"--user=" + config.User, "--password=" + config.Passwd, config.DBName}
		},
		kinds: []kind{{"", "binary(12)", hexBytes}, {"--text", "char(24)", hexText}, {"--uuid", "char(36)", uuidText}},
		names: plainNames,
	},
	{
		form: "sqlite", driver: "sqlite", quote: `"`,
		dsn:   func(t *testing.T) string { return filepath.Join(t.TempDir(), "test.db") },
		args:  func(t *testing.T, dsn string) []string { return []string{find(t, "sqlite3"), "-bail", dsn} },
		kinds: []kind{{"", "blob", hexBytes}, {"--text", "text", hexText}, {"--uuid", "text", uuidText}},
		names: append(slices.Clone(plainNames), name{"main.Order", "orders_id"}),
	},
}

// eachShell calls f with each shell, once for each engine that it is for.
func eachShell(f func(name string, sh shell)) {
	for _, sh := range shells {
		if sh.engines == nil {
			f(sh.form, sh)
		}
		for _, e := range sh.engines {
			sh.dsn = func(t *testing.T) string { return e.Database(t) }
			f(e.Name, sh)
		}
	}
}

// find returns the path of a shell, or skips.
func find(t *testing.T, program string) string {
	t.Helper()
	path, err := daemon.Find(program)
	if err != nil {
		daemon.Skip(t, err)
	}
	return path
}

// from and to are March 2026 in UTC.
var (
	from = time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
	to   = from.AddDate(0, 1, 0)
)

// inside are IDs of March 2026, and outside are the nearest others.
var (
	inside  = []oid.ID{oid.MinAt(from), oid.MaxAt(from), oid.MinAt(from.Add(time.Hour)), oid.MaxAt(to.Add(-time.Second))}
	outside = []oid.ID{{}, oid.MinAt(from).Prev(), oid.MinAt(to), oid.MaxAt(to)}
)

// The queries that oid range prints work in the database's own shell, whatever the
// names are. They find the rows made in the range, and show readable IDs.
func TestPrintedQueriesRunInTheShells(t *testing.T) {
	t.Parallel()
	eachShell(func(name string, sh shell) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := sh.dsn(t)
			args := sh.args(t, dsn)
			db, err := sql.Open(sh.driver, dsn)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			for i, names := range sh.names {
				kinds := sh.kinds
				if i > 0 {
					kinds = kinds[:1]
				}
				for _, k := range kinds {
					testPrintedQuery(t, sh, db, args, names, k)
				}
			}
		})
	})
}

func testPrintedQuery(t *testing.T, sh shell, db *sql.DB, args []string, names name, k kind) {
	t.Helper()
	table := sh.quoted(names.table)
	fill := []string{fmt.Sprintf("create table %s (n int, %s %s)", table, sh.quoted(names.column), k.column)}
	for _, id := range slices.Concat(outside, inside) {
		fill = append(fill, fmt.Sprintf("insert into %s values (1, %s)", table, k.literal(id)))
	}
	for _, statement := range fill {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	options := []string{"range", "2026-03", "--as", sh.form, "--table", names.table, "--column", names.column}
	if k.option != "" {
		options = append(options, k.option)
	}
	query := command(t, options...)
	out, err := runShell(query, args...)
	if got := readable(out); err != nil || !slices.Equal(got, inside) {
		t.Errorf("%s%s showed %s, %v; want %s\n%q", query, args[0], got, err, inside, out)
	}
	if _, err := db.Exec("drop table " + table); err != nil { // the next kind of column has one of that name
		t.Fatal(err)
	}
}

// quoted returns a name as the database has it, with dots between its parts.
func (sh shell) quoted(name string) string {
	var parts []string
	for part := range strings.SplitSeq(name, ".") {
		parts = append(parts, sh.quote+strings.ReplaceAll(part, sh.quote, sh.quote+sh.quote)+sh.quote)
	}
	return strings.Join(parts, ".")
}

// runShell runs a shell with its input, and returns what it prints.
func runShell(input string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdin = strings.NewReader(input)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// readable returns the IDs in the text of a shell, sorted.
func readable(text string) (ids []oid.ID) {
	for _, word := range regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]{24}\b|\\x[0-9a-f]{24}\b`).FindAllString(text, -1) {
		if strings.Contains(word, "-") {
			var u sqltype.UUID
			if err := u.Scan(word); err == nil {
				ids = append(ids, oid.ID(u))
			}
			continue
		}
		if id, err := oid.Parse(strings.TrimPrefix(word, `\x`)); err == nil {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, oid.ID.Compare)
	return ids
}

// No word of SQL that a database knows breaks a query as the name of a table or of a
// column.
func TestWordsOfSQLAreNames(t *testing.T) {
	t.Parallel()
	statements := wordQueries(t)
	eachShell(func(name string, sh shell) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, err := sql.Open(sh.driver, sh.dsn(t))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			db.SetMaxOpenConns(1)                       // temporary tables are of a connection
			if _, err := db.Exec("begin"); err != nil { // one commit, not hundreds
				t.Fatal(err)
			}
			for word, queries := range statements {
				name := sh.quote + word + sh.quote
				for _, statement := range []string{
					fmt.Sprintf("create temporary table %s (%[1]s %s)", name, sh.kinds[0].column),
					fmt.Sprintf("insert into %s values (%s)", name, sh.kinds[0].literal(inside[0])),
				} {
					if _, err := db.Exec(statement); err != nil {
						t.Fatalf("%s: %v", statement, err)
					}
				}
				rows, err := db.Query(queries[sh.form])
				if err != nil {
					t.Errorf("%s: %v", queries[sh.form], err)
					continue
				}
				n := 0
				for rows.Next() {
					n++
				}
				if err := rows.Err(); err != nil || n != 1 {
					t.Errorf("%s: %d rows, %v; want 1", queries[sh.form], n, err)
				}
				rows.Close()
			}
		})
	})
}

// wordQueries returns the printed queries for each word as the name of both.
func wordQueries(t *testing.T) map[string]map[string]string {
	words := strings.Fields(sqliteWords)
	for driver, list := range map[string]struct{ dsn, query string }{
		"pgx":   {postgres.Database(t), "select word from pg_get_keywords()"},
		"mysql": {mysqlserver.Engines()[0].Database(t), "select lower(word) from information_schema.keywords"},
	} {
		db, err := sql.Open(driver, list.dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		rows, err := db.Query(list.query)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var word string
			if err := rows.Scan(&word); err != nil {
				t.Fatal(err)
			}
			words = append(words, word)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	all := map[string]map[string]string{}
	for _, word := range words {
		if all[word] != nil || !regexp.MustCompile(`^[a-z_0-9]+$`).MatchString(word) {
			continue
		}
		var r struct{ Queries map[string]string }
		if err := json.Unmarshal([]byte(command(t, "range", "2026-03", "--json", "--table", word, "--column", word)), &r); err != nil {
			t.Fatal(err)
		}
		all[word] = r.Queries
	}
	if len(all) < 600 {
		t.Fatalf("only %d words", len(all))
	}
	return all
}

// sqliteWords are the words that SQLite's grammar knows.
const sqliteWords = `abort action add after all alter always analyze and as asc attach autoincrement before begin between by cascade case
cast check collate column commit conflict constraint create cross current current_date current_time current_timestamp database default
deferrable deferred delete desc detach distinct do drop each else end escape except exclude exclusive exists explain fail filter first
following for foreign from full generated glob group groups having if ignore immediate in index indexed initially inner insert instead
intersect into is isnull join key last left like limit match materialized natural no not nothing notnull null nulls of offset on or order
others outer over partition plan pragma preceding primary query raise range recursive references regexp reindex release rename replace
restrict returning right rollback row rows savepoint select set table temp temporary then ties to transaction trigger unbounded union
unique update using vacuum values view virtual when where window with without`

// mongosh finds the collections and keys of the queries that are pasted into it.
func TestPrintedQueriesRunInMongosh(t *testing.T) {
	t.Parallel()
	mongosh, err := findMongosh()
	if err != nil {
		daemon.Skip(t, err)
	}
	server := mongodb.Start(t)
	text := func(s string) string { quoted, _ := json.Marshal(s); return string(quoted) }
	var script strings.Builder // as if pasted: mongosh reads its standard input line by line
	var queries []string
	for _, test := range []struct{ table, column, option string }{
		{"orders", "", ""}, {"shop.orders", "user_id", ""}, {"2026-orders", "a-b", ""}, {"stats", "class", "--text"}, {"orderItems", "größe", ""}, {"it's; x", "it's", "--text"}, {"uuids", "id", "--uuid"},
	} {
		key := test.column
		if key == "" {
			key = "_id"
		}
		for _, id := range slices.Concat(outside, inside) {
			value := fmt.Sprintf("ObjectId(%q)", id)
			if test.option == "--text" {
				value = fmt.Sprintf("%q", id)
			}
			if test.option == "--uuid" {
				value = "UUID(" + uuidText(id) + ")"
			}
			fmt.Fprintf(&script, "void db.getCollection(%s).insertOne({%s: %s})\n", text(test.table), text(key), value)
		}
		args := []string{"range", "2026-03", "--as", "mongosh", "--table", test.table}
		if test.column != "" {
			args = append(args, "--column", test.column)
		}
		if test.option != "" {
			args = append(args, test.option)
		}
		query := strings.TrimSpace(command(t, args...))
		queries = append(queries, query)
		fmt.Fprintf(&script, "print('shows')\n%s", query)
		if key != "_id" {
			fmt.Fprintf(&script, ".projection({_id: 0})")
		}
		fmt.Fprintln(&script)
	}
	out, err := runShell(script.String(), mongosh, server.URI+"test", "--quiet", "--norc")
	shown := strings.Split(out, "shows\n")[1:]
	if err != nil || len(shown) != len(queries) {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, query := range queries {
		if got := readable(shown[i]); !slices.Equal(got, inside) {
			t.Errorf("%s showed %s, want %s\n%s", query, got, inside, shown[i])
		}
	}
}

// findMongosh returns the path of mongosh: on PATH, or where CI installs it.
func findMongosh() (string, error) {
	folder := os.Getenv("OIDKIT_NPM")
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		folder = filepath.Join(cache, "oidkit")
	}
	folder = filepath.Join(folder, "mongosh")
	path, err := daemon.Find("mongosh", filepath.Join(folder, "node_modules/.bin"))
	if err != nil {
		return "", fmt.Errorf("mongosh (npm install --prefix %s mongosh@2.12.0): %w", folder, err)
	}
	return path, nil
}

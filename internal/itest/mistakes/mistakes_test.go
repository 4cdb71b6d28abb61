// Package mistakes_test holds what becomes of the mistakes that newcomers made: which of them
// don't compile, which are an error that says what to do, which oidvet reports, and which
// nobody notices.
package mistakes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/glebarez/sqlite"
	gomysql "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/driver/mysql"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/internal/itest/mistakes/testdata/program"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/internal/servers/repo"
	"github.com/oidkit/oidkit/sequence/pgsequence"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
)

// The most mistakes of the classes D and F. Never raise a number: a mistake that becomes
// harder to find is a fault.
const mostD, mostF = 3, 10

// A mistake is a method of program.Env.
type mistake struct {
	name        string
	class, text string // of the last line of the method's comment
	file        string
	first, last int // lines
}

// mistakes reads the methods of program.Env.
func mistakes(t *testing.T) (list []mistake) {
	t.Helper()
	files, err := filepath.Glob("testdata/program/*.go")
	if err != nil {
		t.Fatal(err)
	}
	class := regexp.MustCompile(`([ABCDVF]): (.*)$`)
	for _, name := range files {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || !f.Name.IsExported() {
				continue
			}
			m := class.FindStringSubmatch(strings.TrimSpace(f.Doc.Text()))
			if m == nil {
				t.Fatalf("%s: %s has no class", name, f.Name)
			}
			list = append(list, mistake{f.Name.Name, m[1], m[2], filepath.Base(name), set.Position(f.Pos()).Line, set.Position(f.End()).Line})
		}
	}
	return list
}

// TestMistakes makes each mistake, with MySQL and with MariaDB, and compares what happens with
// the mistake's class.
func TestMistakes(t *testing.T) {
	t.Parallel()
	list := mistakes(t)
	reports := vet(t)
	for _, e := range mysqlserver.Engines() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			env := reflect.ValueOf(newEnv(t, e))
			for _, m := range list {
				t.Run(m.name, func(t *testing.T) {
					err := run(env.MethodByName(m.name))
					var reported []string
					for _, r := range reports {
						if r.file == m.file && m.first <= r.line && r.line <= m.last {
							reported = append(reported, r.text)
						}
					}
					switch m.class {
					case "V":
						if !slices.ContainsFunc(reported, func(text string) bool { return strings.Contains(text, m.text) }) {
							t.Errorf("error %v, oidvet reports %q, want %q", err, reported, m.text)
						}
					case "F":
						if err != nil || reported != nil {
							t.Errorf("error %v, oidvet reports %q: the mistake is no longer silent: change its class", err, reported)
						}
						page, text, _ := strings.Cut(m.text, ": ")
						data, err := os.ReadFile(repo.Path("docs/" + page))
						if err != nil {
							t.Fatal(err)
						}
						if !strings.Contains(strings.Join(strings.Fields(string(data)), " "), text) {
							t.Errorf("docs/%s doesn't say %q", page, text)
						}
					default:
						if err == nil || !strings.Contains(err.Error(), m.text) {
							t.Errorf("error %v, oidvet reports %q, want an error with %q", err, reported, m.text)
						}
					}
				})
			}
		})
	}
	count := map[string]int{"doesn't compile": len(refused)}
	for _, m := range list {
		count[m.class]++
	}
	all := 0
	for _, n := range count {
		all += n
	}
	fmt.Printf("%d mistakes: %v\n", all, count)
	if count["D"] > mostD || count["F"] > mostF {
		t.Errorf("%d of class D, %d of class F, want at most %d and %d", count["D"], count["F"], mostD, mostF)
	}
}

// run calls a method without arguments, and returns its error or its panic.
func run(method reflect.Value) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	err, _ = method.Call(nil)[0].Interface().(error)
	return err
}

// A report is a line that oidvet prints.
type report struct {
	file string
	line int
	text string
}

// vet runs oidvet over the program.
func vet(t *testing.T) (reports []report) {
	t.Helper()
	out := command(t, "go", "run", repo.Program("cmd/oidvet"), "./internal/itest/mistakes/testdata/program")
	for _, m := range regexp.MustCompile(`(?m)(\w+\.go):(\d+):\d+: (.*)$`).FindAllStringSubmatch(out, -1) {
		line, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		reports = append(reports, report{m[1], line, m[3]})
	}
	if reports == nil {
		t.Fatalf("oidvet reports nothing:\n%s", out)
	}
	return reports
}

// command runs a command that is meant to fail in the root of the repository, and returns what
// it prints.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = repo.Root()
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("%v succeeds:\n%s", cmd, out)
	}
	return string(out)
}

// newEnv starts the servers and makes the tables.
func newEnv(t *testing.T, e *mysqlserver.Engine) program.Env {
	t.Helper()
	ctx := context.Background()
	dsn, elsewhere := postgres.Database(t), postgres.Database(t)
	connect := func() *pgx.Conn {
		conn, err := pgx.Connect(ctx, dsn)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close(ctx) })
		return conn
	}
	open := func(dsn string, most int32) *pgxpool.Pool {
		config, err := pgxpool.ParseConfig(dsn)
		if err != nil {
			t.Fatal(err)
		}
		config.MaxConns = most
		pool, err := pgxpool.NewWithConfig(ctx, config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pool.Close)
		return pool
	}
	env := program.Env{Ctx: ctx, PG: connect(), Bare: connect(), Pool: open(dsn, 1), Other: open(elsewhere, 4)}
	for _, statement := range []string{
		sqltype.PostgresSchema(),
		"create table orders (id bytea primary key, customer bytea); create table refunds (id bytea); create table invoices (id text); create table tickets (id uuid); create table oids (id oid)",
		"create table keys (id objectid primary key); create table months (id objectid) partition by range (id)",
		`insert into orders (id) values ('\x` + program.Text + `')`,
	} {
		if _, err := env.PG.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := env.Other.Exec(ctx, "create table invoices (id text); create table numbers (n int)"); err != nil {
		t.Fatal(err)
	}
	if err := pgxoid.AfterConnect(ctx, env.PG); err != nil {
		t.Fatal(err)
	}
	env.SQL = stdlib.OpenDB(*env.PG.Config(), stdlib.OptionAfterConnect(pgxoid.AfterConnect))
	t.Cleanup(func() { env.SQL.Close() })
	env.Store = pgsequence.New(env.Pool, "sequences")
	t.Cleanup(env.Store.Close)
	if err := env.Store.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	other := pgsequence.New(env.Other, "sequences")
	defer other.Close()
	if err := other.Migrate(ctx); err != nil {
		t.Fatal(err)
	}

	config, err := gomysql.ParseDSN(e.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	silentLog := &gorm.Config{Logger: logger.Discard}
	if env.NoPlugin, err = gorm.Open(mysql.Open(config.FormatDSN()), silentLog); err != nil {
		t.Fatal(err)
	}
	if env.MySQL, err = env.NoPlugin.DB(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { env.MySQL.Close() })
	for _, statement := range []string{
		"create table payments (id binary(12) primary key, number varchar(20))", "create table refunds (id binary(12))", "create table invoices (id char(24))",
		"insert into payments (id) values (x'" + program.Text + "')",
	} {
		if _, err := env.MySQL.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}

	if env.Gorm, err = gorm.Open(sqlite.Open(filepath.Join(t.TempDir(), "test.db")), silentLog); err != nil {
		t.Fatal(err)
	}
	if db, err := env.Gorm.DB(); err == nil {
		t.Cleanup(func() { db.Close() })
	}
	if err := env.Gorm.Use(gormplugin.New()); err != nil {
		t.Fatal(err)
	}
	if err := env.Gorm.AutoMigrate(&program.Team{}, &program.User{}); err != nil {
		t.Fatal(err)
	}
	team := program.Team{Name: "all"}
	if err := env.Gorm.Create(&team).Error; err != nil {
		t.Fatal(err)
	}
	if err := env.Gorm.Create(&program.User{ID: program.Sample, TeamID: program.TeamID(team.ID), Name: "Ada"}).Error; err != nil {
		t.Fatal(err)
	}
	return env
}

// refused are mistakes that don't compile.
var refused = []string{
	`var id oid.ID = "65b3f7a40c1b2d3e4f506172"; _ = id`,
	`_ = oid.New() == "65b3f7a40c1b2d3e4f506172"`,
	`_ = oid.New() < oid.New()`,
	`_ = oid.ID("65b3f7a40c1b2d3e4f506172")`,
	`_ = oid.New() + 1`,
	`_ = oid.New() == nil`,
	`id, err := oid.New(); _, _ = id, err`,
	`id := oid.Parse("65b3f7a40c1b2d3e4f506172"); _ = id`,
	`id := oid.NewAt(time.Now()); _ = id`,
	`_ = oid.MinAt("2026-01-01")`,
	`lo := oid.Range(time.Now(), time.Now()); _ = lo`,
	`_ = program.UserID(oid.New()) == program.TeamID(oid.New())`,
	`_ = program.User{TeamID: program.UserID(oid.New())}`,
	`func(program.TeamID) {}(program.UserID(oid.New()))`,
	`_ = program.User{ID: bson.NewObjectID()}`,
	`_ = append([]oid.ID{}, program.UserID(oid.New()))`,
	`_ = oid.New().Time()`,
	`_ = pgxoid.Register(nil, oid.New())`,
}

// TestRefusedByTheCompiler compiles each line of refused.
func TestRefusedByTheCompiler(t *testing.T) {
	t.Parallel()
	source := `package main

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/internal/itest/mistakes/testdata/program"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
)

func main() {
	_, _, _, _, _ = time.Now, bson.NewObjectID, program.Sample, oid.New, pgxoid.Register
`
	before := strings.Count(source, "\n")
	for _, line := range refused {
		source += "\t{ " + line + " }\n"
	}
	real := filepath.Join(t.TempDir(), "refused.go")
	if err := os.WriteFile(real, []byte(source+"}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(repo.Root(), "internal/itest/mistakes/refused/refused.go"): real}})
	if err != nil {
		t.Fatal(err)
	}
	overlayFile := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(overlayFile, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	out := command(t, "go", "build", "-cover=false", "-overlay", overlayFile, "-gcflags=-e", "-o", os.DevNull, "./internal/itest/mistakes/refused")
	for i, line := range refused {
		if !regexp.MustCompile(fmt.Sprintf(`refused\.go:%d:`, before+1+i)).MatchString(out) {
			t.Errorf("%s compiles", line)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
}

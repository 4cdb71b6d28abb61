package main

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/internal/servers/postgres"
)

func TestShopOnSQLite(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, dir)
	}
	checkShop(t, config{})

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, new(bytes.Buffer), config{}); err == nil {
		t.Error("run went on after its context ended")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestShopOnPostgreSQL(t *testing.T) { checkServer(t, config{postgres: postgres.Database(t)}) }

func TestShopOnMySQL(t *testing.T) {
	for _, e := range mysqlserver.Engines() {
		t.Run(e.Name, func(t *testing.T) { checkServer(t, config{mysql: e.Database(t)}) })
	}
}

// checkServer runs the program on a server. The program must not touch the tables of
// others.
func checkServer(t *testing.T, c config) {
	t.Helper()
	checkShop(t, c)
	db, err := openDB(c, "")
	if err != nil {
		t.Fatal(err)
	}
	if tables, err := db.Migrator().GetTables(); err != nil || len(tables) > 0 {
		t.Errorf("left behind: %v, %v", tables, err)
	}
	if err := db.Exec("CREATE TABLE tags (name varchar(10))").Error; err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), new(bytes.Buffer), c); err == nil || !strings.Contains(err.Error(), "name an empty database") {
		t.Errorf("run with a table tags: error %v", err)
	}
	if tables, err := db.Migrator().GetTables(); err != nil || len(tables) != 1 {
		t.Errorf("%v, %v, want the table tags", tables, err)
	}
}

func checkShop(t *testing.T, c config) {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), &out, c); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	const id = `(?:x'|'\\x)[0-9a-f]{24}'`
	for _, want := range []string{
		`(?m)^    INSERT INTO .tags. .*VALUES \(` + id + `,.gift.\)`,
		`(?m)^    SELECT \* FROM .orders. WHERE .orders.\..id. = ` + id + ` .*  -- rows: 1$`,
		`(?m)^  order B001 of Bob: 2 items, 2 tags, referrer NULL: true$`,
		`(?m)^    UPDATE .orders. SET .*.referrer_id.=NULL`,
		`(?m)^  Robert is stored under the ID of Bob$`,
		`(?m)^  0 rows, zero ID: true$`,
		`(?m)^  page 1: A051 \(31 May\) A050 \(28 May\) A049 \(25 May\) A048 \(22 May\)$`,
		`(?m)^  page 3: A043 \(7 May\) A042 \(4 May\) A041 \(1 May\)$`,
		`(?m)^  May      11 orders      245.40 EUR$`,
		`(?m)^  60 orders are left, 61 are in the table$`,
		`(?m)^    UPDATE .*0{24}.* -- rows: 0$`,
		`(?m)^  gormplugin\.Where\(Order\.ID\): int is not an ID: `,
		`(?m)^    UPDATE .* WHERE \(1 = 0\) .*  -- rows: 0$`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("the output has no line %s:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "<binary>") {
		t.Errorf("an ID that is not printed as a literal:\n%s", out.String())
	}
}

package sqltype_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

func TestPostgresDerivesTheSameIDs(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	conn := pgserver.Connect(t)
	if _, err := conn.Exec(ctx, sqltype.PostgresSchema()); err != nil {
		t.Fatal(err)
	}
	check := func(at time.Time, parts ...string) {
		t.Helper()
		want, err := oid.Derive(at, parts...)
		if err != nil {
			t.Fatal(err)
		}
		var got oid.ID
		if err := conn.QueryRow(ctx, "SELECT objectid_derive($1, VARIADIC $2::text[])", at, parts).Scan(&got); err != nil || got != want {
			t.Errorf("objectid_derive(%v, %.60q) = %v, %v, want %v", at, parts, got, err, want)
		}
	}
	check(time.Unix(0, 0), "a")
	check(time.Unix(0xffffffff, 999_999_000), "a")
	check(time.Unix(1_582_982_656, 999_999_000), "")
	check(time.Unix(1_582_982_656, 0), "orders", strings.Repeat("日本", 5000))
	random := rand.New(rand.NewPCG(1, 1))
	letters := []rune("aZ09 'ß日🙂\n")
	for range 300 {
		parts := make([]string, 1+random.IntN(4))
		for i := range parts {
			for range random.IntN(20) {
				parts[i] += string(letters[random.IntN(len(letters))])
			}
		}
		check(time.UnixMicro(random.Int64N(1<<32*1_000_000)), parts...)
	}

	var first, again oid.ID
	if err := conn.QueryRow(ctx, "SELECT objectid_derive('2020-02-29 13:24:16Z', 'orders', '17'), objectid_derive('2020-02-29 14:24:16.9+01', 'orders', '17')").
		Scan(&first, &again); err != nil || first != again || first.Hex() != "5e5a6600184024d311d7ae35" {
		t.Errorf("%v and %v, %v, want 5e5a6600184024d311d7ae35", first, again, err)
	}
	for call, want := range map[string]string{
		"objectid_derive(now(), VARIADIC '{}'::text[])":  "want at least one part",
		"objectid_derive(now(), 'orders', NULL)":         "a part is NULL",
		"objectid_derive('1969-12-31 23:59:59Z', 'a')":   "an ID cannot hold this time",
		"objectid_derive('2106-02-07 06:28:16Z', 'a')":   "an ID cannot hold this time",
		"objectid_derive('infinity'::timestamptz, 'a')":  "an ID cannot hold this time",
		"objectid_derive('-infinity'::timestamptz, 'a')": "an ID cannot hold this time",
		"objectid_derive(now(), VARIADIC ARRAY[[NULL]])": "a part is NULL",
	} {
		if _, err := conn.Exec(ctx, "SELECT "+call); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", call, err, want)
		}
	}
}

// An import is a process that is killed again and again, wherever it is. The runs
// together store each row once.
func TestAnImportWithDerivedIDsCanBeKilledAndRunAgain(t *testing.T) {
	t.Parallel()
	const (
		env  = "OIDKIT_TEST_IMPORT"
		rows = 3000
	)
	ctx := t.Context()
	if dsn := os.Getenv(env); dsn != "" {
		importOrders(t, dsn, rows)
		return
	}
	conn := pgserver.Connect(t)
	if _, err := conn.Exec(ctx, "CREATE TABLE orders (id bytea PRIMARY KEY, number int NOT NULL)"); err != nil {
		t.Fatal(err)
	}
	kills := 0
	for wait := 50 * time.Millisecond; ; wait = wait * 3 / 2 {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), env+"="+conn.Config().ConnString())
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		killer := time.AfterFunc(wait, func() { cmd.Process.Kill() })
		err := cmd.Wait()
		if killer.Stop() {
			if err != nil {
				t.Fatalf("%v\n%s", err, &out)
			}
			break // the import ended first
		}
		kills++
	}
	var all, different int
	if err := conn.QueryRow(ctx, "SELECT count(*), count(DISTINCT number) FROM orders").Scan(&all, &different); err != nil || all != rows || different != rows {
		t.Errorf("after %d kills: %d rows of %d numbers, %v, want %d of each", kills, all, different, err, rows)
	}
	if kills == 0 {
		t.Error("the import was never killed")
	}
}

func importOrders(t *testing.T, dsn string, rows int) {
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	for number := range rows {
		id, err := oid.Derive(time.Unix(1_500_000_000+int64(number)/7, 0), "orders", strconv.Itoa(number))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), "INSERT INTO orders VALUES ($1, $2) ON CONFLICT (id) DO NOTHING", id, number); err != nil {
			t.Fatal(err)
		}
	}
}

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// tempDir gives run a folder of the test for its temporary files. It fails the test if
// run leaves anything there.
func tempDir(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, dir)
	}
	t.Cleanup(func() {
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
}

func TestQuickstart(t *testing.T) {
	tempDir(t)
	var out bytes.Buffer
	if err := run(t.Context(), &out, ""); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{
		`(?m)^  \d{4} orders in [\d.]+ s, from 2024-01-01 to 2025-12-31: each ID has the time of its order$`,
		`(?m)^  [0-9a-f]{24}  A90001  Ada King      19.99 EUR$`,
		`(?m)^  SELECT … FROM orders WHERE id >= x'67c24e0{18}' AND id < x'67eb2c80{17}'$`,
		`(?m)^  SEARCH orders USING INDEX sqlite_autoindex_orders_1 \(id>\? AND id<\?\)$`,
		`(?m)^  all  160 orders, as many as in the CSV file$`,
		`(?m)^  March           119      160$`,
		`(?m)^  [0-9a-f]{8} [0-9a-f]{10} [0-9a-f]{6}$`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("the output has no line %s:\n%s", want, out.String())
		}
	}
	if strings.ContainsAny(out.String(), "\r\x1b") {
		t.Errorf("progress in an output that is not a terminal:\n%q", out.String())
	}
}

func TestIDsHaveTheTimesOfTheOrders(t *testing.T) {
	file := filepath.Join(t.TempDir(), "two.csv")
	data := "number,customer,amount,currency,created_at\nA1,Ann,1.00,EUR,2025-03-01T00:00:00Z\nA2,Ben,2.00,EUR,2025-03-01T00:00:01Z\n"
	if err := os.WriteFile(file, []byte(data), 0o666); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := printIDs(&out, file); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^67c24e00[0-9a-f]{16}\n67c24e01[0-9a-f]{16}\n$`).MatchString(out.String()) {
		t.Errorf("printed %q", out.String())
	}
}

func TestBadRowsNameTheirLine(t *testing.T) {
	const head = "# a comment\nnumber,customer,amount,currency,created_at\nA1,Ann,1.00,EUR,2025-03-01T00:00:00Z\n"
	for _, tt := range []struct{ name, data, wantErr string }{
		{"amount", head + "A2,Ann,\"12,5\",EUR,2025-03-01T00:00:00Z\n", `bad.csv:4: amount "12,5", want one such as 129.90`},
		{"sign", head + "A2,Ann,-1.00,EUR,2025-03-01T00:00:00Z\n", `bad.csv:4: amount "-1.00", want one such as 129.90`},
		{"currency", head + "A2,Ann,1.00,EURO,2025-03-01T00:00:00Z\n", `bad.csv:4: currency "EURO", want three letters`},
		{"date", head + "A2,Ann,1.00,EUR,1 March\n", `bad.csv:4: created_at "1 March", want a time such as 2025-03-01T12:00:00Z`},
		{"year", head + "A2,Ann,1.00,EUR,1960-03-01T00:00:00Z\n", `bad.csv:4: oid.NewAt(1960-03-01T00:00:00Z): time outside 1970-01-01T00:00:00Z to 2106-02-07T06:28:15Z`},
		{"fields", head + "A2,Ann,1.00\n", "bad.csv:4: wrong number of fields"},
		{"quote", head + "A2,\"Ann,1.00,EUR,2025-03-01T00:00:00Z\n", `bad.csv:4: extraneous or missing " in quoted-field`},
		{"header", "a,b,c,d,e\n", `bad.csv: the columns are ["a" "b" "c" "d" "e"], want ["number" "customer" "amount" "currency" "created_at"]`},
		{"empty", "", "bad.csv: no orders"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "bad.csv")
			if err := os.WriteFile(file, []byte(tt.data), 0o600); err != nil {
				t.Fatal(err)
			}
			tempDir(t)
			err := run(t.Context(), new(bytes.Buffer), file)
			if err == nil || err.Error() != tt.wantErr {
				t.Errorf("error %v\nwant  %s", err, tt.wantErr)
			}
		})
	}
}

// TestInterrupted shows that a program that is stopped leaves nothing behind.
func TestInterrupted(t *testing.T) {
	tempDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, new(bytes.Buffer), ""); err == nil {
		t.Error("run went on after its context ended")
	}
}

// Package spanner_test shows IDs in Spanner, by Google's emulator. Its driver brings many
// modules, and so it is no part of the workspace:
//
//	cd internal/itest/sqltype/testdata/spanner && GOWORK=off go test .
package spanner_test

import (
	"database/sql"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	_ "github.com/googleapis/go-sql-spanner"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// emulator starts the emulator of Google's SDK, and returns a DSN for a new database on it.
func emulator(t *testing.T) string {
	t.Helper()
	const name = "cloud_spanner_emulator/emulator_main"
	var program string
	for _, folder := range []string{"/usr/lib/google-cloud-sdk/bin", "/usr/local/google-cloud-sdk/bin", "/opt/google-cloud-sdk/bin"} {
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			program = path
		}
	}
	if program == "" {
		t.Skip("Spanner's emulator (gcloud components install cloud-spanner-emulator): not installed")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	cmd := exec.Command(program, "--host_port="+address)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
			break
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	return fmt.Sprintf("%s/projects/p/instances/oidkit/databases/orders;autoConfigEmulator=true", address)
}

// A key is a string: Spanner sorts strings by their bytes, and so IDs by their time.
func TestStringKeyAndRangeByTime(t *testing.T) {
	db, err := sql.Open("spanner", emulator(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE orders (id STRING(24) NOT NULL, note STRING(20)) PRIMARY KEY (id)"); err != nil {
		t.Fatal(err)
	}
	from := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	var ids []oid.ID
	for hour := range 48 {
		id, err := oid.NewAt(from.Add(time.Duration(hour) * time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
		if _, err := db.Exec("INSERT INTO orders (id, note) VALUES (@id, 'a')", sqltype.Hex(id)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Exec("INSERT INTO orders (id, note) VALUES (@id, 'again')", sqltype.Hex(ids[0])); err == nil {
		t.Error("an ID is stored twice")
	}
	lo, hi := oid.Range(from.Add(5*time.Hour), from.Add(29*time.Hour))
	rows, err := db.Query("SELECT id FROM orders WHERE id >= @lo AND id < @hi ORDER BY id", sqltype.Hex(lo), sqltype.Hex(hi))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got []oid.ID
	for rows.Next() {
		var id sqltype.Hex
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		got = append(got, oid.ID(id))
	}
	if err := rows.Err(); err != nil || !slices.Equal(got, ids[5:29]) {
		t.Errorf("range: %v, %v, want %v", got, err, ids[5:29])
	}
}

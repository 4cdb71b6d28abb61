package gormast_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/gormast"
)

// A program in testdata asks GORM for the columns of the same fields.
func TestColumnNameIsGORMs(t *testing.T) {
	fields := []string{
		"ID", "Id", "A", "AB", "Boss1ID", "B2B", "UserID2", "ABTestID", "HTTPKey", "XYz", "ATest", "OwnerUUID", "UUIDs", "MyURLs",
		"A_B", "A_", "User_ID", "S3Key", "IDs", "UTF8Name", "X1", "AB1C", "VMID", "VMIDs", "APIKeyID", "RAMID", "HTTPSURL",
	}
	parts := []string{"ID", "Id", "API", "HTTPS", "UUID", "UID", "UI", "Boss", "user", "A", "B", "x", "y", "1", "22", "_", "UTF8", "XSS"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		name := "F"
		for range 1 + r.IntN(5) {
			name += parts[r.IntN(len(parts))]
		}
		fields = append(fields, name)
	}
	dir, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", append([]string{"run", "./names"}, fields...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	columns := strings.Fields(string(out))
	if len(columns) != len(fields) {
		t.Fatalf("%d columns for %d fields", len(columns), len(fields))
	}
	for i, field := range fields {
		if got := gormast.ColumnName(field); got != columns[i] {
			t.Errorf("ColumnName(%q) = %q, want %q", field, got, columns[i])
		}
	}
}

package live_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/mongodb"
	"github.com/oidkit/oidkit/internal/servers/repo"
	"github.com/oidkit/oidkit/oid"
)

// mongosh returns MongoDB's own shell: that of the machine, or the one that CI has
// installed in the user's cache.
func mongosh(t *testing.T) string {
	t.Helper()
	if path, err := exec.LookPath("mongosh"); err == nil {
		return path
	}
	npm := os.Getenv("OIDKIT_NPM")
	if cache, err := os.UserCacheDir(); npm == "" && err == nil {
		npm = filepath.Join(cache, "oidkit")
	}
	if path, err := exec.LookPath(filepath.Join(npm, "mongosh", "node_modules", ".bin", "mongosh")); err == nil {
		return path
	}
	daemon.Skip(t, fmt.Errorf("mongosh (npm install --prefix %s --ignore-scripts mongosh@2.12.0): %w", filepath.Join(npm, "mongosh"), daemon.ErrNotInstalled))
	return ""
}

// The command that oid range prints for mongosh finds in mongosh the documents of
// that time, whose IDs it shows as the digits that we know them by.
func TestMongoshRunsWhatOidRangePrints(t *testing.T) {
	shell := mongosh(t)
	s := mongodb.Start(t)
	db := openV2(t, s, bsoncodec.NewRegistry())
	start := time.Date(2024, 3, 3, 0, 0, 0, 0, time.UTC)
	var want []string
	for hour := -2; hour < 26; hour++ {
		id, err := oid.NewAt(start.Add(time.Duration(hour) * time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Collection("orders").InsertOne(t.Context(), bson.D{{Key: "_id", Value: id}}); err != nil {
			t.Fatal(err)
		}
		if 0 <= hour && hour < 24 {
			want = append(want, id.Hex())
		}
	}

	out, err := exec.Command("go", "run", repo.Program("cmd/oid"), "range", start.Format(time.RFC3339), start.AddDate(0, 0, 1).Format(time.RFC3339)).Output()
	if err != nil {
		t.Fatalf("oid range: %v", err)
	}
	find := ""
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "mongosh"); ok {
			find = strings.TrimSpace(rest)
		}
	}
	if find == "" {
		t.Fatalf("oid range prints nothing for mongosh:\n%s", out)
	}

	uri, err := url.Parse(s.URI)
	if err != nil {
		t.Fatal(err)
	}
	uri.Path = "/" + s.Database
	cmd := exec.Command(shell, uri.String(), "--quiet", "--norc", "--eval",
		"print(JSON.stringify("+find+".toArray().map(d => [d._id.toHexString(), d._id.getTimestamp().toISOString()])))")
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	if out, err = cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", find, err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	var found [][2]string
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &found); err != nil {
		t.Fatalf("%s: %v\n%s", find, err, out)
	}
	var got []string
	for _, doc := range found {
		got = append(got, doc[0])
		if id := oid.MustParse(doc[0]); id.Timestamp().Format("2006-01-02T15:04:05.000Z") != doc[1] {
			t.Errorf("mongosh says that %s is of %s, want %v", doc[0], doc[1], id.Timestamp())
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%s\nfinds %v\nwant  %v", find, got, want)
	}
}

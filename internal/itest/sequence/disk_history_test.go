package sequence_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/sequence"
)

// TestFullDatabaseIsAnErrorAndLosesNothing has an SQLite with room for no more pages. A new
// key needs one. A key that is there doesn't.
func TestFullDatabaseIsAnErrorAndLosesNothing(t *testing.T) {
	t.Parallel()
	p := shared["sqlite"](t)
	p.URI += "&_pragma=max_page_count(40)"
	s, db := p.store(t), p.db(t)
	if err := s.migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	execute(t, db, "CREATE TABLE filler (b blob)")
	documents := sequence.NewNumbering(s, "documents", "{0+}")
	if _, err := documents.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	full := false
	for !full {
		_, err := db.Exec("INSERT INTO filler VALUES (zeroblob(1000))")
		full = err != nil
	}
	scope := ""
	for i := 0; ; i++ { // the page of the keys has room for some more
		scope = fmt.Sprint(strings.Repeat("x", 200), i)
		text, err := documents.For(scope).Next(t.Context())
		if err != nil {
			if !strings.Contains(err.Error(), "full") {
				t.Errorf("the error is %v", err)
			}
			break
		}
		if text != "1" {
			t.Errorf("a new scope begins with %s", text)
		}
	}
	execute(t, db, "DELETE FROM filler")
	for want, n := range map[string]*sequence.Numbering{"2": documents, "1": documents.For(scope)} {
		if got, err := n.Next(t.Context()); got != want || err != nil {
			t.Errorf("after there was room: %q, %v, want %q", got, err, want)
		}
	}
}

// TestNoNumberComesTwiceWhenTheDiskIsFull fills the disk, on which PostgreSQL ends. With
// OIDKIT_LONG only: it needs a small file system, see smallDisk.
func TestNoNumberComesTwiceWhenTheDiskIsFull(t *testing.T) {
	for _, kind := range pick(nil, []string{"postgres", "sql postgres", "sqlite"}) {
		t.Run(kind, func(t *testing.T) {
			disk := smallDisk(t)
			t.Setenv("TMPDIR", disk)
			var p place
			restart := func() error { return nil }
			if kind != "sqlite" {
				server := daemon.Own(t, pgserver.Run) // its data is on the small disk
				p, restart = place{Kind: kind, URI: server.DSN}, server.Restart
			} else {
				// With the limit, the WAL is cut and grows time and again. Otherwise it may be long enough.
				p = place{Kind: kind, URI: "file:" + filepath.Join(disk, "sequences.db") + "?_pragma=busy_timeout(20000)&_pragma=journal_mode(WAL)&_pragma=journal_size_limit(0)"}
			}
			if err := p.store(t).migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			db := p.db(t)
			h := begin(t, "disk full", p, 4, 8, nil)
			h.suffer(t, 4, 3000, func(int) error {
				ballast := filepath.Join(disk, "ballast")
				if err := fill(ballast); err != nil {
					return err
				}
				if kind != "sqlite" {
					for end := time.Now().Add(time.Minute); db.Ping() == nil; time.Sleep(10 * time.Millisecond) {
						db.Exec("SELECT pg_switch_wal()") // needs a new file, when there are none from before
						if time.Now().After(end) {
							return errors.New("the server doesn't notice that the disk is full")
						}
					}
				}
				time.Sleep(time.Second)
				return errors.Join(os.Remove(ballast), restart())
			})
			if v := h.end(t); v.repeats+v.disorder+v.wrong > 0 {
				t.Errorf("%+v", v)
			}
			if kind == "sqlite" && h.failed.Load() == 0 {
				t.Error("no draw failed")
			}
			t.Logf("the last failure: %v", h.last)
		})
	}
}

// smallDisk returns the folder of an empty file system of less than 200 MB, until the end
// of the test. OIDKIT_SMALL_DISK names one. Without it, root can make one.
func smallDisk(t *testing.T) string {
	t.Helper()
	if disk := os.Getenv("OIDKIT_SMALL_DISK"); disk != "" {
		return disk
	}
	disk, err := os.MkdirTemp("", "oidkit-disk")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(disk) })
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=192m,mode=1777", "oidkit", disk).CombinedOutput(); err != nil {
		daemon.Skip(t, fmt.Errorf("a small disk (as root, or set OIDKIT_SMALL_DISK): %w: %s", daemon.ErrNotInstalled, out))
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "--lazy", disk).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	return disk
}

// fill writes a file until the disk is full.
func fill(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			if !errors.Is(err, syscall.ENOSPC) {
				return err
			}
			size /= 2
		}
	}
	return nil
}

//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package daemon_test

import (
	"testing"
	"time"

	"github.com/oidkit/oidkit/internal/servers/daemon"
)

func TestLockIsHeldOnce(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	unlock, err := daemon.Lock("test")
	if err != nil {
		t.Fatal(err)
	}
	second := make(chan error)
	go func() {
		unlock, err := daemon.Lock("test")
		second <- err
		if err == nil {
			unlock()
		}
	}()
	select {
	case err := <-second:
		t.Fatalf("the lock is held twice: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if err := <-second; err != nil {
		t.Error(err)
	}
}

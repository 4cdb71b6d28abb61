//go:build nightly

package sid_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/sid"
)

// TestPackagesThatSidDoesNotHave installs a package that doesn't exist. Install says why in
// one line, and so does Root, with an error by which tests skip.
func TestPackagesThatSidDoesNotHave(t *testing.T) {
	s := sid.Set{Name: "Oidkit-Test", Packages: []string{"no-such-package-of-oidkit"}, Program: "usr/bin/none"}
	t.Cleanup(func() {
		for _, parent := range []string{"/var/cache", os.Getenv("HOME") + "/.cache"} {
			os.RemoveAll(filepath.Join(parent, "oidkit/sid/oidkit-test"))
		}
	})
	if _, err := s.Root(); !errors.Is(err, daemon.ErrNotInstalled) || errors.Is(err, daemon.ErrUnobtainable) {
		t.Errorf("before Install: Root() = %v, want ErrNotInstalled", err)
	}
	err := s.Install(io.Discard)
	if err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("Install() = %v, want one line", err)
	}
	if _, again := s.Root(); !errors.Is(again, daemon.ErrUnobtainable) || !strings.Contains(again.Error(), err.Error()) {
		t.Errorf("after Install: Root() = %v, want ErrUnobtainable with %v", again, err)
	}
}

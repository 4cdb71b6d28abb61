//go:build nightly

package sid_test

import (
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/repo"
	"github.com/oidkit/oidkit/internal/servers/sid"
)

// TestPackagesThatSidDoesNotHave installs a package that doesn't exist. Install says why in
// one line, and so does Root, with an error by which tests skip.
func TestPackagesThatSidDoesNotHave(t *testing.T) {
	s := sid.Set{Name: "Oidkit-Test", Packages: []string{"no-such-package-of-oidkit"}, Program: "usr/bin/none"}
	t.Setenv("OIDKIT_SID", t.TempDir())
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

// TestRunsEndWithWhatWasNotTested has no way to Debian's packages. The scripts of CI go on, and
// say in their last line what wasn't tested. Only the nightly one fails.
func TestRunsEndWithWhatWasNotTested(t *testing.T) {
	t.Setenv("OIDKIT_SID", t.TempDir())
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	t.Setenv("OIDKIT_MYSQL_DSN", "")
	for script, step := range map[string]string{"run": "fmt", "nightly": "own_mysql"} {
		out, err := exec.Command("bash", repo.Path(".ci/"+script), "install", step).CombinedOutput()
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		last := lines[len(lines)-1]
		if (err != nil) != (script == "nightly") || !strings.HasPrefix(last, "not tested on MySQL: ") || !strings.Contains(string(out), "=== "+step+": done") {
			t.Errorf("%s: %v, and the last line is %q:\n%s", script, err, last, out)
		}
	}
}

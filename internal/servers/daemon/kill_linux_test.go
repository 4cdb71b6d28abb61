package daemon_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/oidkit/oidkit/internal/servers/daemon"
)

// TestKillLeavesNoProcess kills a server that starts one process after the other.
func TestKillLeavesNoProcess(t *testing.T) {
	for i := range 20 {
		folder, err := daemon.NewFolder("", "oidkit-kill")
		if err != nil {
			t.Fatal(err)
		}
		defer folder.Close()
		ready := filepath.Join(folder.Path, "ready")
		s, err := folder.Start(func() error {
			_, err := os.Stat(ready)
			return err
		}, "/bin/sh", "-c", "n=0; while [ $n -lt 100 ]; do sleep 5 & n=$((n+1)); [ $n = 1 ] && : >ready; done; sleep 5")
		if err != nil {
			t.Fatal(err)
		}
		s.Kill()
		folders, _ := filepath.Glob("/proc/[0-9]*/cwd")
		for _, link := range folders {
			if cwd, _ := os.Readlink(link); cwd == folder.Path {
				t.Errorf("kill %d left a process: %s", i, link)
			}
		}
	}
}

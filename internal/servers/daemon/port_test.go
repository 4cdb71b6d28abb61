package daemon_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/servers/daemon"
)

// TestPortsAreGivenOnce takes ports in two processes at once, and listens on none of them.
func TestPortsAreGivenOnce(t *testing.T) {
	var ports []string
	take := func() {
		for range 300 {
			port, err := daemon.FreePort()
			if err != nil {
				t.Fatal(err)
			}
			ports = append(ports, fmt.Sprint(port))
		}
	}
	const child = "OIDKIT_TEST_PORTS"
	if os.Getenv(child) != "" {
		take()
		fmt.Println("ports:", strings.Join(ports, " "))
		os.Stdin.Read(make([]byte, 1)) // until the parent has its own
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestPortsAreGivenOnce$")
	cmd.Env = append(os.Environ(), child+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	take()
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	_, theirs, _ := strings.Cut(out.String(), "ports: ")
	theirs, _, _ = strings.Cut(theirs, "\n")
	ports = append(ports, strings.Fields(theirs)...)
	slices.Sort(ports)
	if once := slices.Compact(slices.Clone(ports)); len(ports) != 600 || len(once) != 600 {
		t.Errorf("%d ports, of which %d differ, want 600", len(ports), len(once))
	}
}

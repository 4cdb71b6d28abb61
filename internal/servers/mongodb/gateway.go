package mongodb

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/oidkit/oidkit/internal/servers/daemon"
)

// A gateway is one run of FerretDB. It ends when this process ends in any way, because its
// input does.
type gateway struct {
	addr  string
	cmd   *exec.Cmd
	input io.Closer
}

// startGateway starts a FerretDB, and waits for its address.
func startGateway(program func() (string, error), args ...string) (*gateway, error) {
	path, err := program()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, args...)
	input, errInput := cmd.StdinPipe()
	output, errOutput := cmd.StdoutPipe()
	var log strings.Builder
	cmd.Stderr = &log
	if err := errors.Join(errInput, errOutput); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	g := &gateway{cmd: cmd, input: input}
	addr, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		g.kill()
		return nil, fmt.Errorf("FerretDB ended before it was ready: %w\n%s", err, &log)
	}
	g.addr = strings.TrimSpace(addr)
	return g, nil
}

// kill ends the gateway by kill -9.
func (g *gateway) kill() {
	g.cmd.Process.Kill()
	g.cmd.Wait()
	g.input.Close()
}

// stop lets the gateway end by itself.
func (g *gateway) stop() error {
	g.input.Close()
	return g.cmd.Wait()
}

const ownPackage = "github.com/oidkit/oidkit/internal/servers/mongodb"

// The programs, which the go command builds once and keeps in its cache.
var (
	ferretDB1 = sync.OnceValues(func() (string, error) { return build("ferretdb", "") })
	ferretDB2 = sync.OnceValues(func() (string, error) { return build("ferretdb2", "testdata") })
)

// build returns the path of the program name. Its module is that of this package. If parent
// isn't "", it is a module in that folder, outside the workspace.
func build(name, parent string) (string, error) {
	goTool, err := daemon.Find("go")
	if err != nil {
		return "", fmt.Errorf("FerretDB needs the go command: %w", err)
	}
	// Tests of several packages need the program at once. Without a lock, each would compile
	// all of it.
	unlock, err := daemon.Lock(name)
	if err != nil {
		return "", err
	}
	defer unlock()
	program, env := ownPackage+"/"+name, append(os.Environ(), "GOOS=", "GOARCH=", "GOFLAGS=") // for this machine, without instruments
	var dir string
	if parent != "" {
		own, err := exec.Command(goTool, "list", "-f", "{{.Dir}}", ownPackage).Output()
		if err != nil {
			return "", fmt.Errorf("the folder of FerretDB's module: %w", err)
		}
		dir = filepath.Join(strings.TrimSpace(string(own)), parent, name)
		program, env = ".", append(env, "GOWORK=off")
	}
	// The first call builds the program, and prints where it was for a moment. The second
	// one prints where it is in the cache.
	for range 2 {
		cmd := exec.Command(goTool, "run", "-exec", "echo", program)
		cmd.Dir, cmd.Env = dir, env
		var log strings.Builder
		cmd.Stderr = &log
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("FerretDB can't be built: %w\n%s", err, &log)
		}
		path := strings.TrimSpace(string(out))
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", errors.New("FerretDB was built, and isn't in the go command's cache")
}

package mongodb

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/oidkit/oidkit/internal/servers/daemon"
)

// An engine is one run of FerretDB. It ends when this process ends in any way, because its
// input does.
type engine struct {
	addr  string
	cmd   *exec.Cmd
	input io.Closer
}

// startEngine starts FerretDB with its data in dir, and waits for its address.
func startEngine(dir string) (*engine, error) {
	path, err := program()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, dir)
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
	e := &engine{cmd: cmd, input: input}
	addr, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		e.kill()
		return nil, fmt.Errorf("FerretDB ended before it was ready: %w\n%s", err, &log)
	}
	e.addr = strings.TrimSpace(addr)
	return e, nil
}

// kill ends the engine by kill -9.
func (e *engine) kill() {
	e.cmd.Process.Kill()
	e.cmd.Wait()
	e.input.Close()
}

// stop lets the engine end by itself.
func (e *engine) stop() error {
	e.input.Close()
	return e.cmd.Wait()
}

// program returns the path of the program ferretdb. The go command builds it once and keeps
// it in its cache.
var program = sync.OnceValues(func() (string, error) {
	goTool, err := daemon.Find("go")
	if err != nil {
		return "", fmt.Errorf("FerretDB needs the go command: %w", err)
	}
	// Tests of several packages need the program at once. Without a lock, each would compile
	// all of it.
	unlock, err := daemon.Lock("ferretdb")
	if err != nil {
		return "", err
	}
	defer unlock()
	// The first call builds the program, and prints where it was for a moment. The second
	// one prints where it is in the cache.
	for range 2 {
		cmd := exec.Command(goTool, "run", "-exec", "echo", "github.com/oidkit/oidkit/internal/servers/mongodb/ferretdb")
		cmd.Env = append(os.Environ(), "GOOS=", "GOARCH=", "GOFLAGS=") // for this machine, without instruments
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
})

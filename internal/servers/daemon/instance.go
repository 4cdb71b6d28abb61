package daemon

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"testing"
)

// An Instance is a database server in its own folder. It can be killed and started
// again. The server types of the other packages embed it.
type Instance struct {
	folder *Folder
	start  func() (*Server, error)
	server *Server
	quit   os.Signal

	variable string // names the environment variable of an external server
}

// NewInstance makes a folder in the way that [NewFolder] does, and starts a server in it.
// The function prepare fills the folder and returns the function that starts the server.
// The signal quit ends the server at once.
func NewInstance(parent, name, user string, quit os.Signal, prepare func(*Folder) (start func() (*Server, error), err error)) (*Instance, error) {
	folder, err := NewFolder(parent, name, user)
	if err != nil {
		return nil, err
	}
	i := &Instance{folder: folder, quit: quit}
	if i.start, err = prepare(folder); err == nil {
		i.server, err = i.start()
	}
	if err != nil {
		folder.Close()
		return nil, err
	}
	return i, nil
}

// External returns the instance of a server that an environment variable names.
// Nobody here may kill or close it.
func External(variable string) *Instance { return &Instance{variable: variable} }

// Ours reports whether the server can be killed, because it is not an external one.
func (i *Instance) Ours() bool { return i.server != nil }

// LogEnd returns the end of the log of a server that is ours, for errors.
func (i *Instance) LogEnd() string { return string(i.folder.logEnd()) }

// Kill ends the whole server by kill -9. The error of an external server is
// ErrNotInstalled: see [Skip].
func (i *Instance) Kill() error {
	if i.server == nil {
		return NotOurs(i.variable)
	}
	i.server.Kill()
	return nil
}

// NotOurs is the error of a call that would kill the server that an environment
// variable names.
func NotOurs(variable string) error {
	return fmt.Errorf("a server that the test may kill (unset %s): %w", variable, ErrNotInstalled)
}

// Pause stops all processes of the server, as SIGSTOP does, until Resume. Connections stay
// open, and nobody answers on them.
func (i *Instance) Pause() error { return i.signal(halt) }

// Resume has a server that was paused go on.
func (i *Instance) Resume() error { return i.signal(resume) }

func (i *Instance) signal(send func(pid int)) error {
	if i.server == nil {
		return NotOurs(i.variable)
	}
	pid := i.server.cmd.Process.Pid
	send(pid) // first, so that a server that is paused starts no more processes
	for _, child := range children(pid) {
		send(child)
	}
	return nil
}

// Restart starts the server again, with its data and on the same port. It first kills a
// server that still runs.
func (i *Instance) Restart() error {
	if err := i.Kill(); err != nil {
		return err
	}
	server, err := i.start()
	if err != nil {
		return err
	}
	i.server = server
	return nil
}

// Close stops the server and removes everything that it has stored.
func (i *Instance) Close() error {
	if i.server == nil {
		return nil
	}
	i.server.Stop(i.quit)
	return i.folder.Close()
}

// Own runs a server until the test ends. It skips the test if the server isn't
// installed.
func Own[S io.Closer](t testing.TB, run func() (S, error)) S {
	t.Helper()
	s, err := run()
	if err != nil {
		Skip(t, err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

var databases atomic.Int64

// DatabaseName returns a name that no other database of this machine has.
func DatabaseName() string {
	return fmt.Sprintf("oidkit_test_%d_%d", os.Getpid(), databases.Add(1))
}

// Package daemon runs a server program for tests and examples, in its own temporary
// folder. If the caller is root, the server runs as an unprivileged user. When the
// caller ends in any way, the server ends and the folder is removed.
package daemon

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// ErrNotInstalled is the error, for errors.Is, if a server's program is missing.
var ErrNotInstalled = errors.New("not installed")

// ErrUnobtainable is the error if the program is missing because its installation was tried
// and is not possible now. It is an ErrNotInstalled.
var ErrUnobtainable = fmt.Errorf("it can't be had, %w", ErrNotInstalled)

// Skip skips t because of err. It fails t instead if err is not ErrNotInstalled, or if
// OIDKIT_NO_SKIP=1 says that everything that can be had must be installed.
func Skip(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, ErrUnobtainable) || errors.Is(err, ErrNotInstalled) && os.Getenv("OIDKIT_NO_SKIP") != "1" {
		t.Skip(err)
	}
	t.Fatal(err)
}

// Find returns the path of the program name. It looks on PATH, and then in the folders
// that the patterns match, the highest version first. It finds no program on systems
// other than Unix: this package can't run servers there.
func Find(name string, patterns ...string) (string, error) {
	if !runsServers {
		return "", fmt.Errorf("%s: servers run on Unix only: %w", name, ErrNotInstalled)
	}
	if path, err := exec.LookPath(name); err == nil {
		return filepath.Abs(path)
	}
	for _, pattern := range append(patterns, "/usr/sbin", "/usr/local/sbin") {
		matches, _ := filepath.Glob(filepath.Join(pattern, name))
		if len(matches) > 0 {
			return slices.MaxFunc(matches, byLengthThenText), nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, ErrNotInstalled)
}

// byLengthThenText orders /postgresql/9 before /postgresql/15.
func byLengthThenText(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return bytes.Compare([]byte(a), []byte(b))
}

// FreePort returns a TCP port of 127.0.0.1 on which nobody listens. Until this process ends,
// FreePort returns this port to no other caller in any process: the process listens on the
// port after it. Systems don't give these ports to clients.
func FreePort() (port int, err error) {
	for range 1000 {
		port = 10_000 + 2*rand.N(10_000)
		var guard, free net.Listener
		if guard, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+1)); err != nil {
			continue
		}
		if free, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			guards.Store(port, guard)
			return port, free.Close()
		}
		guard.Close()
	}
	return 0, err
}

// guards keeps the listeners of FreePort, because the garbage collector closes those that
// nobody refers to.
var guards sync.Map

// A Folder holds the data, the sockets and the log of one server. When the process that
// made it ends, even by kill -9, a watchdog kills the server that still runs in it and
// removes the folder.
type Folder struct {
	Path string

	owner    *owner // nil: run as the caller
	watchdog *exec.Cmd
	leash    io.Closer // the watchdog acts when this is closed
	served   bool      // a server has run in the folder
}

// An owner is the user as whom a server runs.
type owner struct{ uid, gid uint32 }

// NewFolder makes a folder whose name begins with name in the folder parent, or in the one
// for temporary files if parent is "". Programs in it run as the caller. If the caller is
// root, they run as the first of users that exists.
func NewFolder(parent, name string, users ...string) (*Folder, error) {
	path, err := os.MkdirTemp(parent, name+"-")
	if err != nil {
		return nil, err
	}
	f := &Folder{Path: path}
	if err := f.setUp(users); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// watch is the watchdog's program. It reads the server's process ID from the file pid of
// the folder. It also kills the processes that the server has started.
const watch = `
read -r _
if pid=$(cat "$1/pid" 2>/dev/null); then
	kill -QUIT "$pid" 2>/dev/null
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.2
	done
	kill -KILL "$pid" 2>/dev/null
fi
rm -rf "$1"
`

func (f *Folder) setUp(users []string) error {
	if os.Getuid() == 0 {
		if err := f.lendTo(users); err != nil {
			return err
		}
	}
	f.watchdog = exec.Command("/bin/sh", "-c", watch, "watchdog", f.Path)
	f.watchdog.SysProcAttr = attributes(nil)
	leash, err := f.watchdog.StdinPipe()
	if err != nil {
		return err
	}
	f.leash = leash
	return f.watchdog.Start()
}

// lendTo gives the folder to the first of users that exists.
func (f *Folder) lendTo(users []string) error {
	for _, name := range append(users, "nobody") {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errUID := strconv.ParseUint(u.Uid, 10, 32)
		gid, errGID := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(errUID, errGID); err != nil {
			return err
		}
		f.owner = &owner{uint32(uid), uint32(gid)}
		return os.Chown(f.Path, int(uid), int(gid))
	}
	return fmt.Errorf("no user %q to run a server as", users)
}

// Close removes the folder.
func (f *Folder) Close() error {
	err := os.RemoveAll(f.Path)
	if f.leash != nil {
		f.leash.Close()
		f.watchdog.Wait()
	}
	return err
}

// Command returns a command that runs in the folder as the folder's user.
func (f *Folder) Command(path string, args ...string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	cmd.Dir = f.Path
	cmd.Env = append(os.Environ(), "HOME="+f.Path, "TMPDIR="+f.Path, "LC_ALL=C")
	cmd.SysProcAttr = attributes(f.owner)
	return cmd
}

// Do runs a program to its end.
func (f *Folder) Do(path string, args ...string) error {
	out, err := f.Command(path, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(path), err, out)
	}
	return nil
}

// A Server is a running program of a Folder.
type Server struct {
	folder *Folder
	cmd    *exec.Cmd
	ended  chan struct{}
}

// startTimeout is long enough for very slow machines.
const startTimeout = 3 * time.Minute

// Start runs a server and waits until ready returns nil. If the folder had a server before,
// Start tries again if the new one ends at once: it does so while an earlier, killed server
// is still ending. The error has the end of the server's log.
func (f *Folder) Start(ready func() error, path string, args ...string) (*Server, error) {
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(100 * time.Millisecond) {
		s, err := f.start(path, args)
		if err != nil {
			return nil, err
		}
		err = s.await(ready, deadline)
		if err == nil {
			f.served = true
			return s, nil
		}
		s.Kill()
		if !f.served || time.Now().After(deadline) {
			return nil, fmt.Errorf("%s is not ready: %w\n%s", filepath.Base(path), err, f.logEnd())
		}
	}
}

func (f *Folder) log() string { return filepath.Join(f.Path, "log") }

// logEnd returns the end of the log of the folder's servers.
func (f *Folder) logEnd() []byte {
	out, _ := os.ReadFile(f.log())
	return out[max(0, len(out)-4000):]
}

func (f *Folder) start(path string, args []string) (*Server, error) {
	log, err := os.OpenFile(f.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	s := &Server{folder: f, cmd: f.Command(path, args...), ended: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		s.cmd.Wait()
		close(s.ended)
	}()
	return s, os.WriteFile(filepath.Join(f.Path, "pid"), fmt.Appendln(nil, s.cmd.Process.Pid), 0o644)
}

func (s *Server) await(ready func() error, deadline time.Time) error {
	for {
		err := ready()
		if err == nil {
			return nil
		}
		select {
		case <-s.ended:
			return errors.Join(fmt.Errorf("it ended: %v", s.cmd.ProcessState), err)
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return err
		}
	}
}

// Kill ends the server and all processes that it has started by kill -9, and waits until
// they have ended. For the processes it is like a power cut.
func (s *Server) Kill() {
	halt(s.cmd.Process.Pid)
	started := children(s.cmd.Process.Pid)
	for _, pid := range append(started, s.cmd.Process.Pid) {
		if !s.hasEnded() {
			kill(pid)
		}
	}
	<-s.ended
	for _, pid := range started { // the system ends them when it gets to it
		awaitState(pid, "RSDT")
	}
	os.Remove(filepath.Join(s.folder.Path, "pid"))
}

func (s *Server) hasEnded() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// Stop asks the server to end by the signal, and kills it if it doesn't.
func (s *Server) Stop(signal os.Signal) {
	s.cmd.Process.Signal(signal)
	select {
	case <-s.ended:
		os.Remove(filepath.Join(s.folder.Path, "pid"))
	case <-time.After(10 * time.Second):
		s.Kill()
	}
}

// halt stops the process pid, and waits until it has stopped, so that it starts no more
// processes. A signal doesn't end a fork that has begun. It needs /proc.
func halt(pid int) {
	stop(pid)
	awaitState(pid, "RSD")
}

// awaitState waits until a process leaves the states, for a second at most.
func awaitState(pid int, states string) {
	for range 1000 {
		if state, _ := status(strconv.Itoa(pid)); !strings.Contains(states, state) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// children returns the processes that pid has started. It needs /proc.
func children(pid int) (pids []int) {
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		name := filepath.Base(folder)
		if _, parent := status(name); parent == strconv.Itoa(pid) {
			if child, err := strconv.Atoi(name); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

// status returns the state of a process and its parent, "-" if there is no such process.
func status(pid string) (state, parent string) {
	stat, _ := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	// The line is: pid (name) state ppid …. The name can contain any character.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 2 {
		return "-", "-"
	}
	return fields[0], fields[1]
}

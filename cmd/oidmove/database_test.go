//go:build projects

package main

import (
	"bufio"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A database is the MongoDB server of the projects' tests, at one address. It is FerretDB,
// or the server at OIDKIT_MONGO_URI.
type database struct {
	addr    string // of a listener that forwards to the server
	program string // FerretDB
	backend string
}

// newDatabase builds FerretDB, and begins to listen. Call start before a test connects.
func newDatabase(t *testing.T) *database {
	t.Helper()
	d := &database{}
	if text := os.Getenv("OIDKIT_MONGO_URI"); text != "" {
		uri, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		d.addr = uri.Host
		return d
	}
	d.program = filepath.Join(t.TempDir(), "ferretdb")
	inTree(t, "servers", "build", "-o", d.program, "./mongodb/ferretdb")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	d.addr = listener.Addr().String()
	go d.forward(listener)
	return d
}

// forward connects clients with the server, until the listener is closed.
func (d *database) forward(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", d.backend)
		if err != nil {
			client.Close()
			continue
		}
		for _, pair := range [][2]net.Conn{{client, server}, {server, client}} {
			go func() {
				io.Copy(pair[0], pair[1])
				pair[0].Close()
			}()
		}
	}
}

// start starts an empty FerretDB, and returns what ends it.
func (d *database) start(t *testing.T) (stop func()) {
	t.Helper()
	if d.program == "" {
		return func() {}
	}
	cmd := exec.Command(d.program, t.TempDir())
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop = func() {
		input.Close() // FerretDB ends with its input
		cmd.Process.Kill()
		cmd.Wait()
	}
	addr, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		stop()
		t.Fatalf("FerretDB ended before it was ready: %v", err)
	}
	d.backend = strings.TrimSpace(addr)
	return stop
}

var (
	serverText = regexp.MustCompile(`(\w+:\w+@)?(localhost|127\.0\.0\.1):27017`)
	replicaSet = regexp.MustCompile(`replicaSet=\w+&?`)
	password   = regexp.MustCompile(`(?s)\.SetAuth\(options\.Credential\{[^}]*\}\)`)
)

// use lets the code below dir connect to the database: without a password, and to one
// server rather than to a replica set.
func (d *database) use(t *testing.T, dir string) {
	t.Helper()
	for name := range strings.FieldsSeq(git(t, dir, "ls-files", "*.go", ":!vendor")) {
		name = filepath.Join(dir, name)
		before, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !serverText.Match(before) {
			continue
		}
		text := serverText.ReplaceAll(before, []byte(d.addr))
		text = replicaSet.ReplaceAll(text, nil)
		write(t, name, password.ReplaceAll(text, nil))
	}
}

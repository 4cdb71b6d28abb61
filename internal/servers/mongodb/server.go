// Package mongodb starts a MongoDB server for tests and examples: FerretDB, which the go
// command builds from its modules, or the server that the environment variable
// OIDKIT_MONGO_URI names.
//
// Clients don't connect to the server itself, but to a proxy in front of it. FerretDB v1
// changes documents by reading them and writing them back. So it loses most of the
// updates that come at the same time. The proxy lets only one write through at a time.
// For clients, that is the atomicity of a mongod. The proxy can also disturb commands:
// see [Server.Inject] and [Server.Kill].
package mongodb

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/oid"
)

// URIVariable is the environment variable of a server that is used in place of FerretDB. Its value is mongodb://host:port, a single host without TLS, because the
// proxy is in front of that server too. The host must accept writes.
const URIVariable = "OIDKIT_MONGO_URI"

// A Server is a running MongoDB server behind a proxy.
type Server struct {
	// URI is what clients connect to.
	URI string

	// Database is a name that no other Server has. So tests that share a server by
	// OIDKIT_MONGO_URI don't use the same data. It isn't dropped at the end.
	Database string

	proxy  *proxy
	dir    string // of FerretDB's data; "" for another server
	ours   bool   // dir was made by Run, and goes with Close
	engine *engine
}

// Start runs a server until the test ends. Disconnect clients before that, with a
// t.Cleanup that is registered after Start.
func Start(t testing.TB) *Server {
	t.Helper()
	return daemon.Own(t, Run)
}

// Run starts a server. The caller has to close it.
func Run() (*Server, error) { return RunIn("") }

// RunIn is [Run] with the data in dir, which Close leaves there. If dir is "", the
// data goes into a temporary folder that Close removes.
func RunIn(dir string) (*Server, error) {
	s := &Server{Database: "oidkit_" + oid.New().Hex()}
	if uri := os.Getenv(URIVariable); uri != "" {
		return s, s.runBefore(uri)
	}
	s.dir = dir
	if dir == "" {
		temp, err := os.MkdirTemp("", "mongodb")
		if err != nil {
			return nil, fmt.Errorf("mongodb.Run: %w", err)
		}
		s.dir, s.ours = temp, true
	}
	if err := s.runOurs(); err != nil {
		return nil, errors.Join(fmt.Errorf("mongodb.Run: %w", err), s.Close())
	}
	return s, nil
}

// runBefore starts the proxy in front of the server at uri. That server itself makes
// writes to a document atomic.
func (s *Server) runBefore(uri string) error {
	u, err := url.Parse(uri)
	if err != nil {
		return fmt.Errorf("mongodb.Run: %s: %w", URIVariable, err)
	}
	query := u.Query()
	if u.Scheme != "mongodb" || strings.Contains(u.Host, ",") || query.Has("tls") || query.Has("ssl") {
		return fmt.Errorf("mongodb.Run: %s must be mongodb:// with one host and without TLS", URIVariable)
	}
	backend := u.Host
	if u.Port() == "" {
		backend = net.JoinHostPort(u.Hostname(), "27017")
	}
	if s.proxy, err = listen(false); err != nil {
		return fmt.Errorf("mongodb.Run: %w", err)
	}
	s.proxy.connectTo(backend)
	u.Host = s.proxy.addr()
	// The server may be part of a replica set and report its other hosts. The client
	// must not connect to them without the proxy.
	query.Del("replicaSet")
	query.Set("directConnection", "true")
	if u.Path == "" {
		u.Path = "/"
	}
	u.RawQuery = query.Encode()
	s.URI = u.String()
	return nil
}

// runOurs starts FerretDB and the proxy in front of it.
func (s *Server) runOurs() (err error) {
	if s.proxy, err = listen(true); err != nil {
		return err
	}
	s.URI = "mongodb://" + s.proxy.addr() + "/"
	return s.Restart()
}

// Ours reports whether s is FerretDB, which can be killed.
func (s *Server) Ours() bool { return s.dir != "" }

// Inject makes decide choose what happens to each command that arrives from now on. It
// replaces the function of an earlier call. Nil lets all commands through.
//
// Commands of several connections arrive at the same time, but the calls of decide never
// overlap.
func (s *Server) Inject(decide func(Command) Fault) { s.proxy.inject(decide) }

// Kill ends the server by kill -9. To its clients, this looks like a crash: all
// connections end at once. The server may or may not have executed commands that were in flight. Until
// Restart, new connections are closed immediately. The data of finished commands is kept.
func (s *Server) Kill() error {
	if !s.Ours() {
		return daemon.NotOurs(URIVariable)
	}
	s.proxy.disconnect()
	if s.engine != nil {
		s.engine.kill()
		s.engine = nil
	}
	return nil
}

// Restart kills the server if it is running and starts it again, with the same data and
// the same URI.
func (s *Server) Restart() error {
	if err := s.Kill(); err != nil {
		return err
	}
	e, err := startEngine(s.dir)
	if err != nil {
		return err
	}
	s.engine = e
	s.proxy.connectTo(e.addr)
	return nil
}

// Close stops the server.
func (s *Server) Close() error {
	var errs []error
	if s.proxy != nil {
		errs = append(errs, s.proxy.close())
	}
	if s.engine != nil {
		errs = append(errs, s.engine.stop())
	}
	if s.ours {
		errs = append(errs, os.RemoveAll(s.dir))
	}
	return errors.Join(errs...)
}

// Package mongodb starts a MongoDB server for tests and examples: FerretDB 1, which the go
// command builds from its modules, or the server that the environment variable
// OIDKIT_MONGO_URI names.
//
// OIDKIT_MONGO=documentdb starts DocumentDB instead, the engine of Azure DocumentDB, with
// FerretDB 2. It is nearer to MongoDB, takes seconds to start, and has to be installed:
// go run ./internal/servers/sid/install DocumentDB.
//
// Clients don't connect to the server itself, but to a proxy in front of it. FerretDB 1
// changes documents by reading them and writing them back. So it loses most of the
// updates that come at the same time. The proxy lets only one write through at a time.
// For clients, that is the atomicity of a mongod. In front of other servers, the proxy lets
// all writes through. The proxy can also disturb commands: see [Server.Inject] and
// [Server.Kill].
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

// URIVariable is the environment variable of a server that is used in place of ours. Its
// value is mongodb://host:port, a single host without TLS, because the proxy is in front of
// that server too. The host must accept writes.
const URIVariable = "OIDKIT_MONGO_URI"

// engineVariable is the environment variable of the engine to start, and documentDBName its
// value for DocumentDB.
const (
	engineVariable = "OIDKIT_MONGO"
	documentDBName = "documentdb"
)

// A Server is a running MongoDB server behind a proxy.
type Server struct {
	// URI is what clients connect to.
	URI string

	// Database is a name that no other Server has. So tests that share a server by
	// OIDKIT_MONGO_URI don't use the same data. It isn't dropped at the end.
	Database string

	proxy   *proxy
	engine  engine   // nil for the server of OIDKIT_MONGO_URI
	gateway *gateway // nil while the server is killed
}

// Start runs a server until the test ends. Disconnect clients before that, with a
// t.Cleanup that is registered after Start.
func Start(t testing.TB) *Server {
	t.Helper()
	return daemon.Own(t, Run)
}

// Run starts a server. The caller has to close it.
func Run() (*Server, error) { return RunIn("") }

// RunIn is [Run] with FerretDB 1 and the data in dir, which Close leaves there. If dir is
// "", the server is that of Run, and its data goes with Close.
func RunIn(dir string) (*Server, error) {
	if uri := os.Getenv(URIVariable); uri != "" {
		s := newServer()
		return s, s.runBefore(uri)
	}
	switch name := os.Getenv(engineVariable); {
	case name == documentDBName && dir == "":
		return RunDocumentDB()
	case name == "" || dir != "":
		e, err := newSQLite(dir)
		return run(e, true, err)
	default:
		return nil, fmt.Errorf("mongodb.Run: %s=%s: want nothing or %s", engineVariable, name, documentDBName)
	}
}

// RunDocumentDB starts DocumentDB with FerretDB 2. The caller has to close it.
func RunDocumentDB() (*Server, error) {
	e, err := newDocumentDB()
	return run(e, false, err)
}

func newServer() *Server { return &Server{Database: "oidkit_" + oid.New().Hex()} }

// run starts a server with the engine, unless there is an error. If serial is true, the proxy
// lets one write through at a time.
func run(e engine, serial bool, err error) (*Server, error) {
	if err != nil {
		return nil, fmt.Errorf("mongodb.Run: %w", err)
	}
	s := newServer()
	s.engine = e
	if s.proxy, err = listen(serial); err == nil {
		s.URI = "mongodb://" + s.proxy.addr() + "/"
		err = s.start()
	}
	if err != nil {
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

// start starts the server behind the proxy.
func (s *Server) start() (err error) {
	if s.gateway, err = s.engine.start(); err != nil {
		return err
	}
	s.proxy.connectTo(s.gateway.addr)
	return nil
}

// Ours reports whether s was started here, and can be killed.
func (s *Server) Ours() bool { return s.engine != nil }

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
	if s.gateway != nil {
		s.gateway.kill()
		s.gateway = nil
	}
	return s.engine.kill()
}

// Restart kills the server if it is running and starts it again, with the same data and
// the same URI.
func (s *Server) Restart() error {
	if err := s.Kill(); err != nil {
		return err
	}
	return s.start()
}

// Close stops the server.
func (s *Server) Close() error {
	var errs []error
	if s.proxy != nil {
		errs = append(errs, s.proxy.close())
	}
	if s.gateway != nil {
		errs = append(errs, s.gateway.stop())
	}
	if s.engine != nil {
		errs = append(errs, s.engine.close())
	}
	return errors.Join(errs...)
}

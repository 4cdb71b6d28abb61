// Package mongodb starts a MongoDB server for tests and examples: an embedded
// FerretDB, with nothing to install, or the server that the environment variable
// OIDKIT_MONGO_URI names.
//
// Clients never talk to the server itself but to a proxy before it. FerretDB v1
// changes documents by reading them and writing them back, and so loses most of
// the updates that come at the same time; the proxy lets one write through at a
// time, which is the atomicity of a mongod as its clients see it. The proxy can
// also disturb commands: see [Server.Inject] and [Server.Kill].
package mongodb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/FerretDB/FerretDB/ferretdb"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/oid"
)

// URIVariable is the environment variable that names a server to use in place of
// the embedded one: mongodb://host:port, a single host without TLS, as the proxy
// stands before that one too. The host must be one that takes writes.
const URIVariable = "OIDKIT_MONGO_URI"

// A Server is a running MongoDB server behind a proxy.
type Server struct {
	// URI is what clients connect to.
	URI string

	// Database is a name that no other Server has, so that tests which share a
	// server by OIDKIT_MONGO_URI don't meet. It isn't dropped at the end.
	Database string

	proxy  *proxy
	dir    string // of the embedded server's data; "" for another server
	ours   bool   // dir was made by Run, and goes with Close
	engine *engine
}

// Start runs a server until the test ends. Clients should be disconnected before
// that: with t.Cleanup, registered after Start.
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
	if err := s.runEmbedded(); err != nil {
		return nil, errors.Join(fmt.Errorf("mongodb.Run: %w", err), s.Close())
	}
	return s, nil
}

// runBefore puts the proxy before the server at uri. That one keeps writes to a
// document apart by itself.
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
	// Of a replica set, the client must not go on to the hosts that the server
	// tells it of, past the proxy.
	query.Del("replicaSet")
	query.Set("directConnection", "true")
	if u.Path == "" {
		u.Path = "/"
	}
	u.RawQuery = query.Encode()
	s.URI = u.String()
	return nil
}

// runEmbedded starts the embedded server and the proxy before it.
func (s *Server) runEmbedded() (err error) {
	if s.proxy, err = listen(true); err != nil {
		return err
	}
	s.URI = "mongodb://" + s.proxy.addr() + "/"
	return s.Restart()
}

// Ours reports whether s is the embedded server, which can be killed.
func (s *Server) Ours() bool { return s.dir != "" }

// Inject makes decide say what happens to each command that arrives from now on,
// in place of the function that was given before. Nil lets all commands through.
//
// Commands of several connections arrive at the same time, but decide is called
// for one after the other.
func (s *Server) Inject(decide func(Command) Fault) { s.proxy.inject(decide) }

// Kill stops the server as a crash would look to its clients: all connections
// end at once, with commands in flight on them, of which the server may or may
// not have done some. Until Restart, new connections are closed right away. The
// data of finished commands is kept.
func (s *Server) Kill() error {
	if !s.Ours() {
		return daemon.NotOurs(URIVariable)
	}
	s.proxy.disconnect()
	if s.engine != nil {
		s.engine.stop()
		s.engine = nil
	}
	return nil
}

// Restart kills the server if it is running and starts it again, with the data
// that it had, behind the same URI.
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
		s.engine.stop()
	}
	if s.ours {
		errs = append(errs, os.RemoveAll(s.dir))
	}
	return errors.Join(errs...)
}

// An engine is one run of the embedded FerretDB.
type engine struct {
	addr   string
	cancel context.CancelFunc
	done   chan struct{}
}

// starting keeps starts apart: ferretdb.New writes to a variable of its package.
var starting sync.Mutex

func startEngine(dir string) (*engine, error) {
	starting.Lock()
	defer starting.Unlock()
	f, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: "127.0.0.1:0"},
		Logger:    slog.New(slog.DiscardHandler),
		Handler:   "sqlite",
		SQLiteURL: "file:" + dir + "/", // in memory, its first update would wait for itself
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	e := &engine{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(e.done)
		f.Run(ctx) // returns nil only
	}()
	u, err := url.Parse(f.MongoDBURI()) // waits for the listener
	if err != nil {
		e.stop()
		return nil, err
	}
	e.addr = u.Host
	return e, nil
}

func (e *engine) stop() {
	e.cancel()
	<-e.done
}

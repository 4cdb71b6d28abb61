package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// A Strict is a proxy before a PostgreSQL. It refuses what another engine refuses, and
// takes a part of the commits back with 40001, as engines do that resolve conflicts when a
// transaction commits. Those are commits of transactions that have written something,
// also of a single statement.
//
// It doesn't imitate how an engine stores or locks rows: PostgreSQL does that, at the
// engine's level of isolation.
type Strict struct {
	// DSN is that of the database through the proxy.
	DSN string

	engine   *Engine
	server   *pgconn.Config
	rate     float64
	listener net.Listener
	serving  sync.WaitGroup
	commits  atomic.Int64
	failed   atomic.Int64

	mu     sync.Mutex
	random *rand.Rand
	ready  map[string]bool       // the databases that are set up
	conns  map[net.Conn]struct{} // all that are open, of both sides
	closed bool
}

// StartStrict runs a proxy before the database of dsn, which is a URL, until the test
// ends. The part rate of the commits fails.
func StartStrict(t testing.TB, dsn string, e *Engine, rate float64) *Strict {
	t.Helper()
	s, err := RunStrict(dsn, e, rate)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// RunStrict starts a proxy, as StartStrict does. The caller has to close it.
func RunStrict(dsn string, e *Engine, rate float64) (*Strict, error) {
	u, err := url.Parse(dsn)
	if err != nil {
		return nil, err
	}
	server, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	u.Host = listener.Addr().String()
	s := &Strict{DSN: u.String(), engine: e, server: server, rate: rate, listener: listener,
		random: rand.New(rand.NewPCG(1, 2)), ready: map[string]bool{}, conns: map[net.Conn]struct{}{}}
	s.serving.Go(s.accept)
	return s, nil
}

// Commits returns how many transactions have tried to commit writes, and how many of them
// the proxy has failed.
func (s *Strict) Commits() (tried, failed int64) { return s.commits.Load(), s.failed.Load() }

// Cut closes all connections, as the end of a node does.
func (s *Strict) Cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.Close()
	}
}

// Close ends the proxy.
func (s *Strict) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	err := s.listener.Close()
	s.Cut()
	s.serving.Wait()
	return err
}

func (s *Strict) accept() {
	for {
		client, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.serving.Go(func() { s.serve(client) })
	}
}

// track has Cut close a connection. It reports false if the proxy is closed.
func (s *Strict) track(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns[c] = struct{}{}
	return !s.closed
}

func (s *Strict) untrack(c net.Conn) {
	c.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// conflict returns the error of a commit that is to fail, or nil.
func (s *Strict) conflict() *pgproto3.ErrorResponse {
	s.commits.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.random.Float64() >= s.rate {
		return nil
	}
	s.failed.Add(1)
	return refused(serialization, s.engine.conflicts[s.random.IntN(len(s.engine.conflicts))])
}

// serve answers one client.
func (s *Strict) serve(client net.Conn) {
	defer s.untrack(client)
	if !s.track(client) {
		return
	}
	backend := pgproto3.NewBackend(client, client)
	for {
		m, err := backend.ReceiveStartupMessage()
		if err != nil {
			return
		}
		switch m := m.(type) {
		case *pgproto3.CancelRequest:
			s.cancel(m)
			return
		case *pgproto3.StartupMessage:
			s.open(backend, m.Parameters)
			return
		default: // a request for encryption
			client.Write([]byte("N"))
		}
	}
}

// cancel passes a request to cancel a statement on.
func (s *Strict) cancel(m *pgproto3.CancelRequest) {
	text, err := m.Encode(nil)
	if err != nil {
		return
	}
	network, address := pgconn.NetworkAddress(s.server.Host, s.server.Port)
	if conn, err := net.Dial(network, address); err == nil {
		conn.Write(text)
		conn.Read(make([]byte, 1)) // the server closes it when it has read the request
		conn.Close()
	}
}

// open connects to the server as the client asks, and runs the session.
func (s *Strict) open(client *pgproto3.Backend, parameters map[string]string) {
	fail := func(m *pgproto3.ErrorResponse) {
		m.Severity, m.SeverityUnlocalized = "FATAL", "FATAL"
		client.Send(m)
		client.Flush()
	}
	cfg := s.server.Copy()
	for name, value := range parameters {
		switch name {
		case "user":
			cfg.User = value
		case "database":
			cfg.Database = value
		default:
			if m := s.engine.refuseSetting(name); m != nil {
				fail(m)
				return
			}
			cfg.RuntimeParams[name] = value
		}
	}
	if s.engine.path != "" && parameters["search_path"] == "" {
		cfg.RuntimeParams["search_path"] = s.engine.path
	}
	// Without a level of its own, a transaction has that of the engine.
	cfg.RuntimeParams["default_transaction_isolation"] = strings.ToLower(s.engine.isolation)
	conn, err := s.connect(cfg)
	if err != nil {
		var pgErr *pgconn.PgError
		if errors.As(err, &pgErr) {
			fail(refused(pgErr.Code, pgErr.Message))
		}
		return
	}
	defer s.untrack(conn.Conn)
	if !s.track(conn.Conn) {
		return
	}
	client.Send(&pgproto3.AuthenticationOk{})
	for name, value := range conn.ParameterStatuses {
		client.Send(&pgproto3.ParameterStatus{Name: name, Value: value})
	}
	client.Send(&pgproto3.BackendKeyData{ProcessID: conn.PID, SecretKey: conn.SecretKey})
	client.Send(&pgproto3.ReadyForQuery{TxStatus: conn.TxStatus})
	session := &session{strict: s, client: client, server: conn.Frontend, status: conn.TxStatus,
		statements: map[string]*statement{}, portals: map[string]*statement{}}
	if client.Flush() == nil && session.prepare() == nil {
		for session.handle() == nil {
		}
	}
}

// connect opens a connection, and sets the database up at the first one.
func (s *Strict) connect(cfg *pgconn.Config) (*pgconn.HijackedConn, error) {
	ctx := context.Background()
	conn, err := pgconn.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := s.setUp(ctx, conn, cfg.Database); err != nil {
		conn.Close(ctx)
		return nil, err
	}
	return conn.Hijack()
}

func (s *Strict) setUp(ctx context.Context, conn *pgconn.PgConn, database string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready[database] {
		return nil
	}
	_, err := conn.Exec(ctx, strings.ReplaceAll(s.engine.setUp, "{settings}", strings.Join(s.engine.settings, ","))).ReadAll()
	s.ready[database] = err == nil
	return err
}

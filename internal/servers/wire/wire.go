// Package wire carries connections to a server, and breaks them: for tests of what clients
// do when the network fails.
package wire

import (
	"bytes"
	"net"
	"sync"
	"testing"
)

// A Fault is what happens to a connection.
type Fault int

const (
	// Cut closes it at once.
	Cut Fault = iota + 1
	// LostRequest closes it when the client speaks next. The server doesn't hear that.
	LostRequest
	// HalfRequest closes it when the client speaks next. The server hears half of it.
	HalfRequest
	// LostAnswer closes it when the server answers next. The client doesn't hear that.
	LostAnswer
	// HalfAnswer closes it when the server answers next. The client hears half of it.
	HalfAnswer
	// Silence keeps it open, and lets nothing through any more.
	Silence
)

// A Wire carries connections to a server.
type Wire struct {
	listener net.Listener

	mu     sync.Mutex
	server string
	conns  map[*conn]struct{}
	closed bool
	text   []byte // in lower case: what a client sends when fault happens, or nil
	fault  Fault
}

// A conn is a connection of a client, and that to the server.
type conn struct {
	client, server net.Conn

	mu    sync.Mutex
	fault Fault
}

// Start returns a wire to the server at an address, host:port, until the end of the test.
func Start(t testing.TB, server string) *Wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &Wire{listener: l, server: server, conns: map[*conn]struct{}{}}
	go w.accept()
	t.Cleanup(w.close)
	return w
}

// Silent returns the address of a server that accepts connections and says nothing, until
// the end of the test.
func Silent(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { conn.Close() })
		}
	}()
	return l.Addr().String()
}

// Addr returns the address that clients connect to.
func (w *Wire) Addr() string { return w.listener.Addr().String() }

// To carries later connections to another server, and cuts those that there are.
func (w *Wire) To(server string) {
	w.mu.Lock()
	w.server = server
	w.mu.Unlock()
	w.Break(Cut)
}

// Break breaks all connections that there are. Later ones work. A connection that is
// silent can still be cut.
func (w *Wire) Break(f Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.conns {
		c.mu.Lock()
		c.fault = f
		c.mu.Unlock()
		if f == Cut {
			c.close()
		}
	}
}

// BreakOn breaks the connection on which a client next sends a text, such as commit, in one
// piece and in any case. Only that connection breaks, and only once.
func (w *Wire) BreakOn(text string, f Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text, w.fault = bytes.ToLower([]byte(text)), f
}

// hear breaks c if its client sends the text of BreakOn.
func (w *Wire) hear(c *conn, sent []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.text == nil || !bytes.Contains(bytes.ToLower(sent), w.text) {
		return
	}
	w.text = nil
	c.mu.Lock()
	c.fault = w.fault
	c.mu.Unlock()
	if w.fault == Cut {
		c.close()
	}
}

func (w *Wire) close() {
	w.listener.Close()
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.Break(Cut)
}

func (w *Wire) accept() {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return
		}
		go w.connect(client)
	}
}

func (w *Wire) connect(client net.Conn) {
	w.mu.Lock()
	address := w.server
	w.mu.Unlock()
	server, err := net.Dial("tcp", address)
	if err != nil {
		client.Close()
		return
	}
	c := &conn{client: client, server: server}
	w.mu.Lock()
	w.conns[c] = struct{}{}
	stale := w.closed || address != w.server
	w.mu.Unlock()
	if stale {
		c.close()
	}
	var both sync.WaitGroup
	both.Go(func() { c.carry(server, client, LostRequest, HalfRequest, func(sent []byte) { w.hear(c, sent) }) })
	both.Go(func() { c.carry(client, server, LostAnswer, HalfAnswer, func([]byte) {}) })
	both.Wait()
	w.mu.Lock()
	delete(w.conns, c)
	w.mu.Unlock()
}

func (c *conn) close() {
	c.client.Close()
	c.server.Close()
}

// carry carries one direction. lost and half are the faults that break it. hear gets what it
// carries, first.
func (c *conn) carry(to, from net.Conn, lost, half Fault, hear func([]byte)) {
	defer c.close()
	b := make([]byte, 1<<16)
	for {
		n, err := from.Read(b)
		hear(b[:n])
		c.mu.Lock()
		fault := c.fault
		c.mu.Unlock()
		switch fault {
		case Silence:
			n = 0
		case half:
			from.Close() // so that no answer to the half comes back
			to.Write(b[:n/2])
			return
		case lost:
			return
		}
		if n > 0 {
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

package mongosequence_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/oidkit/oidkit/internal/servers/mongodb"
	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/mongosequence"
)

// A wire passes bytes on to a server. Connections can be made silent: they stay open, and
// nothing comes through.
type wire struct {
	net.Listener
	server string

	mu     sync.Mutex
	silent chan struct{} // closed when the connections made until now become silent
	open   int
}

func newWire(t *testing.T, uri string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	u, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{Listener: l, server: u.Host, silent: make(chan struct{})}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", w.server)
			if err != nil {
				client.Close()
				continue
			}
			w.mu.Lock()
			silent := w.silent
			w.open++
			w.mu.Unlock()
			go pass(client, server, silent)
			go pass(server, client, silent)
		}
	}()
	return w
}

func pass(to, from net.Conn, silent <-chan struct{}) {
	defer from.Close()
	defer to.Close()
	buf := make([]byte, 1<<16)
	for {
		n, err := from.Read(buf)
		select {
		case <-silent:
			io.Copy(io.Discard, from) // until the client gives up
			return
		default:
		}
		if err != nil {
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

// silence makes all connections silent, and returns how many.
func (w *wire) silence() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.silent)
	w.silent = make(chan struct{})
	n := w.open
	w.open = 0
	return n
}

// TestSilentConnectionsCostOneLimit has callers open many connections. Then none of
// the connections carries anything any more.
func TestSilentConnectionsCostOneLimit(t *testing.T) {
	t.Parallel()
	s := mongodb.Start(t)
	w := newWire(t, s.URI)
	coll := connect(t, s, func(o *options.ClientOptions) {
		o.ApplyURI("mongodb://" + w.Addr().String() + "/?directConnection=true")
	})
	d := mongosequence.New(coll).Driver()
	if ok, err := d.Put(t.Context(), driver.Row{Key: "k", Meaning: "m", Version: 1}, 0); !ok || err != nil {
		t.Fatal(ok, err)
	}
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			for range 20 {
				if _, err := d.List(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := w.silence(); n < 10 {
		t.Fatalf("%d connections show nothing", n)
	}
	step := driver.Draw{Key: "k", Version: 1, N: 1, Most: 99, Limit: 2 * time.Second}
	if _, ok, err := d.Draw(t.Context(), step); ok || !d.Transient(err) || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Draw by a silent connection: %v, %v", ok, err)
	}
	for range 10 {
		if s, ok, err := d.Draw(t.Context(), step); !ok || err != nil {
			t.Errorf("Draw after it: %v, %v, %v", s, ok, err)
		}
	}
}

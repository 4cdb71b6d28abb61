package mongodb

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
)

// A Command is a client's request to the server.
type Command struct {
	Name  string // as in "insert", "update", "findAndModify", "hello"
	ID    int32  // the number that the client gave it
	Write bool   // changes data
	N     int    // 1 for the first command of this name since Inject
}

// A Fault says what happens to a command. The zero value lets it through.
type Fault struct {
	Wait       <-chan struct{} // the command first waits until this is closed, or the server is killed
	Refuse     string          // the server doesn't see the command: the client gets an error with this message
	DropBefore bool            // the server doesn't see the command: the connection is closed
	DropAfter  bool            // the server does the command: the connection is closed in place of an answer
}

// A proxy passes messages between clients and a server.
type proxy struct {
	listener net.Listener
	serial   bool       // let one write through at a time
	writing  sync.Mutex // held from a write's way in to its answer, if serial

	mu      sync.Mutex
	backend string                // address; "" while there is none
	gone    chan struct{}         // closed by disconnect
	conns   map[net.Conn]struct{} // all that are open, of both sides
	closed  bool
	decide  func(Command) Fault
	count   map[string]int // commands since inject, by name

	serving sync.WaitGroup
}

// listen starts a proxy on a free port.
func listen(serial bool) (*proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{listener: l, serial: serial, conns: map[net.Conn]struct{}{}}
	p.serving.Add(1)
	go p.accept()
	return p, nil
}

func (p *proxy) addr() string { return p.listener.Addr().String() }

// connectTo makes backend the server of later connections.
func (p *proxy) connectTo(backend string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.backend, p.gone = backend, make(chan struct{})
}

// disconnect closes all connections and takes the server away. Commands that wait
// end.
func (p *proxy) disconnect() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.backend != "" {
		close(p.gone)
	}
	p.backend = ""
	for c := range p.conns {
		c.Close()
	}
}

// close ends the proxy. It returns when all goroutines of the proxy have ended.
func (p *proxy) close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	err := p.listener.Close()
	p.disconnect()
	p.serving.Wait()
	return err
}

func (p *proxy) inject(decide func(Command) Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.decide = decide
	p.count = map[string]int{}
}

// fault asks what to do with a command.
func (p *proxy) fault(name string, id int32) Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.decide == nil || name == "" {
		return Fault{}
	}
	p.count[name]++
	return p.decide(Command{Name: name, ID: id, Write: writes[name], N: p.count[name]})
}

func (p *proxy) accept() {
	defer p.serving.Done()
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.serving.Add(1)
		go p.serve(client)
	}
}

// serve passes messages on for one client, over a separate connection to the server,
// until either side ends.
func (p *proxy) serve(client net.Conn) {
	defer p.serving.Done()
	defer client.Close()
	p.mu.Lock()
	backend, gone := p.backend, p.gone
	p.mu.Unlock()
	if backend == "" {
		return
	}
	server, err := net.Dial("tcp", backend)
	if err != nil {
		return
	}
	defer server.Close()
	if !p.track(backend, client, server) {
		return
	}
	defer p.untrack(client, server)
	for p.exchange(client, server, gone) == nil {
	}
}

// track makes disconnect close conns. It reports false if backend is no longer
// the server.
func (p *proxy) track(backend string, conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.backend != backend {
		return false
	}
	for _, c := range conns {
		p.conns[c] = struct{}{}
	}
	return true
}

func (p *proxy) untrack(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		delete(p.conns, c)
	}
}

// errDropped ends a connection that a fault has closed.
var errDropped = errors.New("mongodb: connection dropped by a fault")

// exchange passes one request of client on to server, and its answer back. A command that
// waits ends when gone is closed.
func (p *proxy) exchange(client, server net.Conn, gone <-chan struct{}) error {
	request, err := readMessage(client)
	if err != nil {
		return err
	}
	name := request.command()
	f := p.fault(name, request.id())
	if f.Wait != nil {
		select {
		case <-f.Wait:
		case <-gone:
			return errDropped
		}
	}
	switch {
	case f.DropBefore:
		return errDropped
	case f.Refuse != "":
		if request.moreToCome() {
			return nil
		}
		_, err := client.Write(refusal(request, f.Refuse))
		return err
	}
	answer, err := p.ask(server, request, writes[name])
	if err != nil {
		return err
	}
	if f.DropAfter {
		return errDropped
	}
	for answer != nil {
		if _, err := client.Write(answer); err != nil {
			return err
		}
		if !answer.moreToCome() {
			break
		}
		// This hello waits for news. From now on the server sends answers
		// without further requests.
		if answer, err = readMessage(server); err != nil {
			return err
		}
	}
	return nil
}

// ask sends request to server and returns its answer, or nil if the client doesn't wait
// for one.
func (p *proxy) ask(server net.Conn, request message, write bool) (message, error) {
	unanswered := request.moreToCome()
	if write && p.serial {
		p.writing.Lock()
		defer p.writing.Unlock()
		// Only an answer shows that an unacknowledged write is done.
		request.wantAnswer()
	}
	if _, err := server.Write(request); err != nil {
		return nil, err
	}
	if request.moreToCome() {
		return nil, nil
	}
	answer, err := readMessage(server)
	if err != nil || unanswered {
		return nil, err
	}
	return answer, nil
}

// writes holds the commands that change data.
var writes = map[string]bool{
	"insert": true, "update": true, "delete": true, "findAndModify": true, "findandmodify": true, "bulkWrite": true,
	"create": true, "collMod": true, "createIndexes": true, "dropIndexes": true, "drop": true, "dropDatabase": true,
	"renameCollection": true,
}

// readMessage reads one message of MongoDB's wire protocol.
func readMessage(r io.Reader) (message, error) {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n < headerSize || n > maxMessageSize {
		return nil, errors.New("mongodb: message of an impossible length")
	}
	m := make(message, n)
	copy(m, length[:])
	_, err := io.ReadFull(r, m[len(length):])
	return m, err
}

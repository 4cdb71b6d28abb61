package live_test

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// fakeServer speaks as much of MongoDB's protocol as a client needs to believe that
// it talks to the primary of a replica set. What it answers is the test's: so a test
// has answers that no server gives when it is asked to, the same for both drivers.
type fakeServer struct {
	uri    string
	answer func(command bson.Raw) bson.D

	mu       sync.Mutex
	commands []bson.Raw // but for those of the handshake, each with its document sequences
}

// startFake starts a server that answers until the test ends.
func startFake(t *testing.T, answer func(command bson.Raw) bson.D) *fakeServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &fakeServer{uri: "mongodb://" + listener.Addr().String() + "/?directConnection=true&retryWrites=false", answer: answer}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer conn.Close()
				if err := s.serve(conn); err != nil {
					t.Error(err)
				}
			})
		}
	})
	// Runs last. The clients have closed their connections by then.
	t.Cleanup(func() {
		listener.Close()
		serving.Wait()
	})
	return s
}

// sent returns the commands of a name, in their order.
func (s *fakeServer) sent(name string) (commands []bson.Raw) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, command := range s.commands {
		if commandName(command) == name {
			commands = append(commands, command)
		}
	}
	return commands
}

func commandName(command bson.Raw) string {
	first, err := command.IndexErr(0)
	if err != nil {
		return ""
	}
	return first.Key()
}

// serve answers the commands of a connection until the client closes it, which it may do
// at any time. An error is one of the protocol.
func (s *fakeServer) serve(conn net.Conn) error {
	for {
		var header [16]byte
		if _, err := io.ReadFull(conn, header[:]); err != nil {
			return nil
		}
		body := make([]byte, binary.LittleEndian.Uint32(header[:])-16)
		if _, err := io.ReadFull(conn, body); err != nil {
			return nil
		}
		if opcode := binary.LittleEndian.Uint32(header[12:]); opcode != 2013 {
			return errors.New("fake server: not an OP_MSG: set a server API version")
		}
		command, err := readMessage(body)
		if err != nil {
			return err
		}
		reply, err := bson.Marshal(s.reply(command))
		if err != nil {
			return err
		}
		out := binary.LittleEndian.AppendUint32(nil, uint32(16+4+1+len(reply)))
		out = append(out, 0, 0, 0, 0)
		out = append(out, header[4:8]...) // in answer to
		out = binary.LittleEndian.AppendUint32(out, 2013)
		out = append(out, 0, 0, 0, 0, 0) // no flags, a document
		if _, err := conn.Write(append(out, reply...)); err != nil {
			return nil
		}
	}
}

func (s *fakeServer) reply(command bson.Raw) bson.D {
	switch commandName(command) {
	case "hello":
		return bson.D{{Key: "ok", Value: 1}, {Key: "isWritablePrimary", Value: true}, {Key: "setName", Value: "fake"}, {Key: "maxWireVersion", Value: 21},
			{Key: "logicalSessionTimeoutMinutes", Value: 30}, {Key: "maxBsonObjectSize", Value: 16 << 20}, {Key: "maxMessageSizeBytes", Value: 48_000_000}, {Key: "maxWriteBatchSize", Value: 100_000}}
	case "endSessions":
		return bson.D{{Key: "ok", Value: 1}}
	}
	s.mu.Lock()
	s.commands = append(s.commands, command)
	s.mu.Unlock()
	return s.answer(command)
}

// readMessage returns the command in an OP_MSG, with its document sequences as lists.
func readMessage(body []byte) (bson.Raw, error) {
	var command bson.D
	for rest := body[4:]; len(rest) > 0; {
		kind := rest[0]
		size := binary.LittleEndian.Uint32(rest[1:])
		section := rest[1 : 1+size]
		rest = rest[1+size:]
		if kind == 0 {
			if err := bson.Unmarshal(section, &command); err != nil {
				return nil, err
			}
			continue
		}
		key, docs := "", bson.A{}
		for i, c := range section[4:] {
			if c == 0 {
				key, section = string(section[4:4+i]), section[4+i+1:]
				break
			}
		}
		for len(section) > 0 {
			size := binary.LittleEndian.Uint32(section)
			docs = append(docs, bson.Raw(section[:size]))
			section = section[size:]
		}
		command = append(command, bson.E{Key: key, Value: docs})
	}
	return bson.Marshal(command)
}

package mongodb

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
)

// connect returns a collection of s that no other test uses.
func connect(t *testing.T, s *Server, uri string) *mongo.Collection {
	t.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(uri).SetServerSelectionTimeout(time.Minute).SetRetryWrites(false))
	if err != nil {
		t.Fatal(err)
	}
	db := client.Database(s.Database)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = db.Drop(ctx) // the server may be down by the test's will
		_ = client.Disconnect(ctx)
	})
	return db.Collection(t.Name())
}

// count returns the number of documents of c.
func count(t *testing.T, c *mongo.Collection) int64 {
	t.Helper()
	n, err := c.CountDocuments(t.Context(), bson.D{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func insert(t *testing.T, c *mongo.Collection, name string) error {
	t.Helper()
	_, err := c.InsertOne(t.Context(), bson.D{{Key: "name", Value: name}})
	return err
}

// countTogether adds 1 to a counter, each times in each of 20 goroutines, and
// returns the counter.
func countTogether(t *testing.T, c *mongo.Collection, each int) (sum int) {
	t.Helper()
	if _, err := c.InsertOne(t.Context(), bson.D{{Key: "_id", Value: "counter"}, {Key: "n", Value: 0}}); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for range each {
				_, err := c.UpdateByID(t.Context(), "counter", bson.D{{Key: "$inc", Value: bson.D{{Key: "n", Value: 1}}}})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	var got struct{ N int }
	if err := c.FindOne(t.Context(), bson.D{}).Decode(&got); err != nil {
		t.Fatal(err)
	}
	return got.N
}

func TestConcurrentIncrementsAreExact(t *testing.T) {
	t.Parallel()
	s := Start(t)
	if n := countTogether(t, connect(t, s, s.URI), 25); n != 500 {
		t.Errorf("20 × 25 increments gave %d", n)
	}
}

// If this test fails, FerretDB has learnt to update in one step, and the proxy
// need not keep writes apart any more.
func TestConcurrentIncrementsAreLostWithoutTheProxy(t *testing.T) {
	t.Parallel()
	s := Start(t)
	if _, ok := s.engine.(sqlite); !ok {
		t.Skip("of FerretDB 1 only")
	}
	if n := countTogether(t, connect(t, s, "mongodb://"+s.gateway.addr+"/"), 10); n >= 200 {
		t.Errorf("20 × 10 increments gave %d", n)
	}
}

// The proxy must know when a write is done although its client doesn't ask.
func TestUnacknowledgedWrites(t *testing.T) {
	t.Parallel()
	s := Start(t)
	if _, ok := s.engine.(*documentDB); ok {
		t.Skip("FerretDB 2 answers although the client asks for no answer")
	}
	c := connect(t, s, s.URI)
	silent := c.Clone(options.Collection().SetWriteConcern(writeconcern.Unacknowledged()))
	for i := range 50 {
		if _, err := silent.InsertOne(t.Context(), bson.D{{Key: "n", Value: i}}); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(time.Minute); count(t, c) != 50; {
		if time.Now().After(deadline) {
			t.Fatalf("%d of 50 unacknowledged inserts arrived", count(t, c))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestDropBefore(t *testing.T) {
	t.Parallel()
	s := Start(t)
	c := connect(t, s, s.URI)
	s.Inject(func(cmd Command) Fault { return Fault{DropBefore: cmd.Name == "insert" && cmd.N == 2} })
	for i := 1; i <= 3; i++ {
		err := insert(t, c, "a")
		if failed := err != nil; failed != (i == 2) || failed && !mongo.IsNetworkError(err) {
			t.Errorf("insert %d: %v", i, err)
		}
	}
	if n := count(t, c); n != 2 {
		t.Errorf("%d documents, want the 2 of the inserts that came through", n)
	}
}

func TestDropAfter(t *testing.T) {
	t.Parallel()
	s := Start(t)
	c := connect(t, s, s.URI)
	s.Inject(func(cmd Command) Fault { return Fault{DropAfter: cmd.Name == "insert" && cmd.N == 2} })
	for i := 1; i <= 3; i++ {
		err := insert(t, c, "a")
		if failed := err != nil; failed != (i == 2) || failed && !mongo.IsNetworkError(err) {
			t.Errorf("insert %d: %v", i, err)
		}
	}
	if n := count(t, c); n != 3 {
		t.Errorf("%d documents, want 3: the server did the second insert too", n)
	}
}

func TestRefuse(t *testing.T) {
	t.Parallel()
	s := Start(t)
	c := connect(t, s, s.URI)
	s.Inject(func(cmd Command) Fault {
		if cmd.Write {
			return Fault{Refuse: "not today"}
		}
		return Fault{}
	})
	var refused mongo.CommandError
	if err := insert(t, c, "a"); !errors.As(err, &refused) || refused.Message != "not today" {
		t.Errorf("insert: %v", err)
	}
	s.Inject(nil)
	if err := insert(t, c, "b"); err != nil {
		t.Error(err)
	}
	if n := count(t, c); n != 1 {
		t.Errorf("%d documents, want that of the second insert", n)
	}
}

func TestACommandWaits(t *testing.T) {
	t.Parallel()
	s := Start(t)
	c := connect(t, s, s.URI)
	arrived, wait := make(chan struct{}), make(chan struct{})
	s.Inject(func(cmd Command) Fault {
		if cmd.Name == "insert" && cmd.N == 1 {
			close(arrived)
			return Fault{Wait: wait}
		}
		return Fault{}
	})
	done := make(chan error, 1)
	go func() { done <- insert(t, c, "first") }()
	<-arrived
	if err := insert(t, c, "second"); err != nil {
		t.Fatal(err)
	}
	if n := count(t, c); n != 1 {
		t.Errorf("%d documents while the first insert waits, want 1", n)
	}
	close(wait)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if n := count(t, c); n != 2 {
		t.Errorf("%d documents, want 2", n)
	}
}

func TestRestartKeepsTheData(t *testing.T) {
	t.Parallel()
	s := Start(t)
	if !s.Ours() {
		t.Skip("not ours to kill")
	}
	c := connect(t, s, s.URI)
	for round := range 2 {
		if err := insert(t, c, fmt.Sprint(round)); err != nil {
			t.Fatal(err)
		}
		if err := s.Restart(); err != nil {
			t.Fatal(err)
		}
		// The client finds out by an error that its connection is gone.
		for deadline := time.Now().Add(time.Minute); ; {
			n, err := c.CountDocuments(t.Context(), bson.D{})
			if err == nil && n == int64(round+1) {
				break
			}
			if err == nil || time.Now().After(deadline) {
				t.Fatalf("after restart %d: %d documents, %v", round+1, n, err)
			}
		}
	}
}

func TestKillEndsWhatIsInFlight(t *testing.T) {
	t.Parallel()
	s := Start(t)
	if !s.Ours() {
		t.Skip("not ours to kill")
	}
	c := connect(t, s, s.URI)
	arrived := make(chan struct{})
	s.Inject(func(cmd Command) Fault {
		if cmd.Name == "insert" {
			close(arrived)
			return Fault{Wait: make(chan struct{})} // until Kill
		}
		return Fault{}
	})
	done := make(chan error, 1)
	go func() { done <- insert(t, c, "a") }()
	<-arrived
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !mongo.IsNetworkError(err) {
		t.Errorf("insert on a killed server: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := c.CountDocuments(ctx, bson.D{}); err == nil {
		t.Error("a killed server answers")
	}
}

// The server of OIDKIT_MONGO_URI is played by another embedded one here.
func TestServerOfTheEnvironment(t *testing.T) {
	t.Setenv(URIVariable, "")
	other := Start(t)
	t.Setenv(URIVariable, other.URI+"?appName=test&replicaSet=rs0")
	s := Start(t)
	if s.Ours() {
		t.Error("Ours() = true")
	}
	if err := s.Kill(); err == nil {
		t.Error("Kill killed a server that isn't ours")
	}
	c := connect(t, s, s.URI)
	s.Inject(func(cmd Command) Fault { return Fault{DropAfter: cmd.Name == "insert"} })
	if err := insert(t, c, "a"); !mongo.IsNetworkError(err) {
		t.Errorf("insert: %v", err)
	}
	there := connect(t, other, other.URI).Database().Client().Database(s.Database).Collection(c.Name())
	if n := count(t, there); n != 1 {
		t.Errorf("%d documents on the other server, want 1", n)
	}
}

func TestServerOfTheEnvironmentMustBeOneHost(t *testing.T) {
	for _, uri := range []string{"mongodb+srv://a.example/", "mongodb://a:1,b:2/", "mongodb://a:1/?tls=true", "http://a:1/", "mongodb://%zz"} {
		t.Setenv(URIVariable, uri)
		if s, err := Run(); err == nil {
			s.Close()
			t.Errorf("Run with %s=%s: no error", URIVariable, uri)
		}
	}
}

func TestRunInAFolder(t *testing.T) {
	t.Setenv(URIVariable, "")
	dir := t.TempDir()
	for round := range 2 {
		s, err := RunIn(dir)
		if err != nil {
			t.Fatal(err)
		}
		s.Database = "kept"
		client, err := mongo.Connect(options.Client().ApplyURI(s.URI))
		if err != nil {
			t.Fatal(err)
		}
		c := client.Database("kept").Collection("c")
		if err := insert(t, c, "a"); err != nil {
			t.Fatal(err)
		}
		if n := count(t, c); n != int64(round+1) {
			t.Errorf("run %d: %d documents", round+1, n)
		}
		client.Disconnect(t.Context())
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) == 0 {
		t.Errorf("Close removed a folder that isn't its own: %v, %v", entries, err)
	}
	if _, err := RunIn(dir + "/missing"); err == nil || !strings.HasPrefix(err.Error(), "mongodb.Run: ") {
		t.Errorf("RunIn of a folder that doesn't exist: %v", err)
	}
}

// TestNothingStaysAfterTheProcess has another process start a server and end without closing
// it, as a panic does.
func TestNothingStaysAfterTheProcess(t *testing.T) {
	const variable = "OIDKIT_TEST_STARTS_AND_ENDS"
	if os.Getenv(variable) != "" {
		s, err := Run()
		if err != nil {
			daemon.Skip(t, err)
		}
		folder := ""
		switch e := s.engine.(type) {
		case sqlite:
			folder = e.folder.Path
		case *documentDB:
			folder = filepath.Dir(e.state)
		}
		fmt.Println(variable, folder, s.gateway.addr)
		os.Exit(0)
	}
	t.Setenv(URIVariable, "")
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), variable+"=1")
	out, err := cmd.CombinedOutput()
	var folder, addr string
	if _, text, ok := strings.Cut(string(out), variable); ok {
		fmt.Sscan(text, &folder, &addr)
	}
	if folder == "" {
		t.Fatalf("no server started: %v\n%s", err, out)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		_, errFolder := os.Stat(folder)
		conn, errConn := net.Dial("tcp", addr)
		if errConn == nil {
			conn.Close()
		}
		if errors.Is(errFolder, os.ErrNotExist) && errConn != nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("20 s after the end of its process, the server answers (%v) or has its folder %s (%v)", errConn, folder, errFolder)
		}
	}
}

func TestUnknownEngineIsAnError(t *testing.T) {
	t.Setenv(URIVariable, "")
	t.Setenv(engineVariable, "other")
	want := "mongodb.Run: OIDKIT_MONGO=other: want nothing or documentdb"
	if s, err := Run(); err == nil || err.Error() != want {
		t.Errorf("Run() = %v, %v, want the error %q", s, err, want)
	}
}

func TestGarbageEndsAConnectionOnly(t *testing.T) {
	t.Parallel()
	s := Start(t)
	for _, garbage := range []string{"\x00\x00\x00\x00", "\xff\xff\xff\xff", "\x05\x00\x00\x00x"} {
		conn, err := net.Dial("tcp", s.proxy.addr())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(conn, garbage)
		conn.SetReadDeadline(time.Now().Add(time.Minute))
		if n, err := conn.Read(make([]byte, 1)); n != 0 || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%q: read %d bytes, %v; want the connection closed", garbage, n, err)
		}
		conn.Close()
	}
	if err := insert(t, connect(t, s, s.URI), "a"); err != nil {
		t.Error(err)
	}
}

// Whatever bytes a message has, reading the command's name out of it doesn't panic.
func TestCommandOfAnyMessage(t *testing.T) {
	t.Parallel()
	doc, err := bson.Marshal(bson.D{{Key: "insert", Value: "c"}})
	if err != nil {
		t.Fatal(err)
	}
	good := append(make(message, headerSize+5), doc...)
	binary.LittleEndian.PutUint32(good[12:], opMsg)
	if name := good.command(); name != "insert" {
		t.Errorf("command() = %q", name)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		m := bytes.Clone(good[:random.IntN(len(good)+1)])
		for range random.IntN(4) {
			if len(m) > 0 {
				m[random.IntN(len(m))] = byte(random.Uint32())
			}
		}
		_ = message(m).command()
		message(m).wantAnswer()
		if message(m).moreToCome() {
			t.Fatal("wantAnswer left the flag")
		}
	}
}

// Command tidb runs a command while a TiDB runs in this process, such as
//
//	GOWORK=off go run . go test ./internal/itest/sqltype
//
// The command runs in the root of the repository. The variable OIDKIT_MYSQL_DSN names the
// server, so that the tests use it in place of a MariaDB. A POST request to the URL in
// OIDKIT_TIDB_RESTART stops it, and starts another server on the same storage. The module
// is not part of the workspace, because TiDB takes minutes to compile.
package main

import (
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/pingcap/tidb/pkg/config"
	"github.com/pingcap/tidb/pkg/domain"
	"github.com/pingcap/tidb/pkg/kv"
	"github.com/pingcap/tidb/pkg/server"
	"github.com/pingcap/tidb/pkg/session"
	"github.com/pingcap/tidb/pkg/store/mockstore"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("usage: tidb COMMAND…")
	}
	if err := run(os.Args[1:]); err != nil {
		log.Fatal("tidb: ", err)
	}
}

func run(command []string) error {
	n, err := newNode()
	if err != nil {
		return err
	}
	if err := n.start(); err != nil {
		return err
	}
	control := httptest.NewServer(n)
	defer control.Close()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = filepath.Join("..", "..", "..", "..", "..")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "GOWORK=", "OIDKIT_TIDB_RESTART="+control.URL,
		fmt.Sprintf("OIDKIT_MYSQL_DSN=root@tcp(127.0.0.1:%d)/test?parseTime=true", n.port))
	return cmd.Run()
}

// A node is a TiDB server. Its storage is in the memory of this process, and outlives it.
type node struct {
	storage kv.Storage
	domain  *domain.Domain
	port    uint

	mu     sync.Mutex
	server *server.Server
}

// newNode makes the storage, and takes a free port.
func newNode() (*node, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	storage, err := mockstore.NewMockStore(mockstore.WithClientHijacker(rollBackMarked))
	if err != nil {
		return nil, err
	}
	d, err := session.BootstrapSession(storage)
	return &node{storage: storage, domain: d, port: uint(l.Addr().(*net.TCPAddr).Port)}, err
}

// start starts the server, and returns when it takes connections.
func (n *node) start() error {
	c := config.NewConfig()
	c.Host, c.Port, c.Socket = "127.0.0.1", n.port, ""
	c.Status.ReportStatus = false
	s, err := server.NewServer(c, server.NewTiDBDriver(n.storage))
	if err != nil {
		return err
	}
	s.SetDomain(n.domain)
	n.domain.InfoSyncer().SetSessionManager(s)
	n.server = s
	ended := make(chan error, 1)
	go func() { ended <- s.Run(n.domain) }()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", n.port)); err == nil {
			return conn.Close()
		}
		select {
		case err := <-ended:
			return err
		default:
		}
	}
	return errors.New("it isn't ready after a minute")
}

// ServeHTTP stops the server, and starts another one in its place. The connections of the
// first go on. It doesn't kill them, because this TiDB can panic when it does.
func (n *node) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.server.Close()
	if err := n.start(); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

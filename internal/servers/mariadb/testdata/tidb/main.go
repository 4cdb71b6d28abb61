// Command tidb runs a command while a TiDB runs in this process, such as
//
//	GOWORK=off go run . go test ./internal/itest/sqltype
//
// The command runs in the root of the repository. The variable OIDKIT_MYSQL_DSN names the
// server, so that the tests use it in place of a MariaDB. The module is not part of the
// workspace, because TiDB takes minutes to compile.
package main

import (
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/pingcap/tidb/pkg/config"
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
	port, err := start()
	if err != nil {
		return err
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = filepath.Join("..", "..", "..", "..", "..")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "GOWORK=", fmt.Sprintf("OIDKIT_MYSQL_DSN=root@tcp(127.0.0.1:%d)/test?parseTime=true", port))
	return cmd.Run()
}

// start starts a TiDB whose storage is in memory, and returns its port.
func start() (port uint, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port = uint(l.Addr().(*net.TCPAddr).Port)
	l.Close()

	storage, errStorage := mockstore.NewMockStore()
	if errStorage != nil {
		return 0, errStorage
	}
	domain, err := session.BootstrapSession(storage)
	if err != nil {
		return 0, err
	}
	c := config.NewConfig()
	c.Host, c.Port, c.Socket = "127.0.0.1", port, ""
	c.Status.ReportStatus = false
	s, err := server.NewServer(c, server.NewTiDBDriver(storage))
	if err != nil {
		return 0, err
	}
	s.SetDomain(domain)
	ended := make(chan error, 1)
	go func() { ended <- s.Run(domain) }()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return port, conn.Close()
		}
		select {
		case err := <-ended:
			return 0, err
		default:
		}
	}
	return 0, errors.New("it isn't ready after a minute")
}

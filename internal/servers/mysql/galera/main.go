// Command galera runs a command while a Galera cluster of three nodes runs, such as
//
//	go run ./internal/servers/mysql/galera go test ./internal/itest/sqltype
//
// The variable OIDKIT_MYSQL_DSN names the first node, so that the tests use it in place of
// a single MariaDB.
package main

import (
	"errors"
	"log"
	"os"
	"os/exec"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("usage: galera COMMAND…")
	}
	if err := run(os.Args[1:]); err != nil {
		log.Fatal("galera: ", err)
	}
}

func run(command []string) error {
	cluster, err := mysqlserver.RunCluster(3)
	if err != nil {
		return err
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), mysqlserver.DSNVariable+"="+cluster.Nodes[0].DSN)
	return errors.Join(cmd.Run(), cluster.Close())
}

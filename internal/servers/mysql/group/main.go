// Command group runs a command while three servers of MySQL run with Group Replication, such
// as
//
//	go run ./internal/servers/mysql/group go test ./internal/itest/sqltype
//
// The variable OIDKIT_MYSQL_DSN names the primary, or the first node of the group with the
// flag -multi-primary, so that the tests use it in place of a single MySQL.
package main

import (
	"errors"
	"flag"
	"log"
	"os"
	"os/exec"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
)

func main() {
	log.SetFlags(0)
	multi := flag.Bool("multi-primary", false, "all nodes write")
	flag.Parse()
	if flag.NArg() == 0 {
		log.Fatal("usage: group [-multi-primary] COMMAND…")
	}
	if err := run(*multi, flag.Args()); err != nil {
		log.Fatal("group: ", err)
	}
}

func run(multi bool, command []string) error {
	group, err := mysqlserver.RunGroup(3, multi)
	if err != nil {
		return err
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), mysqlserver.DSNVariable+"="+group.Nodes[0].DSN)
	return errors.Join(cmd.Run(), group.Close())
}

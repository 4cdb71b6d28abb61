// Command documentdb runs a command while a DocumentDB with FerretDB 2 runs, such as
//
//	go run ./internal/servers/mongodb/documentdb go test ./internal/itest/bsoncodec/live
//
// The variable OIDKIT_MONGO_URI names the server, so that all tests use it. Each would wait
// seconds for a server of its own.
package main

import (
	"errors"
	"log"
	"os"
	"os/exec"

	"github.com/oidkit/oidkit/internal/servers/mongodb"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("usage: documentdb COMMAND…")
	}
	if err := run(os.Args[1:]); err != nil {
		log.Fatal("documentdb: ", err)
	}
}

func run(command []string) error {
	server, err := mongodb.RunDocumentDB()
	if err != nil {
		return err
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), mongodb.URIVariable+"="+server.URI)
	return errors.Join(cmd.Run(), server.Close())
}

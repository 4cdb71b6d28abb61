// Command ferretdb2 runs FerretDB 2, a MongoDB server that stores its data in a PostgreSQL
// with the extension documentdb. The arguments are that PostgreSQL's URL and a folder for
// FerretDB's own state. It prints the server's address, and ends with its input.
//
// Its module is outside the workspace, where it would raise the versions that the tests of
// other packages use.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/url"
	"os"

	"github.com/FerretDB/FerretDB/v2/ferretdb"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("ferretdb2: ")
	if len(os.Args) != 3 {
		log.Fatal("usage: ferretdb2 URL FOLDER")
	}
	telemetry := false
	f, err := ferretdb.New(&ferretdb.Config{
		PostgreSQLURL: os.Args[1],
		ListenAddr:    "127.0.0.1:0",
		StateDir:      os.Args[2],
		LogOutput:     os.Stderr,
		Telemetry:     &telemetry,
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.Run(ctx)
	}()
	u, err := url.Parse(f.MongoDBURI()) // waits for the listener
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(u.Host)
	io.Copy(io.Discard, os.Stdin)
	cancel()
	<-done
}

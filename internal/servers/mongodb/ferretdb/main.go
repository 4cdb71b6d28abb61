// Command ferretdb runs FerretDB, a MongoDB server, with its data in the folder that its
// argument names. It prints the server's address, and ends with its input.
//
// It is a program of its own, so that the tests that need a server don't have it in
// them: each would take seconds more to link, and the race detector would watch it. And
// a program can be killed.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/url"
	"os"
	"runtime/debug"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: ferretdb FOLDER")
	}
	debug.SetGCPercent(400) // it holds little, and makes much garbage
	f, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: "127.0.0.1:0"},
		Logger:    slog.New(slog.DiscardHandler),
		Handler:   "sqlite",
		SQLiteURL: "file:" + os.Args[1] + "/", // in memory, its first update would deadlock
	})
	if err != nil {
		log.Fatal("ferretdb: ", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.Run(ctx) // always returns nil
	}()
	u, err := url.Parse(f.MongoDBURI()) // waits for the listener
	if err != nil {
		log.Fatal("ferretdb: ", err)
	}
	fmt.Println(u.Host)
	io.Copy(io.Discard, os.Stdin)
	cancel()
	<-done
}

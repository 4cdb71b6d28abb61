// Command install unpacks servers of Debian's suite sid into the user's cache, such as
//
//	go run ./internal/servers/sid/install MySQL
//
// A server that can't be had here is no failure. It prints one line that says why, and the
// tests that need the server skip with this line. With -strict, the exit status is 1.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"

	"github.com/oidkit/oidkit/internal/servers/sid"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("install: ")
	strict := flag.Bool("strict", false, "exit with status 1 if a server can't be had")
	check := flag.Bool("check", false, "install nothing, and say what can't be had")
	flag.Parse()
	var lacking bool
	for _, name := range flag.Args() {
		s, err := sid.Find(name)
		if err != nil {
			log.Fatal(err)
		}
		if !*check {
			err = s.Install(os.Stdout)
		}
		if err == nil {
			_, err = s.Root()
		}
		if err != nil {
			lacking = true
			fmt.Printf("not tested on %v\n", err)
		}
	}
	if lacking && *strict {
		os.Exit(1)
	}
}

// Oidvet finds wrong uses of oidkit's IDs that the compiler accepts.
//
//	go install github.com/oidkit/oidkit/cmd/oidvet@latest
//	oidvet ./...                           # as a program of its own
//	oidvet -fix ./...                      # fixes what it can
//	go vet -vettool=$(which oidvet) ./...  # as a part of go vet, whose cache it then uses
//
// The analyzers are packages that other programs can embed. The page docs/vet.md
// describes each of them, and the comment that silences a report.
package main

import (
	"os"
	"strings"

	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/oidkit/oidkit/cmd/oidvet/all"
)

func main() {
	if calledByGoVet(os.Args[1:]) {
		unitchecker.Main(all.Analyzers()...)
	}
	multichecker.Main(all.Analyzers()...)
}

// calledByGoVet reports whether args are those of the go command: it asks for the
// version and the flags, and then passes the description of one package.
func calledByGoVet(args []string) bool {
	if len(args) == 0 {
		return false
	}
	last := args[len(args)-1]
	return strings.HasPrefix(args[0], "-V=") || args[0] == "-flags" || strings.HasSuffix(last, ".cfg")
}

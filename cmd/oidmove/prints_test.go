package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
)

// A program of which each statement that prints is a line, and prints one.
const printer = `
-- go.mod --
module example.com/printer

go 1.25.0

require go.mongodb.org/mongo-driver/v2 v2.5.0
-- main.go --
package main

import (
	"fmt"
	"log"
	"log/slog"
	"os"

	"go.mongodb.org/mongo-driver/v2/bson"
)

type user struct {
	ID   bson.ObjectID
	Name string
}

type quiet struct{ ID bson.ObjectID }

func (q quiet) String() string { return q.ID.Hex() }

type hidden struct{ id bson.ObjectID }

func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

func main() {
	id := bson.ObjectID{0x65, 0xb3, 0xf7, 11: 1}
	u, ids, format := user{id, "Ann"}, []bson.ObjectID{id}, "%v\n"
	log.SetFlags(0)
	log.SetOutput(os.Stdout)
	logger := log.New(os.Stdout, "", 0)
	text := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	fmt.Println(id)
	fmt.Println(&id, "text")
	fmt.Println(u)
	fmt.Println(&u)
	fmt.Println(ids)
	fmt.Println(map[bson.ObjectID]int{id: 1})
	fmt.Println(quiet{id}, hidden{id})
	fmt.Println(u.Name, id.Hex(), id.String(), id[:])
	fmt.Println(fmt.Errorf("user %s", id))
	fmt.Fprintln(os.Stdout, u.Name, ids)
	fmt.Printf("%v\n", id)
	fmt.Printf("%+v\n", u)
	fmt.Printf("%#v\n", id)
	fmt.Printf("%s\n", id)
	fmt.Printf("%q\n", id)
	fmt.Printf("%x\n", id)
	fmt.Printf("% X\n", ids)
	fmt.Printf("%T\n", id)
	fmt.Printf("%d\n", id)
	fmt.Printf("%b %o %c %U\n", id, id, id, id)
	fmt.Printf("%*d %v%%\n", 3, 4, id)
	fmt.Printf("%[2]v %[1]s\n", u.Name, id)
	fmt.Printf(format, id)
	log.Println(id)
	log.Printf("%d\n", id)
	logger.Println(u)
	logger.Printf("%v\n", id)
	logger.Printf("%s\n", u.Name)
	text.Info("m", "id", id)
	text.Info("m", "id", &id)
	text.Info("m", slog.Any("id", id))
	text.Info("m", "user", u)
	text.Info("m", slog.Any("ids", ids))
	text.With("ids", ids).Info("m", "name", u.Name)
}
`

// TestNotesSayWhatChanges runs a program before and after a move. The report must have a
// line for each statement that prints another text now, and for no other statement.
func TestNotesSayWhatChanges(t *testing.T) {
	t.Parallel()
	addOidkit := oidkitOfTree(t)
	dir := extract(t, printer)
	goIn(t, dir, "mod", "tidy")
	print := func() []string {
		out, err := load.Go(dir, os.Environ(), "run", ".")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(out), "\n")
	}
	before := print()
	addOidkit(dir)
	report := moveIn(t, dir, options{})
	after := print()
	text, err := os.ReadFile(filepath.Join(dir, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	statement, n := regexp.MustCompile(`^\t(fmt|log|logger|text)\.(Fp|P|Info|With)`), 0
	for i, line := range strings.Split(string(text), "\n") {
		if !statement.MatchString(line) {
			continue
		}
		if n == len(before) || n == len(after) {
			t.Fatalf("the program prints %d lines before and %d lines after, and has more statements", len(before), len(after))
		}
		changes, listed := before[n] != after[n], strings.Contains(report, fmt.Sprintf("main.go:%d: ", i+1))
		if changes != listed {
			t.Errorf("%s\n\tprinted %s\n\tprints  %s\n\tis listed: %v", strings.TrimSpace(line), before[n], after[n], listed)
		}
		n++
	}
	if n != len(before) {
		t.Errorf("%d statements print %d lines", n, len(before))
	}
}

package cmdline

import (
	"time"

	"github.com/oidkit/oidkit/cmd/oid/internal/ids"
	"github.com/oidkit/oidkit/oid"
	"github.com/urfave/cli/v3"
)

// ToFlag chooses the form in which a command writes IDs.
func ToFlag() cli.Flag {
	return Words(&cli.StringFlag{Name: "to", Usage: "write `FORM`, see oid convert -h", Value: "hex"}, ids.Names(false)...)
}

// OutputForm returns the form that --to names.
func (e *Env) OutputForm() *ids.Form {
	e.NotBoth("to", "json")
	return ids.Named(e.Word("to", "form"))
}

// Writer returns the function that writes an ID on a line, in the form of --to. With --json
// it writes what asJSON returns.
func (e *Env) Writer(asJSON func(oid.ID) any) func(oid.ID) {
	f := e.OutputForm()
	if e.JSON {
		return func(id oid.ID) { e.PrintJSON(asJSON(id)) }
	}
	var line []byte
	return func(id oid.ID) {
		line = append(f.Append(line[:0], id), '\n')
		e.Out.Write(line)
	}
}

// IDJSON is the JSON of an ID.
type IDJSON struct {
	ID   oid.ID    `json:"id"`
	Time time.Time `json:"time"`
}

// PlainJSON returns the JSON of an ID.
func PlainJSON(id oid.ID) IDJSON { return IDJSON{id, id.Timestamp()} }

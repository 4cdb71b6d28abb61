package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/oidkit/oidkit/cmd/oid/internal/format"
	"github.com/oidkit/oidkit/cmd/oid/internal/ids"
	"github.com/oidkit/oidkit/oid"
	"github.com/urfave/cli/v3"
)

// toFlag chooses the form in which a command writes IDs.
func toFlag() cli.Flag {
	return &cli.StringFlag{Name: "to", Usage: "write `FORM`, see oid convert -h", Value: "hex"}
}

// outputForm returns the form that --to names.
func (e *env) outputForm(cmd *cli.Command) (*ids.Form, error) {
	if e.json && cmd.IsSet("to") {
		return nil, errors.New("--to and --json are both given: want one of them")
	}
	f := ids.Named(cmd.String("to"))
	if f == nil {
		return nil, fmt.Errorf("--to %s is not a form: want %s", format.Quote(cmd.String("to")), strings.Join(ids.Names(false), ", "))
	}
	return f, nil
}

// writer returns the function that writes an ID on a line, in the form of --to. With --json
// it writes what asJSON returns.
func (e *env) writer(cmd *cli.Command, asJSON func(oid.ID) any) (func(oid.ID) error, error) {
	f, err := e.outputForm(cmd)
	if err != nil {
		return nil, err
	}
	if e.json {
		return func(id oid.ID) error { return e.printJSON(asJSON(id)) }, nil
	}
	var line []byte
	return func(id oid.ID) error {
		line = append(f.Append(line[:0], id), '\n')
		_, err := e.out.Write(line)
		return err
	}, nil
}

// idJSON is the JSON of an ID.
type idJSON struct {
	ID   oid.ID    `json:"id"`
	Time time.Time `json:"time"`
}

func plainJSON(id oid.ID) idJSON { return idJSON{id, id.Timestamp()} }

package main

import (
	"fmt"
	"strings"

	"github.com/oidkit/oidkit/cmd/oid/internal/cmdline"
	"github.com/oidkit/oidkit/cmd/oid/internal/ids"
	"github.com/oidkit/oidkit/cmd/oid/internal/input"
	"github.com/oidkit/oidkit/oid"
	"github.com/urfave/cli/v3"
)

func convertCommand() *cli.Command {
	var table strings.Builder
	for _, f := range ids.Forms {
		fmt.Fprintf(&table, "  %-10s %s\n", f.Name, f.About)
	}
	return &cli.Command{
		Name:      "convert",
		Usage:     "write IDs in another form",
		ArgsUsage: "[ID|FILE…]",
		Description: `Writes IDs in another form:

  oid convert --to xid 65b3f7a20123456789abcdef
  oid convert 9m4e2mr0ui3e8a215n4g                     an xid, as hex digits
  oid convert --to uuid ids.txt
  oid convert --keep --column id --to uuid orders.csv  the whole table

` + cmdline.IDsHelp + `

--keep prints each line with its IDs in the new form. With --column, --keep
replaces the whole value of the column. Without --column, --keep finds IDs
as --scan does. If the new form has quotes, --keep also replaces quotes,
ObjectId("…") and the like around an ID. The other text stays. The output is
UTF-8 without a byte order mark, and not compressed.

--input reads hex, xid, base64, base64url and uuid. --to writes these forms:
` + strings.TrimSuffix(table.String(), "\n"),
		Flags:  append([]cli.Flag{cmdline.ToFlag(), cmdline.ScanFlag(), &cli.BoolFlag{Name: "keep", Usage: "keep the text around the IDs"}}, cmdline.ReadingFlags()...),
		Action: cmdline.Action(0, cmdline.AnyNumber, runConvert),
	}
}

func runConvert(e *cmdline.Env) func() error {
	e.NotBoth("keep", "json")
	keep := e.Bool("keep")
	r := e.Reader(keep)
	if !keep {
		write := e.Writer(func(id oid.ID) any {
			text := func(form string) string { return ids.Named(form).Text(id) }
			return convertedJSON{cmdline.PlainJSON(id), text("xid"), text("base64"), text("base64url"), text("uuid")}
		})
		return func() error { return r.EachID(write) }
	}
	form := e.OutputForm()
	var out []byte
	return func() error {
		return r.Each(func(l *input.Line) {
			out = l.Rewritten(out[:0], form)
			e.Out.Write(out)
		})
	}
}

// convertedJSON is the JSON of the command.
type convertedJSON struct {
	cmdline.IDJSON
	XID       string `json:"xid"`
	Base64    string `json:"base64"`
	Base64URL string `json:"base64url"`
	UUID      string `json:"uuid"`
}

package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"text/template"
	"time"

	"github.com/oidkit/oidkit/oid"
	"github.com/urfave/cli/v3"
)

func convertCommand() *cli.Command {
	var table strings.Builder
	for _, f := range forms {
		fmt.Fprintf(&table, "  %-10s %s\n", f.name, f.about)
	}
	return &cli.Command{
		Name:      "convert",
		Usage:     "write IDs in another form",
		ArgsUsage: "[ID|FILE…]",
		Description: `Writes IDs in another form:

  oid convert --to xid 65b3f7a20123456789abcdef
  oid convert 9m4e2mr0ui3e8a215n4g                    an xid, as hex digits
  oid convert --to uuid ids.txt
  oid convert --input base64 --to go ZbP3ogEjRWeJq83v
  oid convert --template '{{.Time.Year}} {{.XID}}' ids.txt

` + inputHelp + `

Forms of --to (--input reads the first seven, except upper):
` + table.String() + `
The template is a text/template of Go. Its fields are ` + templateFields + `.
.Time is in the zone of --zone: {{.Time.Format "Jan 2 15:04"}}.`,
		Flags:  append(outputFlags(), inputFlags()...),
		Action: action(anyArguments, runConvert),
	}
}

func runConvert(e *env, cmd *cli.Command) error {
	write, err := e.writer(cmd, func(id oid.ID) any {
		v := view{id, e.zone}
		return convertedJSON{id, id.Timestamp(), v.XID(), v.Base64(), v.Base64URL(), v.UUID()}
	})
	if err != nil {
		return err
	}
	return e.eachID(cmd, write)
}

// convertedJSON is the JSON of the command.
type convertedJSON struct {
	ID        oid.ID    `json:"id"`
	Time      time.Time `json:"time"`
	XID       string    `json:"xid"`
	Base64    string    `json:"base64"`
	Base64URL string    `json:"base64url"`
	UUID      string    `json:"uuid"`
}

// nextCommand and prevCommand return the commands that print the neighbors of IDs.
func nextCommand() *cli.Command {
	return neighborCommand("next", "print the ID after each ID", "the least ID that is greater", oid.ID.Next, greatest)
}

func prevCommand() *cli.Command {
	return neighborCommand("prev", "print the ID before each ID", "the greatest ID that is less", oid.ID.Prev, oid.ID{})
}

// greatest is the greatest ID.
var greatest = oid.MaxAt(time.Unix(math.MaxUint32, 0))

func neighborCommand(name, usage, which string, neighbor func(oid.ID) oid.ID, last oid.ID) *cli.Command {
	return &cli.Command{
		Name:      name,
		Usage:     usage,
		ArgsUsage: "[ID|FILE…]",
		Description: `Prints ` + which + `. With it you turn >= into >, and < into <=:

  oid ` + name + ` 65b3f7a20123456789abcdef
  oid ` + name + ` --to mongosh ids.txt

` + inputHelp,
		Flags: append(outputFlags(), inputFlags()...),
		Action: action(anyArguments, func(e *env, cmd *cli.Command) error {
			write, err := e.writer(cmd, plainJSON)
			if err != nil {
				return err
			}
			return e.eachID(cmd, func(id oid.ID) error {
				if id == last {
					return badIDError(fmt.Sprintf("%s has no %s ID", id, name))
				}
				return write(neighbor(id))
			})
		}),
	}
}

// outputFlags are the options of the commands that write IDs.
func outputFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "to", Usage: "write `FORM`; oid convert -h lists all", DefaultText: "hex"},
		&cli.StringFlag{Name: "template", Usage: "write what the Go `TEMPLATE` makes of each ID"},
	}
}

// idJSON is the JSON of an ID.
type idJSON struct {
	ID   oid.ID    `json:"id"`
	Time time.Time `json:"time"`
}

func plainJSON(id oid.ID) any { return idJSON{id, id.Timestamp()} }

// writer returns the function that writes an ID in the form that the options choose.
// With --json it writes what asJSON returns.
func (e *env) writer(cmd *cli.Command, asJSON func(oid.ID) any) (func(oid.ID) error, error) {
	for _, pair := range [][2]string{{"to", "template"}, {"to", "json"}, {"template", "json"}} {
		if cmd.IsSet(pair[0]) && cmd.IsSet(pair[1]) {
			return nil, fmt.Errorf("--%s and --%s are both given: want one of them", pair[0], pair[1])
		}
	}
	if cmd.IsSet("template") {
		return e.templateWriter(cmd.String("template"))
	}
	f := formNamed("hex")
	if cmd.IsSet("to") {
		if f = formNamed(cmd.String("to")); f == nil {
			return nil, fmt.Errorf("--to %s is not a form: want %s", quote(cmd.String("to")), strings.Join(formNames(false), ", "))
		}
	}
	if e.json {
		return func(id oid.ID) error { return e.printJSON(asJSON(id)) }, nil
	}
	if f.raw() && isTerminal(e.stdout) {
		return nil, errors.New("--to bytes: a terminal can't show raw bytes; write them into a file or a pipe")
	}
	var line []byte
	return func(id oid.ID) error {
		line = f.append(line[:0], id)
		if !f.raw() {
			line = append(line, '\n')
		}
		_, err := e.out.Write(line)
		return err
	}, nil
}

// templateFields are the fields of a template.
const templateFields = ".Hex .XID .Base64 .Base64URL\n.UUID .Bytes .Time .Unix .Process .Machine .PID and .Counter"

// A view is the value that a template gets for an ID.
type view struct {
	id   oid.ID
	zone *time.Location
}

func (v view) String() string    { return v.id.Hex() }
func (v view) Hex() string       { return v.id.Hex() }
func (v view) XID() string       { return formNamed("xid").text(v.id) }
func (v view) Base64() string    { return formNamed("base64").text(v.id) }
func (v view) Base64URL() string { return formNamed("base64url").text(v.id) }
func (v view) UUID() string      { return formNamed("uuid").text(v.id) }
func (v view) Bytes() string     { return string(v.id[:]) }
func (v view) Time() time.Time   { return v.id.Timestamp().In(v.zone) }
func (v view) Unix() int64       { return v.id.Timestamp().Unix() }
func (v view) Counter() uint32   { return oid.Inspect(v.id).Counter }
func (v view) Process() string   { return hex.EncodeToString(v.id[4:9]) }
func (v view) Machine() string   { return hex.EncodeToString(v.id[4:7]) }
func (v view) PID() uint16       { return oid.Inspect(v.id).PID() }

// unknownField matches the error of text/template for a missing field.
var unknownField = regexp.MustCompile(`can't evaluate field (\S+) in type`)

func (e *env) templateWriter(text string) (func(oid.ID) error, error) {
	t, err := template.New("").Parse(text)
	if err == nil {
		err = t.Execute(&strings.Builder{}, view{zone: e.zone}) // so that no output comes before an error
	}
	if err != nil {
		problem := strings.TrimPrefix(err.Error(), "template: :")
		if m := unknownField.FindStringSubmatch(problem); m != nil {
			problem = fmt.Sprintf("there is no field .%s: want %s", m[1], strings.ReplaceAll(templateFields, "\n", " "))
		}
		return nil, fmt.Errorf("--template %s: %s", quote(text), problem)
	}
	return func(id oid.ID) error {
		if err := t.Execute(e.out, view{id, e.zone}); err != nil {
			return err
		}
		return e.out.WriteByte('\n')
	}, nil
}

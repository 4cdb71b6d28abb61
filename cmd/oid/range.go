package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/oidkit/oidkit/oid"
	"github.com/urfave/cli/v3"
)

func rangeCommand() *cli.Command {
	return &cli.Command{
		Name:      "range",
		Usage:     "print the bounds of the IDs made between two moments, and queries for them",
		ArgsUsage: "SPAN, or FROM TO",
		Description: `Prints lo and hi, so that lo <= id < hi holds for the IDs made from FROM until
before TO, and ready queries with them:

  oid range 2026-03                                March, by the local clock
  oid range --zone UTC 2026-03                     March in UTC
  oid range "last month"
  oid range "3 days ago"                           from then until now
  oid range 2026-03-01 2026-03-15                  the first 14 days of March
  oid range "2026-03-01 17:30" "+90 min"           a + in TO counts from FROM
  oid range --as postgres --table users 2026-W12   one query, for a script

A name of a table or column is quoted where it needs that. A dot separates the parts
of a name; one within a part stands in double quotes: --table 'shop."a.b"'.

` + timesHelp,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "as", Usage: "print `FORM` only: " + strings.Join(queryNames(), ", ")},
			&cli.StringFlag{Name: "table", Value: "orders", Usage: "the `TABLE` or collection in the queries"},
			&cli.StringFlag{Name: "column", Usage: "the `COLUMN` or key that holds the ID", DefaultText: "id, and _id in mongosh"},
			&cli.BoolFlag{Name: "text", Usage: "the column holds 24 hex digits, not 12 bytes"},
			&cli.BoolFlag{Name: "uuid", Usage: "the column holds the UUID form"},
		},
		Action: action(spanArguments, runRange),
	}
}

// bounds is a range to print. Its JSON is that of the command.
type bounds struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	Lo   oid.ID    `json:"lo"`
	Hi   oid.ID    `json:"hi"`

	table, column string
	text, uuid    bool
}

func runRange(e *env, cmd *cli.Command) error {
	b := bounds{table: cmd.String("table"), column: cmd.String("column"), text: cmd.Bool("text"), uuid: cmd.Bool("uuid")}
	as := cmd.String("as")
	switch {
	case cmd.IsSet("as") && !slices.Contains(queryNames(), as):
		return fmt.Errorf("--as %s is not a form: want %s", quote(as), strings.Join(queryNames(), ", "))
	case b.text && b.uuid:
		return errors.New("--text and --uuid are both given: want one of them")
	case b.table == "":
		return errors.New("--table is empty: want the name of a table or collection")
	case slices.Contains(splitName(b.table), "") || b.column != "" && slices.Contains(splitName(b.column), ""):
		return errors.New("--table and --column: a part of the name is empty")
	case strings.ContainsFunc(b.table+b.column, unicode.IsControl):
		return errors.New("--table and --column: the name holds a control character")
	}
	if err := e.setSpan(&b, cmd.Args().Slice()); err != nil {
		return err
	}
	if !b.From.Before(b.To) {
		return fmt.Errorf("FROM %s is not before TO %s", formatTime(b.From), formatTime(b.To))
	}
	b.Lo, b.Hi = oid.Range(b.From, b.To)
	if b.Lo == b.Hi {
		return fmt.Errorf("no ID can be made from %s to %s: %s", formatTime(b.From), formatTime(b.To), idTimes)
	}

	switch {
	case e.json:
		return e.printJSON(b.withQueries(as))
	case as != "":
		for _, q := range queries {
			if q.name == as {
				fmt.Fprintln(e.out, q.print(b))
			}
		}
	default:
		e.showRange(b)
	}
	return nil // Flush reports any write error
}

// idTimes says which times IDs can hold.
const idTimes = "IDs hold times from 1970-01-01 00:00:00 UTC to 2106-02-07 06:28:15 UTC"

// setSpan sets the times of b from one or two arguments.
func (e *env) setSpan(b *bounds, args []string) error {
	if len(args) == 1 {
		m, err := e.moment("SPAN", args[0])
		b.From, b.To = m.from, m.to
		return err
	}
	from, err := e.moment("FROM", args[0])
	if err != nil {
		return err
	}
	now := e.now
	if strings.HasPrefix(strings.TrimSpace(args[1]), "+") {
		now = from.at
	}
	to, err := e.momentSince("TO", args[1], now)
	b.From, b.To = from.at, to.at
	return err
}

// rangeJSON is a range with its queries.
type rangeJSON struct {
	bounds
	Queries map[string]string `json:"queries"`
}

// withQueries returns b with its queries, or only with the one that as names.
func (b bounds) withQueries(as string) rangeJSON {
	all := map[string]string{}
	for _, q := range queries {
		if q.title != "" && (as == "" || as == q.name) {
			all[q.name] = q.print(b)
		}
	}
	return rangeJSON{b, all}
}

// showRange prints the times that were read, the bounds and the queries.
func (e *env) showRange(b bounds) {
	c := e.color
	row := func(name, at, bound string) {
		fmt.Fprintf(e.out, "%s %-31s  %s\n", c.in(dim, fmt.Sprintf("%-10s", name)), at, c.in(cyan, bound))
	}
	row("from", formatTime(b.From), "lo "+b.Lo.Hex())
	row("until", formatTime(b.To), "hi "+b.Hi.Hex()+" (not included)")
	fmt.Fprintf(e.out, "%s %s, from %s\n\n", c.in(dim, fmt.Sprintf("%-10s", "that is")), formatSpan(b.From, b.To), formatAge(b.From, e.now.In(e.zone)))
	for _, q := range queries {
		if q.title != "" {
			text := strings.ReplaceAll(q.print(b), "\n", "\n"+strings.Repeat(" ", 11))
			fmt.Fprintf(e.out, "%s %s\n", c.in(dim, fmt.Sprintf("%-10s", q.title)), text)
		}
	}
}

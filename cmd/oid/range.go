package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oidkit/oidkit/cmd/oid/internal/cmdline"
	"github.com/oidkit/oidkit/cmd/oid/internal/format"
	"github.com/oidkit/oidkit/cmd/oid/internal/query"
	"github.com/oidkit/oidkit/cmd/oid/internal/screen"
	"github.com/oidkit/oidkit/cmd/oid/internal/times"
	"github.com/oidkit/oidkit/oid"
	"github.com/urfave/cli/v3"
)

func rangeCommand() *cli.Command {
	return &cli.Command{
		Name:      "range",
		Usage:     "print the IDs' range, and queries, for a range of time",
		ArgsUsage: "SPAN, or FROM TO",
		Description: `Prints two IDs, lo and hi. The IDs with lo <= id < hi are those that were
created at FROM or later, and before TO. The command also prints queries to
copy. With --as, the command prints only the given form:

  oid range 2026-03                              March, by the local clock
  oid range --zone UTC 2026-03                   March in UTC
  oid range 3d                                   the last three days
  oid range 2026-03-01 2026-03-15                the first 14 days of March
  oid range "2026-03-01 17:30" +90m              an hour and a half
  oid range --as postgres --table users 2026-03  one query, for a script
  mongoexport -d shop -c orders --query "$(oid range --as extjson 3d)"

The SQL queries quote the names that you pass. The Go code quotes only names
that begin with a digit or have other characters than a-z, 0-9 and _. A dot
separates the parts of a name, such as shop.orders.

` + cmdline.TimeHelp,
		Flags: []cli.Flag{
			cmdline.Words(&cli.StringFlag{Name: "as", Usage: "as `FORM`: " + strings.Join(query.Names(), ", ")}, query.Names()...),
			&cli.StringFlag{Name: "table", Usage: "use the `TABLE` or collection in the queries", DefaultText: "orders"},
			&cli.StringFlag{Name: "column", Usage: "use the `COLUMN` or field of the ID", DefaultText: "id or _id"},
			&cli.BoolFlag{Name: "text", Usage: "the column holds 24 hex digits, not 12 bytes"},
			&cli.BoolFlag{Name: "uuid", Usage: "the column holds the UUID form"},
		},
		Action: cmdline.Action(1, 2, runRange),
	}
}

func runRange(e *cmdline.Env) func() error {
	r := query.Range{Table: e.String("table"), Column: e.String("column"), Text: e.Bool("text"), UUID: e.Bool("uuid")}
	e.Refuse(r.Check())
	e.NotBoth("text", "uuid")
	as, span := e.Word("as", "form"), e.Span()
	r.From, r.To = span.From, span.To
	if r.Lo, r.Hi = oid.Range(r.From, r.To); r.Lo == r.Hi {
		e.Refuse(fmt.Errorf("there are no IDs from %s to %s: %s", format.Time(r.From), format.Time(r.To), times.Limits))
	}
	return func() error {
		switch {
		case e.JSON:
			queries := map[string]string{}
			for _, f := range query.Forms {
				if f.Title != "" && as == "" || as == f.Name && f.Name != "hex" {
					queries[f.Name] = f.Print(r)
				}
			}
			e.PrintJSON(struct {
				query.Range
				Queries map[string]string `json:"queries"`
			}{r, queries})
		case as != "":
			i := slices.IndexFunc(query.Forms, func(f query.Form) bool { return f.Name == as })
			fmt.Fprintln(e.Out, query.Forms[i].Print(r))
		default:
			showRange(e, r)
		}
		return nil // Flush reports any write error
	}
}

// showRange prints the times that were read, the bounds and the queries.
func showRange(e *cmdline.Env, r query.Range) {
	title := func(s string) string { return e.Color.In(screen.Dim, fmt.Sprintf("%-10s", s)) }
	bound := func(s string) string { return e.Color.In(screen.Cyan, s) }
	fmt.Fprintf(e.Out, "%s %-31s  %s\n", title("from"), format.Time(r.From), bound("lo "+r.Lo.Hex()))
	fmt.Fprintf(e.Out, "%s %-31s  %s\n", title("until"), format.Time(r.To), bound("hi "+r.Hi.Hex()+" (not included)"))
	fmt.Fprintf(e.Out, "%s %s, beginning %s\n\n", title("length"), format.Span(r.From, r.To), format.Age(r.From, e.Now))
	for _, f := range query.Forms {
		if f.Title != "" {
			text := strings.ReplaceAll(f.Print(r), "\n", "\n"+strings.Repeat(" ", 11))
			fmt.Fprintf(e.Out, "%s %s\n", title(f.Title), text)
		}
	}
}

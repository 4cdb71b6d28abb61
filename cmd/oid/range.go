package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/oidkit/oidkit/oid"
	"github.com/urfave/cli/v3"
)

func rangeCommand() *cli.Command {
	return &cli.Command{
		Name:      "range",
		Usage:     "print the bounds of the ids made between two moments, and queries for them",
		ArgsUsage: "FROM TO",
		Description: `Prints lo and hi, so that lo <= id < hi holds for the ids made from FROM until
before TO, and ready queries with them:

  oid range 2026-03-01 2026-04-01                March, by the local clock
  oid range -zone UTC 2026-03-01 2026-04-01      March in UTC
  oid range "3 days ago" now
  oid range "2026-03-01 17:30" +90m              a + in TO counts from FROM
  oid range -as postgres -table users 2025 2026  one query, for a script

Times: ` + timesHelp + `.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "as", Usage: "print `FORM` only: " + strings.Join(formNames(), ", ")},
			&cli.StringFlag{Name: "table", Value: "orders", Usage: "the `TABLE` or collection in the queries"},
			&cli.StringFlag{Name: "column", Usage: "the `COLUMN` or key that holds the id", DefaultText: "id, and _id in mongosh"},
			&cli.BoolFlag{Name: "text", Usage: "the column holds 24 hex digits, not 12 bytes"},
		},
		Action: action(2, 2, runRange),
	}
}

// bounds is a range to print. Its JSON is that of the command.
type bounds struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	Lo   oid.ID    `json:"lo"`
	Hi   oid.ID    `json:"hi"`

	table, column string
	text          bool
}

// forms are the ways to print a range.
var forms = []struct {
	name  string // for -as
	title string
	print func(b bounds) string
}{
	{"hex", "", func(b bounds) string { return b.Lo.Hex() + "\n" + b.Hi.Hex() }},
	{"mongosh", "mongosh", bounds.mongosh},
	{"postgres", "PostgreSQL", func(b bounds) string { return b.sql(`'\x%s'`) }},
	{"mysql", "MySQL", func(b bounds) string { return b.sql("x'%s'") }},
	{"sqlite", "SQLite", func(b bounds) string { return b.sql("x'%s'") }},
	{"go", "Go", bounds.goCode},
}

func formNames() (names []string) {
	for _, f := range forms {
		names = append(names, f.name)
	}
	return names
}

func (b bounds) mongosh() string {
	literal := `ObjectId("%s")`
	if b.text {
		literal = `"%s"`
	}
	key := b.column
	if key == "" {
		key = "_id"
	}
	if !script.MatchString(key) {
		key = scriptString(key)
	}
	collection := "db." + b.table
	if !script.MatchString(strings.ReplaceAll(b.table, ".", "_")) {
		collection = "db.getCollection(" + scriptString(b.table) + ")"
	}
	return fmt.Sprintf("%s.find({%s: {$gte: "+literal+", $lt: "+literal+"}})", collection, key, b.Lo, b.Hi)
}

// script matches a name of JavaScript, that may stand without quotes.
var script = regexp.MustCompile(`^[A-Za-z_$][\w$]*$`)

// scriptString returns s as a string of JavaScript.
func scriptString(s string) string {
	text, _ := json.Marshal(s) // a string always has one
	return string(text)
}

func (b bounds) sqlColumn() string {
	if b.column == "" {
		return "id"
	}
	return b.column
}

func (b bounds) sql(literal string) string {
	if b.text {
		literal = "'%s'"
	}
	column := b.sqlColumn()
	return fmt.Sprintf("select * from %s where %s >= "+literal+" and %s < "+literal+";", b.table, column, b.Lo, column, b.Hi)
}

func (b bounds) goCode() string {
	id := `oid.MustParse("%s")`
	if b.text {
		id = `"%s"`
	}
	column := b.sqlColumn()
	query := fmt.Sprintf("select * from %s where %s >= ? and %s < ?", b.table, column, column)
	return fmt.Sprintf("db.Query(%s, "+id+", "+id+")", strconv.Quote(query), b.Lo, b.Hi)
}

func runRange(e *env, cmd *cli.Command) error {
	b := bounds{table: cmd.String("table"), column: cmd.String("column"), text: cmd.Bool("text")}
	form := cmd.String("as")
	if form != "" && !slices.Contains(formNames(), form) {
		return fmt.Errorf("-as %s is not a form: want %s", quote(form), strings.Join(formNames(), ", "))
	}
	if b.table == "" {
		return errors.New("-table is empty: want the name of a table or collection")
	}
	var err error
	if b.From, err = e.time("FROM", cmd.Args().Get(0)); err != nil {
		return err
	}
	to := cmd.Args().Get(1)
	if strings.HasPrefix(to, "+") {
		var ok bool
		if b.To, ok = parseDuration(to, b.From); !ok {
			return fmt.Errorf("TO %s is not a duration: write +90m, +36h, +7d or +2w", quote(to))
		}
	} else if b.To, err = e.time("TO", to); err != nil {
		return err
	}
	if !b.From.Before(b.To) {
		return fmt.Errorf("FROM %s is not before TO %s", formatTime(b.From), formatTime(b.To))
	}
	b.Lo, b.Hi = oid.Range(b.From, b.To)
	if b.Lo == b.Hi {
		return fmt.Errorf("no id can be made from %s to %s: ids hold times from 1970-01-01 00:00:00 UTC to 2106-02-07 06:28:15 UTC",
			formatTime(b.From), formatTime(b.To))
	}

	switch {
	case e.json:
		return e.printJSON(b.withQueries())
	case form != "":
		for _, f := range forms {
			if f.name == form {
				fmt.Fprintln(e.out, f.print(b))
			}
		}
	default:
		e.showRange(b)
	}
	return nil // what a write came to, Flush tells
}

// rangeJSON is a range with its queries.
type rangeJSON struct {
	bounds
	Queries map[string]string `json:"queries"`
}

func (b bounds) withQueries() rangeJSON {
	queries := map[string]string{}
	for _, f := range forms {
		if f.title != "" {
			queries[f.name] = f.print(b)
		}
	}
	return rangeJSON{b, queries}
}

// showRange prints the times as they were understood, the bounds and the queries.
func (e *env) showRange(b bounds) {
	c := e.colour
	row := func(name, at, bound string) {
		fmt.Fprintf(e.out, "%s %-31s  %s\n", c.in(dim, fmt.Sprintf("%-10s", name)), at, c.in(cyan, bound))
	}
	row("from", formatTime(b.From), "lo "+b.Lo.Hex())
	row("until", formatTime(b.To), "hi "+b.Hi.Hex()+" (not included)")
	fmt.Fprintf(e.out, "%s %s, from %s\n\n", c.in(dim, fmt.Sprintf("%-10s", "that is")), formatSpan(b.From, b.To), formatAge(b.From, e.now))
	for _, f := range forms {
		if f.title != "" {
			fmt.Fprintf(e.out, "%s %s\n", c.in(dim, fmt.Sprintf("%-10s", f.title)), f.print(b))
		}
	}
}

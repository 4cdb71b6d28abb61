package main

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/oidkit/oidkit/cmd/oid/internal/cmdline"
	"github.com/oidkit/oidkit/cmd/oid/internal/format"
	"github.com/oidkit/oidkit/cmd/oid/internal/times"
	"github.com/oidkit/oidkit/oid"
	"github.com/urfave/cli/v3"
)

func newCommand() *cli.Command {
	return &cli.Command{
		Name:  "new",
		Usage: "make IDs",
		Description: `Makes IDs in increasing order, one per line:

  oid new                             one ID
  oid new -n 10M > ids.txt            ten million IDs
  oid new --at "2026-03-01 12:00"     an ID with this creation time
  oid new --to xid                    an ID in another form

The middle five bytes are random and, without --at, the same for all IDs of a
run. With --process host, they are derived from the host name and the process
ID, as most drivers did before 2018. With --process host, or --process and 10
hex digits, two runs in one second can make the same IDs.

` + cmdline.TimeHelp,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "n", Usage: "make `N` IDs: 10, 5k, 10M", Value: "1"},
			cmdline.TimeFlag("at", "set the creation time to `TIME`", "now"),
			cmdline.Words(&cli.StringFlag{Name: "process", Usage: "set middle 5 bytes to `VALUE`: host or HEX", DefaultText: "random"}, "random", "host"),
			cmdline.ToFlag(),
		},
		Action: cmdline.Action(0, 0, runNew),
	}
}

func runNew(e *cmdline.Env) func() error {
	n, err := format.Count(e.String("n"))
	if err != nil {
		e.Refuse(fmt.Errorf("-n %w", err))
	}
	fill, write := filler(e), e.Writer(func(id oid.ID) any { return cmdline.PlainJSON(id) })
	return func() error {
		ids := make([]oid.ID, 4096)
		for ; n > 0 && err == nil; n -= int64(len(ids)) {
			ids = ids[:min(int64(len(ids)), n)]
			fill(ids)
			for _, id := range ids {
				write(id)
			}
			err = e.Out.Flush()
		}
		return err
	}
}

// filler returns the function that makes the IDs.
func filler(e *cmdline.Env) func([]oid.ID) {
	g := oid.Generator{Process: processValue(e)}
	if !e.IsSet("at") {
		return g.Fill
	}
	if e.IsSet("process") {
		e.Refuse(errors.New("--at and --process are both given: want one of them, because --at draws random process values"))
	}
	at := e.Time("--at", e.String("at"), e.Now).From
	if _, err := g.NewAt(at); err != nil {
		e.Refuse(fmt.Errorf("--at %s is %s: %s", format.Quote(e.String("at")), format.Time(at), times.Limits))
	}
	return func(ids []oid.ID) {
		for i := range ids {
			ids[i], _ = g.NewAt(at) // an ID can hold this time
		}
	}
}

// processValue returns the value of the option --process, or zero for a random one.
func processValue(e *cmdline.Env) (process [5]byte) {
	s := e.String("process")
	b, err := hex.DecodeString(s)
	switch {
	case s == "" || s == "random":
		return process
	case s == "host":
		return oid.HostProcess()
	case err != nil || len(b) != len(process) || [5]byte(b) == process: // zero stands for a random one
		e.Refuse(fmt.Errorf("--process %s is not a process value: want host, random or 10 hex digits that are not all 0", format.Quote(s)))
		return process
	}
	return [5]byte(b)
}

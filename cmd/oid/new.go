package main

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/oidkit/oidkit/oid"
	"github.com/urfave/cli/v3"
)

func newCommand() *cli.Command {
	return &cli.Command{
		Name:  "new",
		Usage: "make IDs",
		Description: `Makes IDs, one per line, in strictly increasing order:

  oid new                             an ID of this moment
  oid new -n 10M > ids.txt            ten million of them
  oid new --at "2026-03-01 12:00"     an ID for a row that already exists
  oid new --process host              as drivers before 2018 made them
  oid new --to xid                    in another form; oid convert -h lists all

The five process bytes are random unless --process says otherwise. With a process
value of your own, two runs in one second can make the same IDs.

` + timesHelp,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "n", Usage: "make `N` IDs: 10, 5k, 10M", DefaultText: "1"},
			&cli.StringFlag{Name: "at", Usage: "date the IDs `TIME`", DefaultText: "now"},
			&cli.StringFlag{Name: "process", Usage: "fill the process bytes with `VALUE`: random; host, as drivers before 2018 did; or 10 hex digits", DefaultText: "random"},
		}, outputFlags()...),
		Action: action(noArguments, runNew),
	}
}

func runNew(e *env, cmd *cli.Command) error {
	n := int64(1)
	if cmd.IsSet("n") {
		var err error
		if n, err = parseCount(cmd.String("n")); err != nil {
			return fmt.Errorf("-n %w", err)
		}
	}
	fill, err := filler(e, cmd, n)
	if err != nil {
		return err
	}

	write, err := e.writer(cmd, plainJSON)
	if err != nil {
		return err
	}
	progress := newProgress(e.errs, !isTerminal(e.stdout), n)
	defer progress.clear()
	ids := make([]oid.ID, min(n, 4096))
	for done := int64(0); done < n; {
		ids = ids[:min(int64(len(ids)), n-done)]
		fill(ids)
		for _, id := range ids {
			if err := write(id); err != nil {
				return err
			}
		}
		done += int64(len(ids))
		progress.at(done)
	}
	return nil
}

// filler returns the function that makes the n IDs.
func filler(e *env, cmd *cli.Command, n int64) (func([]oid.ID), error) {
	var g oid.Generator
	var err error
	if g.Process, err = processValue(cmd.String("process")); err != nil {
		return nil, err
	}
	if !cmd.IsSet("at") {
		return g.Fill, nil
	}
	m, err := e.moment("--at", cmd.String("at"))
	if err != nil {
		return nil, err
	}
	at := m.at
	if _, err := new(oid.Generator).NewAt(at); err != nil {
		return nil, fmt.Errorf("--at %s is %s: %s", quote(cmd.String("at")), formatTime(at), idTimes)
	}
	if g.Process == [5]byte{} {
		return func(ids []oid.ID) {
			for i := range ids {
				ids[i], _ = g.NewAt(at) // an ID can hold this time
			}
		}, nil
	}
	if n > mostPerSecond {
		return nil, errors.New("--at and --process together make 16,777,216 IDs at most: there are no more for one second")
	}
	next := startOfRun(at, g.Process, n)
	return func(ids []oid.ID) {
		for i := range ids {
			ids[i] = next
			next = next.Next()
		}
	}, nil
}

// mostPerSecond is how many IDs a process can make in a second.
const mostPerSecond = 1 << 24

// startOfRun returns the first of n consecutive IDs, which all have the second of at and
// the process value. NewAt draws its own process values, and a generator continues with
// the next second when its counter wraps. So the counter starts low enough for all n.
func startOfRun(at time.Time, process [5]byte, n int64) oid.ID {
	id := oid.MinAt(at)
	binary.BigEndian.PutUint32(id[8:], uint32(rand.N(mostPerSecond-n+1)))
	copy(id[4:], process[:])
	return id
}

// processValue returns the value of the option --process, or zero for a random one.
func processValue(s string) (process [5]byte, err error) {
	switch s {
	case "", "random":
		return
	case "host":
		return oid.HostProcess(), nil
	}
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(process) {
		return [5]byte{}, fmt.Errorf("--process %s is not a process value: want host, random or 10 hex digits", quote(s))
	}
	if process = [5]byte(b); process == [5]byte{} {
		return [5]byte{}, errors.New("--process 0000000000: the zero value stands for a random one; want host, random or 10 hex digits")
	}
	return process, nil
}

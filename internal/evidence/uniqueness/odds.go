package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strconv"

	"github.com/oidkit/oidkit/internal/servers/repo"
)

// A fleet is a number of processes that make IDs at the same time.
type fleet struct {
	processes float64
	rate      float64 // IDs per second in each process
	seconds   float64 // how long they run

	processBits, counterBits int // zero: those of an ObjectId
}

// yearSeconds is the mean Gregorian year of 365.2425 days.
const yearSeconds = 365.2425 * 24 * 60 * 60

// chances are the odds of a fleet.
type chances struct {
	SameProcess float64 `json:"same_process"`
	Meet        float64 `json:"same_id_given_same_process"`
	Collision   float64 `json:"collision"`
	Repeats     float64 `json:"expected_repeats"`
}

// odds returns what oid odds prints for f: the figures of the document are those of the
// command line tool.
func (f fleet) odds() (c chances, err error) {
	args := []string{"run", repo.Program("cmd/oid"), "odds", "--json"}
	for _, option := range []struct {
		name  string
		value float64
	}{
		{"processes", f.processes}, {"rate", f.rate}, {"seconds", f.seconds},
		{"process-bits", float64(f.processBits)}, {"counter-bits", float64(f.counterBits)},
	} {
		if option.value != 0 {
			args = append(args, "--"+option.name, strconv.FormatFloat(option.value, 'f', -1, 64))
		}
	}
	cmd := exec.Command("go", args...)
	out, err := cmd.Output()
	if err != nil {
		return c, fmt.Errorf("%v: %w", cmd, err)
	}
	return c, json.Unmarshal(out, &c)
}

package main

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

var (
	ofRows    = regexp.MustCompile(`^(ledger|by date)`) // histories whose draws are gap-free rows
	ofCopies  = regexp.MustCompile(`^(async|delayed)`)  // after a failover to a copy that was behind, numbers may come again
	separator = regexp.MustCompile(` *\| *`)
)

// printSums prints its input, and adds up the rows of figures in it: fault, store,
// programs × callers, draws, faults, repeats, gaps, seconds.
func printSums(w io.Writer, in io.Reader) error {
	var draws, repeats, known, rows, gaps int
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fmt.Fprintln(w, lines.Text())
		cells := separator.Split(lines.Text(), -1)
		if len(cells) < 9 {
			continue
		}
		number := func(i int) int {
			n, _ := strconv.Atoi(strings.TrimSpace(cells[i])) // a headline has none
			return n
		}
		switch fault := cells[1]; {
		case ofRows.MatchString(fault):
			rows += number(4)
			gaps += number(7)
			continue
		case ofCopies.MatchString(fault):
			known += number(6)
		default:
			repeats += number(6)
		}
		draws += number(4)
	}
	fmt.Fprintf(w, "%d draws, %d repeats, and %d after a failover to a copy that was behind; %d gap-free rows, %d gaps\n", draws, repeats, known, rows, gaps)
	return lines.Err()
}

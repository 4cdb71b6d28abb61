package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"golang.org/x/term"
)

// isTerminal reports whether f is one.
func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// terminalWidth returns the columns of the terminal that w is, and 80 for
// anything else. COLUMNS overrides both.
func terminalWidth(w any) int {
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		return columns
	}
	if isTerminal(w) {
		if columns, _, err := term.GetSize(int(w.(*os.File).Fd())); err == nil && columns > 0 {
			return columns
		}
	}
	return 80
}

// palette colours text on a terminal that wants it, and leaves it alone elsewhere.
type palette bool

// The colours of the three parts of an id, and of what is beside the point.
const (
	cyan   = "36"
	yellow = "33"
	green  = "32"
	dim    = "2"
)

// newPalette returns the palette for output on w: see https://no-color.org.
func newPalette(w any) palette {
	return palette(isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb")
}

func (p palette) in(colour, s string) string {
	if !p {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}

// progress shows on a terminal how far a long command has come, in one line that
// it overwrites. On anything else it shows nothing.
type progress struct {
	w           io.Writer // nil: shows nothing
	total       int64     // 0: not known
	start, next time.Time
	width       int // of what it shows now
}

// newProgress returns a progress that begins to show after a second.
func newProgress(w io.Writer, show bool, total int64) *progress {
	p := &progress{total: total, start: time.Now()}
	if show && isTerminal(w) {
		p.w = w
		p.next = p.start.Add(time.Second)
	}
	return p
}

// at shows that n ids are done. Call it every few thousand ids.
func (p *progress) at(n int64) {
	if p.w == nil {
		return
	}
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(200 * time.Millisecond)
	line := thousands(n) + " ids"
	if p.total > 0 {
		line = fmt.Sprintf("%s of %s ids, %d %%", thousands(n), thousands(p.total), n*100/p.total)
	}
	line += fmt.Sprintf(", %s/s", thousands(int64(float64(n)/now.Sub(p.start).Seconds())))
	fmt.Fprintf(p.w, "\r%-*s", p.width, line)
	p.width = len(line)
}

// clear removes the line.
func (p *progress) clear() {
	if p.width > 0 {
		fmt.Fprintf(p.w, "\r%*s\r", p.width, "")
		p.width = 0
	}
}

package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"
)

// isTerminal reports whether f is a terminal.
func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// terminalWidth returns the number of columns of f if f is a terminal, else 80. The
// environment variable COLUMNS overrides both.
func terminalWidth(f *os.File) int {
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		return columns
	}
	if columns, _, _ := term.GetSize(int(f.Fd())); columns > 0 {
		return columns
	}
	return 80
}

// palette colors text on a terminal that accepts colors. Elsewhere the text is unchanged.
type palette bool

// The colors of the three parts of an ID, and of less important text.
const (
	cyan   = "36"
	yellow = "33"
	green  = "32"
	dim    = "2"
)

// newPalette returns the palette for output on w: see https://no-color.org and
// https://bixense.com/clicolors.
func newPalette(w any) palette {
	if os.Getenv("NO_COLOR") != "" {
		return false
	}
	if force := os.Getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true
	}
	return palette(isTerminal(w) && os.Getenv("CLICOLOR") != "0" && os.Getenv("TERM") != "dumb")
}

// showsUnicode reports whether the locale has more than ASCII. It returns true for an
// empty locale, such as in a container.
func showsUnicode() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		locale := os.Getenv(name)
		if locale == "" {
			continue
		}
		_, charset, named := strings.Cut(locale, ".")
		charset, _, _ = strings.Cut(strings.ToLower(charset), "@")
		return locale != "C" && locale != "POSIX" && (!named || charset == "utf-8" || charset == "utf8")
	}
	return true
}

// ascii replaces the characters beyond ASCII that the commands print.
var ascii = strings.NewReplacer("╰", "+", "╯", "+", "┬", "+", "─", "-", "│", "|", "…", "...", "×", "*", "²", "^2")

// drawn returns s in characters that the locale can show.
func (e *env) drawn(s string) string {
	if e.unicode {
		return s
	}
	return ascii.Replace(s)
}

// printable returns s with escapes in place of control characters, and of characters that
// a terminal can't show.
func printable(s string) string {
	if !showsUnicode() {
		s = ascii.Replace(s)
	}
	var b strings.Builder
	for _, r := range s {
		if strconv.IsPrint(r) || r == '\n' {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

func (p palette) in(color, s string) string {
	if !p {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[0m"
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

// at shows that n IDs are done. Call it every few thousand IDs.
func (p *progress) at(n int64) {
	if p.w == nil {
		return
	}
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(200 * time.Millisecond)
	line := thousands(n) + " IDs"
	if p.total > 0 {
		line = fmt.Sprintf("%s of %s IDs, %d %%", thousands(n), thousands(p.total), n*100/p.total)
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

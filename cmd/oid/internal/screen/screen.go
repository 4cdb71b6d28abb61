// Package screen knows what the terminal and the locale can show.
package screen

import (
	"cmp"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// IsTerminal reports whether f is a terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Width returns the number of columns of f if f is a terminal, else 80. The environment
// variable COLUMNS overrides both.
func Width(f *os.File) int {
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		return columns
	}
	if columns, _, _ := term.GetSize(int(f.Fd())); columns > 0 {
		return columns
	}
	return 80
}

// Palette colors text if it is true. Otherwise the text is unchanged.
type Palette bool

// The colors of the three parts of an ID, and of less important text.
const (
	Cyan   = "36"
	Yellow = "33"
	Green  = "32"
	Dim    = "2"
)

// NewPalette returns the palette for output on f: see https://no-color.org and
// https://bixense.com/clicolors.
func NewPalette(f *os.File) Palette {
	if os.Getenv("NO_COLOR") != "" {
		return false
	}
	if force := os.Getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true
	}
	return Palette(IsTerminal(f) && os.Getenv("CLICOLOR") != "0" && os.Getenv("TERM") != "dumb")
}

// In returns s in the color.
func (p Palette) In(color, s string) string {
	if !p {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[0m"
}

// ShowsUnicode reports whether the locale may have UTF-8. It returns true for an
// empty locale, such as in a container.
func ShowsUnicode() bool {
	locale := cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG"))
	_, charset, named := strings.Cut(locale, ".")
	charset, _, _ = strings.Cut(strings.ToLower(charset), "@")
	return locale != "C" && locale != "POSIX" && (!named || charset == "utf-8" || charset == "utf8")
}

// ascii replaces the characters beyond ASCII outside of charts.
var ascii = strings.NewReplacer("╰", "+", "╯", "+", "┬", "+", "─", "-", "│", "|", "…", "...")

// Drawn returns s in characters that the locale can show.
func Drawn(s string) string {
	if ShowsUnicode() {
		return s
	}
	return ascii.Replace(s)
}

// Printable returns s with escapes in place of control characters, and of characters that
// a terminal can't show.
func Printable(s string) string {
	var b strings.Builder
	for _, r := range Drawn(s) {
		if strconv.IsPrint(r) || r == '\n' {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

// Command termsvg runs a command line in a shell and prints an SVG of what a
// terminal of 80 columns shows of it: the pictures in docs. From the root of the
// repository:
//
//	go run ./internal/evidence/termsvg 'go run ./examples/quickstart -ids | go run ./cmd/oid -zone UTC histogram' > docs/histogram.svg
package main

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: termsvg COMMAND-LINE")
		os.Exit(2)
	}
	svg, err := picture(".", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "termsvg:", err)
		os.Exit(1)
	}
	fmt.Print(svg)
}

// picture runs command in the folder dir and draws it with its output.
func picture(dir, command string) (string, error) {
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), fmt.Sprintf("COLUMNS=%d", columns))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", command, err, stderr.String())
	}
	return draw(command, string(out)), nil
}

// The grid of the terminal, in pixels.
const (
	columns          = 80
	cellW, cellH     = 8, 19
	marginX, marginY = 20, 48 // the title bar is in the upper one
	lowerMargin      = 18
	baseline         = 14 // of a line of text, below its top
	barTop, barH     = 3, 14
)

// draw returns an SVG of a terminal that shows command at a prompt and below it
// out. Words are placed one by one, and block elements are drawn as rectangles, so
// that columns meet whatever font there is. A terminal is dark in any mode.
func draw(command, out string) string {
	lines := strings.Split(strings.TrimRight(out, "\n"), "\n")
	width := 2*marginX + columns*cellW
	height := marginY + (len(lines)+2)*cellH + lowerMargin

	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%d" role="img" aria-label="%s">
<style>
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #c9d1d9; white-space: pre }
.prompt { fill: #7ee787 }
.bar { fill: #39c5cf }
</style>
<rect x=".5" y=".5" width="%d" height="%d" rx="10" fill="#161b22" stroke="#6e7681"/>
<circle cx="22" cy="21" r="6" fill="#ff5f57"/><circle cx="42" cy="21" r="6" fill="#febc2e"/><circle cx="62" cy="21" r="6" fill="#28c840"/>
`, width, height, html.EscapeString("What a terminal shows of "+command), width-1, height-1)
	drawLine(&b, marginY, "$", "prompt")
	drawLine(&b, marginY, "  "+command, "")
	for i, line := range lines {
		drawLine(&b, marginY+(i+2)*cellH, line, "")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// drawLine draws a line of text with its top at y.
func drawLine(b *strings.Builder, y int, line, class string) {
	if class != "" {
		class = fmt.Sprintf(` class="%s"`, class)
	}
	runes := []rune(line)
	for i := 0; i < len(runes); {
		start, eighths := i, 0
		for i < len(runes) && blockEighths(runes[i]) > 0 {
			eighths += blockEighths(runes[i])
			i++
		}
		if i > start {
			fmt.Fprintf(b, `<rect class="bar" x="%d" y="%d" width="%d" height="%d"/>`+"\n", marginX+start*cellW, y+barTop, eighths*cellW/8, barH)
			continue
		}
		for i < len(runes) && runes[i] != ' ' && blockEighths(runes[i]) == 0 {
			i++
		}
		if i > start {
			fmt.Fprintf(b, `<text%s x="%d" y="%d" textLength="%d">%s</text>`+"\n", class, marginX+start*cellW, y+baseline, (i-start)*cellW, html.EscapeString(string(runes[start:i])))
			continue
		}
		i++
	}
}

// blockEighths returns how many eighths of its cell a block element fills from the
// left, and 0 for any other character.
func blockEighths(r rune) int {
	if '█' <= r && r <= '▏' { // U+2588 to U+258F, from the fullest
		return int('▏'-r) + 1
	}
	return 0
}

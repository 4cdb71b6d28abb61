// Command picture draws the picture of the README: the parts of an ID, and the rows of a month
// as one range of the key.
//
//	go run ./internal/evidence/picture > docs/id.svg
package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/oidkit/oidkit/oid"
)

func main() {
	if err := draw(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

// The picture is readable when it is 350 pixels wide, as on a phone. The colors are those of the
// page of examples/httpapi.
const (
	width, height = 440, 212
	left, right   = 12, width - 12
	digit         = (right - left - 2*gap) / 24.0
	gap           = 8
)

const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" role="img" aria-labelledby="title">
<title id="title">An ID is 4 bytes of seconds, 5 bytes of the process and 3 bytes of a counter. The rows of March are one range of the key.</title>
<style>
text { font: 14px system-ui, sans-serif; fill: #22262b; text-anchor: middle }
.faint { fill: #5c636b; font-size: 13px }
.hex { font: bold 17px ui-monospace, monospace; fill: #fff }
.seconds { fill: #b44a18 } .process { fill: #2f6d50 } .counter { fill: #7d4fa3 } .row { fill: #4f81aa }
.line { stroke: #85898e }
@media (prefers-color-scheme: dark) {
text { fill: #e8e6e1 } .faint { fill: #a3a9b1 } .hex { fill: #16181c }
.seconds { fill: #f08a54 } .process { fill: #6fbf96 } .counter { fill: #bb95dc } .row { fill: #5b8fba }
}
</style>
`

// draw writes the picture.
func draw(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, head, width, height, width)

	at := float64(left)
	for _, part := range []struct{ class, hex, what string }{
		{"seconds", "65b3f7a2", "seconds since 1970"},
		{"process", "c1d4e5f6a7", "random per process"},
		{"counter", "b8c9d0", "counter"},
	} {
		long := digit * float64(len(part.hex))
		middle := at + long/2
		fmt.Fprintf(&b, "<rect class=\"%s\" x=\"%.1f\" y=\"8\" width=\"%.1f\" height=\"34\" rx=\"4\"/>\n", part.class, at, long)
		fmt.Fprintf(&b, "<text class=\"hex\" x=\"%.1f\" y=\"31\">%s</text>\n", middle, part.hex)
		fmt.Fprintf(&b, "<text class=\"%s\" x=\"%.1f\" y=\"60\" style=\"font-size: 13px\">%s</text>\n", part.class, middle, part.what)
		at += long + gap
	}

	// The rows stand where their creation time is between February and May.
	from, to := month(time.February), month(time.May)
	x := func(t time.Time) float64 { return left + (right-left)*float64(t.Sub(from))/float64(to.Sub(from)) }
	lo, hi := oid.Range(month(time.March), month(time.April))
	fmt.Fprintf(&b, "<line class=\"line\" x1=\"%d\" y1=\"134\" x2=\"%d\" y2=\"134\"/>\n", left, right)
	for day := from.Add(13 * time.Hour); day.Before(to); day = day.Add(57*time.Hour + time.Duration(day.Day())*time.Hour) {
		class := "row"
		if id := oid.MinAt(day); id.Compare(lo) >= 0 && id.Compare(hi) < 0 {
			class = "seconds"
		}
		fmt.Fprintf(&b, "<rect class=\"%s\" x=\"%.1f\" y=\"112\" width=\"5\" height=\"22\" rx=\"1\"/>\n", class, x(day)-2.5)
	}
	for m := time.February; m < time.May; m++ {
		fmt.Fprintf(&b, "<text class=\"faint\" x=\"%.1f\" y=\"102\">%s</text>\n", (x(month(m))+x(month(m+1)))/2, m)
	}
	march, april := x(month(time.March)), x(month(time.April))
	fmt.Fprintf(&b, "<path class=\"line\" fill=\"none\" d=\"M%.1f 140 v10 H%.1f v-10\"/>\n", march, april)
	fmt.Fprintf(&b, "<text x=\"%d\" y=\"174\">the rows of March: one range of the primary key</text>\n", width/2)
	fmt.Fprintf(&b, "<text class=\"faint\" x=\"%d\" y=\"196\">%s… ≤ id &lt; %s…</text>\n", width/2, lo.Hex()[:8], hi.Hex()[:8])
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// month returns the begin of a month of 2026.
func month(m time.Month) time.Time { return time.Date(2026, m, 1, 0, 0, 0, 0, time.UTC) }

package main

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
)

// captions say what the benchmarks of the chart do.
var captions = map[string]string{
	"New":               "Make an ID",
	"NewOnAllCores":     "Make IDs on all cores",
	"Fill1000":          "Make 1,000 IDs",
	"Hex":               "ID to hex",
	"Parse":             "Hex to ID",
	"AppendText":        "Append an ID as hex",
	"JSONMarshal":       "Struct with 5 IDs to JSON",
	"JSONUnmarshal":     "JSON with 5 IDs to struct",
	"Encode3":           "Struct with 3 IDs to BSON, Encoder",
	"Decode3":           "BSON with 3 IDs to struct, Decoder",
	"Marshal3":          "Struct with 3 IDs to BSON, Marshal",
	"Unmarshal3":        "BSON with 3 IDs to struct, Unmarshal",
	"Encode11":          "Struct with 11 IDs to BSON, Encoder",
	"Decode11":          "BSON with 11 IDs to struct, Decoder",
	"Marshal11":         "Struct with 11 IDs to BSON, Marshal",
	"Unmarshal11":       "BSON with 11 IDs to struct, Unmarshal",
	"EncodeFields10":    "Struct with 10 ID fields to BSON",
	"DecodeFields10":    "BSON to struct with 10 ID fields",
	"EncodePointers5":   "Struct with 5 pointers to IDs to BSON",
	"DecodePointers5":   "BSON to struct with 5 pointers to IDs",
	"EncodeList1000":    "List of 1,000 IDs to BSON, Encoder",
	"DecodeList1000":    "BSON to list of 1,000 IDs, Decoder",
	"MarshalList1000":   "List of 1,000 IDs to BSON, Marshal",
	"UnmarshalList1000": "BSON to list of 1,000 IDs, Unmarshal",
	"Filter":            "Filter for one ID",
	"Marshal100kB":      "Struct with 100 kB of text to BSON",
	"UnmarshalNoIDs":    "BSON to struct without IDs, Unmarshal",
	"In1000":            "Filter for one of 1,000 IDs",
}

// labels say what variants are that the benchmarks name in a word.
var labels = map[string]string{
	"native":        "bson.ObjectID",
	"oid-registry":  "oid.ID, bsoncodec",
	"for-registry":  "oid.For, bsoncodec",
	"oid-bsoncodec": "oid.ID, bsoncodec",
	"for-bsoncodec": "oid.For, bsoncodec",
	"oid-plain":     "oid.ID, no registry",
	"oid-in":        "bsoncodec.In",
	"no-work":       "encoding/json only",
}

// The layout of the chart, in pixels: two columns of groups. A bar of one unit is
// as long as the first of each group. One of more than maxUnits is cut short.
const (
	chartW           = 860
	columnW          = 410
	margin           = 20
	headH            = 62
	footH            = 44
	titleH           = 26
	rowH             = 19
	groupGap         = 14
	barX, barH       = 160, 12
	unit             = 66
	maxUnits         = 3
	textBelowTop     = 14
	ratioGap         = 6
	cutFrom, cutTilt = 12, 4 // how far from the end of a bar its cut is, and how oblique
)

// chart draws the ratios of the results that have a caption as an SVG, with notes at its
// foot.
func chart(results []*result, notes ...string) string {
	groups := slices.DeleteFunc(grouped(results), func(group []*result) bool { return captions[group[0].group] == "" })
	left, height, leftHeight := split(groups)

	var b strings.Builder
	total := headH + max(leftHeight, height-leftHeight) + footH
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d" role="img" aria-label="Bar charts of times">
<style>
.card { fill: #fff; stroke: #d1d9e0 }
text { font: 12px system-ui, -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; fill: #59636e }
.head { font-size: 16px; font-weight: 600 }
.title { font-size: 13px; font-weight: 600 }
.head, .title, .ours { fill: #1f2328 }
.ours { font-weight: 600 }
.name { text-anchor: end }
.ratio { stroke: #fff; stroke-width: 5px; stroke-linejoin: round; paint-order: stroke }
.peer { fill: #c3cbd4 }
.own { fill: #0969da }
.one { stroke: #59636e; stroke-dasharray: 2 2 }
@media (prefers-color-scheme: dark) {
.card { fill: #0d1117; stroke: #3d444d }
text { fill: #9198a1 }
.head, .title, .ours { fill: #f0f6fc }
.ratio { stroke: #0d1117 }
.peer { fill: #4a525c }
.own { fill: #4493f8 }
.one { stroke: #9198a1 }
}
</style>
<rect class="card" x=".5" y=".5" width="%d" height="%d" rx="8"/>
<text class="head" x="%d" y="30">Time, compared with the first of each group (shorter is faster)</text>
`, chartW, total, chartW-1, total-1, margin)

	x, y := margin, headH
	for i, group := range groups {
		if i == left {
			x, y = chartW-margin-columnW, headH
		}
		drawGroup(&b, x, y, group)
		y += groupHeight(group)
	}
	for i, note := range notes {
		fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text>`+"\n", margin, total-footH+14+i*16, html.EscapeString(note))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// grouped cuts results where a group ends. Groups without a peer are left out.
func grouped(results []*result) [][]*result {
	var groups [][]*result
	for len(results) > 0 {
		n := 1
		for n < len(results) && results[n].pkg == results[0].pkg && results[n].group == results[0].group {
			n++
		}
		if n > 1 {
			groups = append(groups, results[:n])
		}
		results = results[n:]
	}
	return groups
}

// split returns how many groups go to the left column, the height of all groups,
// and that of the left ones.
func split(groups [][]*result) (left, height, leftHeight int) {
	for _, group := range groups {
		height += groupHeight(group)
	}
	for left < len(groups) && leftHeight < height/2 {
		leftHeight += groupHeight(groups[left])
		left++
	}
	return left, height, leftHeight
}

func groupHeight(group []*result) int { return titleH + len(group)*rowH + groupGap }

// drawGroup draws the bars of a group below its title, with the corner at x, y.
func drawGroup(b *strings.Builder, x, y int, group []*result) {
	title := captions[group[0].group]
	fmt.Fprintf(b, `<text class="title" x="%d" y="%d">%s</text>`+"\n", x, y+textBelowTop, html.EscapeString(title))
	top := y + titleH
	fmt.Fprintf(b, `<path class="one" d="M%d.5 %dv%d"/>`+"\n", x+barX+unit, top-2, len(group)*rowH)
	for i, r := range group {
		rowY := top + i*rowH
		name, bar, ratio := "name", "peer", "ratio"
		if strings.HasPrefix(r.variant, "oid") {
			name, bar, ratio = "name ours", "own", "ratio ours"
		}
		times := relative(r, group[0])
		fmt.Fprintf(b, `<text class="%s" x="%d" y="%d">%s</text>`, name, x+barX-8, rowY+textBelowTop-2, html.EscapeString(cmp.Or(labels[r.variant], r.variant)))
		length := drawBar(b, bar, x+barX, rowY+2, times)
		fmt.Fprintf(b, `<text class="%s" x="%d" y="%d">%s</text>`+"\n", ratio, x+barX+length+ratioGap, rowY+textBelowTop-2, timesText(times))
	}
}

// drawBar draws a bar whose length shows times, and returns that length. A bar that is
// too long ends with a cut.
func drawBar(b *strings.Builder, class string, x, y int, times float64) (length int) {
	if times <= maxUnits {
		length = max(int(times*unit+.5), 1)
		fmt.Fprintf(b, `<path class="%s" d="M%d %dh%dv%dh-%[4]dz"/>`, class, x, y, length, barH)
		return length
	}
	length = maxUnits * unit
	whole := length - cutFrom
	fmt.Fprintf(b, `<path class="%s" d="M%d %dh%dl-%d %dh-%dz`, class, x, y, whole, cutTilt, barH, whole-cutTilt)
	fmt.Fprintf(b, `M%d %dh%dv%dh-%dz"/>`, x+whole+3, y, cutFrom-3, barH, cutFrom-3+cutTilt)
	return length
}

// timesText writes a ratio as the table does, to the digits that mean something.
func timesText(times float64) string {
	if times >= 9.95 {
		return fmt.Sprintf("%.0f×", times)
	}
	return fmt.Sprintf("%.2f×", times)
}

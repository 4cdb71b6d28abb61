package main

import (
	"fmt"
	"slices"
	"strings"
)

// tableRows are the rows of the table in docs/mongodb-reference.md: a group, and the variant of it that
// is compared with the first one.
var tableRows = []struct{ group, ours string }{
	{"New", "oid.New"},
	{"Fill1000", "oid.Fill"},
	{"Parse", "oid.Parse"},
	{"JSONMarshal", "oid.ID"},
	{"Marshal3", "oid-bsoncodec"},
	{"Unmarshal3", "oid-bsoncodec"},
	{"MarshalList1000", "oid-bsoncodec"},
	{"UnmarshalList1000", "oid-bsoncodec"},
}

// table writes results as the Markdown table of docs/mongodb-reference.md. A row whose benchmarks
// did not run is left out.
func table(results []*result) string {
	var b strings.Builder
	b.WriteString("| | driver v2 | oidkit | time | without `bsoncodec` |\n| --- | --: | --: | --: | --: |\n")
	for _, row := range tableRows {
		group := groupOf(results, row.group)
		ours := variantOf(group, row.ours)
		if ours == nil {
			continue
		}
		without := ""
		if plain := variantOf(group, "oid-plain"); plain != nil {
			without = timesText(relative(plain, group[0]))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", captions[row.group],
			nanoseconds(group[0]), nanoseconds(ours), timesText(relative(ours, group[0])), without)
	}
	return b.String()
}

// groupOf returns the results of the group with this name.
func groupOf(results []*result, name string) []*result {
	for _, group := range grouped(results) {
		if group[0].group == name {
			return group
		}
	}
	return nil
}

// variantOf returns the result of a variant, or nil if it is not in group.
func variantOf(group []*result, variant string) *result {
	i := slices.IndexFunc(group, func(r *result) bool { return r.variant == variant })
	if i < 0 {
		return nil
	}
	return group[i]
}

// nanoseconds writes the time of r with the digits that mean something.
func nanoseconds(r *result) string {
	ns := median(r.runs["ns/op"])
	switch {
	case ns < 100:
		return fmt.Sprintf("%.1f ns", ns)
	case ns < 10_000:
		return fmt.Sprintf("%.0f ns", ns)
	}
	return fmt.Sprintf("%.1f µs", ns/1000)
}

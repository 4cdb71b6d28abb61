// Package edit has changes of a text as data: places in the text as it was read, and the
// text that takes the place of what is there.
package edit

import (
	"cmp"
	"fmt"
	"slices"
)

// An Edit replaces the bytes from Start to End.
type Edit struct {
	Start, End int
	Text       string
}

// Apply returns the text with the edits made. Those at one place stay in their order.
func Apply(text []byte, edits []Edit) (out []byte, err error) {
	at := 0
	for _, e := range sorted(edits) {
		if e.Start < at || e.End > len(text) {
			return nil, fmt.Errorf("two edits overlap at byte %d, or one is behind the end: please report this", e.Start)
		}
		out = append(append(out, text[at:e.Start]...), e.Text...)
		at = e.End
	}
	return append(out, text[at:]...), nil
}

// Place returns where the byte at is after the edits. A byte that an edit removes is where
// its text begins.
func Place(edits []Edit, at int) int {
	moved := 0
	for _, e := range sorted(edits) {
		if e.Start > at {
			break
		}
		if e.End > at {
			return e.Start + moved
		}
		moved += len(e.Text) - (e.End - e.Start)
	}
	return at + moved
}

func sorted(edits []Edit) []Edit {
	return slices.SortedStableFunc(slices.Values(edits), func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
}

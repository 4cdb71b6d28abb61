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
	from, to   int // the text around which a wrap stands
}

// Wrap returns the edits that put text on both sides of what is from one place to another.
func Wrap(from, to int, before, after string) []Edit {
	return []Edit{{from, from, before, from, to}, {to, to, after, from, to}}
}

// side orders what stands at one place: the end of a wrap, other text, the beginning of a
// wrap.
func (e Edit) side() int {
	switch {
	case e.to == 0:
		return 1
	case e.Start == e.to:
		return 0
	}
	return 2
}

// Apply returns the text with the edits made.
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

// sorted orders edits by their places. Of two wraps that begin or end at one place, the
// longer one is outside.
func sorted(edits []Edit) []Edit {
	return slices.SortedStableFunc(slices.Values(edits), func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.side(), b.side()), cmp.Compare(b.from, a.from), cmp.Compare(b.to, a.to))
	})
}

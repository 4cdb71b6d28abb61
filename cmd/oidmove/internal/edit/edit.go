// Package edit has changes of a text as data: places in the text as it was read, and the
// text that takes the place of what is there.
package edit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// An Edit replaces the bytes from Start to End.
type Edit struct {
	Start, End int
	Text       string
}

// A piece of a changed text is what an edit has put there, or what was there before:
// the bytes from start to end.
type piece struct {
	start, end int
	text       string
}

func (p piece) len() int { return len(p.text) + p.end - p.start }

// cut returns the part of p from one offset to another.
func (p piece) cut(from, to int) piece {
	if p.text != "" {
		return piece{text: p.text[from:to]}
	}
	return piece{start: p.start + from, end: p.start + to}
}

// change returns the pieces of a text after edits of it.
func change(pieces []piece, edits []Edit) (out []piece, err error) {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	for at := 0; len(pieces) > 0 || len(edits) > 0; {
		if len(edits) > 0 && edits[0].Start <= at {
			e := edits[0]
			if e.Start < at {
				return nil, fmt.Errorf("two edits overlap at byte %d: please report this", e.Start)
			}
			if e.Text != "" {
				out = append(out, piece{text: e.Text})
			}
			pieces, edits, at = skip(pieces, e.End-e.Start), edits[1:], e.End
			continue
		}
		if len(pieces) == 0 {
			return nil, fmt.Errorf("an edit is behind the end, at byte %d: please report this", edits[0].Start)
		}
		n := pieces[0].len()
		if len(edits) > 0 {
			n = min(n, edits[0].Start-at)
		}
		out, pieces, at = append(out, pieces[0].cut(0, n)), skip(pieces, n), at+n
	}
	return out, nil
}

// skip returns the pieces without their first n bytes.
func skip(pieces []piece, n int) []piece {
	for len(pieces) > 0 && n >= pieces[0].len() {
		n, pieces = n-pieces[0].len(), pieces[1:]
	}
	if n == 0 {
		return pieces
	}
	return append([]piece{pieces[0].cut(n, pieces[0].len())}, pieces[1:]...)
}

// Apply returns the text with the edits made.
func Apply(text []byte, edits []Edit) ([]byte, error) {
	pieces, err := change([]piece{{0, len(text), ""}}, edits)
	if err != nil {
		return nil, err
	}
	var out []byte
	for _, p := range pieces {
		out = append(append(out, p.text...), text[p.start:p.end]...)
	}
	return out, nil
}

// Compose returns the edits of a text of n bytes that do what first does, and then second.
// The places of second are in the text after first.
func Compose(n int, first, second []Edit) ([]Edit, error) {
	pieces := []piece{{0, n, ""}}
	for _, edits := range [][]Edit{first, second} {
		var err error
		if pieces, err = change(pieces, edits); err != nil {
			return nil, err
		}
	}
	var all []Edit
	at, text := 0, strings.Builder{}
	for _, p := range append(pieces, piece{start: n, end: n}) {
		if p.text != "" {
			text.WriteString(p.text)
			continue
		}
		if p.start > at || text.Len() > 0 {
			all = append(all, Edit{at, p.start, text.String()})
			text.Reset()
		}
		at = p.end
	}
	return all, nil
}

// Place returns where the byte at is after the edits, which Compose has made.
func Place(edits []Edit, at int) int {
	moved := 0
	for _, e := range edits {
		if e.Start > at {
			break
		}
		if e.End > at || e.Start == e.End && e.Start == at && strings.HasPrefix(e.Text, "\n") {
			return e.Start + moved
		}
		moved += len(e.Text) - (e.End - e.Start)
	}
	return at + moved
}

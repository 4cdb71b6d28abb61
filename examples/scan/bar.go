package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// A bar shows on a terminal how far work has come. Elsewhere it shows nothing.
type bar struct {
	mu          sync.Mutex
	w           *os.File // nil: no terminal
	total, done int
	begun       int // done when the bar was made
	start, last time.Time
}

func newBar(w io.Writer, total, done int) *bar {
	b := &bar{total: max(total, 1), done: done, begun: done, start: time.Now()}
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			b.w = f
		}
	}
	return b
}

// add counts n more, and draws the bar ten times a second.
func (b *bar) add(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done += n
	if b.w == nil || time.Since(b.last) < 100*time.Millisecond {
		return
	}
	b.last = time.Now()
	rate := float64(b.done-b.begun) / time.Since(b.start).Seconds()
	fmt.Fprintf(b.w, "\r  %s %s of %s  %s/s\x1b[K", cells(b.done, b.total), thousands(b.done), thousands(b.total), thousands(int(rate)))
}

// cells returns a bar of 30 cells for done of total.
func cells(done, total int) string {
	full := min(30*done/total, 30)
	return strings.Repeat("█", full) + strings.Repeat("░", 30-full)
}

// end removes the bar.
func (b *bar) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.w != nil && !b.last.IsZero() {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
	b.w = nil
}

package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// A bar shows progress on a terminal. It shows nothing elsewhere.
type bar struct {
	mu          sync.Mutex
	w           *os.File // nil if not a terminal
	total, done int
	begun       int // done at the start
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

// add adds n to the count. It draws the bar at most ten times per second.
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

// cells returns a bar of 30 cells that shows done of total.
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

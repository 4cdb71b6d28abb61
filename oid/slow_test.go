package oid_test

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/oidkit/oidkit/oid"
)

// This file does what the package does in the plainest way, to compare with.

// slowHex returns the hex digits of id.
func slowHex(id oid.ID) string {
	var b strings.Builder
	for _, x := range id {
		fmt.Fprintf(&b, "%02x", x)
	}
	return b.String()
}

// slowParse returns the ID with the hex form s.
func slowParse(s string) (id oid.ID, ok bool) {
	const digits = "0123456789abcdef"
	if len(s) != 24 {
		return oid.ID{}, false
	}
	for i := range s {
		digit := strings.IndexByte(digits, s[i])
		if 'A' <= s[i] && s[i] <= 'F' {
			digit = strings.IndexByte(digits, s[i]-'A'+'a')
		}
		if digit < 0 {
			return oid.ID{}, false
		}
		id[i/2] = id[i/2]<<4 | byte(digit)
	}
	return id, true
}

// slowGenerator makes IDs as the package documents it: one lock, one counter.
type slowGenerator struct {
	mu      sync.Mutex
	now     func() time.Time
	process [5]byte
	seconds int64
	counter int64
}

func (g *slowGenerator) New() oid.ID {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.counter++
	if g.counter == 1<<24 {
		g.counter = 0
		g.seconds++
	}
	if now := g.now().Unix(); now > g.seconds {
		g.seconds = now
	}
	return slowID(g.seconds, g.process, g.counter)
}

// slowID puts an ID together from its parts.
func slowID(seconds int64, process [5]byte, counter int64) oid.ID {
	id, ok := slowParse(fmt.Sprintf("%08x%x%06x", seconds, process, counter))
	if !ok {
		panic(fmt.Sprintf("slowID(%d, %x, %d) has no id", seconds, process, counter))
	}
	return id
}

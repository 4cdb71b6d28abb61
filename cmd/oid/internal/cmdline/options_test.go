package cmdline

import (
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/cmd/oid/internal/times"
)

// Every time of the help is one.
func TestTimesOfTheHelpAreTimes(t *testing.T) {
	now := time.Date(2026, time.November, 20, 12, 34, 56, 0, time.UTC)
	n := 0
	for word := range strings.FieldsFuncSeq(TimeHelp, func(r rune) bool { return strings.ContainsRune(",\n\"", r) }) {
		word = strings.TrimSpace(strings.TrimPrefix(word, "Times:"))
		word, _, _ = strings.Cut(word, " for ")
		for text := range strings.SplitSeq(strings.TrimPrefix(word, "and "), " or ") {
			if _, err := times.Parse(text, now); err == nil {
				n++
			}
		}
	}
	if n != 15 {
		t.Errorf("the help shows %d times, want 15:\n%s", n, TimeHelp)
	}
}

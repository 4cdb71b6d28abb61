package main

import (
	"fmt"
	"strings"
)

// An equivalent is a mutant that no test can kill, with the reason.
type equivalent struct {
	file, function, change, reason string
}

// parseEquivalents reads the list of equivalent mutants. Each is three lines: the
// file and the function, the change, the reason. A line between two is empty, and
// # begins a comment.
func parseEquivalents(text string) ([]equivalent, error) {
	var list []equivalent
	for block := range strings.SplitSeq(text, "\n\n") {
		var lines []string
		for line := range strings.Lines(block) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				lines = append(lines, line)
			}
		}
		if len(lines) == 0 {
			continue
		}
		file, function, ok := strings.Cut(lines[0], " ")
		if !ok || len(lines) < 3 || !strings.Contains(lines[1], " → ") {
			return nil, fmt.Errorf("equivalent.txt: %q: want the lines FILE FUNCTION, BEFORE → AFTER and the reason", lines[0])
		}
		list = append(list, equivalent{file, function, lines[1], strings.Join(lines[2:], " ")})
	}
	return list, nil
}

func (e equivalent) is(m *mutant) bool {
	return e.file == m.file && e.function == m.function && e.change == m.change()
}

func (e equivalent) String() string { return fmt.Sprintf("%s %s: %s", e.file, e.function, e.change) }

package main

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A block is a piece of code without branches.
type block struct {
	file       string // import path and file
	position   string // 12.3,14.5
	statements int
	ran        bool
}

// line returns the number of the block's first line.
func (b block) line() int {
	line, _, _ := strings.Cut(b.position, ".")
	n, _ := strconv.Atoi(line)
	return n
}

// parseProfile reads a text profile. A block can stand in it several times: it ran
// if it ran in one place.
func parseProfile(text string) ([]block, error) {
	index := map[string]int{}
	var blocks []block
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "mode: ") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) != 3 {
			return nil, fmt.Errorf("profile: %q", line)
		}
		file, position, ok := strings.Cut(fields[0], ".go:")
		statements, err := strconv.Atoi(fields[1])
		if !ok || err != nil {
			return nil, fmt.Errorf("profile: %q", line)
		}
		i, ok := index[fields[0]]
		if !ok {
			i = len(blocks)
			index[fields[0]] = i
			blocks = append(blocks, block{file: file + ".go", position: position, statements: statements})
		}
		if fields[2] != "0" {
			blocks[i].ran = true
		}
	}
	return blocks, nil
}

// A total says how many statements of a package ran.
type total struct {
	pkg             string // folder below the root
	ran, statements int
}

// tenths returns the percentage in tenths, rounded down.
func (t total) tenths() int { return 1000 * t.ran / t.statements }

// percent returns the percentage with one digit behind the point, rounded down.
func (t total) percent() float64 { return float64(t.tenths()) / 10 }

// summarize returns the totals of the packages that have statements.
func summarize(blocks []block, packages []string) []total {
	var totals []total
	for _, pkg := range packages {
		t := total{pkg: strings.TrimPrefix(pkg, home+"/")}
		for _, b := range blocks {
			if path.Dir(b.file) != pkg {
				continue
			}
			t.statements += b.statements
			if b.ran {
				t.ran += b.statements
			}
		}
		totals = append(totals, t)
	}
	return totals
}

// missing returns the positions of the blocks of a package that didn't run.
func missing(blocks []block, pkg string) []string {
	blocks = slices.DeleteFunc(slices.Clone(blocks), func(b block) bool {
		return b.ran || b.statements == 0 || path.Dir(b.file) != pkg
	})
	slices.SortFunc(blocks, func(a, b block) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line(), b.line()), cmp.Compare(a.position, b.position))
	})
	var lines []string
	for _, b := range blocks {
		lines = append(lines, fmt.Sprintf("%s:%d: %d not run", strings.TrimPrefix(b.file, home+"/"), b.line(), b.statements))
	}
	return lines
}

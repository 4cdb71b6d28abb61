package main

import (
	"fmt"
	"strings"
)

// head prints the first lines of a table of docs/sequence-performance.md.
func head(cells ...string) {
	fmt.Println()
	row(cells...)
	row(append([]string{"---"}, strings.Split(strings.Repeat("---: ", len(cells)-1), " ")[:len(cells)-1]...)...)
}

// row prints a row of such a table at once: a table takes minutes.
func row(cells ...string) { fmt.Println("| " + strings.Join(cells, " | ") + " |") }

// count returns n with a comma for the thousands.
func count(n float64) string {
	digits := fmt.Sprintf("%.0f", n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// grouped matches numbers with commas between thousands. It does not match 1,5, where
// the comma is a decimal separator.
var grouped = regexp.MustCompile(`^-?\d{1,3}(,\d{3})+([^\d,][^,]*)?$`)

// parseNumber reads a number as people write large ones: 1000, 1,000, 1_000, 1e3,
// 1k, 2.5M, 1G.
func parseNumber(s string) (float64, error) {
	digits := strings.ReplaceAll(s, "_", "")
	if grouped.MatchString(digits) {
		digits = strings.ReplaceAll(digits, ",", "")
	}
	factor := 1.0
	for suffix, f := range map[string]float64{"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9} {
		if rest, ok := strings.CutSuffix(digits, suffix); ok {
			digits, factor = rest, f
			break
		}
	}
	n, err := strconv.ParseFloat(digits, 64)
	n *= factor
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || strings.ContainsAny(digits, "xXpP") {
		return 0, fmt.Errorf("%s is not a number: write it as 1000, 1,000, 1e3, 1k or 2.5M", quote(s))
	}
	return n, nil
}

// parseCount reads a whole number above zero.
func parseCount(s string) (int64, error) {
	n, err := parseNumber(s)
	if err != nil {
		return 0, err
	}
	if n < 1 || n > 1e15 || n != math.Trunc(n) {
		return 0, fmt.Errorf("%s is not a count: want a whole number from 1 to 1e15", quote(s))
	}
	return int64(n), nil
}

// parseAbove reads a number greater than zero.
func parseAbove(s string) (float64, error) {
	n, err := parseNumber(s)
	if err == nil && n <= 0 {
		err = fmt.Errorf("%s: want a number above 0", quote(s))
	}
	return n, err
}

// Package format writes numbers, times and quoted input for people, and reads numbers.
package format

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// maxQuoted bounds how much of bad input an error shows.
const maxQuoted = 60

// Quote returns s in quotes, cut at maxQuoted bytes, but not within a character.
func Quote(s string) string {
	if len(s) <= maxQuoted {
		return strconv.Quote(s)
	}
	end := maxQuoted
	for end > maxQuoted-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return strconv.Quote(s[:end]) + "…"
}

// Time returns t in its zone, in whole seconds and with the offset. So two seconds never
// look the same, even when the clocks change.
func Time(t time.Time) string {
	name, _ := t.Zone()
	switch {
	case name == "UTC":
		return t.Format("2006-01-02 15:04:05 UTC")
	case strings.ContainsAny(name, "+-") || name == "": // a zone without letters
		return t.Format("2006-01-02 15:04:05 -07:00")
	}
	return t.Format("2006-01-02 15:04:05 -07:00 ") + name
}

// Zone returns the name of zone in the time zone database if that is known.
func Zone(zone *time.Location) string {
	name := zone.String()
	if name == "Local" { // TZ is not set
		target, _ := filepath.EvalSymlinks("/etc/localtime")
		if _, linked, ok := strings.Cut(target, "/zoneinfo/"); ok {
			return linked
		}
	}
	return name
}

// Age returns the time between t and now, in its two largest units.
func Age(t, now time.Time) string {
	span := Span(t, now)
	switch {
	case span == "":
		return "now"
	case t.After(now):
		return "in " + span
	}
	return span + " ago"
}

// Span returns the time between two times in its two largest units, rounded down, and "" for
// less than a second.
func Span(from, to time.Time) string {
	if from.After(to) {
		from, to = to, from
	}
	years := to.Year() - from.Year()
	if from.AddDate(years, 0, 0).After(to) {
		years--
	}
	rest := to.Sub(from.AddDate(years, 0, 0))
	const day = 24 * time.Hour
	units := []struct {
		n    int64
		name string
	}{
		{int64(years), "year"}, {int64(rest / day), "day"}, {int64(rest % day / time.Hour), "hour"},
		{int64(rest % time.Hour / time.Minute), "minute"}, {int64(rest % time.Minute / time.Second), "second"}, {},
	}
	for i, unit := range units {
		switch {
		case unit.n == 0:
		case units[i+1].n == 0: // not "1 year 3 minutes"
			return Plural(unit.n, unit.name)
		default:
			return Plural(unit.n, unit.name) + " " + Plural(units[i+1].n, units[i+1].name)
		}
	}
	return ""
}

// Thousands returns n, which is not negative, with commas between the thousands.
func Thousands(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Plural returns n and the noun, with an s unless n is 1.
func Plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Thousands(n) + " " + noun + "s"
}

// Count reads a whole number above zero as people write large ones: 1000, 1e3, 1k, 2.5M.
func Count(s string) (int64, error) {
	n, err := strconv.ParseFloat(strings.NewReplacer("k", "e3", "M", "e6", "G", "e9").Replace(s), 64)
	if err != nil || strings.ContainsAny(s, "xXpP_") || n < 1 || n > 1e15 || n != math.Trunc(n) {
		return 0, fmt.Errorf("%s is not a count: want a whole number from 1 to 1e15, such as 1000, 1k or 2.5M", Quote(s))
	}
	return int64(n), nil
}

package main

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

// quote returns s in quotes, cut at maxQuoted bytes, but not within a character.
func quote(s string) string {
	if len(s) > maxQuoted {
		end := maxQuoted
		for end > maxQuoted-utf8.UTFMax && !utf8.RuneStart(s[end]) {
			end--
		}
		return strconv.Quote(s[:end]) + "…"
	}
	return strconv.Quote(s)
}

// formatTime returns t in its zone, in whole seconds and with the offset. So two times
// never look the same, even when the clocks change.
func formatTime(t time.Time) string {
	name, _ := t.Zone()
	if name == "UTC" {
		return t.Format("2006-01-02 15:04:05 UTC")
	}
	if strings.ContainsAny(name, "+-") || name == "" { // a zone without letters
		return t.Format("2006-01-02 15:04:05 -07:00")
	}
	return t.Format("2006-01-02 15:04:05 -07:00 ") + name
}

// zoneName returns the name of zone in the time zone database if that is known.
func zoneName(zone *time.Location) string {
	name := zone.String()
	if name == "Local" { // TZ is not set
		target, _ := filepath.EvalSymlinks("/etc/localtime")
		if _, linked, ok := strings.Cut(target, "/zoneinfo/"); ok {
			return linked
		}
	}
	return name
}

// formatAge returns the time between t and now, in its two largest units.
func formatAge(t, now time.Time) string {
	from, to := t, now
	if t.After(now) {
		from, to = now, t
	}
	span := formatSpan(from, to)
	switch {
	case span == "":
		return "now"
	case t.After(now):
		return "in " + span
	}
	return span + " ago"
}

// formatSpan returns the time between from and to in its two largest units,
// rounded down, and "" for less than a second.
func formatSpan(from, to time.Time) string {
	years := to.Year() - from.Year()
	if from.AddDate(years, 0, 0).After(to) {
		years--
	}
	rest := to.Sub(from.AddDate(years, 0, 0))
	const day = 24 * time.Hour
	var parts []string
	for _, u := range []struct {
		n    int64
		name string
	}{
		{int64(years), "year"}, {int64(rest / day), "day"}, {int64(rest % day / time.Hour), "hour"},
		{int64(rest % time.Hour / time.Minute), "minute"}, {int64(rest % time.Minute / time.Second), "second"},
	} {
		switch {
		case u.n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", u.n, u.name))
		case u.n == 1:
			parts = append(parts, "1 "+u.name)
		case len(parts) > 0:
			return parts[0] // not "1 year 3 minutes"
		}
		if len(parts) == 2 {
			break
		}
	}
	return strings.Join(parts, " ")
}

// thousands returns n, which is not negative, with commas between the thousands.
func thousands(n int64) string {
	digits := strconv.FormatInt(n, 10)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// number returns x with three digits. If x is large, it has commas or a power of ten.
func number(x float64) string {
	switch {
	case x >= 1e15:
		return power(x)
	case x >= 999.5 || x == math.Trunc(x):
		return thousands(int64(math.Round(x)))
	}
	return fmt.Sprintf("%.3g", x)
}

// power returns x as 1.23 × 10^45.
func power(x float64) string {
	mantissa, exponent, _ := strings.Cut(fmt.Sprintf("%.2e", x), "e")
	return mantissa + " × 10^" + strings.TrimLeft(exponent, "+0")
}

// plural returns n and the noun in singular or plural.
func plural(n float64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + many
}

// percent returns the chance p in percent.
func percent(p float64) string {
	switch {
	case p == 0:
		return "0 %"
	case p >= 0.9995 && p < 1: // three digits would be 100
		return "> 99.9 %"
	}
	return fmt.Sprintf("%.3g %%", 100*p)
}

// oneIn returns the chance p in the form "1 in 1,000".
func oneIn(p float64) string {
	switch {
	case p == 0:
		return "never"
	case p > 0.5:
		return ""
	}
	return "1 in " + number(math.Round(1/p))
}

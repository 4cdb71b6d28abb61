package main

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// An amount is a length of time, such as an hour or 1 month 2 days.
type amount struct {
	months, days int
	clock        time.Duration
}

var (
	amountPattern = regexp.MustCompile(`^(?:(\d{1,9})(\.\d{1,9})? ?|(an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) )([a-z]+)(?:,? and |,? )?`)

	// numbers are the number words of amountPattern.
	numbers = map[string]int{"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
		"seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12}

	// amounts are the units that can be counted.
	amounts = func() map[string]amount {
		all := map[string]amount{}
		for names, one := range map[string]amount{
			"s sec secs second seconds": {clock: time.Second},
			"m min mins minute minutes": {clock: time.Minute},
			"h hr hrs hour hours":       {clock: time.Hour},
			"d day days":                {days: 1},
			"w wk week weeks":           {days: 7},
			"mo mon mos month months":   {months: 1},
			"q quarter quarters":        {months: 3},
			"y yr yrs year years":       {months: 12},
		} {
			for _, name := range strings.Fields(names) {
				all[name] = one
			}
		}
		return all
	}()
)

// amount reads all of s as an amount.
func (p *timeParser) amount(s string) (sum amount, ok bool) {
	for s != "" {
		m := amountPattern.FindStringSubmatch(s)
		if m == nil {
			return amount{}, false
		}
		one, known := amounts[m[4]]
		if !known {
			return amount{}, false
		}
		n, isWord := numbers[m[3]]
		if !isWord {
			n, _ = strconv.Atoi(m[1])
		}
		if one.clock == 0 {
			if m[2] != "" {
				p.problem = "only hours, minutes and seconds can have a fraction"
				return amount{}, false
			}
			if n > 999_999 {
				p.problem = "it is too far away"
				return amount{}, false
			}
			sum.months += n * one.months
			sum.days += n * one.days
		} else {
			fraction, _ := strconv.ParseFloat("0"+m[2], 64)
			if float64(sum.clock)+float64(one.clock)*(float64(n)+1) > 9e18 {
				p.problem = "it is too far away"
				return amount{}, false
			}
			sum.clock += time.Duration(n)*one.clock + time.Duration(fraction*float64(one.clock))
		}
		s = s[len(m[0]):]
	}
	return sum, sum != amount{}
}

// after returns the time that is the given amount after now if times is 1, and before
// now if times is -1.
func (p *timeParser) after(a amount, times int) (t time.Time, note string) {
	t = p.now
	if a.months != 0 || a.days != 0 {
		c := civil(t)
		then := c.AddDate(0, times*a.months, 0)
		if then.Day() != c.Day() { // the month has no such day
			then = then.AddDate(0, 0, -then.Day())
		}
		t, note = resolve(then.AddDate(0, 0, times*a.days), t.Location())
	}
	return t.Add(time.Duration(times) * a.clock), note
}

// elapsed reads times before and after now: 3 days ago, in 2 hours, 36h, +1 month.
// Their span reaches to now.
func (p *timeParser) elapsed(s string) (moment, bool) {
	times := 0
	if rest, ok := strings.CutSuffix(s, " ago"); ok {
		s, times = rest, -1
	} else if rest, ok := strings.CutSuffix(s, " from now"); ok {
		s, times = rest, 1
	} else if rest, ok := strings.CutPrefix(s, "in "); ok {
		s, times = rest, 1
	} else if rest, ok := strings.CutPrefix(s, "+"); ok {
		s, times = strings.TrimPrefix(rest, " "), 1
	} else if rest, ok := strings.CutPrefix(s, "-"); ok {
		s, times = strings.TrimPrefix(rest, " "), -1
	} else if rest, ok := cutPrefixes(s, "last ", "past "); ok {
		s, times = rest, -1
	} else if rest, ok := strings.CutPrefix(s, "next "); ok {
		a, ok := p.amount(rest)
		if !ok {
			return moment{}, false
		}
		t, note := p.after(a, 1)
		return moment{at: p.now, from: p.now, to: t, note: note}, true
	} else if !strings.Contains(s, " ") {
		times = -1
	}
	if times == 0 {
		return moment{}, false
	}
	a, ok := p.amount(s)
	if !ok {
		return moment{}, false
	}
	t, note := p.after(a, times)
	if times < 0 {
		return moment{at: t, from: t, to: p.now, note: note}, true
	}
	return moment{at: t, from: p.now, to: t, note: note}, true
}

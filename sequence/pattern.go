package sequence

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A pattern is the form of a number's text.
type pattern struct {
	calendar
	source string // as the caller wrote it
	parts  []part
	short  bool           // no year has four digits, so two digits mean 2000 to 2099
	most   int64          // how many numbers a period can have
	texts  *regexp.Regexp // its texts, with a group for each part
}

// A part of a pattern is text, a field of the date, or the number.
type part struct {
	text  string // fixed text
	field string // Q, or a field of the date in the layout of package time
	later int    // 1 for +2006 and +06 if late of the calendar is 1, otherwise 0
	width int    // how many digits the number has at least; 0 if the part isn't the number
}

const dateField, separator = `\+?2006|002|01|02|\+?06|Q`, `[-/._ :]`

var (
	inDate    = regexp.MustCompile(dateField + `|` + separator)
	dateToken = regexp.MustCompile(`\{(?:` + inDate.String() + `)+\}`)
	tokens    = regexp.MustCompile(`\{(0{1,100})(\+?)\}|\{(` + dateField + `)\}|\{(` + separator + `)\}|\{[^{}]*\}|[^{}]+|[{}]`)
)

// restarts says how often the count of a pattern starts over, by the smallest date field of
// the pattern.
var restarts = map[string]cadence{"2006": yearly, "06": yearly, "Q": quarterly, "01": monthly, "02": daily, "002": daily}

// parsePattern returns the pattern of a text, whose years begin as cfg says.
func parsePattern(s string, cfg config) (p pattern, err error) {
	p = pattern{calendar: cfg.years, source: s, most: perPeriod - 1}
	if !utf8.ValidString(s) {
		return p, errors.New("not UTF-8")
	}
	has, texts, numbers := map[string]bool{}, "", 0
	add := func(pt part, expression string) {
		p.parts = append(p.parts, pt)
		texts += "(" + expression + ")"
	}
	// {2006-01} is short for {2006}{-}{01}.
	s = dateToken.ReplaceAllStringFunc(s, func(date string) string { return inDate.ReplaceAllString(date[1:len(date)-1], "{$0}") })
	for _, groups := range tokens.FindAllStringSubmatch(s, -1) {
		token, zeros, grows, field, separator := groups[0], groups[1], groups[2], groups[3], groups[4]
		switch {
		case token == "{":
			return p, errors.New("a { has no matching }")
		case token == "}":
			return p, errors.New("a } has no matching {")
		case token[0] != '{', separator != "":
			text := strings.Trim(token, "{}")
			add(part{text: text}, regexp.QuoteMeta(text))
		case zeros != "":
			if grows == "" && len(zeros) < 13 {
				p.most = int64(math.Pow10(len(zeros))) - 1
			}
			numbers++
			add(part{width: len(zeros)}, "[0-9]+")
		case field != "":
			pt := part{field: strings.TrimPrefix(field, "+")}
			if pt.field != field {
				pt.later = p.late
			}
			p.cadence = max(p.cadence, restarts[pt.field])
			has["day first"] = has["day first"] || field == "02" && !has["01"]
			has[field] = true
			add(pt, fmt.Sprintf("[0-9]{%d}", len(pt.field)))
		default:
			return p, fmt.Errorf("%s is not a field: want a number such as {00000}, with at most 100 zeros, or date fields: 2006, 06, +2006, +06, Q, 01, 02 or 002", token)
		}
	}
	if numbers != 1 {
		return p, fmt.Errorf("%d fields for the number, want one, such as {00000}", numbers)
	}
	p.texts = regexp.MustCompile("^" + texts + "$")
	err = p.check(has, cfg)
	return p, err
}

// check refuses patterns in which two periods would have the same text, or one that a reader
// takes for another's. It sets what depends on all fields that p has.
func (p *pattern) check(has map[string]bool, cfg config) error {
	begin, end := has["2006"] || has["06"], has["+2006"] || has["+06"]
	year := begin || end
	p.short = year && !has["2006"] && !has["+2006"]
	// A change of the pattern must not give two periods the same text: FY2026 is another year
	// in a pattern with {2006} than in one with {+2006}, and 02.01. is another day in one with
	// {01}.{02}.
	if p.late > 0 && end && !begin {
		p.from += " with end year"
	}
	if has["day first"] && has["01"] {
		p.from += " with day first"
	}
	return cmp.Or(
		unless(!has["02"] || has["01"] || has["002"], "a day without its month: add {01}"),
		unless(p.cadence == never || year, "a day, month or quarter without its year, so the texts would repeat: add {2006}"),
		unless(year || !cfg.started && cfg.dates == "", "WithYearStart and WithDates need a date: add {2006}"),
		unless(!end || cfg.started, "a field with + is for fiscal years: add WithYearStart"),
		unless(p.late == 0 || !has["002"], "the day {002} counts from 1 January, but the year begins on %d %v: write {01}{02}", p.day, p.month),
		unless(p.late == 0 || !has["01"] || end, "{2006} is the year in which the fiscal year begins, so readers can mistake the year of a month: add {+06}, as in {2006}-{+06}/{01}"),
		unless(p.cadence != monthly || p.day == 1, "a fiscal year that begins on %d %v has days in %v of two calendar years, and their texts would be equal: add {02}, or write {Q}", p.day, p.month, p.month),
	)
}

// first returns the first day of the period of t, since 1970.
func (p pattern) first(t time.Time) (day int64, err error) {
	day = p.begin(t, time.UTC, 0).Unix() / 86400
	fiscal, _ := p.fiscal(t)
	last := fiscal + p.late // the greatest year of a date of the period
	return day, cmp.Or(
		unless(p.cadence == never || !t.IsZero(), "the date is the zero Time"),
		unless(p.cadence == never || last <= 9999, "%w: the year %d is after 9999", ErrExhausted, last),
		unless(!p.short || fiscal/100 == 20, "a year of two digits means 2000 to 2099, but the year of the date begins in %d: write {2006}", fiscal),
		unless(day >= 0, "the period of %s begins before 1970", t.Format(time.DateOnly)),
	)
}

// text returns the text of a count, whose number is at least least. x is the integer that
// stores keep.
func (p pattern) text(x, least int64) (string, error) {
	day, serial := x/perPeriod, x%perPeriod
	t := dayStart(day)
	if first, err := p.first(t); serial < least || serial > p.most || first != day || err != nil {
		var period string
		if p.cadence != never {
			period = " in the period that begins on " + t.Format(time.DateOnly)
		}
		return "", fmt.Errorf("the last number of the key, %d%s, doesn't fit the pattern %q: use the same pattern in all programs, or a new key; if all use this pattern, somebody changed the row", serial, period, p.source)
	}
	var b []byte
	fiscal, months := p.fiscal(t)
	for _, part := range p.parts {
		switch {
		case part.field == "Q":
			b = append(b, '1'+byte(months/3))
		case part.field == "2006", part.field == "06":
			b = time.Date(fiscal+part.later, 1, 1, 0, 0, 0, 0, time.UTC).AppendFormat(b, part.field)
		case part.width > 0:
			b = fmt.Appendf(b, "%0*d", part.width, serial)
		default:
			b = append(t.AppendFormat(b, part.field), part.text...)
		}
	}
	return string(b), nil
}

// parse returns the count of a text, as the integer that stores keep. The number is at least
// least. The period that the fields of the date name must have this text again.
func (p pattern) parse(text string, least int64) (x int64, err error) {
	mismatch := fmt.Errorf("the text doesn't match the pattern %q", p.source)
	groups := p.texts.FindStringSubmatch(text)
	if groups == nil {
		return 0, mismatch
	}
	values := map[string]int{}
	var serial int64
	for i, part := range p.parts {
		switch value := groups[i+1]; {
		case part.width > 0:
			if serial, err = strconv.ParseInt(value, 10, 64); err != nil {
				return 0, mismatch
			}
			if serial < least || serial > p.most {
				return 0, fmt.Errorf("the number %d is out of range: want %d to %d", serial, least, p.most)
			}
		case part.field != "":
			v, _ := strconv.Atoi(value)
			values[part.field] = v - part.later
		}
	}
	day, _ := p.first(p.date(values)) // the error comes from text, too
	x = day*perPeriod + serial
	if again, _ := p.text(x, least); again != text {
		return 0, mismatch
	}
	return x, nil
}

package sequence

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// perPeriod is how many numbers a period can have. Counts are multiples of it, plus a
// number.
const perPeriod = 1 << 40

// A period says when a count starts over. Its values are days since 1970. They are the
// day itself, the first day of the month or of the year, and 0 for never.
type period int

const (
	never period = iota
	yearly
	monthly
	daily
)

// cadences are the periods in the Meaning of a key.
var cadences = [...]string{"never", "yearly", "monthly", "daily"}

func (p period) String() string { return cadences[p] }

// end returns when the period of t, in the zone of t, ends. It is the zero Time for never.
func (p period) end(t time.Time) time.Time {
	year, month, day := t.Date()
	switch p {
	case yearly:
		return time.Date(year+1, 1, 1, 0, 0, 0, 0, t.Location())
	case monthly:
		return time.Date(year, month+1, 1, 0, 0, 0, 0, t.Location())
	case daily:
		return time.Date(year, month, day+1, 0, 0, 0, 0, t.Location())
	}
	return time.Time{}
}

// of returns the period of t, in the zone of t.
func (p period) of(t time.Time) int64 {
	year, month, day := t.Date()
	switch p {
	case never:
		return 0
	case yearly:
		month, day = 1, 1
	case monthly:
		day = 1
	}
	return max(date(year, month, day).Unix()/86400, 0)
}

// date returns when a day began, in UTC.
func date(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// dayStart returns when a day since 1970 began, in UTC.
func dayStart(day int64) time.Time { return time.Unix(day*86400, 0).UTC() }

// lastDay is the last that has a year of four digits.
var lastDay = daily.of(date(9999, 12, 31))

// A pattern is the form of a number's text.
type pattern struct {
	source string // as the caller wrote it
	parts  []part
	period period
	texts  *regexp.Regexp // its texts, with a group for each field and for the number
}

// A part of a pattern is text, a field of the date, or the number.
type part struct {
	text  string // fixed text
	field string // of the date, in the layout of package time
	width int    // the least digits of the number; 0 means that the part isn't the number
	grows bool
}

// fields are the fields of a date. The longer ones come first.
var fields = []string{"2006", "002", "01", "02", "06"}

func parsePattern(s string) (pattern, error) {
	p := pattern{source: s}
	if !utf8.ValidString(s) {
		return p, errors.New("not UTF-8")
	}
	numbers := 0
	for s != "" {
		text, rest, found := strings.Cut(s, "{")
		if strings.Contains(text, "}") {
			return pattern{}, errors.New("a } without its {")
		}
		if text != "" {
			p.parts = append(p.parts, part{text: text})
		}
		if !found {
			break
		}
		inside, after, found := strings.Cut(rest, "}")
		if !found {
			return pattern{}, errors.New("a { without its }")
		}
		s = after
		if zeros := strings.TrimSuffix(inside, "+"); zeros != "" && strings.Trim(zeros, "0") == "" {
			p.parts = append(p.parts, part{width: len(zeros), grows: zeros != inside})
			numbers++
			continue
		}
		parts, err := parseDate(inside)
		if err != nil {
			return pattern{}, err
		}
		p.parts = append(p.parts, parts...)
	}
	switch {
	case numbers == 0:
		return pattern{}, errors.New("no field for the number: add one, such as {00000}")
	case numbers > 1:
		return pattern{}, fmt.Errorf("%d fields for the number: keep one", numbers)
	}
	// Apart from the return: Go doesn't say in which order that evaluates p and a call
	// that changes p.
	err := p.setPeriod()
	p.texts = p.expression()
	return p, err
}

// parseDate returns the parts of a date in braces.
func parseDate(inside string) (parts []part, err error) {
	for s := inside; s != ""; {
		field := ""
		for _, f := range fields {
			if strings.HasPrefix(s, f) {
				field = f
				break
			}
		}
		if field != "" {
			parts = append(parts, part{field: field})
			s = s[len(field):]
			continue
		}
		if !strings.ContainsRune("-/._ :", rune(s[0])) {
			break
		}
		parts = append(parts, part{text: s[:1]})
		s = s[1:]
	}
	length := 0
	for _, p := range parts {
		length += len(p.field) + len(p.text)
	}
	if length != len(inside) || length == 0 {
		return nil, fmt.Errorf("{%s} is neither a number such as {00000} nor a date of the fields 2006, 06, 01, 02 and 002", inside)
	}
	return parts, nil
}

// setPeriod finds the smallest field. It refuses patterns in which two periods would
// have the same text.
func (p *pattern) setPeriod() error {
	has := map[string]bool{}
	for _, part := range p.parts {
		has[part.field] = true
	}
	year := has["2006"] || has["06"]
	switch {
	case has["002"]:
		p.period = daily
	case has["02"] && !has["01"]:
		return errors.New("a day without its month: add {01}")
	case has["02"]:
		p.period = daily
	case has["01"]:
		p.period = monthly
	case year:
		p.period = yearly
	}
	if p.period != never && !year {
		return errors.New("a day or month without its year: add {2006}, or the numbers come again")
	}
	return nil
}

// most returns how many numbers of p a period can have.
func (p pattern) most() int64 {
	most := int64(perPeriod - 1)
	for _, part := range p.parts {
		if part.width > 0 && !part.grows && part.width < 13 {
			most = min(most, int64(math.Pow10(part.width))-1)
		}
	}
	return most
}

// text returns the text of a count. x is the integer that stores keep.
func (p pattern) text(x int64) (string, error) {
	day, serial := x/perPeriod, x%perPeriod
	if serial == 0 || serial > p.most() || day > lastDay || p.period.of(dayStart(day)) != day {
		return "", fmt.Errorf("the store's count is %d, which is no number of the pattern %q: the row was changed by hand", x, p.source)
	}
	t := dayStart(day)
	var b []byte
	for _, part := range p.parts {
		switch {
		case part.field != "":
			b = t.AppendFormat(b, part.field)
		case part.width == 0:
			b = append(b, part.text...)
		default:
			b = fmt.Appendf(b, "%0*d", part.width, serial)
		}
	}
	return string(b), nil
}

// expression returns the regular expression of the texts of p.
func (p pattern) expression() *regexp.Regexp {
	var b strings.Builder
	for _, part := range p.parts {
		switch {
		case part.field != "":
			fmt.Fprintf(&b, `([0-9]{%d})`, len(part.field))
		case part.width == 0:
			b.WriteString(regexp.QuoteMeta(part.text))
		default:
			b.WriteString(`([0-9]+)`)
		}
	}
	return regexp.MustCompile(`^` + b.String() + `$`)
}

// parse returns the count of a text, as the integer that stores keep.
func (p pattern) parse(text string) (x int64, err error) {
	mismatch := fmt.Errorf("not of the pattern %q", p.source)
	groups := p.texts.FindStringSubmatch(text)
	if groups == nil {
		return 0, mismatch
	}
	values := map[string]int64{"2006": 1970, "01": 1, "02": 1}
	i := 0
	for _, part := range p.parts {
		if part.field == "" && part.width == 0 {
			continue
		}
		i++
		value := groups[i]
		if part.width > 18 { // more zeros than an int64 has digits
			value = strings.TrimLeft(value, "0")
		}
		n, ok := digits(value)
		if !ok {
			return 0, mismatch
		}
		values[part.field] = n // the number has the field ""
	}
	if short, ok := values["06"]; ok && values["2006"] == 1970 {
		values["2006"] = 2000 + short
	}
	t := date(int(values["2006"]), time.Month(values["01"]), int(values["02"]))
	if yearDay, ok := values["002"]; ok {
		t = date(int(values["2006"]), 1, int(yearDay))
	}
	serial := values[""]
	if serial < 1 || serial > p.most() {
		return 0, fmt.Errorf("the number %d is out of range", serial)
	}
	x = p.period.of(t)*perPeriod + serial
	if back, err := p.text(x); err != nil || back != text {
		return 0, mismatch
	}
	return x, nil
}

// documentAt returns the document number of a count: when its period began, or the zero
// Time if the count never restarts, and the number in the period.
func documentAt(p period, zone *time.Location, x int64) (began time.Time, serial int64) {
	if p != never {
		year, month, day := dayStart(x / perPeriod).Date()
		began = time.Date(year, month, day, 0, 0, 0, 0, zone)
	}
	return began, x % perPeriod
}

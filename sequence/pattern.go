package sequence

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"
	"unicode/utf8"
)

// perPeriod is how many numbers a period can have. Counts are multiples of it, plus a
// number.
const perPeriod = 1 << 40

// A period says when a count starts over.
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

// begin returns when the period began that has the date of t, or a later one, as a date of
// zone. Of never, it is 1970.
func (p period) begin(t time.Time, zone *time.Location, later int) time.Time {
	year, month, day := t.Date()
	switch p {
	case never:
		year, month, day = 1970, 1, 1
	case yearly:
		year, month, day = year+later, 1, 1
	case monthly:
		month, day = month+time.Month(later), 1
	case daily:
		day += later
	}
	return time.Date(year, month, day, 0, 0, 0, 0, zone)
}

// of returns the period that has the date of t, as its first day since 1970.
func (p period) of(t time.Time) int64 {
	return max(p.begin(t, time.UTC, 0).Unix()/86400, 0)
}

// dayStart returns when a day since 1970 began, in UTC.
func dayStart(day int64) time.Time { return time.Unix(day*86400, 0).UTC() }

// lastDay is the last that has a year of four digits.
var lastDay = daily.of(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC))

// A pattern is the form of a number's text.
type pattern struct {
	source string // as the caller wrote it
	parts  []part
	period period
	most   int64          // how many numbers a period can have
	texts  *regexp.Regexp // its texts, with a group for each part
}

// A part of a pattern is text, a field of the date, or the number.
type part struct {
	text  string // fixed text
	field string // of the date, in the layout of package time
	width int    // the least digits of the number; 0 means that the part isn't the number
}

var (
	tokens      = regexp.MustCompile(`\{[^{}]*\}|[^{}]+|[{}]`)
	numberField = regexp.MustCompile(`^\{(0{1,100})(\+?)\}$`)
	dateFields  = regexp.MustCompile(`^\{(?:2006|002|01|02|06|[-/._ :])+\}$`)
	dateField   = regexp.MustCompile(`2006|002|01|02|06|[-/._ :]`)
)

func parsePattern(s string) (p pattern, err error) {
	p = pattern{source: s, most: perPeriod - 1}
	if !utf8.ValidString(s) {
		return p, errors.New("not UTF-8")
	}
	has, texts, numbers := map[string]bool{}, "", 0
	add := func(pt part, expression string) {
		p.parts = append(p.parts, pt)
		has[pt.field] = true
		texts += "(" + expression + ")"
	}
	for _, token := range tokens.FindAllString(s, -1) {
		number := numberField.FindStringSubmatch(token)
		switch {
		case token == "{":
			return p, errors.New("a { without its }")
		case token == "}":
			return p, errors.New("a } without its {")
		case token[0] != '{':
			add(part{text: token}, regexp.QuoteMeta(token))
		case number != nil:
			width := len(number[1])
			if number[2] == "" && width < 13 {
				p.most = int64(math.Pow10(width)) - 1
			}
			numbers++
			add(part{width: width}, "[0-9]+")
		case dateFields.MatchString(token):
			for _, field := range dateField.FindAllString(token, -1) {
				if len(field) == 1 {
					add(part{text: field}, regexp.QuoteMeta(field))
				} else {
					add(part{field: field}, fmt.Sprintf("[0-9]{%d}", len(field)))
				}
			}
		default:
			return p, fmt.Errorf("%s is neither a number such as {00000}, with at most 100 zeros, nor a date of the fields 2006, 06, 01, 02 and 002", token)
		}
	}
	if numbers != 1 {
		return p, fmt.Errorf("%d fields for the number: write one, such as {00000}", numbers)
	}
	p.texts = regexp.MustCompile("^" + texts + "$")
	p.period, err = smallest(has)
	return p, err
}

// smallest returns the period of the smallest field. It refuses patterns in which two
// periods would have the same text.
func smallest(has map[string]bool) (period, error) {
	p, year := never, has["2006"] || has["06"]
	switch {
	case has["002"], has["02"]:
		p = daily
	case has["01"]:
		p = monthly
	case year:
		p = yearly
	}
	return p, cmp.Or(
		unless(!has["02"] || has["01"] || has["002"], "a day without its month: add {01}"),
		unless(p == never || year, "a day or month without its year: add {2006}, or the numbers come again"),
	)
}

// text returns the text of a count. x is the integer that stores keep.
func (p pattern) text(x int64) (string, error) {
	day, serial := x/perPeriod, x%perPeriod
	t := dayStart(day)
	if serial == 0 || serial > p.most || day > lastDay || p.period.of(t) != day {
		return "", fmt.Errorf("the store's count is %d, which is no number of the pattern %q: the row was changed by hand", x, p.source)
	}
	return p.format(t, serial), nil
}

// format returns the text of a number of the period of t.
func (p pattern) format(t time.Time, serial int64) string {
	var b []byte
	for _, part := range p.parts {
		switch {
		case part.field != "":
			b = t.AppendFormat(b, part.field)
		case part.width > 0:
			b = fmt.Appendf(b, "%0*d", part.width, serial)
		default:
			b = append(b, part.text...)
		}
	}
	return string(b)
}

// parse returns the count of a text, as the integer that stores keep. The number is at least
// least. Package time reads
// the fields of the date. Then the count must have this text again.
func (p pattern) parse(text string, least int64) (x int64, err error) {
	mismatch := fmt.Errorf("not of the pattern %q", p.source)
	groups := p.texts.FindStringSubmatch(text)
	if groups == nil {
		return 0, mismatch
	}
	layout, date := "", ""
	var serial int64
	for i, part := range p.parts {
		switch value := groups[i+1]; {
		case part.width > 0:
			if serial, err = strconv.ParseInt(value, 10, 64); err != nil {
				return 0, mismatch
			}
			if serial < least || serial > p.most {
				return 0, fmt.Errorf("the number %d is out of range", serial)
			}
		case part.field == "06": // comes first, so that a field 2006 counts instead
			layout, date = " 2006"+layout, " 20"+value+date
		case part.field != "":
			layout, date = layout+" "+part.field, date+" "+value
		}
	}
	t, err := time.Parse(layout, date)
	if err != nil {
		return 0, mismatch
	}
	day := p.period.of(t)
	if dayStart(day).Before(p.period.begin(t, time.UTC, 0)) || day > lastDay || p.format(dayStart(day), serial) != text {
		return 0, mismatch
	}
	return day*perPeriod + serial, nil
}

// documentAt returns the document number of a count: when its period began, or the zero
// Time if the count never restarts, and the number in the period.
func documentAt(p period, zone *time.Location, x int64) (began time.Time, serial int64) {
	if p != never {
		began = daily.begin(dayStart(x/perPeriod), zone, 0)
	}
	return began, x % perPeriod
}

// zoneName returns what names a time zone on every machine. It is the name in the IANA
// database, such as Europe/Berlin. A zone that has none, such as time.Local, is named by
// its offsets on 1 January and 1 July 2025, such as +01:00/+02:00. These stay what they
// are when a country changes its rules.
func zoneName(zone *time.Location) string {
	offsets := offsetsOf(zone)
	named, err := time.LoadLocation(zone.String())
	switch {
	case err == nil && named != time.Local && offsetsOf(named) == offsets:
		return named.String()
	case offsets == "Z":
		return "UTC"
	}
	return offsets
}

func offsetsOf(zone *time.Location) string {
	january := time.Date(2025, 1, 1, 0, 0, 0, 0, zone).Format("Z07:00")
	july := time.Date(2025, 7, 1, 0, 0, 0, 0, zone).Format("Z07:00")
	if january == july {
		return january
	}
	return january + "/" + july
}

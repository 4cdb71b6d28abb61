package sqltext

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// A token is a word, a column or table with its qualifier, a placeholder, or a sign.
type token struct {
	kind  kind
	text  string // in lower case, without quotes
	table string // the qualifier of a name: u of u.id
}

type kind int

const (
	sign    kind = iota // also numbers, texts, and what stands for the end of the statement
	keyword             // a word of SQL that is no name
	name                // a column, a table, a function
	param               // a placeholder, whose text is its number or name
)

// A literal text is one sign, and so is a cast. A bun argument such as ?TableName is a sign.
var lexeme = regexp.MustCompile("(?s)--[^\n]*|/\\*.*?\\*/|'(?:[^']|'')*'|\"[^\"]+\"|`[^`]+`|\\$\\d+|::\\s*\\w+(?:\\[\\])?|[:@]\\w+|\\?\\w*|\\w+|<>|!=|<=|>=|\\|\\||\\S")

var keywords = func() map[string]bool {
	words := make(map[string]bool)
	for word := range strings.FieldsSeq(`all and any as asc between by case conflict cross delete desc distinct do duplicate else end except
		exists fetch for from full group having ilike in inner insert intersect into is join lateral left like limit lock natural not
		nothing null offset on only or order outer over replace returning right select set some table then union update using
		values when where window with`) {
		words[word] = true
	}
	return words
}()

// tokens reads a text, and counts the placeholders that are a question mark. It returns
// nothing for a text with a backslash or $$, which databases read in different ways.
func tokens(text string) (list []token, questions int) {
	if strings.ContainsAny(text, `\`) || strings.Contains(text, "$$") {
		return nil, 0
	}
	numbered := regexp.MustCompile(`\$\d`).MatchString(text)
	for _, s := range lexeme.FindAllString(text, -1) {
		t := token{sign, strings.ToLower(s), ""}
		switch first := s[0]; {
		case strings.HasPrefix(s, "--"), strings.HasPrefix(s, "/*"), s == "::bytea", s == "::objectid", s == "::bytea[]", s == "::objectid[]":
			continue // a cast to what an ID is changes nothing
		case s == "?" && !numbered:
			questions++
			t = token{param, strconv.Itoa(questions), ""}
		case first == '$' && len(s) > 1, first == ':' && len(s) > 1 && s[1] != ':', first == '@' && len(s) > 1:
			t = token{param, s[1:], ""}
		case (first == '"' || first == '`') && len(s) > 1:
			t = token{name, strings.ToLower(s[1 : len(s)-1]), ""}
		case first == '_' || unicode.IsLetter(rune(first)):
			if t.kind = name; keywords[t.text] {
				t.kind = keyword
			}
		}
		// A name after a dot continues the one before it.
		if n := len(list); n >= 2 && t.kind != param && list[n-1].text == "." && list[n-2].kind == name && (t.kind != sign || s == "*") {
			list = append(list[:n-2], token{name, t.text, list[n-2].text})
			continue
		}
		list = append(list, t)
	}
	return list, questions
}

package postgres

import (
	"regexp"
	"strings"
)

// A statement is one SQL statement on its way through a [Strict] server.
type statement struct {
	text   string // to send to the server
	folded string // in upper case with single spaces, without comments, with empty literals and quoted names
}

var (
	control = regexp.MustCompile(`^(?:BEGIN|START|COMMIT|END|ROLLBACK|ABORT|SAVEPOINT|RELEASE|PREPARE TRANSACTION)\b`)
	commit  = regexp.MustCompile(`^(?:COMMIT|END)\b`)
	ddl     = regexp.MustCompile(`^(?:CREATE|ALTER|DROP|COMMENT|GRANT|REVOKE)\b`)
	dml     = regexp.MustCompile(`^(?:INSERT|UPDATE|DELETE|MERGE|COPY|WITH .*\b(?:INSERT INTO|UPDATE|DELETE FROM)\b)`)
	alone   = regexp.MustCompile(`^(?:(?:CREATE|DROP) DATABASE|VACUUM|ALTER SYSTEM)\b|\bCONCURRENTLY\b`)
)

// is reports whether the statement is one of a kind.
func (st *statement) is(kind *regexp.Regexp) bool { return kind.MatchString(st.folded) }

// split returns the statements of sql, as the engine sends them to PostgreSQL.
func (e *Engine) split(sql string) (all []*statement) {
	var text, folded strings.Builder
	end := func() {
		if f := strings.TrimSpace(folded.String()); f != "" {
			all = append(all, &statement{text.String(), strings.Join(strings.Fields(f), " ")})
		}
		text.Reset()
		folded.Reset()
	}
	for len(sql) > 0 {
		n, kind := token(sql)
		part := sql[:n]
		sql = sql[n:]
		switch kind {
		case semicolon:
			end()
			continue
		case code:
			folded.WriteString(strings.ToUpper(part))
			for _, r := range e.rewrites {
				part = r.pattern.ReplaceAllString(part, r.with)
			}
		case comment:
			folded.WriteByte(' ')
		case quoted:
			folded.WriteString(`""`)
		case literal:
			folded.WriteString("''")
		case body: // of a function, or of DO
			if strings.HasPrefix(strings.TrimSpace(folded.String()), "DO") {
				for _, st := range e.split(part[strings.IndexByte(part[1:], '$')+2 : strings.LastIndexByte(part[:n-1], '$')]) {
					folded.WriteString(" " + st.folded)
				}
			}
		}
		text.WriteString(part)
	}
	end()
	return all
}

// The kinds of tokens.
const (
	code = iota
	comment
	quoted
	literal
	body
	semicolon
)

var tag = regexp.MustCompile(`^\$(?:[A-Za-z_]\w*)?\$`)

// token returns the length of the first token of sql, and its kind.
func token(sql string) (n, kind int) {
	switch {
	case sql[0] == ';':
		return 1, semicolon
	case strings.HasPrefix(sql, "--"):
		return through(sql, 2, "\n"), comment
	case strings.HasPrefix(sql, "/*"):
		return through(sql, 2, "*/"), comment
	case sql[0] == '"':
		return through(sql, 1, `"`), quoted
	case sql[0] == '\'':
		return through(sql, 1, `'`), literal
	case len(sql) > 1 && (sql[0] == 'E' || sql[0] == 'e') && sql[1] == '\'':
		for n = 2; n < len(sql) && sql[n] != '\''; n++ {
			if sql[n] == '\\' {
				n++
			}
		}
		return min(n+1, len(sql)), literal
	}
	if t := tag.FindString(sql); t != "" {
		return through(sql, len(t), t), body
	}
	for n = 1; n < len(sql); n++ {
		next := sql[n:]
		switch next[0] {
		case ';', '"', '\'':
			if next[0] == '\'' && strings.ContainsRune("Ee", rune(sql[n-1])) && (n == 1 || !isWord(sql[n-2])) {
				n--
			}
			return max(n, 1), code
		case '-', '/', '$':
			if strings.HasPrefix(next, "--") || strings.HasPrefix(next, "/*") || tag.MatchString(next) {
				return n, code
			}
		}
	}
	return n, code
}

// through returns where the first end after the first from bytes of sql ends.
func through(sql string, from int, end string) int {
	if i := strings.Index(sql[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(sql)
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

package gormast

import "strings"

// initialisms are the words that GORM reads as one word although they are in capitals,
// in its order. They come from schema/naming.go of GORM v1.31.2.
var initialisms = []string{
	"API", "ASCII", "CPU", "CSS", "DNS", "EOF", "GUID", "HTML", "HTTP", "HTTPS", "ID", "IP", "JSON", "LHS", "QPS", "RAM", "RHS", "RPC",
	"SLA", "SMTP", "SSH", "TLS", "TTL", "UID", "UI", "UUID", "URI", "URL", "UTF8", "VM", "XML", "XSRF", "XSS",
}

var words = func() *strings.Replacer {
	var pairs []string
	for _, word := range initialisms {
		pairs = append(pairs, word, word[:1]+strings.ToLower(word[1:]))
	}
	return strings.NewReplacer(pairs...)
}()

// ColumnName returns the column that GORM's NamingStrategy gives a field: boss1_id for
// Boss1ID. A test compares it with GORM. This module doesn't require GORM, because a
// program with oidvet as a tool would then get another version of it.
func ColumnName(field string) string {
	name := words.Replace(field)
	upper := func(i int) bool { return i >= 0 && i < len(name) && 'A' <= name[i] && name[i] <= 'Z' }
	digit := func(i int) bool { return i < len(name) && '0' <= name[i] && name[i] <= '9' }
	var b strings.Builder
	for i := range len(name) {
		last := i == len(name)-1
		switch {
		case !upper(i) || i == 0:
		case last && upper(i-1):
		case last:
			b.WriteByte('_')
		case upper(i-1) && (upper(i+1) || digit(i+1)): // within a word in capitals
		case name[i-1] != '_' && name[i+1] != '_':
			b.WriteByte('_')
		}
		b.WriteByte(name[i])
	}
	return strings.ToLower(b.String())
}

package gormplugin

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// Logger returns a logger that logs through l, but prints IDs as SQL literals instead of
// '<binary>':
//
//	gorm.Open(dialector, &gorm.Config{Logger: gormplugin.Logger(logger.Default)})
//
// The literal is '\x65b3…' on PostgreSQL, and x'65b3…' on MySQL, MariaDB and SQLite. The
// logger recognizes an ID by its Go type, and doesn't change how a plain []byte is printed. If
// l is nil, the logger logs through logger.Default.
func Logger(l logger.Interface) logger.Interface {
	return idLogger{cmp.Or(l, logger.Default)}
}

type idLogger struct{ logger.Interface }

var _ gorm.ParamsFilter = idLogger{}

// LogMode returns a copy of the logger with the given level.
func (l idLogger) LogMode(level logger.LogLevel) logger.Interface {
	return idLogger{l.Interface.LogMode(level)}
}

// ParamsFilter returns the statement and the parameters as they are to be printed. GORM
// calls ParamsFilter during Trace.
func (l idLogger) ParamsFilter(ctx context.Context, sql string, params ...any) (string, []any) {
	if filter, ok := l.Interface.(gorm.ParamsFilter); ok {
		sql, params = filter.ParamsFilter(ctx, sql, params...)
	}
	return printed(sql, params)
}

// printed returns sql with the IDs of params in it, and the other params. GORM quotes text
// and would quote x'65b3…' too. Where placeholders have numbers, IDs stay parameters.
func printed(sql string, params []any) (string, []any) {
	var text strings.Builder
	var others []any
	isNumbered := strings.Contains(sql, "$1")
	for _, param := range params {
		id, ok := sentID(param)
		switch before, after, found := strings.Cut(sql, "?"); {
		case isNumbered && ok:
			param = fmt.Sprintf(`\x%x`, id)
		case isNumbered || !found: // it stays a parameter
		case ok:
			fmt.Fprintf(&text, "%sx'%x'", before, id)
			sql = after
			continue
		default:
			text.WriteString(before + "?")
			sql = after
		}
		others = append(others, param)
	}
	return text.String() + sql, others
}

// sentID returns the ID that param is, if it is sent as bytes.
func sentID(param any) (id []byte, ok bool) {
	if v := reflect.Indirect(reflect.ValueOf(param)); !v.IsValid() || ids.TypeIn(v.Type()) == nil {
		return nil, false
	}
	id, ok = ids.Sent(param).([]byte)
	return id, ok && len(id) == len(oid.ID{})
}

// ToSQL returns the SQL of the statement that the function build makes, as db.ToSQL does, with
// IDs in the form that [Logger] prints. The SQL is for people to read. Don't send it to a
// server, because ToSQL doesn't quote values correctly for all server settings.
func ToSQL(db *gorm.DB, build func(tx *gorm.DB) *gorm.DB) string {
	tx := build(db.Session(&gorm.Session{DryRun: true, SkipDefaultTransaction: true}))
	sql, vars := printed(tx.Statement.SQL.String(), tx.Statement.Vars)
	return tx.Dialector.Explain(sql, vars...)
}

package gormplugin

import (
	"context"
	"database/sql/driver"
	"reflect"
	"regexp"
	"slices"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// Logger returns a logger that logs through l, but prints IDs as 24 hex digits
// instead of '<binary>':
//
//	gorm.Open(dialector, &gorm.Config{Logger: gormplugin.Logger(logger.Default)})
//
// It knows an ID by its Go type. Plain []byte stays as it is.
func Logger(l logger.Interface) logger.Interface { return hexLogger{l} }

type hexLogger struct{ logger.Interface }

var _ gorm.ParamsFilter = hexLogger{}

// LogMode returns the logger at another level.
func (l hexLogger) LogMode(level logger.LogLevel) logger.Interface {
	return hexLogger{l.Interface.LogMode(level)}
}

// ParamsFilter returns the parameters as they are to be printed. GORM calls it
// before it calls Trace.
func (l hexLogger) ParamsFilter(ctx context.Context, sql string, params ...any) (string, []any) {
	if filter, ok := l.Interface.(gorm.ParamsFilter); ok {
		sql, params = filter.ParamsFilter(ctx, sql, params...)
	}
	params = slices.Clone(params) // they are those of the statement
	for i, param := range params {
		params[i] = printed(param)
	}
	return sql, params
}

// printed returns the hex digits of an ID, and all else as it is.
func printed(param any) any {
	v := reflect.ValueOf(param)
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return param
	}
	valuer, ok := param.(driver.Valuer)
	if !ok || ids.TypeIn(reflect.Indirect(v).Type()) == nil {
		return param
	}
	value, _ := valuer.Value()
	if b, _ := value.([]byte); len(b) == len(oid.ID{}) {
		return oid.ID(b).Hex()
	}
	return param
}

// ToSQL returns the SQL of the statement that build makes, as db.ToSQL does. The
// IDs in it can be run: '\x65b3…' on PostgreSQL, x'65b3…' elsewhere.
//
// It is for people to read. Don't send it, because it doesn't quote values for
// every setting of every server.
func ToSQL(db *gorm.DB, build func(tx *gorm.DB) *gorm.DB) string {
	return explain(build(db.Session(&gorm.Session{DryRun: true, SkipDefaultTransaction: true})))
}

// explain returns the SQL of tx, a statement that was built but not sent, with its
// values.
func explain(tx *gorm.DB) string {
	stmt := tx.Statement
	vars := slices.Clone(stmt.Vars)
	for i, v := range vars {
		if s, ok := printed(v).(string); ok {
			if _, isText := v.(string); !isText {
				vars[i] = `\x` + s
			}
		}
	}
	sql := tx.Dialector.Explain(stmt.SQL.String(), vars...)
	if tx.Dialector.Name() == "postgres" {
		return sql
	}
	return binaryLiteral.ReplaceAllString(sql, "x'$1'")
}

// binaryLiteral is how explain prints IDs first.
var binaryLiteral = regexp.MustCompile(`['"]\\x([0-9a-f]{24})['"]`)

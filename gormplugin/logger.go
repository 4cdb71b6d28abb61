package gormplugin

import (
	"context"
	"database/sql/driver"
	"reflect"
	"slices"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// Logger returns a logger that logs what l does, but prints ids as 24 hex digits
// where l prints '<binary>':
//
//	gorm.Open(dialector, &gorm.Config{Logger: gormplugin.Logger(logger.Default)})
//
// It knows an id by its Go type; plain []byte stays as it is.
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

// printed returns the hex digits of an id, and all else as it is.
func printed(param any) any {
	v := reflect.ValueOf(param)
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return param
	}
	valuer, ok := param.(driver.Valuer)
	if !ok || !isIDType(reflect.Indirect(v).Type()) {
		return param
	}
	value, err := valuer.Value()
	if b, ok := value.([]byte); ok && err == nil && len(b) == len(oid.ID{}) {
		return oid.ID(b).Hex()
	}
	return param
}

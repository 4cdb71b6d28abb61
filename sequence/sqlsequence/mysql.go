package sqlsequence

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/oidkit/oidkit/sequence/driver"
)

// drawMySQL makes a step, or returns nil if it is refused. If the client knows the floor,
// LAST_INSERT_ID remembers the old x. Otherwise the server's clock makes the floor, and
// LAST_INSERT_ID remembers the new x.
func (t *table) drawMySQL(ctx context.Context, q querier, d driver.Draw) (*driver.Step, error) {
	clock := cmp.Or(d.Clock, new(driver.Clock)) // the zero Clock allows every time
	tick, width, ahead, first, last := clock.Micros()
	most := d.Most - d.N // of x before the step
	name, args := "draw", []any{d.Floor, d.N, d.Key, d.Version, d.Floor, most, first, last}
	if width > 0 {
		name, args = "draw with clock", []any{d.Floor, tick, width, d.N,
			d.Key, d.Version, d.Floor, tick, width, most, first, last,
			ahead, d.Floor, most, d.Floor, tick, width, d.N, width, tick, ahead}
	}
	query, args := t.statement(q, name, args...)
	res, err := q.ExecContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	if n, err := res.RowsAffected(); n == 0 || err != nil {
		return nil, err
	}
	x, err := res.LastInsertId()
	if width > 0 {
		return &driver.Step{Before: x - d.N, After: x}, err
	}
	return &driver.Step{Before: x, After: max(x, d.Floor) + d.N}, err
}

// statement returns a statement and its arguments as q should get them. MySQL's driver
// prepares a statement that has arguments, which costs a second round trip. So they stand
// in the statement. But a transaction of another type may remember each text that it has
// prepared, as GORM's does. There they stay arguments.
func (t *table) statement(q querier, name string, args ...any) (string, []any) {
	_, conn := q.(*sql.Conn)
	if _, tx := q.(*sql.Tx); t.dialect == MySQL && (conn || tx) {
		return literal(t.sql[name], args), nil
	}
	return t.sql[name], args
}

// literal returns a statement of MySQL with its arguments in place of the question marks.
// Text is written as hexadecimal digits, so a key can't change the statement.
func literal(query string, args []any) string {
	var b strings.Builder
	for _, arg := range args {
		before, after, _ := strings.Cut(query, "?")
		b.WriteString(before)
		if text, ok := arg.(string); ok {
			fmt.Fprintf(&b, "X'%x'", text)
		} else { // an integer
			fmt.Fprint(&b, arg)
		}
		query = after
	}
	b.WriteString(query)
	return b.String()
}

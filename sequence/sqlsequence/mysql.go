package sqlsequence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/oidkit/oidkit/sequence/driver"
)

// drawMySQL makes a step, or returns nil if it is refused. If the client knows the floor, LAST_INSERT_ID remembers the old
// x. Otherwise the server's clock makes the floor, and LAST_INSERT_ID remembers the new x.
func (t *table) drawMySQL(ctx context.Context, q querier, d driver.Draw) (*driver.Step, error) {
	name, most := "draw", d.Most-d.N // of x before the step
	args := []any{d.Floor, d.N, d.Key, d.Version, d.Floor, most}
	c := d.Clock
	stamps := c != nil && c.Width > 0
	switch {
	case stamps:
		first, last := bounds(c)
		tick, ahead := c.Tick.Microseconds(), aheadTicks(c)
		name, args = "draw with clock", []any{d.Floor, tick, c.Width, d.N,
			d.Key, d.Version, d.Floor, tick, c.Width, most, first, last,
			ahead, d.Floor, most, d.Floor, tick, c.Width, d.N, c.Width, tick, ahead}
	case c != nil:
		first, last := bounds(c)
		name, args = "draw with bounds", append(args, first, last)
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
	if stamps {
		return &driver.Step{Before: x - d.N, After: x}, err
	}
	return &driver.Step{Before: x, After: max(x, d.Floor) + d.N}, err
}

// statement returns a statement and its arguments as q should get them. MySQL's driver
// prepares a statement that has arguments, which costs a second round trip. So they stand
// in the statement. But a transaction of another type may remember each text that it has
// prepared, as GORM's does. There they stay arguments.
func (t *table) statement(q querier, name string, args ...any) (string, []any) {
	switch q.(type) {
	case *sql.Conn, *sql.Tx:
		if t.dialect == MySQL {
			return literal(t.sql[name], args), nil
		}
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

// checkFlush returns an error if commits needn't be on disk when the server is killed.
// Galera keeps copies on other machines instead, and its manual recommends that setting.
func checkFlush(ctx context.Context, conn *sql.Conn) error {
	shows := func(name, value string) bool {
		err := conn.QueryRowContext(ctx, "SHOW VARIABLES WHERE variable_name = '"+name+"' AND value = '"+value+"'").Scan(&name, &value)
		return err == nil
	}
	if shows("innodb_flush_log_at_trx_commit", "0") && !shows("wsrep_on", "ON") {
		return errors.New("innodb_flush_log_at_trx_commit is 0: a crash of the server would make numbers repeat: set it to 1")
	}
	return nil
}

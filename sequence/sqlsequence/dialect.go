package sqlsequence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

// A Dialect is the SQL of one kind of server.
type Dialect int

const (
	MySQL      Dialect = iota + 1 // MySQL 8 and later, and MariaDB
	SQLite                        // 3.35 and later
	PostgreSQL                    // 12 and later
)

// String returns the name of d.
func (d Dialect) String() string {
	if d < MySQL || d > PostgreSQL {
		return fmt.Sprintf("Dialect(%d)", int(d))
	}
	return [...]string{"MySQL", "SQLite", "PostgreSQL"}[d-MySQL]
}

// statements are the statements for one table.
type statements struct {
	create, take, lock, touch, edit, state, list, stamp         string
	takeNumbers, upsertNumbers, insertNumbering, numbering, row string
}

// onDisk is the end of a RETURNING on PostgreSQL. At its commit, the statement then
// waits until it is on disk, and on the disks of the synchronous standbys. The second
// column shows whether the table survives a crash.
const onDisk = `,
	CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END,
	(SELECT relpersistence::text FROM pg_class WHERE oid = t.tableoid)`

// statements returns the statements for a table. They are written with ? and "names",
// and with three functions. NEW(x) is the value that the statement returns. GREATEST is
// the larger of two values. RETURN ends a statement that returns a value.
func (d Dialect) statements(table string) statements {
	const columns = `"key", "numbering", "count", "base", "first", "last", "cycle", "was_first", "was_last", "was_cycle", "stamp", "width", "tick"`
	guard := "" // has one argument, the least time that the clock must show
	switch d {
	case SQLite:
		guard = ` AND ? IS NOT NULL`
	default:
		guard = ` AND ` + d.clock() + ` >= ?`
	}
	ignore, conflict := `INSERT INTO`, ` ON CONFLICT ("key") DO NOTHING`
	if d == MySQL {
		ignore, conflict = `INSERT IGNORE INTO`, ``
	}
	s := statements{
		create: ignore + ` {table} ("key", "first", "last", "cycle") VALUES (?, ?, ?, ?)` + conflict,
		take: `UPDATE {table} SET "count" = NEW({t}"count" + ?)
WHERE "key" = ? AND "numbering" IS NULL AND "base" = ? AND "first" = ? AND "last" = ? AND "cycle" = ? AND "count" <= ? RETURN("count")`,
		edit: `UPDATE {table} SET "count" = ?, "base" = ?, "first" = ?, "last" = ?, "cycle" = ?,
	"was_first" = ?, "was_last" = ?, "was_cycle" = ? WHERE "key" = ? RETURN("count")`,
		state: `SELECT ` + columns + ` FROM {table} WHERE "key" = ? AND "key" <> ''`,
		list:  `SELECT ` + columns + ` FROM {table} WHERE "key" <> '' ORDER BY "key"`,
		stamp: `UPDATE {table} SET "width" = ?, "tick" = ?, "stamp" = NEW(GREATEST({t}"stamp" + ?, ?))
WHERE "key" = ? AND "numbering" IS NULL AND ("width" IS NULL OR "width" = ? AND "tick" = ?) AND "stamp" <= ?` + guard + ` RETURN("stamp")`,
		takeNumbers: `UPDATE {table} SET "count" = NEW(GREATEST({t}"count", ?) + ?)
WHERE "key" = ? AND "numbering" = ?` + guard + ` RETURN("count")`,
		insertNumbering: ignore + ` {table} ("key", "numbering") VALUES (?, ?)` + conflict,
		numbering:       `SELECT "numbering" FROM {table} WHERE "key" = ?`,
		row:             ignore + ` {table} ("key", "count") VALUES ('', ?)` + conflict,
	}
	s.lock = s.state + ` FOR UPDATE`
	switch d {
	case SQLite:
		s.lock = s.state
		s.touch = `UPDATE {table} SET "count" = "count" WHERE "key" = ?`
	case MySQL:
		// LAST_INSERT_ID(0) says that the key is of another kind.
		s.upsertNumbers = `INSERT INTO {table} ("key", "numbering", "count") VALUES (?, ?, LAST_INSERT_ID(?))
ON DUPLICATE KEY UPDATE "count" = IF("numbering" <=> ?, LAST_INSERT_ID(GREATEST("count", ?) + ?), "count" + LAST_INSERT_ID(0))`
	case PostgreSQL:
		s.create += ` RETURN("count")`
	}
	for _, p := range []*string{&s.create, &s.take, &s.lock, &s.touch, &s.edit, &s.state, &s.list, &s.stamp,
		&s.takeNumbers, &s.upsertNumbers, &s.insertNumbering, &s.numbering, &s.row} {
		*p = d.write(*p, table)
	}
	return s
}

var returning = regexp.MustCompile(`RETURN\(("\w+")\)$`)

// write returns a statement in the SQL of d.
func (d Dialect) write(statement, table string) string {
	switch d {
	case MySQL:
		statement = returning.ReplaceAllString(statement, "")
		statement = strings.NewReplacer(`NEW(`, `LAST_INSERT_ID(`, `{t}`, ``, `"`, "`").Replace(statement)
	case SQLite:
		statement = returning.ReplaceAllString(statement, `RETURNING $1`)
		statement = strings.NewReplacer(`NEW(`, `(`, `{t}`, ``, `GREATEST(`, `max(`).Replace(statement)
	case PostgreSQL:
		statement = returning.ReplaceAllString(statement, `RETURNING t.$1`+strings.ReplaceAll(onDisk, "$", "$$"))
		statement = strings.NewReplacer(`NEW(`, `(`, `{t}`, `t.`, `{table}`, `{table} AS t`).Replace(statement)
		for n := 1; strings.Contains(statement, "?"); n++ {
			statement = strings.Replace(statement, "?", fmt.Sprintf("$%d", n), 1)
		}
	}
	return strings.ReplaceAll(statement, "{table}", table)
}

// literal returns a statement of MySQL with its arguments in place of the question
// marks. The driver would prepare a statement with arguments first, which costs a second
// round trip. Text is written as hexadecimal digits, so a key can't change the
// statement.
func literal(statement string, args []any) string {
	var b strings.Builder
	for _, arg := range args {
		before, after, _ := strings.Cut(statement, "?")
		b.WriteString(before)
		switch v := arg.(type) {
		case string:
			fmt.Fprintf(&b, "X'%x'", v)
		case nil:
			b.WriteString("NULL")
		default: // a number or a boolean
			fmt.Fprint(&b, v)
		}
		statement = after
	}
	b.WriteString(statement)
	return b.String()
}

// clock returns the expression for the server's time in microseconds since 1970.
func (d Dialect) clock() string {
	if d == MySQL {
		return `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))`
	}
	return `floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`
}

// checkLead calls check with the clock of this machine, if that is the server's clock.
func (d Dialect) checkLead(check func(server time.Time) error) error {
	if d == SQLite {
		return check(time.Now())
	}
	return nil
}

// txOptions returns the options of a transaction with several statements.
func (d Dialect) txOptions() *sql.TxOptions {
	if d == SQLite {
		return nil
	}
	return &sql.TxOptions{Isolation: sql.LevelReadCommitted}
}

// quote returns a table's name, or schema.name, quoted for SQL.
func (d Dialect) quote(table string) (string, error) {
	if d < MySQL || d > PostgreSQL {
		return "", fmt.Errorf("unknown %v", d)
	}
	parts := strings.Split(table, ".")
	if len(parts) > 2 {
		return "", errors.New("not a name or schema.name")
	}
	mark := `"`
	if d == MySQL {
		mark = "`"
	}
	for i, p := range parts {
		// PostgreSQL would cut a longer name. The statements use ? and braces as marks.
		if p == "" || len(p) > 63 || strings.ContainsAny(p, "\x00?{}\"`") {
			return "", errors.New("a name has 1 to 63 bytes, and no quotes, braces or question marks")
		}
		parts[i] = mark + p + mark
	}
	return strings.Join(parts, "."), nil
}

// schemas make the table. Package pgsequence explains the columns.
var schemas = map[Dialect]string{
	MySQL: `CREATE TABLE IF NOT EXISTS {table} (
	"key"       varbinary(255) NOT NULL PRIMARY KEY,
	"numbering" varchar(40) CHARACTER SET ascii COLLATE ascii_bin,
	"count"     bigint NOT NULL DEFAULT 0,
	"base"      bigint NOT NULL DEFAULT 0,
	"first"     bigint NOT NULL DEFAULT 0,
	"last"      bigint NOT NULL DEFAULT 0,
	"cycle"     boolean NOT NULL DEFAULT false,
	"was_first" bigint,
	"was_last"  bigint,
	"was_cycle" boolean,
	"stamp"     bigint NOT NULL DEFAULT 0,
	"width"     bigint,
	"tick"      bigint
) ENGINE = InnoDB`,
	SQLite: `CREATE TABLE IF NOT EXISTS {table} (
	"key"       TEXT NOT NULL PRIMARY KEY,
	"numbering" TEXT,
	"count"     INTEGER NOT NULL DEFAULT 0,
	"base"      INTEGER NOT NULL DEFAULT 0 CHECK ("base" BETWEEN 0 AND "count"),
	"first"     INTEGER NOT NULL DEFAULT 0,
	"last"      INTEGER NOT NULL DEFAULT 0 CHECK ("last" >= "first"),
	"cycle"     BOOLEAN NOT NULL DEFAULT FALSE,
	"was_first" INTEGER,
	"was_last"  INTEGER,
	"was_cycle" BOOLEAN,
	"stamp"     INTEGER NOT NULL DEFAULT 0 CHECK ("stamp" >= 0),
	"width"     INTEGER CHECK ("width" > 0),
	"tick"      INTEGER CHECK ("tick" > 0)
)`,
	PostgreSQL: `CREATE TABLE IF NOT EXISTS {table} (
	"key"       text COLLATE "C" PRIMARY KEY,
	"numbering" text,
	"count"     bigint NOT NULL DEFAULT 0,
	"base"      bigint NOT NULL DEFAULT 0 CHECK ("base" BETWEEN 0 AND "count"),
	"first"     bigint NOT NULL DEFAULT 0,
	"last"      bigint NOT NULL DEFAULT 0 CHECK ("last" >= "first"),
	"cycle"     boolean NOT NULL DEFAULT false,
	"was_first" bigint,
	"was_last"  bigint,
	"was_cycle" boolean,
	"stamp"     bigint NOT NULL DEFAULT 0 CHECK ("stamp" >= 0),
	"width"     bigint CHECK ("width" > 0),
	"tick"      bigint CHECK ("tick" > 0),
	"draws"     bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50)`,
}

// version is the version of the table. The row with the empty key holds it in count.
const version = 1

// migrating is an advisory lock of PostgreSQL. Programs that start together take it in
// turn, because CREATE TABLE IF NOT EXISTS fails if two run it at once. pgsequence takes
// the same lock.
const migrating = 0x6f69646b69740001

// Migrate makes the table if it isn't there. Every program may call it at each start.
func (s *Store) Migrate(ctx context.Context) error {
	if err := s.migrate(ctx); err != nil {
		return wrapped(ctx, "Migrate()", err)
	}
	return nil
}

func (s *Store) migrate(ctx context.Context) error {
	if s.err != nil {
		return s.err
	}
	conn, err := s.conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	// Look first. If the table exists, nobody needs the right to make one.
	kind, err := s.kind(ctx, conn)
	if err != nil {
		return err
	}
	if kind == "" {
		if err := s.make(ctx, conn); err != nil {
			return err
		}
		if kind, err = s.kind(ctx, conn); err != nil {
			return err
		}
	}
	if kind != "table" {
		return fmt.Errorf("%s is %s", s.table, kind)
	}
	if _, err := conn.ExecContext(ctx, s.sql.list+" LIMIT 0"); err != nil {
		return err
	}
	have, rows, err := s.version(ctx, conn)
	if err != nil {
		return err
	}
	if s.dialect == MySQL && rows == 0 {
		// A program ended after it had made the table. On MySQL, that is a commit.
		if err := s.make(ctx, conn); err != nil {
			return err
		}
		if have, _, err = s.version(ctx, conn); err != nil {
			return err
		}
	}
	if have != version {
		return fmt.Errorf("table %s has version %d; this release knows version %d", s.table, have, version)
	}
	return nil
}

// version returns the version of the table, or 0, and the number of its rows.
func (s *Store) version(ctx context.Context, conn *sql.Conn) (version, rows int64, err error) {
	const count = `SELECT coalesce(max(CASE WHEN "key" = '' THEN "count" END), 0), count(*) FROM {table}`
	err = conn.QueryRowContext(ctx, s.dialect.write(count, s.table)).Scan(&version, &rows)
	return version, rows, err
}

// make makes the table, or what is missing of it.
func (s *Store) make(ctx context.Context, conn *sql.Conn) error {
	create := strings.ReplaceAll(schemas[s.dialect], "{table}", s.table)
	if s.dialect == MySQL {
		create = strings.ReplaceAll(create, `"`, "`")
	}
	tx, err := conn.BeginTx(ctx, s.dialect.txOptions())
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if s.dialect == PostgreSQL {
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrating)); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, create); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, s.sql.row, version); err != nil {
		return err
	}
	return tx.Commit()
}

// kind returns "table" for a table that can be drawn from, and "" if there is no table.
// Otherwise it says what is wrong with the table.
func (s *Store) kind(ctx context.Context, q querier) (string, error) {
	schema, name := "", s.name
	if before, after, found := strings.Cut(s.name, "."); found {
		schema, name = before, after
	}
	var kind, detail sql.NullString
	var err error
	switch s.dialect {
	case MySQL:
		err = q.QueryRowContext(ctx, `SELECT table_type, engine FROM information_schema.tables
WHERE table_schema = IF(? = '', DATABASE(), ?) AND table_name = ?`, schema, schema, name).Scan(&kind, &detail)
	case SQLite:
		master := "sqlite_master"
		if schema != "" {
			master = `"` + schema + `".` + master
		}
		err = q.QueryRowContext(ctx, "SELECT type, '' FROM "+master+" WHERE name = ?", name).Scan(&kind, &detail)
	case PostgreSQL:
		err = q.QueryRowContext(ctx, `SELECT relkind::text, relpersistence::text FROM pg_class WHERE oid = to_regclass($1)`, s.table).Scan(&kind, &detail)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil && ctx.Err() == nil && !transient(err) {
		return "", fmt.Errorf("%w: is the dialect right? the store was made with sqlsequence.%v", err, s.dialect)
	}
	if err != nil {
		return "", err
	}
	if !slices.Contains([]string{"BASE TABLE", "table", "r", "p"}, kind.String) {
		return "a view or something else, not a table", nil
	}
	if s.dialect == MySQL && !strings.EqualFold(detail.String, "InnoDB") {
		return fmt.Sprintf("a table of the engine %s, not InnoDB: a crash could lose draws", detail.String), nil
	}
	if s.dialect == PostgreSQL {
		return "table", s.lasting(detail.String)
	}
	return "table", nil
}

// lasting returns an error for a table of PostgreSQL that a crash empties, or that
// belongs to one session. Numbers would repeat.
func (s *Store) lasting(persistence string) error {
	switch persistence {
	case "u":
		return fmt.Errorf("table %s is UNLOGGED: a crash would empty it", s.table)
	case "t":
		return fmt.Errorf("table %s is temporary", s.table)
	}
	return nil
}

// failed returns the error of a call, with its remedy.
func failed(ctx context.Context, call string, err error) error {
	switch {
	case errors.Is(err, sql.ErrNoRows):
		err = sequence.ErrNotFound
	case isMissingTable(err):
		err = fmt.Errorf("%w: call Migrate once", err)
	case isLocked(err):
		err = fmt.Errorf("%w: perhaps your own transaction holds the lock: draw before it, or use NextTx", err)
	}
	return wrapped(ctx, call, err)
}

// wrapped returns the error of a call.
func wrapped(ctx context.Context, call string, err error) error {
	if ctx.Err() == nil && transient(err) {
		err = fmt.Errorf("%w: %w", sequence.ErrTransient, err)
	}
	return fmt.Errorf("sqlsequence.Store.%s: %w", call, err)
}

// sqlState returns the SQLSTATE that drivers of PostgreSQL give their errors.
func sqlState(err error) string {
	var state interface{ SQLState() string }
	if errors.As(err, &state) {
		return state.SQLState()
	}
	return ""
}

// isMissingTable reports whether err says that the table doesn't exist.
func isMissingTable(err error) bool {
	return sqlState(err) == "42P01" || missingTable.MatchString(err.Error())
}

// missingTable is in the errors of MySQL's and SQLite's drivers for such a table.
var missingTable = regexp.MustCompile(`\bError 1146\b|\bno such table\b`)

// isLocked reports whether err is SQLITE_BUSY, so that another connection holds the lock.
func isLocked(err error) bool { return strings.Contains(err.Error(), "database is locked") }

// transientStates are SQLSTATEs of PostgreSQL after which a draw may succeed if it is
// made again. Class 08 belongs to them too. pgsequence has the same list.
var transientStates = []string{"25006", "40001", "40P01", "53300", "55P03", "57014", "57P01", "57P02", "57P03"}

// transientTexts match errors of MySQL's and SQLite's drivers after which a draw may
// succeed if it is made again. Package database/sql offers no other way to know.
var transientTexts = regexp.MustCompile(
	`^Error (1040|1053|1180|1205|1213|1290|1317|1836|1927|1969|2006|2013|3024|3572)\b` + // go-sql-driver, for a server that is full, read-only or shuts down, for locks and deadlocks
		`|^invalid connection$|\bbad connection\b` +
		`|database (table )?is locked|SQLITE_BUSY|SQLITE_LOCKED`)

// transient reports whether a draw may succeed if it is made again. A deadline in err
// isn't the caller's, because failed has checked the caller's context.
func transient(err error) bool {
	if state := sqlState(err); state != "" {
		return strings.HasPrefix(state, "08") || slices.Contains(transientStates, state)
	}
	var network net.Error // also context.DeadlineExceeded and net.ErrClosed
	if errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return true
	}
	for ; err != nil; err = errors.Unwrap(err) {
		if transientTexts.MatchString(err.Error()) {
			return true
		}
	}
	return false
}

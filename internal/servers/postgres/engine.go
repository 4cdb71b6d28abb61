package postgres

import (
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// An Engine is a database with PostgreSQL's protocol that lacks a part of PostgreSQL. A
// [Strict] server refuses that part in the engine's words.
type Engine struct {
	Name string

	isolation string // of a transaction that doesn't name a level
	refusals  []refusal
	settings  []string // the only ones that can be set, or nil for all
	conflicts []string // the texts of 40001
	rewrites  []rewrite
	oneDDL    bool   // in a transaction, and then no other write
	mostRows  int    // that a transaction may write, 0 for any number
	setUp     string // SQL that prepares a database
	path      string // the search_path of clients, or "" for PostgreSQL's
}

// A refusal is a statement that an engine refuses, unless it matches except too. The
// patterns are for [statement].folded. The first group stands for $1 in the message, in
// lower case.
type refusal struct {
	pattern, except *regexp.Regexp
	state, message  string
}

// no refuses what isn't supported.
func no(pattern, message string) refusal {
	return refusal{regexp.MustCompile(pattern), nil, unsupported, message}
}

func (r refusal) but(pattern string) refusal {
	r.except = regexp.MustCompile(pattern)
	return r
}

func (r refusal) as(state string) refusal {
	r.state = state
	return r
}

// A rewrite replaces what PostgreSQL would do in its own way.
type rewrite struct {
	pattern *regexp.Regexp
	with    string
}

const (
	unsupported       = "0A000" // feature_not_supported
	undefinedFunction = "42883"
	undefinedObject   = "42704"
	syntaxError       = "42601"
	limitExceeded     = "54000" // program_limit_exceeded
	serialization     = "40001"
	deadlock          = "40P01"
)

// DSQL is Amazon Aurora DSQL as of September 2026. The refusals and their texts come from
// three sources:
//
//   - Amazon's user guide: the pages on unsupported features, session parameters, quotas,
//     CREATE TABLE, CREATE SEQUENCE and concurrency control.
//   - What a cluster answered to the probes of github.com/Dreamescaper/dsql-emulator, in
//     its folder test/conformance/golden.
//   - Issues: pressly/goose#971 (advisory locks), pgadmin4#9433 (settings).
//
// LOCK, DO and the WITH of CREATE TABLE aren't in the guide's syntax. Their texts follow
// those of the other statements.
var DSQL = &Engine{
	Name:      "Aurora DSQL",
	isolation: "REPEATABLE READ",
	refusals: []refusal{
		no(`^TRUNCATE\b`, "unsupported statement: Truncate"),
		no(`^CREATE EXTENSION\b`, "unsupported statement: CreateExtension"),
		no(`^CREATE (?:OR REPLACE )?(?:CONSTRAINT )?TRIGGER\b`, "CREATE TRIGGER not supported"),
		no(`^CREATE (?:GLOBAL |LOCAL )?TEMP(?:ORARY)? `, "TEMPORARY or TEMP table not supported for CREATE TABLE"),
		no(`^CREATE UNLOGGED `, "UNLOGGED table not supported for CREATE TABLE"),
		no(`^CREATE MATERIALIZED |^CREATE TABLE [^(]* AS\b`, "unsupported statement: CreateTableAs"),
		no(`^CREATE TABLE .*\b(?:SMALL|BIG)?SERIAL[248]?\b`, `type "serial" does not exist`).as(undefinedObject),
		no(`^CREATE TABLE .* PARTITION (BY|OF)\b`, "PARTITION $1 clause not supported for CREATE TABLE"),
		no(`^CREATE TABLE .*\) WITH \(`, "WITH clause not supported for CREATE TABLE"),
		no(`^CREATE TYPE\b`, "CREATE TYPE not supported"),
		no(`^CREATE (?:UNIQUE )?INDEX .*\bUSING\b`, "USING not supported for CREATE INDEX"),
		no(`^CREATE (?:UNIQUE )?INDEX\b`, "unsupported mode. please use CREATE INDEX ASYNC.").but(`INDEX ASYNC\b`),
		no(`^CREATE SEQUENCE\b`, "CREATE SEQUENCE is not supported without an explicit cache size. please define CACHE greater than or equal to 65536 or equal to 1").
			but(`\bCACHE (?:1|\d{6,}|65[5-9]\d\d)\b`),
		no(`^CREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE) .*\bLANGUAGE (PLPGSQL|C|INTERNAL)\b`, "CREATE FUNCTION with language $1 not supported"),
		no(`^DO\b`, "unsupported statement: Do"),
		no(`^LOCK\b`, "unsupported statement: Lock"),
		no(`^MERGE\b`, "unsupported statement type: MERGE"),
		no(`^VACUUM\b`, "unsupported VACUUM statement"),
		no(`^LISTEN\b`, "unsupported statement: Listen"),
		no(`^NOTIFY\b`, "unsupported statement: Notify"),
		no(`^ALTER TABLE .* ADD CONSTRAINT\b`, "unsupported ALTER TABLE ADD CONSTRAINT statement").but(`\bNOT VALID$|\bUSING INDEX\b`),
		no(`^ALTER TABLE .* ADD COLUMN .*\b(?:DEFAULT|NOT NULL|UNIQUE|PRIMARY|CHECK)\b`, "ALTER TABLE ADD COLUMN with constraint not supported"),
		no(`^ALTER TABLE .* ALTER COLUMN .* TYPE\b`, "unsupported ALTER TABLE ALTER COLUMN ... SET DATA TYPE statement"),
		no(`^SAVEPOINT\b`, "unsupported transaction statement: SAVEPOINT"),
		no(`^RELEASE\b`, "unsupported transaction statement: RELEASE"),
		no(`^ROLLBACK (?:WORK |TRANSACTION )?TO\b`, "unsupported transaction statement: ROLLBACK TO"),
		no(`^(?:BEGIN|START|SET).*\bISOLATION LEVEL READ COMMITTED\b`, "Unsupported isolation level: READ COMMITTED"),
		no(`^(?:BEGIN|START|SET).*\bISOLATION LEVEL SERIALIZABLE\b`, "Unsupported isolation level: SERIALIZABLE"),
		no(`^SET (?:TRANSACTION|SESSION CHARACTERISTICS)\b`, `setting configuration parameter "TRANSACTION" not supported`),
		no(`\bFOR (?:SHARE|NO KEY UPDATE)\b`, "locking clauses other than FOR UPDATE/FOR KEY SHARE are not supported"),
		no(`\b(PG_(?:TRY_)?ADVISORY_\w+)\(`, "function $1 not supported"),
	},
	settings: []string{
		"application_name", "client_encoding", "datestyle", "extra_float_digits", "intervalstyle", "timezone", "time", "search_path",
		"enable_bitmapscan", "enable_hashjoin", "enable_indexonlyscan", "enable_indexscan", "enable_material", "enable_mergejoin",
		"enable_nestloop", "enable_seqscan",
	},
	conflicts: []string{
		"change conflicts with another transaction (OC000)",
		"schema has been updated by another transaction, please retry: (OC001)",
	},
	rewrites: []rewrite{
		{regexp.MustCompile(`(?i)\b(?:pg_catalog\.)?version\(\)`), `'PostgreSQL 16'::text`},
		{regexp.MustCompile(`(?i)\b(?:pg_catalog\.)?set_config\(`), `strict.set_config(`},
		{regexp.MustCompile(`(?i)^(\s*create\s+(?:unique\s+)?index)\s+async\b`), `$1`},
	},
	oneDDL:   true,
	mostRows: 3000,
	setUp: `CREATE SCHEMA IF NOT EXISTS strict;
CREATE OR REPLACE FUNCTION strict.set_config(name text, value text, is_local boolean) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	IF lower(name) <> ALL (string_to_array('{settings}', ',')) THEN
		RAISE feature_not_supported USING MESSAGE = format('setting configuration parameter "%s" not supported', name);
	END IF;
	RETURN pg_catalog.set_config(name, value, is_local);
END $$;
CREATE OR REPLACE FUNCTION strict.check_types() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE
	type_name text;
BEGIN
	SELECT format_type(b.oid, NULL) INTO type_name FROM pg_event_trigger_ddl_commands() c
		JOIN pg_index i ON c.objid IN (i.indexrelid, i.indrelid)
		JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1])
		JOIN pg_type t ON t.oid = a.atttypid JOIN pg_type b ON b.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END
		WHERE b.typname IN ('bytea', 'json', 'jsonb');
	IF FOUND THEN
		RAISE feature_not_supported USING MESSAGE = format('datatype %s is not supported in a key', type_name);
	END IF;
	SELECT format_type(a.atttypid, NULL) INTO type_name FROM pg_event_trigger_ddl_commands() c
		JOIN pg_attribute a ON a.attrelid = c.objid JOIN pg_class r ON r.oid = a.attrelid AND r.relkind = 'r'
		JOIN pg_type t ON t.oid = a.atttypid WHERE a.attnum > 0 AND t.typcategory IN ('A', 'R');
	IF FOUND THEN
		RAISE feature_not_supported USING MESSAGE = format('datatype %s not supported', type_name);
	END IF;
END $$;
DROP EVENT TRIGGER IF EXISTS strict_types;
CREATE EVENT TRIGGER strict_types ON ddl_command_end WHEN TAG IN ('CREATE TABLE', 'CREATE INDEX', 'ALTER TABLE') EXECUTE FUNCTION strict.check_types()`,
}

// CockroachDB is CockroachDB 25.4. Version 26.3 has domains and advisory locks of
// transactions. The refusals come from its documents on compatibility with PostgreSQL, from
// the text that its parser gives to what isn't implemented, and from its issues 13546
// (advisory locks of sessions lock nothing), 27796 (domains), 41522 (LISTEN), 46657
// (EXCLUDE), 74775 (aggregates) and 31632 (DEFERRABLE). The quotient of integers is a
// numeric, not an integer.
var CockroachDB = &Engine{
	Name:      "CockroachDB",
	isolation: "SERIALIZABLE",
	refusals: []refusal{
		no(`\bCREATE DOMAIN\b`, `at or near "as": syntax error: unimplemented: this syntax`),
		no(`\bCREATE (?:OR REPLACE )?AGGREGATE\b`, `at or near "aggregate": syntax error: unimplemented: this syntax`),
		no(`^CREATE TABLE .*\bEXCLUDE (?:USING\b|\()`, `at or near "exclude": syntax error: unimplemented: this syntax`),
		no(`^(?:CREATE|ALTER) TABLE .*\bDEFERRABLE\b`, `at or near "deferrable": syntax error: unimplemented: this syntax`),
		no(`^CREATE (?:GLOBAL |LOCAL )?TEMP(?:ORARY)? `, "temporary tables are only supported experimentally"),
		no(`^(LISTEN|LOCK)\b`, `at or near "$1": syntax error`).as(syntaxError),
		no(`\b(PG_(?:TRY_)?ADVISORY_XACT_\w+|PG_CURRENT_XACT_ID\w*|PG_CURRENT_SNAPSHOT|PG_SNAPSHOT_\w+|PG_XACT_STATUS|TXID_\w+)\(`,
			"unknown function: $1()").as(undefinedFunction),
		no(`\b(XID8|PG_SNAPSHOT)\b`, `type "$1" does not exist`).as(undefinedObject),
	},
	conflicts: []string{
		"restart transaction: TransactionRetryWithProtoRefreshError: TransactionRetryError: retry txn (RETRY_SERIALIZABLE - failed preemptive refresh)",
		"restart transaction: TransactionRetryWithProtoRefreshError: WriteTooOldError: write too old",
	},
	rewrites: []rewrite{
		{regexp.MustCompile(`(?i)\b(?:pg_catalog\.)?version\(\)`), `'CockroachDB CCL v25.4.0 (x86_64-pc-linux-gnu, built 2025/11/03)'::text`},
		{regexp.MustCompile(`(?i)\b(?:pg_catalog\.)?(pg_(?:try_)?advisory_(?:un)?lock(?:_shared)?)\(`), `strict.$1(`},
	},
	setUp: `CREATE SCHEMA IF NOT EXISTS strict;
CREATE OR REPLACE FUNCTION strict.pg_advisory_lock(bigint) RETURNS boolean LANGUAGE sql RETURN true;
CREATE OR REPLACE FUNCTION strict.pg_try_advisory_lock(bigint) RETURNS boolean LANGUAGE sql RETURN true;
CREATE OR REPLACE FUNCTION strict.pg_advisory_unlock(bigint) RETURNS boolean LANGUAGE sql RETURN true;
CREATE OR REPLACE FUNCTION strict.divide(bigint, bigint) RETURNS numeric LANGUAGE sql RETURN $1::numeric OPERATOR(pg_catalog./) $2;
CREATE OR REPLACE FUNCTION strict.divide(integer, integer) RETURNS numeric LANGUAGE sql RETURN $1::numeric OPERATOR(pg_catalog./) $2;
DO $$ BEGIN
	IF to_regoperator('strict./(bigint, bigint)') IS NULL THEN
		CREATE OPERATOR strict./ (FUNCTION = strict.divide, LEFTARG = bigint, RIGHTARG = bigint);
		CREATE OPERATOR strict./ (FUNCTION = strict.divide, LEFTARG = integer, RIGHTARG = integer);
	END IF;
END $$`,
	path: `"$user", public, strict, pg_catalog`, // in which strict./ comes before PostgreSQL's
}

var setting = regexp.MustCompile(`^SET (?:LOCAL |SESSION )?"?([\w.]+)`)

// refuse returns why the engine refuses a statement, or nil.
func (e *Engine) refuse(st *statement) *pgproto3.ErrorResponse {
	for _, r := range e.refusals {
		if m := r.pattern.FindStringSubmatch(st.folded); m != nil && (r.except == nil || !r.except.MatchString(st.folded)) {
			return refused(r.state, strings.ReplaceAll(r.message, "$1", strings.ToLower(m[len(m)-1])))
		}
	}
	if m := setting.FindStringSubmatch(st.folded); m != nil {
		return e.refuseSetting(strings.ToLower(m[1]))
	}
	return nil
}

// refuseSetting returns why the engine refuses to set a parameter, or nil.
func (e *Engine) refuseSetting(name string) *pgproto3.ErrorResponse {
	for _, known := range e.settings {
		if strings.EqualFold(name, known) {
			return nil
		}
	}
	if e.settings == nil {
		return nil
	}
	return refused(unsupported, `setting configuration parameter "`+name+`" not supported`)
}

func refused(state, message string) *pgproto3.ErrorResponse {
	return &pgproto3.ErrorResponse{Severity: "ERROR", SeverityUnlocalized: "ERROR", Code: state, Message: message}
}

package program

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/pgsequence"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
)

// count counts the rows of orders, of which there is one, with the ID Sample.
func (e Env) count(conn *pgx.Conn, where string, args ...any) (n int, err error) {
	err = conn.QueryRow(e.Ctx, "SELECT count(*) FROM orders WHERE "+where, args...).Scan(&n)
	return n, err
}

// V: orders.id gets IDs of 12 bytes in other statements
func (e Env) HexDigitsAgainstBytea() error {
	var n int
	if err := e.PG.QueryRow(e.Ctx, "SELECT count(*) FROM orders WHERE id = $1", Text).Scan(&n); err != nil {
		return err
	}
	return silent(n == 0)
}

// A: pass oid.MinAt(t), or both bounds of oid.Range
func (e Env) TimeAsABound() error { return second(e.count(e.PG, "id >= $1", time.Now())) }

// V: zero ID
func (e Env) ZeroIDForNoParent() error {
	if _, err := e.PG.Exec(e.Ctx, "UPDATE orders SET customer = $1", oid.ID{}); err != nil {
		return err
	}
	n, err := e.count(e.PG, "customer IS NULL")
	if err != nil {
		return err
	}
	return silent(n == 0)
}

// V: this string would hold the raw bytes
func (e Env) ReadIntoANullString() error {
	var text sql.NullString
	if err := e.SQL.QueryRowContext(e.Ctx, "SELECT id FROM orders").Scan(&text); err != nil {
		return err
	}
	return silent(text.String != Text)
}

// F: sql-reference.md: `sqltype.ZeroNull{}`
func (e Env) ZeroNullAsABound() error {
	var last sqltype.ZeroNull
	n, err := e.count(e.PG, "id > $1", last)
	if err != nil {
		return err
	}
	return silent(n == 0)
}

// A: use a column of type bytea or objectid
func (e Env) ColumnOfTypeOID() error {
	return second(e.PG.Exec(e.Ctx, "INSERT INTO oids (id) VALUES ($1)", Sample))
}

// A: = ANY($1)
func (e Env) ListForOneParameter() error {
	return second(e.count(e.PG, "id IN ($1)", []oid.ID{Sample}))
}

// D: invalid byte sequence for encoding "UTF8"
func (e Env) AfterConnectOnOneConnection() error {
	conn, err := e.Other.Acquire(e.Ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if err := pgxoid.AfterConnect(e.Ctx, conn.Conn()); err != nil {
		return err
	}
	_, err = e.Other.Exec(e.Ctx, "INSERT INTO invoices (id) VALUES ($1)", Sample)
	return err
}

// F: follow.md: Never compare or order `tx::text`
func (e Env) CastOfATransactionNumber() error {
	rows, err := e.PG.Query(e.Ctx, "SELECT tx::text AS tx FROM (VALUES ('999'::xid8), ('1000'::xid8)) AS events (tx) ORDER BY tx")
	if err != nil {
		return err
	}
	order, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	return silent(slices.Equal(order, []string{"1000", "999"}))
}

// C: invalid byte sequence for encoding "UTF8"
func (e Env) IDInATextColumnWithoutAfterConnect() error {
	return second(e.Bare.Exec(e.Ctx, "INSERT INTO invoices (id) VALUES ($1)", Sample))
}

// C: cannot find encode plan
func (e Env) ListOfIDsWithoutAfterConnect() error {
	return second(e.count(e.Bare, "id = ANY($1)", pgx.QueryExecModeExec, []oid.ID{Sample}))
}

// A: use *oid.ID, sql.Null[oid.ID] or sqltype.ZeroNull
func (e Env) NULLIntoAnID() error {
	var id oid.ID
	return e.PG.QueryRow(e.Ctx, "SELECT NULL::bytea").Scan(&id)
}

// B: cannot scan bytea
func (e Env) ByteaIntoAString() error {
	var text string
	return e.PG.QueryRow(e.Ctx, "SELECT id FROM orders").Scan(&text)
}

// A: sqltype.UUID
func (e Env) IDInAUUIDColumn() error {
	return second(e.PG.Exec(e.Ctx, "INSERT INTO tickets (id) VALUES ($1)", Sample))
}

// A: sqltype.UUID
func (e Env) UUIDColumnIntoAnID() error {
	var id oid.ID
	return e.PG.QueryRow(e.Ctx, "SELECT gen_random_uuid()").Scan(&id)
}

// A: use oid.ID for bytea
func (e Env) UUIDFormInAByteaColumn() error {
	return second(e.PG.Exec(e.Ctx, "INSERT INTO refunds (id) VALUES ($1)", sqltype.UUID(Sample)))
}

// A: select the column without ::text
func (e Env) IDAsText() error {
	var id oid.ID
	return e.PG.QueryRow(e.Ctx, "SELECT id::text FROM orders").Scan(&id)
}

// B: objectid_nonzero
func (e Env) ZeroIDAsAKey() error {
	return second(e.PG.Exec(e.Ctx, "INSERT INTO keys (id) VALUES ($1)", oid.ID{}))
}

// B: objectid
func (e Env) HexDigitsInTheDomain() error {
	return second(e.PG.Exec(e.Ctx, "INSERT INTO keys (id) VALUES ($1)", Text))
}

// B: function min(objectid) does not exist
func (e Env) MinimumOfTheDomain() error {
	var id oid.ID
	return e.PG.QueryRow(e.Ctx, "SELECT min(id) FROM keys").Scan(&id)
}

// B: type "objectid" does not exist
func (e Env) DomainThatNobodyMade() error {
	return second(e.Other.Exec(e.Ctx, "CREATE TABLE t (id objectid)"))
}

// B: no partition of relation
func (e Env) PartitionThatNobodyMade() error {
	return second(e.PG.Exec(e.Ctx, "INSERT INTO months (id) VALUES ($1)", Sample))
}

// B: duplicate key value
func (e Env) SameIDTwice() error {
	return second(e.PG.Exec(e.Ctx, "INSERT INTO orders (id) VALUES ($1)", Sample))
}

// B: expected 1 arguments, got 0
func (e Env) MissingArgument() error { return second(e.count(e.PG, "id = $1")) }

// C: Incorrect string value
func (e Env) IDInATextColumnOfMySQL() error {
	return second(e.MySQL.ExecContext(e.Ctx, "INSERT INTO invoices (id) VALUES (?)", Sample))
}

// V: payments.id gets IDs of 12 bytes in other statements
func (e Env) HexDigitsAgainstBinary() error {
	var n int
	if err := e.MySQL.QueryRowContext(e.Ctx, "SELECT count(*) FROM payments WHERE id = ?", Text).Scan(&n); err != nil {
		return err
	}
	return silent(n == 0)
}

// B: Duplicate entry
func (e Env) SameIDTwiceInMySQL() error {
	return second(e.MySQL.ExecContext(e.Ctx, "INSERT INTO payments (id) VALUES (?)", Sample))
}

// B: Data too long
func (e Env) HexInABinaryColumn() error {
	return second(e.MySQL.ExecContext(e.Ctx, "INSERT INTO refunds (id) VALUES (?)", sqltype.Hex(Sample)))
}

// B: doesn't have a default value
func (e Env) RowWithoutAnID() error {
	return second(e.MySQL.ExecContext(e.Ctx, "INSERT INTO payments (number) VALUES ('A1')"))
}

// plan is that of the counts.
var plan = sequence.Plan{First: 1, Last: 99}

// A: the transaction belongs to another store
func (e Env) NumberInATransactionOfAnotherDatabase() error {
	tx, err := e.Other.Begin(e.Ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(e.Ctx)
	elsewhere := pgsequence.New(e.Other, "sequences")
	defer elsewhere.Close()
	return second(sequence.New(e.Store, "elsewhere", plan, sequence.WithGapFree()).NextIn(e.Ctx, elsewhere.Tx(tx)))
}

// D: context deadline exceeded
func (e Env) PoolUsedInsideInTx() error {
	ctx, cancel := context.WithTimeout(e.Ctx, time.Second)
	defer cancel()
	return e.Store.InTx(ctx, func(pgx.Tx) error {
		_, err := e.Pool.Exec(ctx, "SELECT 1")
		return err
	})
}

// F: sequence-reference.md: If you write the row through the pool
func (e Env) RowWrittenThroughThePoolInsideInTx() error {
	numbers := sequence.New(e.Store, "pool", plan, sequence.WithGapFree())
	var drawn []int64
	for range 2 {
		err := e.Store.InTx(e.Ctx, func(tx pgx.Tx) error {
			n, err := numbers.NextIn(e.Ctx, e.Store.Tx(tx))
			if err != nil {
				return err
			}
			drawn = append(drawn, n.Serial)
			if _, err := e.Other.Exec(e.Ctx, "INSERT INTO numbers (n) VALUES ($1)", n.Serial); err != nil {
				return err
			}
			return context.Canceled // rolled back
		})
		if err != context.Canceled {
			return err
		}
	}
	return silent(drawn[0] == drawn[1])
}

// B: no quotes
func (e Env) QuotedNameOfATable() error {
	store := pgsequence.New(e.Pool, `"quoted"`)
	defer store.Close()
	return store.Migrate(e.Ctx)
}

// A: call New
func (e Env) ZeroSequence() error { return second(new(sequence.Sequence).Next(e.Ctx)) }

// B: Plan
func (e Env) EmptyPlan() error {
	return second(sequence.New(e.Store, "empty", sequence.Plan{}).Next(e.Ctx))
}

// A: call Migrate once
func (e Env) TableThatNobodyMade() error {
	store := pgsequence.New(e.Pool, "nobody")
	defer store.Close()
	return second(sequence.New(store, "k", plan).Next(e.Ctx))
}

// A: NextIn
func (e Env) NextOfGapFreeNumbers() error {
	return second(sequence.New(e.Store, "gapfree", plan, sequence.WithGapFree()).Next(e.Ctx))
}

// B: the store is not bound to a transaction
func (e Env) NextInWithoutATransaction() error {
	return second(sequence.New(e.Store, "bound", plan, sequence.WithGapFree()).NextIn(e.Ctx, e.Store))
}

// A: or another key
func (e Env) KeyOfAnotherMeaning() error {
	if _, err := sequence.New(e.Store, "two", plan).Next(e.Ctx); err != nil {
		return err
	}
	return second(sequence.NewNumbering(e.Store, "two", "INV-{2006}-{000}").Next(e.Ctx))
}

// B: exhausted
func (e Env) MoreThanThePlanHas() error {
	s := sequence.New(e.Store, "one", sequence.Plan{First: 1, Last: 1})
	if _, err := s.Next(e.Ctx); err != nil {
		return err
	}
	return second(s.Next(e.Ctx))
}

// A: AdvanceTo
func (e Env) MissingKeyThatMustExist() error {
	return second(sequence.New(e.Store, "missing", plan, sequence.WithExisting()).Next(e.Ctx))
}

// B: INV-{2006}
func (e Env) PatternWithoutANumber() error {
	return second(sequence.NewNumbering(e.Store, "pattern", "INV-{2006}").Next(e.Ctx))
}

// B: scope
func (e Env) SlashInAScope() error {
	return second(sequence.NewNumbering(e.Store, "scope", "{000+}").For("a/b").Next(e.Ctx))
}

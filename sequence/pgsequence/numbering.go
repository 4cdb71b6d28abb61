package pgsequence

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/oidkit/oidkit/sequence"
)

// TakeNumbers implements [sequence.NumberingStore].
func (s *Store) TakeNumbers(ctx context.Context, key string, d sequence.NumberDraw) (int64, error) {
	x, err := s.takeNumbers(ctx, key, d)
	if err != nil {
		return 0, failed(ctx, fmt.Sprintf("TakeNumbers(%s, %d)", sequence.QuoteKey(key), d.N), err)
	}
	return x, nil
}

func (s *Store) takeNumbers(ctx context.Context, key string, d sequence.NumberDraw) (x int64, err error) {
	pool, err := s.pool()
	if err != nil {
		return 0, err
	}
	err = s.numbers(ctx, pool, key, d, func(args []any) error {
		return s.draw(ctx, s.sql.takeNumbers, args, &x)
	})
	return x, err
}

// NextTx draws a number of n, which was made with [sequence.WithGapFree], inside tx, and
// returns its text. If tx is rolled back, the next caller gets the same number. So no
// number is missing, and none comes twice. The price is that callers of one numbering
// wait for each other's transactions to end. Draw late in a transaction, and keep it
// short.
//
// After an error, tx must be rolled back.
func (s *Store) NextTx(ctx context.Context, tx pgx.Tx, n *sequence.Numbering) (string, error) {
	text, err := n.NextIn(ctx, func(ctx context.Context, key string, d sequence.NumberDraw) (x int64, err error) {
		err = s.numbers(ctx, tx, key, d, func(args []any) error {
			var l lasting
			var draws int64
			if err := tx.QueryRow(ctx, s.sql.takeNumbers.onDisk, args...).Scan(&draws, &x, &l.setting, &l.persistence); err != nil {
				return err
			}
			return l.check(s.table)
		})
		return x, err
	})
	if err != nil {
		return "", failed(ctx, fmt.Sprintf("NextTx(%s)", sequence.QuoteKey(n.Key())), err)
	}
	return text, nil
}

// A querier is a pool or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// numbers has update draw the numbers. It makes the key if it doesn't exist.
func (s *Store) numbers(ctx context.Context, q querier, key string, d sequence.NumberDraw, update func(args []any) error) error {
	if err := errors.Join(s.err, sequence.CheckKey(key), d.Validate()); err != nil {
		return err
	}
	least := d.Now.Add(-d.MaxLead).UnixMicro() // what the server's clock must show at least
	args := []any{key, d.Floor, d.N, d.Kind, least}
	err := update(args)
	if !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	var kind *string
	var clock int64
	if err := q.QueryRow(ctx, s.sql.numbering, key).Scan(&kind, &clock); err != nil {
		return err
	}
	if kind != nil {
		if err := d.CheckKind(*kind); err != nil {
			return err
		}
	}
	if err := d.CheckLead(time.UnixMicro(clock)); err != nil {
		return err
	}
	if _, err := q.Exec(ctx, s.sql.insertNumbering, key, d.Kind); err != nil {
		return err
	}
	err = update(args)
	if errors.Is(err, pgx.ErrNoRows) {
		// Someone else has made it meanwhile, with another kind.
		return fmt.Errorf("%w: someone else has just made it with another kind", sequence.ErrConflict)
	}
	return err
}

package sqlsequence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

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

func (s *Store) takeNumbers(ctx context.Context, key string, d sequence.NumberDraw) (int64, error) {
	if s.err != nil {
		return 0, s.err
	}
	conn, err := s.conn(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	return s.numbers(ctx, conn, key, d)
}

// NextTx draws a number of n, which was made with [sequence.WithGapFree], inside tx, and
// returns its text. If tx is rolled back, the next caller gets the same number. So no
// number is missing, and none comes twice. The price is that callers of one numbering
// wait for each other's transactions to end. Draw late in a transaction, and keep it
// short.
//
// With GORM, tx is db.Statement.ConnPool.(*sql.Tx) inside db.Transaction. On SQLite,
// open the database with _txlock=immediate. Otherwise a transaction that has read before
// it draws may fail with "database is locked". After an error, tx must be rolled back.
func (s *Store) NextTx(ctx context.Context, tx *sql.Tx, n *sequence.Numbering) (string, error) {
	text, err := n.NextIn(ctx, func(ctx context.Context, key string, d sequence.NumberDraw) (int64, error) {
		return s.numbers(ctx, tx, key, d)
	})
	call := fmt.Sprintf("NextTx(%s)", sequence.QuoteKey(n.Key()))
	if err != nil && isLocked(err) {
		return "", wrapped(ctx, call, fmt.Errorf("%w: open the database with _txlock=immediate and a busy_timeout", err))
	}
	if err != nil {
		return "", failed(ctx, call, err)
	}
	return text, nil
}

// numbers draws. It makes the key if it doesn't exist.
func (s *Store) numbers(ctx context.Context, q querier, key string, d sequence.NumberDraw) (int64, error) {
	if err := errors.Join(s.err, sequence.CheckKey(key), d.Validate()); err != nil {
		return 0, err
	}
	if err := s.dialect.checkLead(d.CheckLead); err != nil {
		return 0, err
	}
	_, inTx := q.(*sql.Tx)
	careful := inTx && s.dialect == MySQL
	if careful {
		// An UPDATE that finds no row would lock the gap where the row should be. If two
		// transactions did so, neither could insert.
		exists, err := s.explain(ctx, q, key, d)
		if err != nil {
			return 0, err
		}
		if !exists {
			x, ok, err := s.update(ctx, q, s.sql.upsertNumbers, key, d.Kind, d.Floor+d.N, d.Kind, d.Floor, d.N)
			if err != nil || ok {
				return x, err
			}
		}
	}
	update := func() (int64, bool, error) {
		return s.update(ctx, q, s.sql.takeNumbers, d.Floor, d.N, key, d.Kind, least(d.Now, d.MaxLead))
	}
	x, ok, err := update()
	if err != nil || ok {
		return x, err
	}
	if _, err := s.explain(ctx, q, key, d); err != nil {
		return 0, err
	}
	if _, err := q.ExecContext(ctx, s.sql.insertNumbering, key, d.Kind); err != nil {
		return 0, err
	}
	x, ok, err = update()
	if err == nil && !ok {
		// Someone else has just made it, with another kind.
		err = fmt.Errorf("%w: someone else has just made it with another kind", sequence.ErrConflict)
	}
	return x, err
}

// explain returns an error if a draw is impossible. It reports whether the key exists.
func (s *Store) explain(ctx context.Context, q querier, key string, d sequence.NumberDraw) (bool, error) {
	var kind sql.NullString
	err := q.QueryRowContext(ctx, s.sql.numbering, key).Scan(&kind)
	exists := err == nil
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return false, err
	}
	if exists {
		if err := d.CheckKind(kind.String); err != nil {
			return true, err
		}
	}
	clock, err := s.clock(ctx, q)
	if err != nil {
		return exists, err
	}
	return exists, d.CheckLead(clock)
}

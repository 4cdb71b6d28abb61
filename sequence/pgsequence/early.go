package pgsequence

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/oidkit/oidkit/sequence"
)

// company is what is known about others who draw from a key.
type company struct {
	draws int64 // the row's count of draws after our last one
	near  int   // for so many more draws, others are expected
}

// remembered is for how many draws others are expected after they drew.
const remembered = 16

// mostKeys is how many keys a store remembers something about.
const mostKeys = 10000

// flushing says whether the store may flush by its sequence.
type flushing int

const (
	untried flushing = iota
	possible
	impossible
)

// draw runs a statement that draws, and scans the columns after draws. Alone, it waits
// for the disk while it holds the row, in one round trip. When others draw from the same
// key too, it releases the row first; see drawEarly.
func (s *Store) draw(ctx context.Context, d draw, args []any, to ...any) error {
	key := args[0].(string)
	var draws int64
	to = append([]any{&draws}, to...)
	early, err := s.mayDrawEarly(ctx, key)
	if err != nil {
		return err
	}
	if early {
		err = s.drawEarly(ctx, d, args, to)
	}
	if !early || code(err) == "40001" || code(err) == "25006" { // which change knows how to treat
		err = s.change(ctx, d.onDisk, args, to...)
	}
	if err != nil {
		return err
	}
	s.remember(key, draws)
	return nil
}

// remember notes the row's count of draws after one of ours. If it grew by more than one,
// others draw too.
func (s *Store) remember(key string, draws int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.others[key]
	if c.draws != 0 && draws != c.draws+1 {
		c.near = remembered
	} else {
		c.near = max(c.near-1, 0)
	}
	c.draws = draws
	if s.others == nil || len(s.others) >= mostKeys {
		s.others = map[string]company{} // the next draws find out again
	}
	s.others[key] = c
}

// mayDrawEarly reports whether others draw from the key, and whether the store can flush.
func (s *Store) mayDrawEarly(ctx context.Context, key string) (bool, error) {
	s.mu.Lock()
	near, flush := s.others[key].near > 0, s.flush
	s.mu.Unlock()
	if !near || flush == impossible {
		return false, nil
	}
	if flush == possible {
		return true, nil
	}
	// Tried before the first early draw, whose numbers a failure would waste.
	flush, err := s.tryFlush(ctx)
	if err != nil {
		return false, err
	}
	s.mu.Lock()
	s.flush = flush
	s.mu.Unlock()
	return flush == possible, nil
}

// tryFlush flushes, and reports whether the store may.
func (s *Store) tryFlush(ctx context.Context) (flushing, error) {
	pool, err := s.pool()
	if err != nil {
		return untried, err
	}
	if pool.Config().ConnConfig.DefaultQueryExecMode == pgx.QueryExecModeSimpleProtocol {
		return impossible, nil // the server may not know pipelines
	}
	_, err = pool.Exec(ctx, s.flusherSQL())
	if refuses(err) { // there is no sequence, or no right to set it
		return impossible, nil
	}
	return possible, err
}

// drawEarly draws in two steps. The first commits without waiting for the disk, which
// releases the row for others. The second waits until all that was written by then is on
// disk, and on the disks of the synchronous standbys, together with everyone else who
// waits. So programs that draw from one key share the flushes of the disk. Otherwise each
// of their draws would take one.
//
// The numbers are handed out only after the second step. Its record in the log comes after
// that of the first. So they are on disk by then, and so are all that were drawn before.
// A crash between the steps loses numbers that nobody got. If the second step fails, the
// numbers are a gap.
//
// Both steps are sent at once, in one round trip. Each ends with a Sync of its own, which
// makes it a transaction of its own. In one transaction, the row would be held until the
// flush again, or, with synchronous_commit off, nobody would wait for the disk.
func (s *Store) drawEarly(ctx context.Context, d draw, args, to []any) error {
	pool, err := s.pool()
	if err != nil {
		return err
	}
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	values, types := parameters(args)
	p := conn.Conn().PgConn().StartPipeline(ctx)
	defer p.Close()
	p.SendQueryParams(d.early, values, types, nil, nil)
	p.SendPipelineSync()
	p.SendQueryParams(s.flusherSQL(), nil, nil, nil, nil)
	if err := p.Sync(); err != nil {
		return err
	}
	var l lasting
	if err := result(p, conn.Conn().TypeMap(), append(to, &l.setting, &l.persistence)); err != nil {
		return err
	}
	var value int64
	var setting *string
	err = result(p, conn.Conn().TypeMap(), []any{&value, &setting})
	if refuses(err) { // since it was tried: the sequence was dropped, or the right was revoked
		s.mu.Lock()
		s.flush = impossible
		s.mu.Unlock()
		return fmt.Errorf("%w: %w", sequence.ErrTransient, err)
	}
	if err != nil {
		return err
	}
	return l.check(s.table)
}

// parameters returns the arguments of a draw as a pipeline takes them.
func parameters(args []any) (values [][]byte, types []uint32) {
	for _, arg := range args {
		typeOID := uint32(pgtype.Int8OID)
		if _, ok := arg.(string); ok {
			typeOID = pgtype.TextOID
		}
		values, types = append(values, fmt.Append(nil, arg)), append(types, typeOID)
	}
	return values, types
}

// result scans the one row of the next statement in a pipeline, once its transaction has
// ended.
func result(p *pgconn.Pipeline, types *pgtype.Map, to []any) error {
	next, err := p.GetResults()
	if err != nil {
		return err
	}
	reader, ok := next.(*pgconn.ResultReader)
	if !ok {
		return fmt.Errorf("a %T instead of a row", next)
	}
	got := reader.Read()
	if got.Err != nil {
		return got.Err
	}
	if _, err := p.GetResults(); err != nil { // of the commit
		return err
	}
	if len(got.Rows) == 0 {
		return pgx.ErrNoRows
	}
	for i, field := range got.FieldDescriptions {
		if err := types.Scan(field.DataTypeOID, field.Format, got.Rows[0][i], to[i]); err != nil {
			return err
		}
	}
	return nil
}

// refuses reports whether the server says that it won't ever do it.
func refuses(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && !transient(err)
}

// flusherSQL returns the statement after which all that was committed before is on disk.
// setval writes to the log, so its commit waits for the disk. A transaction that writes
// nothing doesn't wait.
func (s *Store) flusherSQL() string {
	name := "'" + strings.ReplaceAll(s.flusher, "'", "''") + "'"
	return `SELECT setval(` + name + `, 1),
	CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END`
}

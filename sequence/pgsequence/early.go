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

// company says whether others draw from a key.
type company struct {
	draws int64 // the row's count of draws after our last draw
	near  int   // how many more draws expect others
}

// remembered is how many draws expect others after others drew.
const remembered = 16

// mostKeys is how many keys a store remembers.
const mostKeys = 10000

// flushing says whether the store can use its sequence to flush.
type flushing int

const (
	untried flushing = iota
	possible
	impossible
)

// draw runs a statement that draws, and scans the columns after draws. If nobody else
// draws from the key, the statement waits for the disk while it holds the row. If others
// draw too, drawEarly releases the row first.
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
	if !early || code(err) == "40001" || code(err) == "25006" { // change handles these
		err = s.change(ctx, d.onDisk, args, to...)
	}
	if err != nil {
		return err
	}
	s.remember(key, draws)
	return nil
}

// remember keeps the row's count of draws after one of ours. If it grew by more than
// one, others draw too.
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
		s.others = map[string]company{} // later draws find out again
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
	// Try it before the first early draw. A failure there would waste numbers.
	flush, err := s.tryFlush(ctx)
	if err != nil {
		return false, err
	}
	s.mu.Lock()
	s.flush = flush
	s.mu.Unlock()
	return flush == possible, nil
}

// tryFlush flushes, and reports whether the store can.
func (s *Store) tryFlush(ctx context.Context) (flushing, error) {
	pool, err := s.pool()
	if err != nil {
		return untried, err
	}
	if pool.Config().ConnConfig.DefaultQueryExecMode == pgx.QueryExecModeSimpleProtocol {
		return impossible, nil // the server may not know pipelines
	}
	_, err = pool.Exec(ctx, s.flusherSQL())
	if refuses(err) { // no sequence, or no right to set it
		return impossible, nil
	}
	return possible, err
}

// drawEarly draws in two steps. The first commits without waiting for the disk, which
// releases the row for others. The second waits until everything before it is on disk,
// and on the disks of the synchronous standbys. All programs wait for the same flush
// together. So programs that draw from one key share the flushes of the disk. Otherwise
// each draw would need its own flush.
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
	if refuses(err) { // the sequence was dropped, or the right was revoked, since it was tried
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

// result scans the row of the next statement in a pipeline, after the end of its
// transaction.
func result(p *pgconn.Pipeline, types *pgtype.Map, to []any) error {
	next, err := p.GetResults()
	if err != nil {
		return err
	}
	reader, ok := next.(*pgconn.ResultReader)
	if !ok {
		return fmt.Errorf("got a %T, not a row", next)
	}
	got := reader.Read()
	if got.Err != nil {
		return got.Err
	}
	if _, err := p.GetResults(); err != nil { // the error of the commit
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

// refuses reports whether err is a refusal of the server that a retry won't change.
func refuses(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && !transient(err)
}

// flusherSQL returns a statement that flushes. Everything committed before is on disk
// when it ends. setval writes to the log, so its commit waits for the disk. A
// transaction that writes nothing doesn't wait.
func (s *Store) flusherSQL() string {
	name := "'" + strings.ReplaceAll(s.flusher, "'", "''") + "'"
	return `SELECT setval(` + name + `, 1),
	CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END`
}

//go:build nightly

package sqlsequence_test

import (
	"strings"
	"testing"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/mysqldialect"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"github.com/uptrace/bun/schema"

	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// Bun takes long to compile. Its transactions fit, nested ones too, and its pool is refused.
func TestTransactionsOfBunFit(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s server) {
		store, db := s.store(t)
		seq := positions(store, "k")
		draw := func(what string, tx bun.Tx, want int64) {
			t.Helper()
			if n, err := seq.NextIn(t.Context(), store.Tx(tx)); err != nil || n.Ordinal != want {
				t.Errorf("%s: %v, %v, want %d", what, n, err, want)
			}
		}
		b := bun.NewDB(db, map[sqlsequence.Dialect]schema.Dialect{
			sqlsequence.MySQL: mysqldialect.New(), sqlsequence.PostgreSQL: pgdialect.New(), sqlsequence.SQLite: sqlitedialect.New()}[s.dialect])
		tx, err := b.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		draw("bun", tx, 1)
		inner, err := tx.Begin()
		if err != nil {
			t.Fatal(err)
		}
		draw("bun, nested", inner, 2)
		if err := inner.Rollback(); err != nil {
			t.Fatal(err)
		}
		draw("bun, after a nested rollback", tx, 2)
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		if n, err := seq.NextIn(t.Context(), store.Tx(b)); err == nil || !strings.Contains(err.Error(), "InTx") {
			t.Errorf("a draw in *bun.DB = %v, %v, want an error that names the way out", n, err)
		}
	})
}

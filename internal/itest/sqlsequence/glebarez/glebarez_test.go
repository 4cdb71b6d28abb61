// Package glebarez_test shows that sqlsequence works with glebarez's driver of SQLite. Its
// name is that of modernc's, so no program can have both.
package glebarez_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	_ "github.com/glebarez/sqlite"

	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/driver"
	"github.com/oidkit/oidkit/sequence/drivertest"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

func open(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestStoreKeepsTheContract(t *testing.T) {
	dsn := "file:" + filepath.Join(t.TempDir(), "s.db") + "?_pragma=busy_timeout(60000)&_pragma=journal_mode(WAL)"
	db := open(t, dsn)
	store := sqlsequence.New(db, "sequences", sqlsequence.SQLite)
	drivertest.Run(t, func(t testing.TB) driver.Driver {
		return sqlsequence.New(open(t, dsn), "sequences", sqlsequence.SQLite).Driver()
	}, func(ctx context.Context) (driver.Driver, func(bool) error, error) {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return nil, nil, err
		}
		return store.Tx(tx).Driver(), func(commit bool) error {
			if commit {
				return tx.Commit()
			}
			return tx.Rollback()
		}, nil
	})
}

// TestMigrateWaitsForAnotherConnection has a connection that locks the database for a while.
// SQLite refuses some locks at once, whatever the busy_timeout, such as that of the change to
// WAL. So Migrate tries again by itself.
func TestMigrateWaitsForAnotherConnection(t *testing.T) {
	dsn := "file:" + filepath.Join(t.TempDir(), "s.db") + "?_pragma=busy_timeout(0)"
	other, err := open(t, dsn).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.ExecContext(t.Context(), "BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, func() { other.ExecContext(context.Background(), "COMMIT") })
	if err := sqlsequence.New(open(t, dsn), "sequences", sqlsequence.SQLite).Migrate(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestBusyCommitIsRunAgain has a reader that lets nobody commit for a while. The driver
// leaves a transaction open whose commit failed.
func TestBusyCommitIsRunAgain(t *testing.T) {
	dsn := "file:" + filepath.Join(t.TempDir(), "s.db") + "?_pragma=busy_timeout(500)" // without WAL, where readers don't matter
	db := open(t, dsn)
	db.SetMaxOpenConns(1)
	store := sqlsequence.New(db, "sequences", sqlsequence.SQLite)
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	seq := sequence.New(store, "k", sequence.Plan{First: 1, Last: 9}, sequence.WithGapFree())
	reader, err := open(t, dsn).Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Rollback()
	rows, err := reader.Query("SELECT x FROM sequences")
	if err != nil {
		t.Fatal(err)
	}
	rows.Next()
	runs := 0
	err = store.InTx(t.Context(), func(tx *sql.Tx) error {
		if runs++; runs == 3 {
			rows.Close()
			if err := reader.Rollback(); err != nil {
				t.Error(err)
			}
		}
		n, err := seq.NextIn(t.Context(), store.Tx(tx))
		if err == nil && n.Ordinal != 1 {
			t.Errorf("number %v in run %d", n, runs)
		}
		return err
	})
	if err != nil || runs != 3 {
		t.Errorf("%d runs: %v", runs, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if n := db.Stats().InUse; n != 0 {
		t.Errorf("%d connections are in use", n)
	}
	if err := store.InTx(ctx, func(tx *sql.Tx) error {
		n, err := seq.NextIn(ctx, store.Tx(tx))
		if err == nil && n.Ordinal != 2 {
			t.Errorf("number %v after it", n)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// TestCommitOfSQLiteIsNeverUnknown has a reader who holds the commit up for longer than the
// context lasts.
func TestCommitOfSQLiteIsNeverUnknown(t *testing.T) {
	dsn := "file:" + filepath.Join(t.TempDir(), "s.db") + "?_pragma=busy_timeout(60000)"
	reader := open(t, dsn)
	store := sqlsequence.New(open(t, dsn), "sequences", sqlsequence.SQLite)
	n := sequence.NewNumbering(store, "n", "{0+}", sequence.WithGapFree())
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := store.InTx(ctx, func(tx *sql.Tx) error {
		_, err := n.NextIn(ctx, store.Tx(tx))
		read, readErr := reader.BeginTx(t.Context(), nil)
		if readErr != nil {
			return readErr
		}
		var n int
		readErr = read.QueryRow("SELECT count(*) FROM sequences").Scan(&n)
		time.AfterFunc(100*time.Millisecond, cancel)
		time.AfterFunc(time.Second, func() { read.Rollback() })
		return errors.Join(err, readErr)
	})
	if state, stateErr := n.State(t.Context()); err != nil || stateErr != nil || state.Text != "1" {
		t.Errorf("InTx() = %v, and the state is %+v, %v", err, state, stateErr)
	}
}

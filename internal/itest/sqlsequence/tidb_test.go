//go:build nightly

package sqlsequence_test

import (
	"net/http"
	"os"
	"testing"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/internal/servers/wire"
)

// onTiDB skips the test unless the step tidb of .ci/nightly runs it. It returns the URL at
// which the server is replaced.
func onTiDB(t *testing.T) (restart string) {
	t.Helper()
	restart = os.Getenv("OIDKIT_TIDB_RESTART")
	if restart == "" {
		t.Skip("the server is not TiDB: run bash .ci/nightly tidb")
	}
	return restart
}

// TestTiDBSendsTransientErrors makes transactions of TiDB fail.
func TestTiDBSendsTransientErrors(t *testing.T) {
	onTiDB(t)
	sends(t, "TiDB")
}

// TestReplacedTiDBRepeatsNoNumber cuts all connections of a TiDB server, and starts another
// one on its storage.
func TestReplacedTiDBRepeatsNoNumber(t *testing.T) {
	restart := onTiDB(t)
	s, w := through(t, on(mysqlserver.TiDB)(t))
	crowdDraws(t, s, count("OIDKIT_SEQUENCE_DRAWS", 10_000), 5, func() {
		w.Break(wire.Cut)
		res, err := http.Post(restart, "", nil)
		if err != nil {
			t.Error(err)
			return
		}
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Error(res.Status)
		}
	})
}

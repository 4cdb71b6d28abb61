package mysql

import (
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/servers/daemon"
)

// TestAnotherServerAtThePortIsNotTakenForOurs asks the server of a folder, and gets an answer
// of another folder's.
func TestAnotherServerAtThePortIsNotTakenForOurs(t *testing.T) {
	for _, e := range Engines() {
		t.Run(e.Name, func(t *testing.T) {
			s := e.StartOwn(t)
			if err := s.ping(); err != nil {
				t.Error(err)
			}
			other := Server{DSN: s.DSN, data: daemon.Memory()}
			if err := other.ping(); err == nil || !strings.Contains(err.Error(), "another server answers, with its data in "+s.data) {
				t.Errorf("ping: %v", err)
			}
		})
	}
}

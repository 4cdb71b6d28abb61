package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/servers/daemon"
)

func TestRun(t *testing.T) {
	var out bytes.Buffer
	err := run(t.Context(), &out, 2500)
	if errors.Is(err, daemon.ErrNotInstalled) {
		daemon.Skip(t, err)
	}
	if err != nil || strings.Count(out.String(), "oid.ID in") != 4 || !strings.Contains(out.String(), "sqltype.UUID") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

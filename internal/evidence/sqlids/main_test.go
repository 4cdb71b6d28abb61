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
	err := run(t.Context(), &out, 20_000, 20)
	if errors.Is(err, daemon.ErrNotInstalled) {
		daemon.Skip(t, err)
	}
	if err != nil || !strings.Contains(out.String(), "20000 IDs from 20 sessions") || !strings.Contains(out.String(), "objectid_new()") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

package main

import (
	"testing"

	"github.com/oidkit/oidkit/internal/servers/daemon"
)

func TestTableIsPrinted(t *testing.T) {
	if err := run(t.Context(), 1000); err != nil {
		daemon.Skip(t, err)
	}
}

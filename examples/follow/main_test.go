package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestReaderSeesEachEventOnce(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out, filepath.Join(t.TempDir(), "events.db")); err != nil {
		t.Error(out.String(), err)
	}
}

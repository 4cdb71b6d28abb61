package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/servers/repo"
)

// TestPictureIsDrawnByTheProgram compares docs/id.svg with what draw writes.
func TestPictureIsDrawnByTheProgram(t *testing.T) {
	got, err := os.ReadFile(repo.Path("docs/id.svg"))
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	if err := draw(&want); err != nil {
		t.Fatal(err)
	}
	if string(got) != want.String() {
		t.Error("docs/id.svg is another picture: go run ./internal/evidence/picture > docs/id.svg")
	}
	if len(got) > 15_000 {
		t.Errorf("docs/id.svg has %d bytes, want at most 15,000", len(got))
	}
	d := xml.NewDecoder(strings.NewReader(want.String()))
	for err == nil {
		_, err = d.Token()
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("docs/id.svg is not XML: %v", err)
	}
}

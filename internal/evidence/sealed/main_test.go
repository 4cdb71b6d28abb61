package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(&out, 200_000, 20_000); err != nil || !strings.HasPrefix(out.String(), "200000 random texts: 0 open.") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

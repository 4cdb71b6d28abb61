package main

import (
	"bytes"
	"testing"
)

func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(&out, 10_000); err != nil || !bytes.HasPrefix(out.Bytes(), []byte("10000 pairs")) {
		t.Errorf("%v\n%s", err, out.String())
	}
}

package main

import (
	"runtime/debug"
	"testing"
)

func TestVersionOfTheBuild(t *testing.T) {
	release := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}
	if got := version(release, true); got != "v1.2.3" {
		t.Errorf("a release: %s", got)
	}
	if a, b := version(&debug.BuildInfo{}, true), version(nil, false); a != "(devel)" || b != "(devel)" {
		t.Errorf("without a version %q, without information %q", a, b)
	}
}

package main

import (
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// The line of the progress covers the one before it, and comes five times a second.
func TestProgressOverwritesItsLine(t *testing.T) {
	var out strings.Builder
	p := &progress{w: &out, total: 2_000_000, start: time.Now().Add(-10_000 * time.Second)}
	before := time.Now()
	p.at(1_980_000)
	if !regexp.MustCompile(`^\r1,980,000 of 2,000,000 IDs, 99 %, 19\d/s$`).MatchString(out.String()) {
		t.Errorf("%q", out.String())
	}
	width := out.Len() - 1
	if p.next.Before(before.Add(200*time.Millisecond)) || p.next.After(time.Now().Add(200*time.Millisecond)) {
		t.Errorf("the next line comes after %s", p.next.Sub(before))
	}
	p.next = time.Now().Add(time.Hour)
	out.Reset()
	p.at(1500)
	if out.Len() > 0 {
		t.Errorf("%q before it is time", out.String())
	}
	p.next, p.total = time.Time{}, 0
	p.at(7)
	if want := "\r7 IDs, 0/s"; out.String() != want+strings.Repeat(" ", width+1-len(want)) {
		t.Errorf("%q, want %q with spaces up to %d", out.String(), want, width)
	}
	out.Reset()
	p.clear()
	p.clear()
	if want := "\r" + strings.Repeat(" ", len("7 IDs, 0/s")) + "\r"; out.String() != want {
		t.Errorf("cleared with %q, want %q", out.String(), want)
	}
	p.total = 1
	out.Reset()
	p.next = time.Time{}
	p.at(1)
	if !strings.HasPrefix(out.String(), "\r1 of 1 IDs, 100 %, ") {
		t.Errorf("%q", out.String())
	}
	nothing := newProgress(&out, true, 5) // not a terminal
	nothing.at(1)
	nothing.clear()
	if nothing.w != nil {
		t.Error("shows the progress where there is no terminal")
	}
}

func TestErrorsArePrintable(t *testing.T) {
	t.Setenv("LC_ALL", "C.UTF-8")
	if got, want := printable("a\nb\tc\vd\u202e…'"), `a`+"\n"+`b\tc\vd\u202e…'`; got != want {
		t.Errorf("printable: %q, want %q", got, want)
	}
	t.Setenv("LC_ALL", "C")
	if got, want := printable("é…"), "é..."; got != want {
		t.Errorf("printable in ASCII: %q, want %q", got, want)
	}
}

func TestVersionOfTheBuild(t *testing.T) {
	release := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}
	if got := versionIn(release, true); got != "v1.2.3" {
		t.Errorf("a release: %s", got)
	}
	if a, b := versionIn(&debug.BuildInfo{}, true), versionIn(nil, false); a != "(devel)" || b != "(devel)" {
		t.Errorf("without a version %q, without information %q", a, b)
	}
}

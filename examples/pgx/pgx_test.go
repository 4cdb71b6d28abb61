package main

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/oidkit/oidkit/internal/servers/daemon"
)

func TestPgx(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), &out); err != nil {
		daemon.Skip(t, err)
	}
	for _, want := range []string{
		`(?m)^  create table events_2026_01 partition of events for values FROM \('\\x6955b900(0{16})'\) TO \('\\x697e9780(0{16})'\)$`,
		`(?m)^  8760 rows in [\d.]+ s, each id dated as its event is$`,
		`(?m)^  744 events from 2026-03-01 00:00:00 to 2026-03-31 23:00:00, out of the one partition of that month$`,
		`(?m)^  6955c710[0-9a-f]{16} of 2026-01-01 01:00:00 answers 6955b900[0-9a-f]{16}$`,
		`(?m)^  an id that was never set: .*objectid_nonzero.*$`,
		`(?m)^  hex digits where bytes belong: .*objectid_length.*$`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("the output has no line %s:\n%s", want, out.String())
		}
	}
}

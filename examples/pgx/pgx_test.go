package main

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/servers/postgres"
)

func TestPgx(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), &out, postgres.Database(t)); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{
		`(?m)^  create table events_2026_01 partition of events for values FROM \('\\x6955b900(0{16})'\) TO \('\\x697e9780(0{16})'\)$`,
		`(?m)^  8760 rows in [\d.]+ s, each ID with the time of its event$`,
		`(?m)^  744 events from 2026-03-01 00:00:00 to 2026-03-31 23:00:00, read from one partition$`,
		`(?m)^  6955c710[0-9a-f]{16} of 2026-01-01 01:00:00 comes after 6955b900[0-9a-f]{16}$`,
		`(?m)^  an ID that was never set: .*objectid_nonzero.*$`,
		`(?m)^  24 hex digits instead of 12 bytes: .*objectid_length.*$`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("the output has no line %s:\n%s", want, out.String())
		}
	}
}

func TestWithoutADatabase(t *testing.T) {
	if err := run(t.Context(), io.Discard, ""); err == nil || !strings.Contains(err.Error(), "-dsn is missing") {
		t.Errorf("error %v", err)
	}
}

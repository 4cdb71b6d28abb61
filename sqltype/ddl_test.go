package sqltype_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

func TestPartitionBoundsMeetAndRefuseWhatNoPartitionCanHave(t *testing.T) {
	utc := func(sec int64) time.Time { return time.Unix(sec, 0).UTC() }
	november, december := utc(1793491200), utc(1796083200)
	for _, test := range []struct {
		from, to      time.Time
		want, wantErr string
	}{
		{november, december, `FROM ('\x6ae681000000000000000000') TO ('\x6b0e0e000000000000000000')`, ""},
		{december, utc(1<<32 - 1), `FROM ('\x6b0e0e000000000000000000') TO ('\xffffffff0000000000000000')`, ""},
		{november.In(time.FixedZone("", 5400)), december, `FROM ('\x6ae681000000000000000000') TO ('\x6b0e0e000000000000000000')`, ""},
		{utc(0), november, `FROM (MINVALUE) TO ('\x6ae681000000000000000000')`, ""},
		{november, november, "", "sqltype.PostgresPartitionBounds(2026-11-01T00:00:00Z, 2026-11-01T00:00:00Z): the end is not after the start"},
		{december, november, "", "sqltype.PostgresPartitionBounds(2026-12-01T00:00:00Z, 2026-11-01T00:00:00Z): the end is not after the start"},
		{november, december.Add(1), "", "sqltype.PostgresPartitionBounds(2026-11-01T00:00:00Z, 2026-12-01T00:00:00.000000001Z): want times in whole seconds"},
		{utc(-1), november, "", "sqltype.PostgresPartitionBounds(1969-12-31T23:59:59Z, 2026-11-01T00:00:00Z): " + oid.ErrTime.Error()},
		{november, utc(1 << 32), "", "sqltype.PostgresPartitionBounds(2026-11-01T00:00:00Z, 2106-02-07T06:28:16Z): " + oid.ErrTime.Error()},
		{time.Time{}, november, "", "sqltype.PostgresPartitionBounds(0001-01-01T00:00:00Z, 2026-11-01T00:00:00Z): " + oid.ErrTime.Error()},
	} {
		got, err := sqltype.PostgresPartitionBounds(test.from, test.to)
		gotErr := ""
		if err != nil {
			gotErr = err.Error()
		}
		if got != test.want || gotErr != test.wantErr {
			t.Errorf("PostgresPartitionBounds(%v, %v) = %s, %s\nwant %s, %s", test.from, test.to, got, gotErr, test.want, test.wantErr)
		}
		mysql, mysqlErr := sqltype.MySQLPartitionBounds(test.from, test.to)
		wantMySQL, wantErr := "", strings.Replace(test.wantErr, "Postgres", "MySQL", 1)
		if _, hi, ok := strings.Cut(test.want, `TO ('\x`); ok {
			wantMySQL = "VALUES LESS THAN (x'" + hi
		}
		if mysql != wantMySQL || mysqlErr != nil && mysqlErr.Error() != wantErr || (mysqlErr == nil) != (wantErr == "") {
			t.Errorf("MySQLPartitionBounds(%v, %v) = %s, %v\nwant %s, %s", test.from, test.to, mysql, mysqlErr, wantMySQL, wantErr)
		}
	}
	if _, err := sqltype.PostgresPartitionBounds(utc(-1), november); !errors.Is(err, oid.ErrTime) {
		t.Errorf("%v is not oid.ErrTime", err)
	}
}

// A server whose database is in LATIN1 converts the whole statement, including its
// comments. It refuses a character that LATIN1 lacks.
func TestSchemasAreASCII(t *testing.T) {
	for name, schema := range map[string]string{"PostgresSchema": sqltype.PostgresSchema(), "MySQLSchema": sqltype.MySQLSchema()} {
		if !strings.Contains(schema, "objectid_min") {
			t.Errorf("%s has no function objectid_min", name)
		}
		for i, line := range strings.Split(schema, "\n") {
			if strings.ContainsFunc(line, func(r rune) bool { return r > unicode.MaxASCII }) {
				t.Errorf("%s, line %d: %s", name, i+1, line)
			}
		}
	}
}

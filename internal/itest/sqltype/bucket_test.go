package sqltype_test

import (
	"math"
	"testing"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	pgserver "github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// bucketIDs are IDs of the table that the program fills, and some that no program makes.
func bucketIDs() []oid.ID {
	ids := make([]oid.ID, 2000)
	oid.Fill(ids)
	for bit := range 96 {
		var id oid.ID
		id[bit/8] = 1 << (bit % 8)
		ids = append(ids, id)
	}
	return append(ids, awkward...)
}

var bucketCounts = []int{math.MinInt32, -1, 0, 1, 2, 3, 10, 16, 1000, 1 << 24, math.MaxInt32}

func TestPostgresBucketsAreThoseOfGo(t *testing.T) {
	t.Parallel()
	for _, installation := range pgserver.Installations() {
		t.Run(installation.Name, func(t *testing.T) {
			conn := installation.Connect(t)
			if _, err := conn.Exec(t.Context(), sqltype.PostgresSchema()+"; create table ids (pos int, id bytea, bucket int generated always as (objectid_bucket(id, 16)) stored)"); err != nil {
				t.Fatal(err)
			}
			ids := bucketIDs()
			for pos, id := range ids {
				if _, err := conn.Exec(t.Context(), "insert into ids values ($1, $2)", pos, id); err != nil {
					t.Fatal(err)
				}
			}
			for _, n := range bucketCounts {
				rows, err := conn.Query(t.Context(), "select pos, id, bucket, objectid_bucket(id, $1) from ids", n)
				if err != nil {
					t.Fatal(err)
				}
				seen := 0
				for ; rows.Next(); seen++ {
					var pos, stored, got int
					var id oid.ID
					if err := rows.Scan(&pos, &id, &stored, &got); err != nil || id != ids[pos] || got != oid.Bucket(id, n) || stored != oid.Bucket(id, 16) {
						t.Fatalf("objectid_bucket(%v, %d) = %d, stored of 16: %d, %v, want %d, %d", id, n, got, stored, err, oid.Bucket(id, n), oid.Bucket(id, 16))
					}
				}
				if rows.Err() != nil || seen != len(ids) {
					t.Fatalf("%d of %d rows, %v", seen, len(ids), rows.Err())
				}
			}
			for _, bad := range []string{`''`, `'\x65b3f7a40c1b2d3e4f5061'`, `'\x65b3f7a40c1b2d3e4f50617200'`, `'65b3f7a40c1b2d3e4f506172'`} {
				if _, err := conn.Exec(t.Context(), "select objectid_bucket("+bad+", 16)"); err == nil {
					t.Errorf("objectid_bucket(%s, 16) is no error", bad)
				}
			}
		})
	}
}

func TestMySQLBucketsAreThoseOfGo(t *testing.T) {
	t.Parallel()
	eachMySQL(t, testMySQLBucketsAreThoseOfGo)
}

func testMySQLBucketsAreThoseOfGo(t *testing.T, e *mysqlserver.Engine) {
	db := withMySQLSchema(t, e)
	mustExec(t, db, "create table ids (pos int, id binary(12), bucket int as (crc32(id) % 16) stored)")
	ids := bucketIDs()
	for pos, id := range ids {
		mustExec(t, db, "insert into ids (pos, id) values (?, ?)", pos, id)
	}
	for _, n := range bucketCounts {
		rows, err := db.Query("select pos, id, bucket, objectid_bucket(id, ?) from ids", n)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		seen := 0
		for ; rows.Next(); seen++ {
			var pos, stored, got int
			var id oid.ID
			if err := rows.Scan(&pos, &id, &stored, &got); err != nil || id != ids[pos] || got != oid.Bucket(id, n) || stored != oid.Bucket(id, 16) {
				t.Fatalf("objectid_bucket(%v, %d) = %d, crc32(id) %% 16 = %d, %v, want %d, %d", id, n, got, stored, err, oid.Bucket(id, n), oid.Bucket(id, 16))
			}
		}
		if rows.Err() != nil || seen != len(ids) {
			t.Fatalf("%d of %d rows, %v", seen, len(ids), rows.Err())
		}
	}
}

package gormplugin_test

import (
	"fmt"
	"testing"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
)

// BenchmarkAssign measures only the assignment of a statement's IDs.
func BenchmarkAssign(b *testing.B) {
	for _, n := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := gormplugin.New()
			users := make([]user, n)
			tx := openDry(b, p).Create(&users)
			tx.Statement.SQL.Reset()
			b.ReportAllocs()
			for b.Loop() {
				for i := range users {
					users[i].ID = oid.ID{}
				}
				gormplugin.Assign(p, tx)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
		})
	}
}

// BenchmarkMend measures the cost of the checks for a query with nothing to mend.
func BenchmarkMend(b *testing.B) {
	tx := openDry(b, gormplugin.New()).Where("name = ?", "a").Where("id = ?", oid.New()).Find(&[]user{})
	tx.Statement.SQL.Reset()
	b.ReportAllocs()
	for b.Loop() {
		gormplugin.Mend(tx)
	}
}

package gormplugin_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/utils/tests"
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

// BenchmarkModelsWithoutIDs measures statements on a model with an integer key, with and
// without the plugin in turns. It reports the ratio of the times.
func BenchmarkModelsWithoutIDs(b *testing.B) {
	type account struct {
		ID    uint
		Email string
	}
	plain := must(gorm.Open(tests.DummyDialector{}, &gorm.Config{DryRun: true, Logger: logger.Discard}))
	db := openDry(b, gormplugin.New())
	for name, run := range withoutIDs[account](func(n int) []account { return make([]account, n) }) {
		b.Run(name, func(b *testing.B) {
			var took [2]time.Duration
			for b.Loop() {
				for i, db := range []*gorm.DB{plain, db} {
					begin := time.Now()
					run(db)
					took[i] += time.Since(begin)
				}
			}
			b.ReportMetric(float64(took[1])/float64(took[0]), "ratio")
		})
	}
}

package gormplugin_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/internal/servers/repo"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

// TestRowsPerDay runs the recipes of docs/ranges.md.
func TestRowsPerDay(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(repo.Path("docs/ranges.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Count per day\n")
	section, _, _ = strings.Cut(section, "\n## ")
	recipes := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(section, -1)
	if len(recipes) != 3 {
		t.Fatalf("%d recipes, want 3", len(recipes))
	}
	of := map[string]string{"postgres": recipes[0][1], "mysql": recipes[1][1], "sqlite": recipes[2][1]}
	type day struct {
		Day string
		N   int
	}
	type Order struct {
		ID oid.ID `gorm:"size:12"`
	}
	eachDB(t, []any{&Order{}}, func(t *testing.T, db *gorm.DB) {
		var want []day
		var orders []Order
		for _, d := range []time.Time{
			time.Unix(0, 0), time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC),
			time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2106, 2, 7, 0, 0, 0, 0, time.UTC),
		} {
			d = d.UTC()
			want = append(want, day{d.Format(time.DateOnly), 2})
			for _, at := range []time.Time{d, d.Add(6 * time.Hour)} {
				id, err := oid.NewAt(at)
				if err != nil {
					t.Fatal(err)
				}
				orders = append(orders, Order{ID: id})
			}
		}
		if err := db.Create(&orders).Error; err != nil {
			t.Fatal(err)
		}
		var got []day
		if err := db.Raw(of[db.Name()]).Scan(&got).Error; err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
	})
}

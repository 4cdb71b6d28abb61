package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

// browser returns a context of a new headless Chromium.
func browser(t *testing.T) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		path, err = exec.LookPath("google-chrome")
	}
	if err != nil {
		const missing = "chromium isn't installed (Debian package chromium)"
		if os.Getenv("OIDKIT_NO_SKIP") == "1" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(path),
		chromedp.NoSandbox, // it doesn't start as root with it
		chromedp.DisableGPU,
		chromedp.UserDataDir(t.TempDir()),
		chromedp.WindowSize(1100, 900),
		chromedp.WSURLReadTimeout(time.Minute),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Env("TMPDIR="+t.TempDir()), // it leaves things there
	)
	// Not t.Context(), which ends before the cleanup that closes the browser.
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {}))
	t.Cleanup(func() {
		// Ends the browser and waits for it, so that its folder can be removed.
		if err := chromedp.Cancel(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Log(err)
		}
		cancel()
	})
	return ctx
}

// A view is what the page shows.
type view struct {
	Summary string
	Counts  []int
	Day     string
	DayIDs  []string
	Picked  int
	Loaded  []string // the addresses that the page has asked for
}

const readView = `({
	Summary: document.getElementById("summary").textContent,
	Counts: [...document.querySelectorAll(".column")].map(c => Number(c.dataset.count)),
	Day: document.getElementById("day-name").textContent + ": " + document.getElementById("day-count").textContent,
	DayIDs: [...document.querySelectorAll("#day-ids li")].map(row => [...row.querySelectorAll("span")].map(s => s.textContent).join("")),
	Picked: [...document.querySelectorAll(".column")].findIndex(c => c.classList.contains("picked")),
	Loaded: performance.getEntriesByType("resource").map(e => e.name),
})`

// TestPage shows in a real browser that the page counts the orders of each day
// right from nothing but their ids, and asks nobody else for anything.
func TestPage(t *testing.T) {
	if untilTomorrow := 24*time.Hour - time.Since(time.Now().UTC().Truncate(24*time.Hour)); untilTomorrow < 30*time.Second {
		time.Sleep(untilTomorrow) // so that the page and the test mean the same day
	}
	ctx := browser(t)
	url, db := start(t)
	look := func(actions ...chromedp.Action[chromedp.Void]) (v view) {
		t.Helper()
		err := chromedp.Do(ctx, actions...)
		if err == nil {
			v, err = chromedp.Run(ctx, chromedp.Evaluate[view](readView))
		}
		if err != nil {
			t.Fatal(err)
		}
		return v
	}

	v := look(chromedp.Navigate(url), chromedp.WaitVisible(`body[data-loaded="90"]`))
	want := countDays(t, db, 90)
	if !slices.Equal(v.Counts, want) {
		t.Errorf("the page counts\n%v, the database\n%v", v.Counts, want)
	}
	total := 0
	for _, n := range want {
		total += n
	}
	if summary := fmt.Sprintf("%d,%03d orders in 90 days, %.1f a day", total/1000, total%1000, float64(total)/90); v.Summary != summary {
		t.Errorf("the page says %q, want %q", v.Summary, summary)
	}
	for _, address := range v.Loaded {
		if !strings.HasPrefix(address, url+"/") && address != "data:," {
			t.Errorf("the page asked for %s", address)
		}
	}
	if n := len(slices.DeleteFunc(v.Loaded, func(s string) bool { return !strings.Contains(s, "/ids?") })); n != (total+999)/1000 {
		t.Errorf("the page asked for %d pages of ids, want %d", n, (total+999)/1000)
	}
	screenshot(t, ctx, "httpapi.png")

	v = look(chromedp.Click(`button[data-days="14"]`), chromedp.WaitVisible(`body[data-loaded="14"]`), chromedp.Click(`.column:nth-of-type(4)`))
	if !slices.Equal(v.Counts, want[76:]) {
		t.Errorf("the page counts\n%v in 14 days, the database\n%v", v.Counts, want[76:])
	}
	if v.Picked != 3 || !strings.HasSuffix(v.Day, fmt.Sprintf(": %d orders, here the last 8", want[79])) {
		t.Errorf("a click on the 4th day shows %q, of column %d", v.Day, v.Picked)
	}
	if last := lastIDs(t, db, -10, 8); !slices.Equal(v.DayIDs, last) {
		t.Errorf("the page shows the ids\n%v, the database has\n%v", v.DayIDs, last)
	}
	screenshot(t, ctx, "httpapi-day.png")
}

// countDays counts the orders of each of the last days in the database.
func countDays(t *testing.T, db *gorm.DB, days int) (counts []int) {
	t.Helper()
	for day := 1 - days; day <= 0; day++ {
		lo, hi := rangeOfDay(day)
		var n int64
		if err := db.Model(&Order{}).Where("id >= ? AND id < ?", lo, hi).Count(&n).Error; err != nil {
			t.Fatal(err)
		}
		counts = append(counts, int(n))
	}
	return counts
}

// lastIDs returns the last n ids of a day, the newest first.
func lastIDs(t *testing.T, db *gorm.DB, day, n int) (text []string) {
	t.Helper()
	lo, hi := rangeOfDay(day)
	var ids []oid.ID
	if err := db.Model(&Order{}).Where("id >= ? AND id < ?", lo, hi).Order("id DESC").Limit(n).Pluck("id", &ids).Error; err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		text = append(text, id.Hex())
	}
	return text
}

// rangeOfDay returns the range of ids of a day, 0 for today.
func rangeOfDay(day int) (lo, hi oid.ID) {
	start := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, day)
	return oid.Range(start, start.AddDate(0, 0, 1))
}

// screenshot keeps what the page looks like in the folder OIDKIT_SCREENSHOTS.
func screenshot(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	dir := os.Getenv("OIDKIT_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), png, 0o644); err != nil {
		t.Fatal(err)
	}
}

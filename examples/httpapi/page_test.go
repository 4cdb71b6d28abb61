//go:build browser

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

// A shop is the service under a test, which can answer in its place.
type shop struct {
	url     string
	db      *gorm.DB
	instead atomic.Pointer[func(w http.ResponseWriter, r *http.Request) bool]
	asked   atomic.Int64 // requests for IDs
}

func openShop(t *testing.T) *shop {
	t.Helper()
	return openShopWith(t, openTestDB(t))
}

func openSeededShop(t *testing.T) *shop {
	t.Helper()
	return openShopWith(t, openSeededDB(t))
}

func openShopWith(t *testing.T, db *gorm.DB) *shop {
	t.Helper()
	s := &shop{db: db}
	service := newHandler(s.db)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/ids") {
			s.asked.Add(1)
		}
		if instead := s.instead.Load(); instead != nil && (*instead)(w, r) {
			return
		}
		service.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// isLong asks for the full numbers of the tests that take long, as every night.
var isLong = os.Getenv("OIDKIT_LONG") != ""

// answer makes f answer where it returns true.
func (s *shop) answer(f func(w http.ResponseWriter, r *http.Request) bool) { s.instead.Store(&f) }

// fail makes the service fail at the requests of a path.
func (s *shop) fail(path string) {
	failing := logged(recovered(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("broken for a test") })))
	s.answer(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != path {
			return false
		}
		failing.ServeHTTP(w, r)
		return true
	})
}

// createFast stores sample orders in one statement of SQL, in place of the service. The
// race detector makes GORM's way slow.
func (s *shop) createFast(t *testing.T) {
	s.answer(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/samples" {
			return false
		}
		var in samplesInput
		if err := json.NewDecoder(r.Body).Decode(&in.Body); err != nil {
			t.Error(err)
		}
		var ids []oid.ID
		now := time.Now()
		for range in.Body.Count {
			id, err := oid.NewAt(now.Add(-rand.N((seedDays - 1) * 24 * time.Hour)))
			if err != nil {
				t.Error(err)
			}
			ids = append(ids, id)
		}
		list, err := json.Marshal(ids)
		if err != nil {
			t.Error(err)
		}
		err = s.db.Exec("INSERT INTO orders (id, customer, cents, currency) SELECT unhex(value), 'Ada King', 1, 'EUR' FROM json_each(?)", string(list)).Error
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"created": %d}`, in.Body.Count)
		return true
	})
}

func (s *shop) count(t *testing.T) (n int64) {
	t.Helper()
	if err := s.db.Model(&Order{}).Count(&n).Error; err != nil {
		t.Fatal(err)
	}
	return n
}

// A column is a bar of the chart as a client of the page meets it.
type column struct {
	Label, Selected string
	Count           int
	Tab             int
	Width, Height   float64
}

func (b tab) columns() []column {
	b.t.Helper()
	return eval[[]column](b, `[...document.querySelectorAll("[role=listbox] > [role=option]")].map((c) => ({
		Label: c.getAttribute("aria-label"), Selected: c.getAttribute("aria-selected"), Count: Number(c.dataset.count), Tab: c.tabIndex,
		Width: c.getBoundingClientRect().width, Height: c.getBoundingClientRect().height}))`)
}

func (b tab) counts() (counts []int) {
	b.t.Helper()
	for _, c := range b.columns() {
		counts = append(counts, c.Count)
	}
	return counts
}

// weeks clicks on 2, 4 or 13 weeks, and waits for the answer.
func (b tab) weeks(n int) {
	b.t.Helper()
	b.click(fmt.Sprintf(`[data-days="%d"]`, n*7))
	b.until(fmt.Sprintf(`document.body.dataset.loaded === "%d"`, n*7))
}

// TestPage tries the page in a browser, on a wide screen and on a phone. Its tests
// share the browser, which is slow to start.
func TestPage(t *testing.T) {
	t.Parallel()
	ctx := browser(t)
	wide, phone := look{width: 1280}, look{width: 390}

	for _, zone := range []string{"UTC", "America/New_York", "Pacific/Auckland"} {
		t.Run("CountsDaysOfTheTimeZone/"+zone, func(t *testing.T) {
			shop := openSeededShop(t)
			location, err := time.LoadLocation(zone)
			if err != nil {
				t.Fatal(err)
			}
			var counts, want []int
			var tab tab
			for today := -1; today != time.Now().In(location).Day(); { // once more if the day changes meanwhile
				today = time.Now().In(location).Day()
				tab = open(t, ctx, shop.url, look{width: 1280, zone: zone})
				counts, want = tab.counts(), shop.days(t, location, 91)
			}
			if !slices.Equal(counts, want) {
				t.Errorf("the page counts\n%v, the database\n%v", counts, want)
			}
			total := 0
			for _, n := range counts {
				total += n
			}
			summary := fmt.Sprintf("%d,%03d orders in 13 weeks, about %.0f a day", total/1000, total%1000, float64(total)/91)
			if got := tab.text("summary"); got != summary {
				t.Errorf("the page says %q, want %q", got, summary)
			}
			if got, want := tab.text("zone"), "Days and times are those of your time zone, "+zone+"."; got != want {
				t.Errorf("the page says %q, want %q", got, want)
			}
			tab.weeks(2)
			if counts := tab.counts(); !slices.Equal(counts, want[91-14:]) {
				t.Errorf("the page counts\n%v in 2 weeks, the database\n%v", counts, want[91-14:])
			}
		})
	}

	t.Run("AsksOnlyForIDs", func(t *testing.T) {
		shop := openSeededShop(t)
		tab := open(t, ctx, shop.url, wide)
		loaded := eval[[]string](tab, `performance.getEntriesByType("resource").map((e) => e.name).filter((name) => name !== "data:,")`)
		pages := 0
		for _, address := range loaded {
			switch path := strings.TrimPrefix(address, shop.url); {
			case strings.HasPrefix(path, "/ids?"):
				pages++
			case path != "/page.js" && path != "/page.css":
				t.Errorf("the page asked for %s", address)
			}
		}
		if want := int(shop.count(t)+999) / 1000; pages != want {
			t.Errorf("the page asked for %d pages of IDs, want %d", pages, want)
		}
	})

	t.Run("ShowsTheLastIDsOfADay", func(t *testing.T) {
		shop := openSeededShop(t)
		tab := open(t, ctx, shop.url, look{width: 1280, zone: "UTC"})
		tab.weeks(2)
		tab.click(`.column:nth-of-type(4)`)
		picked := tab.columns()[3]
		day, ids := tab.text("picked-name"), eval[[]string](tab, `[...document.querySelectorAll("#picked-ids li")].map((row) => row.textContent)`)
		date, err := time.Parse("Mon, 2 January 2006", day)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := tab.text("picked-count"), fmt.Sprintf("%d orders, the last 8 below", picked.Count); got != want || picked.Selected != "true" {
			t.Errorf("the page shows %q of %+v, want %q", got, picked, want)
		}
		var want []string
		for _, id := range shop.between(t, date, date.AddDate(0, 0, 1)) {
			want = append([]string{id.Timestamp().Format(time.TimeOnly) + id.Hex()}, want...)
		}
		if !slices.Equal(ids, want[:8]) || len(want) != picked.Count {
			t.Errorf("the page shows the IDs\n%v of %d, the database has\n%v", ids, picked.Count, want)
		}
	})

	t.Run("ShowsTheConditionOfADay", func(t *testing.T) {
		shop := openSeededShop(t)
		zone, err := time.LoadLocation("America/New_York")
		if err != nil {
			t.Fatal(err)
		}
		tab := open(t, ctx, shop.url, look{width: 1280, zone: zone.String()})
		tab.weeks(2)
		tab.click(`.column:nth-of-type(4)`)
		day, err := time.ParseInLocation("Mon, 2 January 2006", tab.text("picked-name"), zone)
		if err != nil {
			t.Fatal(err)
		}
		lo, hi := oid.Range(day, day.AddDate(0, 0, 1))
		if got, want := tab.text("condition"), fmt.Sprintf("id >= %s AND id < %s", lo, hi); got != want {
			t.Errorf("the page shows %q, want %q", got, want)
		}
		if lines := eval[int](tab, `(() => {
			const text = document.createRange();
			text.selectNodeContents(document.getElementById("condition"));
			return new Set([...text.getClientRects()].map((r) => Math.round(r.bottom))).size;
		})()`); lines != 1 {
			t.Errorf("the condition has %d lines", lines)
		}
		var answer struct{ Orders []OrderBody }
		ask(t, http.MethodGet, eval[string](tab, `document.getElementById("api").href`)+"&limit=1000", "", &answer)
		var got []oid.ID
		for _, o := range answer.Orders {
			got = append(got, o.ID)
		}
		if want := shop.between(t, day, day.AddDate(0, 0, 1)); !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("the API answers the link with %d orders, want %d", len(got), len(want))
		}
	})

	t.Run("KeepsTheDayWhenTheWidthChanges", func(t *testing.T) {
		shop := openSeededShop(t)
		tab := open(t, ctx, shop.url, wide)
		tab.click(`.column:nth-of-type(81)`)
		day := tab.text("picked-name")
		tab.do(chromedp.EmulateViewport(390, 844))
		tab.until(`document.getElementById("title").textContent === "Orders per week"`)
		if week := tab.text("picked-name"); week == day {
			t.Errorf("a phone shows %q", week)
		}
		tab.do(chromedp.EmulateViewport(1280, 900))
		tab.until(`document.getElementById("title").textContent === "Orders per day"`)
		if got := tab.text("picked-name"); got != day {
			t.Errorf("after a narrow screen the page shows %q, want %q", got, day)
		}
	})

	t.Run("StaysInsideItsCard", func(t *testing.T) {
		shop := openSeededShop(t)
		for _, width := range []int64{1280, 800, 641, 390, 320} {
			tab := open(t, ctx, shop.url, look{width: width})
			for _, weeks := range []int{2, 4, 13} {
				tab.weeks(weeks)
				outside := eval[[]string](tab, `(() => {
					const grid = document.getElementById("grid").getBoundingClientRect();
					const inside = (r) => r.right <= grid.right + 0.5;
					const labels = [...document.querySelectorAll("#dates span, #picked-ids li > *, #condition .bound, #api")];
					const dates = [...document.querySelectorAll("#dates span")].map((e) => e.getBoundingClientRect());
					return [
						...labels.filter((e) => !inside(e.getBoundingClientRect())).map((e) => "outside: " + e.textContent),
						...labels.filter((e) => new Set([...e.getClientRects()].map((r) => Math.round(r.bottom))).size > 1).map((e) => "broken: " + e.textContent),
						...dates.filter((r, i) => i > 0 && r.left < dates[i - 1].right).map((r, i) => "overlapping date"),
					];
				})()`)
				if len(outside) > 0 {
					t.Errorf("%d pixels, %d weeks: %q", width, weeks, outside)
				}
				tab.screenshot(fmt.Sprintf("%d-inside-%d", width, weeks))
			}
		}
	})

	t.Run("CanBeHitOnAPhone", func(t *testing.T) {
		shop := openSeededShop(t)
		if err := shop.db.Create(&Order{Customer: "Ada", Cents: 1, Currency: "EUR"}).Error; err != nil {
			t.Fatal(err) // so that today has a bar, which is small
		}
		tab := open(t, ctx, shop.url, phone)
		for weeks, title := range map[int]string{2: "Orders per day", 4: "Orders per 2 days", 13: "Orders per week"} {
			tab.weeks(weeks)
			if got := tab.text("title"); got != title {
				t.Errorf("%d weeks: the title is %q, want %q", weeks, got, title)
			}
			for _, c := range tab.columns() {
				if c.Width < 24 || c.Height < 44 {
					t.Errorf("%d weeks: %s is %.1f × %.1f pixels", weeks, c.Label, c.Width, c.Height)
				}
			}
			tab.isReadable(44)
		}
		total := 0
		for _, n := range tab.counts() {
			total += n
		}
		if !strings.HasPrefix(tab.text("summary"), number(total)+" orders") {
			t.Errorf("the columns have %d orders, the page says %q", total, tab.text("summary"))
		}
	})

	t.Run("NeedsNoMouse", func(t *testing.T) {
		shop := openSeededShop(t)
		tab := open(t, ctx, shop.url, wide)
		press := func(keys string) (label string) {
			t.Helper()
			tab.do(chromedp.KeyEvent(keys))
			outline := eval[string](tab, `document.activeElement === document.body ? "" : getComputedStyle(document.activeElement).outlineStyle`)
			label = eval[string](tab, `document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent.slice(0, 20)`)
			if outline != "solid" {
				t.Errorf("the focus on %q isn't visible", label)
			}
			return label
		}
		tab.weeks(2)
		columns := tab.columns()
		tab.do(chromedp.Navigate(shop.url))
		tab.until(`document.body.dataset.loaded`)

		stops := []string{press("\t")}
		if stops[0] != "2 weeks" {
			t.Fatalf("the first stop is %q", stops[0])
		}
		press("\r")
		tab.until(`document.body.dataset.loaded === "14"`)
		for range 8 {
			stops = append(stops, press("\t"))
		}
		picked := tab.text("picked-name")
		want := []string{"2 weeks", "4 weeks", "13 weeks", "", "Earlier", "Later", "Ask the API for them", "1,000 orders", "100,000 orders"}
		if !strings.HasPrefix(stops[3], picked+": ") {
			t.Errorf("the chart's stop is %q, want that of %q", stops[3], picked)
		}
		if stops[3] = ""; !slices.Equal(stops, want) {
			t.Errorf("Tab stops at\n%q, want\n%q", stops, want)
		}

		tab.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("[role=option][tabindex='0']").focus()`))
		for _, tt := range []struct {
			keys string
			want column
		}{
			{kb.Home, columns[0]},
			{kb.ArrowLeft, columns[0]},
			{kb.ArrowRight, columns[1]},
			{kb.ArrowRight, columns[2]},
			{kb.ArrowLeft, columns[1]},
			{kb.End, columns[13]},
			{kb.ArrowRight, columns[13]},
			{kb.ArrowLeft, columns[12]},
		} {
			if got := press(tt.keys); got != tt.want.Label {
				t.Errorf("the focus is on %q, want %q", got, tt.want.Label)
			}
			var selected, stops []string
			for _, c := range tab.columns() {
				if c.Selected == "true" {
					selected = append(selected, c.Label)
				}
				if c.Tab == 0 {
					stops = append(stops, c.Label)
				}
			}
			if want := []string{tt.want.Label}; !slices.Equal(selected, want) || !slices.Equal(stops, want) {
				t.Errorf("selected are %q, and %q can be reached with Tab, want %q", selected, stops, want)
			}
			if shown := tab.text("picked-name") + ": "; !strings.HasPrefix(tt.want.Label, shown) {
				t.Errorf("shown is %q, want %q", shown, tt.want.Label)
			}
		}
		press("\t") // to Earlier
		press(" ")
		if got := tab.text("status"); got != columns[11].Label {
			t.Errorf("a screen reader says %q, want %q", got, columns[11].Label)
		}
		if label := columns[11].Label; !strings.HasSuffix(label, fmt.Sprintf(": %d orders", columns[11].Count)) {
			t.Errorf("the label %q doesn't tell %d orders", label, columns[11].Count)
		}
	})

	t.Run("HasNamesForScreenReaders", func(t *testing.T) {
		shop := openSeededShop(t)
		tab := open(t, ctx, shop.url, phone)
		tab.weeks(2)
		want := []string{
			"group: Time shown", "button: 2 weeks", "button: 4 weeks", "button: 13 weeks",
			"region: Orders per day", "listbox: Orders per day",
		}
		for _, c := range tab.columns() {
			want = append(want, "option: "+c.Label)
		}
		want = append(want, "button: Earlier", "button: Later", "list: The last IDs",
			"region: Create sample orders", "button: 1,000 orders", "button: 100,000 orders", "status: ")
		if got := tab.names(); !slices.Equal(got, want) {
			t.Errorf("a screen reader meets\n%q, want\n%q", got, want)
		}

		batch := make(chan struct{})
		defer close(batch)
		shop.answer(func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/samples" {
				<-batch
			}
			return false
		})
		tab.click(`[data-orders="1000"]`)
		tab.until(`document.activeElement.id === "stop"`)
		want = append(want[:len(want)-3], "progressbar: Create sample orders", "button: Stop", "status: ")
		if got := tab.names(); !slices.Equal(got, want) {
			t.Errorf("while orders are created, a screen reader meets\n%q, want\n%q", got, want)
		}
	})

	t.Run("TheLatestClickWins", func(t *testing.T) {
		shop := openSeededShop(t)
		// Two answers of a slow network: each comes when the test lets it, even though
		// the page has given up the request.
		tab := open(t, ctx, shop.url, look{width: 1280, script: `
			const real = window.fetch;
			window.held = [];
			window.fetch = (path, { signal, ...options } = {}) => {
				const answer = real(path, options);
				if (!window.hold) return answer;
				return new Promise((resolve) => held.push({ signal, release: () => resolve(answer) }));
			};`})
		tab.do(chromedp.Evaluate[chromedp.Void](`window.hold = true`))
		tab.click(`[data-days="28"]`)
		tab.click(`[data-days="14"]`)
		tab.until(`held.length === 2`)
		if aborted := eval[[]bool](tab, `held.map((h) => h.signal.aborted)`); !slices.Equal(aborted, []bool{true, false}) {
			t.Errorf("the requests are given up: %v, want only the first", aborted)
		}
		tab.do(chromedp.Evaluate[chromedp.Void](`window.hold = false; held[1].release()`))
		tab.until(`document.body.dataset.loaded === "14"`)
		// The rest of a late answer is ten steps of the page at most.
		tab.do(chromedp.Evaluate[chromedp.Void](`(async () => { held[0].release(); for (let i = 0; i < 50; i++) await new Promise((r) => setTimeout(r)) })()`, chromedp.EvalAwaitPromise))
		pressed := eval[[]string](tab, `[...document.querySelectorAll("[aria-pressed=true]")].map((b) => b.textContent)`)
		if loaded := eval[string](tab, `document.body.dataset.loaded`); loaded != "14" || len(tab.columns()) != 14 || !strings.Contains(tab.text("summary"), " in 2 weeks") || !slices.Equal(pressed, []string{"2 weeks"}) {
			t.Errorf("after clicks on 4 and 2 weeks, the page shows %d columns and %q, and %q is pressed", len(tab.columns()), tab.text("summary"), pressed)
		}
	})

	t.Run("ShowsHowMuchIsLoaded", func(t *testing.T) {
		shop := openSeededShop(t)
		tab := open(t, ctx, shop.url, wide)
		third := make(chan struct{})
		shop.asked.Store(0)
		shop.answer(func(http.ResponseWriter, *http.Request) bool {
			if shop.asked.Load() == 3 {
				<-third
			}
			return false
		})
		bar := func() string {
			return eval[string](tab, `document.getElementById("loading").value + " " + getComputedStyle(document.getElementById("loading")).visibility`)
		}
		tab.click(`[data-days="91"]`)
		tab.until(`document.getElementById("loading").value > 0.5`) // 2,000 of 3,500
		if !strings.HasSuffix(bar(), " visible") || strings.HasPrefix(bar(), "1 ") {
			t.Errorf("the progress is %s", bar())
		}
		close(third)
		tab.until(`document.body.dataset.loaded`)
		if !strings.HasSuffix(bar(), " hidden") {
			t.Errorf("the progress is %s after the end", bar())
		}
	})

	t.Run("SaysWhenThereAreNoOrders", func(t *testing.T) {
		shop := openShop(t)
		for _, l := range []look{wide, phone} {
			tab := open(t, ctx, shop.url, l)
			text := eval[string](tab, `document.querySelector("main").innerText`)
			for _, want := range []string{"No orders in the last 13 weeks", "Create sample orders below."} {
				if !strings.Contains(text, want) {
					t.Errorf("the page lacks %q:\n%s", want, text)
				}
			}
			if eval[bool](tab, `document.getElementById("filled").checkVisibility()`) {
				t.Error("the page shows a chart")
			}
			tab.screenshot(fmt.Sprintf("%d-empty", l.width))
		}
		tab := open(t, ctx, shop.url, wide)
		tab.click(`[data-orders="1000"]`)
		tab.until(`document.body.dataset.created`)
		if n := shop.count(t); n != 1000 || len(tab.columns()) != 91 || tab.text("create-result") != "1,000 orders created." {
			t.Errorf("after a click there are %d orders and %d columns, the page says %q", n, len(tab.columns()), tab.text("create-result"))
		}
	})

	t.Run("ShowsErrors", func(t *testing.T) {
		shop := openSeededShop(t)
		shop.fail("/ids")
		for _, l := range []look{wide, phone} {
			tab := open(t, ctx, shop.url, l)
			if role := eval[string](tab, `document.getElementById("error").role`); role != "alert" {
				t.Errorf("the role of the error is %q", role)
			}
			want := "The orders can't be shown\n\nThe server failed. Try again. If it fails again, look for "
			if got := eval[string](tab, `document.getElementById("error").innerText`); !strings.HasPrefix(got, want) {
				t.Errorf("the page shows %q, want %q", got, want)
			}
			tab.screenshot(fmt.Sprintf("%d-error", l.width))
		}
		tab := open(t, ctx, shop.url, wide)
		shop.answer(func(w http.ResponseWriter, r *http.Request) bool { panic(http.ErrAbortHandler) })
		tab.click("#retry")
		tab.until(`document.getElementById("error-detail").textContent === "The server can't be reached. Check that it runs."`)
		shop.answer(func(w http.ResponseWriter, r *http.Request) bool {
			http.Error(w, "<h1>Bad Gateway</h1>", http.StatusBadGateway)
			return true
		})
		tab.click("#retry")
		tab.until(`document.getElementById("error-detail").textContent === "The server answered 502, without a reason."`)
		shop.answer(func(http.ResponseWriter, *http.Request) bool { return false })
		tab.click("#retry")
		tab.until(`document.getElementById("error").hidden`)
		if n := len(tab.columns()); n != 91 {
			t.Errorf("the page shows %d columns", n)
		}
	})

	t.Run("Creates100000Orders", func(t *testing.T) {
		shop := openShop(t)
		if !isLong {
			shop.createFast(t)
		}
		tab := open(t, ctx, shop.url, phone)
		tab.do(chromedp.Evaluate[chromedp.Void](`
			window.told = new Set(); window.said = [];
			const observe = (id, f) => new MutationObserver(() => f(document.getElementById(id).textContent)).observe(document.getElementById(id), { childList: true });
			observe("create-result", (text) => told.add(text + "|" + document.getElementById("created").value));
			observe("status", (text) => said.push(text));`))
		tab.click(`[data-orders="100000"]`)
		tab.until(`document.activeElement.id === "stop" || document.body.dataset.created`) // the focus isn't lost
		tab.until(`document.body.dataset.created`)
		told := eval[[]string](tab, `[...told]`)
		for i := range 101 {
			if want := fmt.Sprintf("%s of 100,000 orders created|%v", number(i*1000), float64(i)/100); i >= len(told) || told[i] != want {
				t.Fatalf("told %d is missing %q:\n%s", i, want, strings.Join(told, "\n"))
			}
		}
		want := []string{"Creating 100,000 orders", "25,000 of 100,000 orders created", "50,000 of 100,000 orders created", "75,000 of 100,000 orders created",
			"100,000 orders in 13 weeks, about 1,099 a day", "100,000 orders created."}
		if said := eval[[]string](tab, `said`); !slices.Equal(said, want) {
			t.Errorf("a screen reader says\n%q, want\n%q", said, want)
		}
		if n := shop.count(t); n != 100_000 {
			t.Errorf("there are %d orders", n)
		}
		if got := tab.text("create-result"); got != "100,000 orders created." {
			t.Errorf("the page says %q", got)
		}
		if focus := eval[string](tab, `document.activeElement.textContent`); focus != "100,000 orders" {
			t.Errorf("the focus is on %q", focus)
		}
		if asked := shop.asked.Load(); asked != 1+100 {
			t.Errorf("the page asked for %d pages of IDs, want 101", asked)
		}
		tab.isReadable(44)
		tab.screenshot("390-created")
	})

	t.Run("StopsCreatingOrders", func(t *testing.T) {
		shop := openShop(t)
		tab := open(t, ctx, shop.url, wide)
		var batches atomic.Int64
		third := make(chan struct{})
		shop.answer(func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/samples" && batches.Add(1) == 3 {
				<-third
			}
			return false
		})
		tab.click(`[data-orders="100000"]`)
		tab.until(`document.getElementById("create-result").textContent.startsWith("2,000 of")`)
		tab.screenshot("1280-creating")
		tab.do(chromedp.KeyEvent("\r")) // the focus is on Stop
		tab.until(`document.getElementById("stop").textContent === "Stopping…"`)
		close(third)
		tab.until(`document.body.dataset.created`)
		if got := tab.text("create-result"); got != "3,000 of 100,000 orders created. You stopped it." || shop.count(t) != 3000 || batches.Load() != 3 {
			t.Errorf("the page says %q, there are %d orders of %d requests", got, shop.count(t), batches.Load())
		}
	})

	t.Run("SaysWhatEndedCreating", func(t *testing.T) {
		shop := openSeededShop(t)
		tab := open(t, ctx, shop.url, wide)
		shop.fail("/samples")
		tab.click(`[data-orders="1000"]`)
		tab.until(`document.body.dataset.created`)
		if got, want := tab.text("create-result"), "0 of 1,000 orders created. Then an error stopped it: The server failed. Try again. "; !strings.HasPrefix(got, want) || tab.text("status") != got {
			t.Errorf("the page says %q, a screen reader says %q, want %q", got, tab.text("status"), want)
		}
	})
}

// names returns the roles and names of what screen readers tell of, in order.
func (b tab) names() (names []string) {
	b.t.Helper()
	tree, err := chromedp.Run(b.ctx, func(ctx context.Context, target *chromedp.Target) (accessibility.GetFullAXTreeResult, error) {
		return cdp.Call(ctx, target, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	})
	if err != nil {
		b.t.Fatal(err)
	}
	nodes := map[accessibility.NodeID]*accessibility.Node{}
	for _, node := range tree.Nodes {
		nodes[node.NodeID] = node
	}
	text := func(v *accessibility.Value) (s string) {
		if v != nil {
			json.Unmarshal(v.Value, &s) // what isn't a text is none
		}
		return s
	}
	var walk func(node *accessibility.Node)
	walk = func(node *accessibility.Node) {
		role := text(node.Role)
		if !node.Ignored && slices.Contains([]string{"group", "region", "button", "listbox", "option", "list", "progressbar", "status", "alert"}, role) {
			names = append(names, role+": "+text(node.Name))
		}
		for _, id := range node.ChildIDs {
			if child := nodes[id]; child != nil {
				walk(child)
			}
		}
	}
	walk(tree.Nodes[0])
	return names
}

// isReadable checks that the page fits on the screen, that its text is at least 11
// pixels high, and that its buttons are large enough for a thumb.
func (b tab) isReadable(thumb float64) {
	b.t.Helper()
	if over := eval[int](b, `document.scrollingElement.scrollWidth - innerWidth`); over > 0 {
		b.t.Errorf("the page is %d pixels too wide", over)
	}
	for _, small := range eval[[]string](b, `[...document.querySelectorAll("main *")].filter((e) => e.checkVisibility() &&
		[...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) && parseFloat(getComputedStyle(e).fontSize) < 11).map((e) => e.outerHTML)`) {
		b.t.Errorf("too small: %s", small)
	}
	for _, small := range eval[[]string](b, fmt.Sprintf(`[...document.querySelectorAll("button:not(.column)")].filter((e) => e.checkVisibility())
		.filter((e) => Math.min(e.getBoundingClientRect().width, e.getBoundingClientRect().height) < %v).map((e) => e.outerHTML)`, thumb)) {
		b.t.Errorf("too small for a thumb: %s", small)
	}
}

// number returns n with separators, as the page writes it.
func number(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", number(n/1000), n%1000)
}

// between returns the IDs of the orders of [from, to), in order.
func (s *shop) between(t *testing.T, from, to time.Time) (ids []oid.ID) {
	t.Helper()
	lo, hi := oid.Range(from, to)
	if err := s.db.Model(&Order{}).Where("id >= ? AND id < ?", lo, hi).Order("id").Pluck("id", &ids).Error; err != nil {
		t.Fatal(err)
	}
	return ids
}

// days counts the orders of each of the last days of a time zone.
func (s *shop) days(t *testing.T, zone *time.Location, days int) (counts []int) {
	t.Helper()
	year, month, today := time.Now().In(zone).Date()
	for day := today - days + 1; day <= today; day++ {
		counts = append(counts, len(s.between(t, time.Date(year, month, day, 0, 0, 0, 0, zone), time.Date(year, month, day+1, 0, 0, 0, 0, zone))))
	}
	return counts
}

// graphics is the contrast of what is no text, which axe doesn't look at.
const graphics = `(() => {
	const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
	const light = (color) => {
		pen.fillStyle = color;
		pen.fillRect(0, 0, 1, 1);
		const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
	};
	const contrast = (a, b) => Math.max(light(a) / light(b), light(b) / light(a));
	const color = (selector, property) => getComputedStyle(document.querySelector(selector))[property];
	const card = color("main", "backgroundColor");
	return {
		"a bar": contrast(color("[aria-selected=false] .bar", "backgroundColor"), card),
		"the bar that is picked": contrast(color("[aria-selected=true] .bar", "backgroundColor"), card),
		"the edge of a button": contrast(color("#stop", "borderTopColor"), card),
		"the progress": contrast(color("#created", "color"), color("#created", "backgroundColor")),
	};
})()`

// findAxe returns the script of axe-core, which CI installs.
func findAxe() (string, error) {
	folder := os.Getenv("OIDKIT_NPM")
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		folder = filepath.Join(cache, "oidkit")
	}
	folder = filepath.Join(folder, "axe-core")
	script, err := os.ReadFile(filepath.Join(folder, "node_modules/axe-core/axe.min.js"))
	if err != nil {
		return "", fmt.Errorf("axe-core isn't installed (npm install --prefix %s axe-core@4.14.1)", folder)
	}
	return string(script), nil
}

// TestAccessibility tries each state of the page with axe-core, on a phone and light, and wide
// and dark. With OIDKIT_LONG it tries the other two pairs too.
func TestAccessibility(t *testing.T) {
	t.Parallel()
	axe, err := findAxe()
	if err != nil {
		skip(t, err.Error())
	}
	ctx := browser(t)
	looks := []look{{width: 390}, {width: 1280, dark: true}}
	if isLong {
		looks = append(looks, look{width: 1280}, look{width: 390, dark: true})
	}
	for _, l := range looks {
		name := fmt.Sprintf("%d", l.width)
		if l.dark {
			name += "-dark"
		}
		// Dark differs in the colors only. A mouse hits a bar of 10 pixels, a thumb doesn't.
		options := fmt.Sprintf(`{ rules: { "target-size": { enabled: %v } } }`, l.width < 640)
		least := 15 // rules that are passed
		if l.dark {
			options, least = `{ runOnly: ["color-contrast"] }`, 1
		}
		check := func(t *testing.T, tab tab, state string) {
			t.Helper()
			tab.screenshot(name + "-" + state)
			tab.do(chromedp.Evaluate[chromedp.Void](axe + "; undefined"))
			type result struct {
				Checked    int
				Violations []struct{ ID, Help, Node, Summary string }
			}
			found := eval[result](tab, `axe.run(document, `+options+`).then((r) => ({
				checked: r.passes.length,
				violations: r.violations.flatMap((v) => v.nodes.map((n) => ({ id: v.id, help: v.help, node: n.html, summary: n.failureSummary }))) }))`)
			if found.Checked < least {
				t.Errorf("%s: axe passed only %d rules", state, found.Checked)
			}
			for _, v := range found.Violations {
				t.Errorf("%s: %s: %s\n%s\n%s", state, v.ID, v.Help, v.Node, v.Summary)
			}
		}
		t.Run(name, func(t *testing.T) {
			empty := openShop(t)
			check(t, open(t, ctx, empty.url, l), "empty")

			shop := openSeededShop(t)
			tab := open(t, ctx, shop.url, l)
			check(t, tab, "13weeks")
			for what, contrast := range eval[map[string]float64](tab, graphics) {
				if contrast < 3 {
					t.Errorf("%s: the contrast is %.2f, want 3 or more", what, contrast)
				}
			}
			tab.weeks(4)
			check(t, tab, "4weeks")
			tab.weeks(2)
			tab.click(".column:first-child") // Earlier can't be used there
			check(t, tab, "2weeks")

			batch := make(chan struct{})
			shop.answer(func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/samples" {
					<-batch
				}
				return false
			})
			tab.click(`[data-orders="1000"]`)
			tab.until(`document.activeElement.id === "stop"`)
			check(t, tab, "creating")
			close(batch)
			tab.until(`document.body.dataset.created`)
			check(t, tab, "created")

			shop.fail("/ids")
			tab.weeks(13)
			check(t, tab, "error")
		})
	}
}

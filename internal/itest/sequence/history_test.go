package sequence_test

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/wire"
	"github.com/oidkit/oidkit/sequence"
)

func init() { mysql.SetLogger(&mysql.NopLogger{}) } // it would log every lost connection

// long is set by OIDKIT_LONG: histories are then long enough for figures. Each prints a
// row of a table: fault, store, programs × callers, draws, faults, repeats, gaps, seconds.
var long = os.Getenv("OIDKIT_LONG") != ""

// pick returns one of two sizes of a test.
func pick[T any](short, full T) T {
	if long {
		return full
	}
	return short
}

// shortPause is how long each caller waits after a draw in a short history, on one server.
// Callers on the nodes of a cluster don't wait, so that they meet.
var shortPause = pick(5*time.Millisecond, 0)

// parallel has short histories run at once. The figures of long ones are of one server at
// a time.
func parallel(t *testing.T) {
	if !long {
		t.Parallel()
	}
}

// A history is what programs drew while something went wrong. Each program has a store and
// connections of its own.
type history struct {
	fault    string
	place    place
	nodes    []place                             // instead of place, of a cluster: programs use them in turn
	clock    func(program int) []sequence.Option // for stamps and documents, or nil
	pause    time.Duration                       // of each caller after each draw, at least shortPause
	programs int
	callers  int

	earlier verdict // of the histories before it on the same keys, whose records it has too
	begun   time.Duration
	faults  int
	drawn   atomic.Int64
	failed  atomic.Int64 // calls that ended with an error
	again   atomic.Int64 // draws that were made again
	lost    atomic.Int64 // the most by which a program saw the numbers of the server go back

	mu   sync.Mutex
	logs []*record
	last error // of a call that failed

	over atomic.Bool     // callers end when they have their numbers
	ctx  context.Context // that of all calls
	wg   sync.WaitGroup
}

// A record is what one caller got. It only grows.
type record struct {
	kind string // numbers, stamps or documents
	got  []entry
}

// zero is the time from which entries count.
var zero = time.Now()

// An entry is a number that a caller got, when it asked, and when it had it.
type entry struct {
	began, ended time.Duration
	number       sequence.Number
	text         string // of a stamp or a document
}

// patience is how long a caller waits for a number. On a slow machine that runs other tests
// too, servers that find conflicts at COMMIT have kept a caller waiting for a minute.
const patience = 3 * time.Minute

// through returns p with a wire before its server.
func (p place) through(t *testing.T) (place, *wire.Wire) {
	t.Helper()
	if likeMySQL[p.Kind] != nil {
		cfg, err := mysql.ParseDSN(p.URI)
		if err != nil {
			t.Fatal(err)
		}
		w := wire.Start(t, cfg.Addr)
		cfg.Addr = w.Addr()
		p.URI = cfg.FormatDSN()
		return p, w
	}
	u, err := url.Parse(p.URI)
	if err != nil || u.Host == "" {
		t.Skipf("a URI without a host: %v", err)
	}
	w := wire.Start(t, u.Host)
	u.Host = w.Addr()
	p.URI = u.String()
	return p, w
}

// begin has programs draw numbers, stamps and documents from p.
func begin(t *testing.T, fault string, p place, programs, callers int, clock func(program int) []sequence.Option) *history {
	t.Helper()
	h := &history{fault: fault, place: p, programs: programs, callers: callers, clock: clock}
	h.start(t)
	return h
}

// then ends h, which must be clean, and begins a history of new programs on its keys.
func (h *history) then(t *testing.T, fault string) *history {
	t.Helper()
	earlier := h.clean(t)
	h = &history{fault: fault, place: h.place, nodes: h.nodes, programs: h.programs, callers: h.callers, clock: h.clock, logs: h.logs, earlier: earlier}
	h.start(t)
	return h
}

func (h *history) start(t *testing.T) {
	t.Helper()
	h.begun = time.Since(zero)
	if h.nodes == nil {
		h.pause = max(h.pause, shortPause)
	}
	ctx, stop := context.WithCancel(t.Context())
	h.ctx = ctx
	t.Cleanup(h.wg.Wait)
	t.Cleanup(stop)
	for i := range h.programs {
		s := inTurn(h.place, h.nodes, i).store(t)
		opts := []sequence.Option{sequence.WithObserver(h.observe)}
		numbers := sequence.New(s, "numbers", cycling(99), opts...)
		if h.clock != nil {
			opts = append(opts, h.clock(i)...)
		}
		stamper := sequence.NewStamper(s, "stamps", opts...)
		documents := sequence.NewNumbering(s, "documents", "D{20060102}-{0000000}", opts...)
		for i := range h.callers {
			switch i {
			case 0:
				h.call(t, "stamps", func(ctx context.Context) (e entry, err error) {
					st, err := stamper.Next(ctx)
					return entry{text: st.String()}, err
				})
			case 1:
				h.call(t, "documents", func(ctx context.Context) (e entry, err error) {
					e.text, err = documents.Next(ctx)
					return e, err
				})
			default:
				h.call(t, "numbers", func(ctx context.Context) (e entry, err error) {
					e.number, err = numbers.Next(ctx)
					return e, err
				})
			}
		}
	}
}

// inTurn returns the place of a program: one of nodes, or p if there are none.
func inTurn(p place, nodes []place, program int) place {
	if len(nodes) == 0 {
		return p
	}
	return nodes[program%len(nodes)]
}

func (h *history) observe(trip sequence.Trip) {
	if trip.Waiting == 0 {
		h.again.Add(int64(trip.Retries))
	}
	if trip.Key != "numbers" {
		return // stamps go back in other units
	}
	for lost := h.lost.Load(); trip.Lost > lost && !h.lost.CompareAndSwap(lost, trip.Lost); lost = h.lost.Load() {
	}
}

// call has a caller draw until the end of h.
func (h *history) call(t *testing.T, kind string, next func(context.Context) (entry, error)) {
	r := &record{kind: kind}
	h.mu.Lock()
	h.logs = append(h.logs, r)
	h.mu.Unlock()
	h.wg.Go(func() {
		for !h.over.Load() && h.ctx.Err() == nil {
			ctx, cancel := context.WithTimeout(h.ctx, patience)
			began := time.Since(zero)
			e, err := next(ctx)
			cancel()
			if err != nil {
				if h.ctx.Err() == nil {
					h.fail(err)
				}
				continue
			}
			e.began, e.ended = began, time.Since(zero)
			r.got = append(r.got, e)
			h.drawn.Add(1)
			time.Sleep(h.pause)
		}
	})
}

func (h *history) fail(err error) {
	h.failed.Add(1)
	h.mu.Lock()
	h.last = err
	h.mu.Unlock()
	time.Sleep(10 * time.Millisecond)
}

// more waits for n more draws.
func (h *history) more(t *testing.T, n int) {
	t.Helper()
	target := h.drawn.Load() + int64(n)
	for end := time.Now().Add(5 * time.Minute); h.drawn.Load() < target; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			h.mu.Lock()
			defer h.mu.Unlock()
			t.Fatalf("%s: %d draws, and no more for five minutes: %v", h.fault, h.drawn.Load(), h.last)
		}
	}
}

// suffer has a fault happen some times, with n draws before each and after the last.
func (h *history) suffer(t *testing.T, times, n int, fault func(i int) error) {
	t.Helper()
	for i := range times {
		h.more(t, n)
		if err := fault(i); err != nil {
			daemon.Skip(t, fmt.Errorf("%s: %w", h.fault, err)) // somebody else's server can't be killed
		}
		h.faults++
	}
	h.more(t, n)
}

// A verdict is what is wrong with a history.
type verdict struct {
	draws      int
	repeats    int
	disorder   int // numbers that came to a caller after greater ones
	wrong      int // serials and cycles that don't fit their ordinals
	gaps       int64
	days       int           // of documents
	stall      time.Duration // the longest time in which nobody got a number
	wait       time.Duration // the longest time that one caller waited
	firstWrong string
}

// end stops the callers, prints a row and returns what is wrong.
func (h *history) end(t *testing.T) verdict {
	t.Helper()
	took := time.Since(zero) - h.begun
	h.over.Store(true)
	h.wg.Wait()
	v := judge(h.logs, h.begun)
	row(t, h.fault, h.place.Kind, h.programs, h.callers, v.draws-h.earlier.draws, h.faults, v.repeats, v.gaps-h.earlier.gaps, took,
		fmt.Sprintf("%d made again, %d failed, longest stall %.1f s, longest wait %.1f s", h.again.Load(), h.failed.Load(), v.stall.Seconds(), v.wait.Seconds()))
	return v
}

// clean fails t unless nothing is wrong.
func (h *history) clean(t *testing.T) verdict {
	t.Helper()
	v := h.end(t)
	if v.repeats+v.disorder+v.wrong > 0 {
		t.Errorf("%s: %d repeats, %d out of order, %d wrong, such as %s", h.fault, v.repeats, v.disorder, v.wrong, v.firstWrong)
	}
	if n := h.failed.Load(); n > 0 {
		t.Errorf("%s: %d calls failed, the last with: %v", h.fault, n, h.last)
	}
	return v
}

// row prints a row of the table of histories.
func row(t *testing.T, fault, on string, programs, callers, draws, faults, repeats int, gaps int64, took time.Duration, note string) {
	t.Helper()
	t.Logf("| %s | %s | %d × %d | %d | %d | %d | %d | %.1f | %s |", fault, on, programs, callers, draws, faults, repeats, gaps, took.Seconds(), note)
}

// judge compares what callers got. Of the time when they waited, it looks at that since
// begun.
func judge(logs []*record, begun time.Duration) (v verdict) {
	bad := func(n *int, format string, args ...any) {
		if *n++; v.firstWrong == "" {
			v.firstWrong = fmt.Sprintf(format, args...)
		}
	}
	seen := map[string]bool{}
	ordinals := map[int64]bool{}
	greatest := map[string]int64{} // of each day, and of the numbers
	counted := map[string]int64{}
	var all, stamps, days []entry
	for _, r := range logs {
		var last entry
		for _, e := range r.got {
			all = append(all, e)
			twice, day := false, ""
			switch n := e.number; r.kind {
			case "numbers":
				twice, ordinals[n.Ordinal] = ordinals[n.Ordinal], true
				if n.Serial != (n.Ordinal-1)%99+1 || n.Cycle != (n.Ordinal-1)/99 {
					bad(&v.wrong, "%+v", n)
				}
				greatest[""] = max(greatest[""], n.Ordinal)
			case "stamps":
				twice, seen[e.text] = seen[e.text], true
				stamps = append(stamps, e)
			case "documents":
				twice, seen[e.text] = seen[e.text], true
				var serial int64
				text, number, _ := strings.Cut(e.text, "-")
				if _, err := fmt.Sscanf(number, "%d", &serial); err != nil {
					bad(&v.wrong, "%q", e.text)
				}
				day = text
				greatest[day] = max(greatest[day], serial)
				days = append(days, entry{began: e.began, ended: e.ended, text: day})
			}
			if twice {
				bad(&v.repeats, "%+v twice", e)
			} else if r.kind != "stamps" {
				counted[day]++
			}
			if e.number.Ordinal < last.number.Ordinal || e.text < last.text {
				bad(&v.disorder, "%+v after %+v", e, last)
			}
			last = e
		}
	}
	for day, last := range greatest {
		v.gaps += last - counted[day]
	}
	v.draws = len(all)
	v.days = max(0, len(greatest)-1)
	for _, e := range overtaken(stamps, func(a, b string) bool { return a <= b }) {
		bad(&v.disorder, "stamp %s is not greater than all that were there at %v", e.text, e.began)
	}
	for _, e := range overtaken(days, func(a, b string) bool { return a < b }) {
		bad(&v.disorder, "day %s was over at %v", e.text, e.began)
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Compare(a.ended, b.ended) })
	for i, e := range all {
		if e.began >= begun {
			v.wait = max(v.wait, e.ended-e.began)
		}
		if i > 0 && all[i-1].ended >= begun {
			v.stall = max(v.stall, all[i].ended-all[i-1].ended)
		}
	}
	return v
}

// overtaken returns the entries that are late, compared with the greatest that any caller
// had when they were asked for.
func overtaken(entries []entry, late func(text, greatest string) bool) (wrong []entry) {
	byEnd := slices.SortedFunc(slices.Values(entries), func(a, b entry) int { return cmp.Compare(a.ended, b.ended) })
	byBegin := slices.SortedFunc(slices.Values(entries), func(a, b entry) int { return cmp.Compare(a.began, b.began) })
	greatest, i := "", 0
	for _, e := range byBegin {
		for ; i < len(byEnd) && byEnd[i].ended < e.began; i++ {
			greatest = max(greatest, byEnd[i].text)
		}
		if late(e.text, greatest) {
			wrong = append(wrong, e)
		}
	}
	return wrong
}

// TestJudgeFindsWhatIsWrong has a repeat, a number out of order, a stamp that was
// overtaken, a serial of another cycle and a gap.
func TestJudgeFindsWhatIsWrong(t *testing.T) {
	number := func(ordinals ...int64) *record {
		r := &record{kind: "numbers"}
		for _, o := range ordinals {
			r.got = append(r.got, entry{number: sequence.Number{Serial: (o-1)%99 + 1, Cycle: (o - 1) / 99, Ordinal: o}})
		}
		return r
	}
	document := func(texts ...string) *record {
		r := &record{kind: "documents"}
		for _, text := range texts {
			r.got = append(r.got, entry{text: text})
		}
		return r
	}
	stamp := func(text string, began, ended time.Duration) *record {
		return &record{kind: "stamps", got: []entry{{text: text, began: began, ended: ended}}}
	}
	for name, tt := range map[string]struct {
		logs []*record
		want verdict
	}{
		"nothing":                  {[]*record{number(1, 3, 99, 100), number(2)}, verdict{draws: 5, gaps: 95}},
		"a repeat":                 {[]*record{number(1, 2), number(2)}, verdict{draws: 3, repeats: 1}},
		"a number out of order":    {[]*record{number(2, 1)}, verdict{draws: 2, disorder: 1}},
		"a serial of another plan": {[]*record{{kind: "numbers", got: []entry{{number: sequence.Number{Serial: 2, Ordinal: 1}}}}}, verdict{draws: 1, wrong: 1}},
		"a document twice":         {[]*record{document("D1-1", "D1-2", "D2-1"), document("D1-2")}, verdict{draws: 4, repeats: 1}},
		"a gap in a day":           {[]*record{document("D1-1", "D1-3", "D2-1")}, verdict{draws: 3, gaps: 1}},
		"a day that opened again": {[]*record{
			{kind: "documents", got: []entry{{text: "D2-1", began: 0, ended: 5}}},
			{kind: "documents", got: []entry{{text: "D1-1", began: 6, ended: 7}}},
		}, verdict{draws: 2, disorder: 1}},
		"a stamp that waited":        {[]*record{stamp("2", 0, 5), stamp("1", 4, 6)}, verdict{draws: 2}},
		"a stamp that was overtaken": {[]*record{stamp("2", 0, 5), stamp("1", 6, 7)}, verdict{draws: 2, disorder: 1}},
	} {
		got := judge(tt.logs, 0)
		got.stall, got.wait, got.firstWrong, got.days = 0, 0, "", 0
		if got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

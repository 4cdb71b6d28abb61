package main

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/repo"
	"github.com/oidkit/oidkit/oid"
)

// agree reports whether got, a share of so many trials, is within four standard
// deviations of the chance want.
func agree(got, want float64, trials int) bool {
	return math.Abs(got-want) <= 4*math.Sqrt(want*(1-want)/float64(trials))
}

func TestSimulatedFleetsAgreeWithTheFormula(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	const trials = 5000
	for _, f := range smallFleets {
		want := f.odds().collision
		if got := simulate(f, redrawn, trials, random); !agree(got, want, trials) {
			t.Errorf("%+v: %.4f simulated, formula %.4f", f, got, want)
		}
		// A counter that goes on stays near or far for a while: it meets less often.
		if got := simulate(f, runningOn, trials, random); got > want && !agree(got, want, trials) {
			t.Errorf("%+v: %.4f simulated with a counter that goes on, above the formula's %.4f", f, got, want)
		}
	}
}

func TestOneGeneratorNeverRepeatsWhileTheClockJumps(t *testing.T) {
	repeats, disordered := jumpingClock(rand.New(rand.NewPCG(7, 7)), 4, 50_000)
	if repeats != 0 || disordered != 0 {
		t.Errorf("%d repeats, %d out of order", repeats, disordered)
	}
	c := newCensus()
	c.add([]oid.ID{oid.New()})
	c.add([]oid.ID{{1}, {2}, {1}})
	if c.repeats != 1 {
		t.Errorf("the census counted %d repeats, want 1", c.repeats)
	}
}

func TestContainersShareHostValuesAsTheFormulaSays(t *testing.T) {
	const n, trials = 3000, 60
	want := fleet{processes: n, rate: 1, seconds: 1, processBits: hostBits}.odds()
	if got := shareHost(n, trials, rand.New(rand.NewPCG(7, 7))); !agree(got, want.sameProcess, trials) {
		t.Errorf("%.3f simulated, formula %.3f", got, want.sameProcess)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := hostProcess(host, uint16(os.Getpid())), oid.HostProcess(); got != want {
		t.Errorf("%x for this process, want %x", got, want)
	}
}

func TestCopiedGeneratorsRepeatAndNewOnesDoNot(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	if repeats, of := clones(100, 60, 0, false, random); repeats == 0 {
		t.Errorf("none of %d ids of the copy came twice", of)
	}
	if repeats, of := clones(100, 60, 0, true, random); repeats != 0 {
		t.Errorf("%d of %d ids came twice with a new generator", repeats, of)
	}
}

func TestCopiesShareNoIDAfterReseed(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	const each = 2_500_000
	for _, tt := range []struct {
		first, second bool
		want          int
	}{{false, false, each}, {false, true, 0}, {true, true, 0}} {
		if got := equalIDs(each, tt.first, tt.second, random); got != tt.want {
			t.Errorf("Reseed in the first: %t, in the second: %t: both made %d ids, want %d", tt.first, tt.second, got, tt.want)
		}
	}
}

// The odds of oid.NewAt rest on this: a process numbers its IDs from one of 2^63 starts.
func TestNewAtNumbersItsIDsFromARandomStart(t *testing.T) {
	at := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
	number := func(g *oid.Generator, t time.Time) uint64 {
		id, err := g.NewAt(t)
		if err != nil {
			panic(err)
		}
		return binary.BigEndian.Uint64(id[4:])
	}
	var ones, zeros uint64
	for range 200 {
		g := &oid.Generator{}
		first := number(g, at)
		if next := number(g, at.AddDate(1, 0, 0)); next != first+1 {
			t.Fatalf("%x follows %x in another second", next, first)
		}
		ones, zeros = ones|first, zeros|^first
	}
	if random := ones & zeros; random != 1<<backfillBits-1 {
		t.Errorf("the bits that differ between generators are %x, want the low %d", random, backfillBits)
	}
}

func TestSimulatedBackfillsAgreeWithTheFormula(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	const processes, n, bits, trials = 5, 40, 14, 20_000
	met := 0
	for range trials {
		var starts [processes]int
		for i := range starts {
			starts[i] = random.IntN(1 << bits)
		}
		slices.Sort(starts[:])
		for i := range starts[1:] {
			if starts[i+1]-starts[i] < n {
				met++
				break
			}
		}
	}
	if got, want := float64(met)/trials, backfillOdds(processes, n, bits); !agree(got, want, trials) {
		t.Errorf("%.4f simulated, formula %.4f", got, want)
	}
}

func TestIncreasingKeysGoToTheLastShard(t *testing.T) {
	for _, k := range shardKeys {
		busiest, idlest, asked := spread(k.of, 40_000, 100, rand.New(rand.NewPCG(7, 7)))
		if k.name == "{_id: 1}" {
			if busiest != 1 || idlest != 0 || asked > 2 {
				t.Errorf("%s: busiest %g, idlest %g, %d shards", k.name, busiest, idlest, asked)
			}
		} else if busiest > 0.15 || idlest < 0.1 {
			t.Errorf("%s: busiest %g, idlest %g", k.name, busiest, idlest)
		}
	}
}

func TestExtrapolationOfAMeasure(t *testing.T) {
	m := measure{rows: 1000, index: 40_000, leafPages: 100, innerPages: 1, levels: 2}
	if e := extrapolate(measure{}, m, 1000); e.index != m.index || e.levels != 2 {
		t.Errorf("at its own size: %+v", e)
	}
	if e := extrapolate(measure{}, m, 100_000); e.index != 4_000_000 || e.leafPages != 10_000 || e.levels != 3 {
		t.Errorf("a hundred times as large: %+v", e)
	}
	half := measure{rows: 500, index: 30_000, leafPages: 75}
	if e := extrapolate(half, m, 2000); e.index != 60_000 || e.leafPages != 150 {
		t.Errorf("as the last half grew: %+v", e)
	}
	if e := extrapolate(measure{}, m, 110_000); e.levels != 4 {
		t.Errorf("a level is full at 10,000 leaf pages: %+v", e)
	}
}

func TestGrowthMeasuresARealIndex(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	err := growth(&out, 100_000)
	if errors.Is(err, daemon.ErrNotInstalled) {
		daemon.Skip(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"PostgreSQL ", "oid.ID of 1 process, bytea", "oid.ID of 16 processes, bytea", "the same as hex, char(24)", "random UUID, uuid", "bigint, bigint",
		" 100000 rows ", " reindexed ", " 3.65e+10 "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

// README.md and docs/uniqueness.md show what the programs print. Only growth is measured anew.
func TestReadmeHoldsTheFiguresAsPrinted(t *testing.T) {
	t.Parallel()
	lines := map[string]bool{}
	doc, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(doc)) {
		lines[strings.TrimSpace(line)] = true
	}
	// As a process of its own: the race detector would make minutes of seconds.
	out, err := exec.Command("go", "run", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); !lines[line] {
			t.Errorf("not in README.md: %s", line)
		}
	}
	page, err := os.ReadFile(repo.Path("docs/uniqueness.md"))
	if err != nil {
		t.Fatal(err)
	}
	chances := regexp.MustCompile(`1 in [0-9.]+ × 10\^[0-9]+|[0-9.]+ %`).FindAllString(string(page), -1)
	if len(chances) < 10 {
		t.Errorf("docs/uniqueness.md has only %d chances", len(chances))
	}
	for _, chance := range chances {
		if !strings.Contains(string(out), chance) {
			t.Errorf("docs/uniqueness.md has %s, which the programs don't print", chance)
		}
	}
}

func TestRunRefusesWhatItDoesNotKnow(t *testing.T) {
	if err := run(os.Stdout, sections(0), []string{"foo"}, 1, 100_000); err == nil || !strings.Contains(err.Error(), `no section "foo"`) {
		t.Error(err)
	}
	if err := run(os.Stdout, sections(0), []string{"growth"}, 1, 12); err == nil {
		t.Error("12 rows are fine")
	}
}

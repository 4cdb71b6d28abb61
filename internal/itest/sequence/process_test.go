package sequence_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

// jobVariable makes the test binary a child process that does a job.
const jobVariable = "OIDKIT_TEST_SEQUENCE_JOB"

// A job is the work of a child process. Its callers draw Each numbers or stamps, and it
// prints one per line.
type job struct {
	Kind, URI, Name string
	Callers, Each   int
	Stamps          bool
	Skew            time.Duration // how far its clock is ahead

	// The job draws until it is killed, and prints each number at once.
	Endless bool

	// The job writes invoices until it is killed.
	Invoices bool

	// The job prints "ready" and reads a time. It draws numbers of a day each until a
	// second after that time. Its clock runs 20 times as fast as others, and shows
	// midnight at that time.
	OverMidnight bool
}

func child(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	s, end, err := place{j.Kind, j.URI, j.Name}.open()
	if err != nil {
		return err
	}
	defer end()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	if j.Invoices {
		return j.invoices(ctx)
	}
	seq := sequence.New(s, "k")
	stamper := sequence.NewStamper(s, "k", sequence.WithClock(func() time.Time { return time.Now().Add(j.Skew) }))
	var midnight time.Time
	if j.OverMidnight {
		fmt.Println("ready")
		if err := json.NewDecoder(os.Stdin).Decode(&midnight); err != nil {
			return err
		}
	}
	numbering := sequence.NewNumbering(s, "days", "{20060102}-{0+}", sequence.WithMaxLead(1<<62), sequence.WithClock(func() time.Time {
		return time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC).Add(20*time.Since(midnight) + j.Skew)
	}))
	draw := func() (string, error) {
		if j.OverMidnight {
			time.Sleep(5 * time.Millisecond)
			return numbering.Next(ctx)
		}
		if j.Stamps {
			st, err := stamper.Next(ctx)
			return st.String(), err
		}
		n, err := seq.Next(ctx)
		return fmt.Sprint(n.Serial, n.Cycle, n.Ordinal), err
	}
	var mu sync.Mutex
	out := bufio.NewWriter(os.Stdout)
	latest := "" // day that a caller has seen
	var wg sync.WaitGroup
	var failed error
	for range j.Callers {
		wg.Go(func() {
			for i := 0; i < j.Each || j.Endless || time.Since(midnight) < time.Second; i++ {
				mu.Lock()
				begun := latest
				mu.Unlock()
				line, err := draw()
				mu.Lock()
				if err != nil {
					failed = err
				}
				if day, _, ok := strings.Cut(line, "-"); ok && j.OverMidnight {
					if day < begun {
						failed = fmt.Errorf("%s, after the %s had begun", line, begun)
					}
					latest = max(latest, day)
				}
				fmt.Fprintln(out, line)
				if j.Endless {
					out.Flush()
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if failed != nil {
		return failed
	}
	return out.Flush()
}

// command returns the command of a process that does the job.
func (j job) command(t *testing.T) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary)
	cmd.Env = append(os.Environ(), jobVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	return cmd
}

// run does the jobs in processes of their own, all at once, and returns the lines
// that each prints. Midnight comes when all are ready.
func run(t *testing.T, jobs ...job) [][]string {
	t.Helper()
	lines := make([][]string, len(jobs))
	var ready, wg sync.WaitGroup
	ready.Add(len(jobs))
	for i, j := range jobs {
		cmd := j.command(t)
		in, inErr := cmd.StdinPipe()
		out, outErr := cmd.StdoutPipe()
		if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			scanner := bufio.NewScanner(out)
			if j.OverMidnight {
				scanner.Scan()
			}
			ready.Done()
			ready.Wait()
			if j.OverMidnight {
				json.NewEncoder(in).Encode(time.Now().Add(time.Second))
			}
			for scanner.Scan() {
				lines[i] = append(lines[i], scanner.Text())
			}
			if err := errors.Join(scanner.Err(), cmd.Wait()); err != nil {
				t.Errorf("process %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return lines
}

// TestProcessesKilledInADrawNeverRepeatANumber kills processes with SIGKILL while they
// draw, and starts others. For SQLite, that is the kill of the server.
func TestProcessesKilledInADrawNeverRepeatANumber(t *testing.T) {
	onEachSQL(t, func(t *testing.T, p place) {
		const processes, callers, kills = 2, 10, 4
		s := p.mustOpen(t)
		create(t, s, 1, 99)
		var mu sync.Mutex
		seen := map[int64]bool{}
		drawn := func() int {
			mu.Lock()
			defer mu.Unlock()
			return len(seen)
		}
		for range kills {
			var running []*exec.Cmd
			var wg sync.WaitGroup
			for range processes {
				cmd := job{Kind: p.kind, URI: p.uri, Name: p.name, Callers: callers, Endless: true}.command(t)
				out, err := cmd.StdoutPipe()
				if err := errors.Join(err, cmd.Start()); err != nil {
					t.Fatal(err)
				}
				running = append(running, cmd)
				wg.Go(func() {
					for scanner := bufio.NewScanner(out); scanner.Scan(); {
						var n sequence.Number
						if _, err := fmt.Sscan(scanner.Text(), &n.Serial, &n.Cycle, &n.Ordinal); err != nil {
							t.Errorf("%q: %v", scanner.Text(), err)
						}
						mu.Lock()
						if seen[n.Ordinal] {
							t.Errorf("number %d came twice", n.Ordinal)
						}
						seen[n.Ordinal] = true
						mu.Unlock()
					}
					cmd.Wait()
				})
			}
			target := drawn() + 200
			until(t, func() bool { return drawn() >= target || t.Failed() })
			for _, cmd := range running {
				cmd.Process.Kill()
			}
			wg.Wait()
		}
		last := take(t, s, 1)[0].Ordinal
		if gaps := int(last) - 1 - len(seen); gaps < 0 || gaps > kills*processes*2*callers {
			t.Errorf("%d gaps for %d kills of %d processes with %d callers", gaps, kills, processes, callers)
		}
	})
}

func TestProcessesDrawEachSerialEquallyOften(t *testing.T) {
	onEachServer(t, func(t *testing.T, p place) {
		for _, processes := range []int{2, 4} {
			t.Run(fmt.Sprint(processes), func(t *testing.T) {
				s := p.mustOpen(t)
				if err := s.Create(t.Context(), "k", sequence.Plan{First: 1, Last: 100, Cycle: true}); err != nil {
					t.Fatal(err)
				}
				jobs := make([]job, processes)
				for i := range jobs {
					jobs[i] = job{Kind: p.kind, URI: p.uri, Name: p.name, Callers: 20, Each: 50}
				}
				serials, ordinals := map[int64]int{}, map[int64]bool{}
				for i, lines := range run(t, jobs...) {
					last := sequence.Number{}
					for _, line := range lines {
						var n sequence.Number
						if _, err := fmt.Sscan(line, &n.Serial, &n.Cycle, &n.Ordinal); err != nil {
							t.Fatal(err)
						}
						serials[n.Serial]++
						if ordinals[n.Ordinal] {
							t.Fatalf("number %d came twice", n.Ordinal)
						}
						ordinals[n.Ordinal] = true
						last = n
					}
					if len(lines) != 1000 {
						t.Errorf("process %d drew %d numbers, the last %v", i, len(lines), last)
					}
				}
				for serial := range int64(100) {
					if times := serials[serial+1]; times != 10*processes {
						t.Errorf("serial %d came %d times, want %d", serial+1, times, 10*processes)
					}
				}
				if len(serials) != 100 {
					t.Errorf("%d different serials", len(serials))
				}
			})
		}
	})
}

func TestProcessesWithSkewedClocksNeverMakeTheSameStamp(t *testing.T) {
	onEachServer(t, func(t *testing.T, p place) {
		create(t, p.mustOpen(t), 0, 99)
		var jobs []job
		for _, skew := range []time.Duration{-5 * time.Second, 0, 5 * time.Second, 20 * time.Millisecond} {
			jobs = append(jobs, job{Kind: p.kind, URI: p.uri, Name: p.name, Callers: 10, Each: 50, Stamps: true, Skew: skew})
		}
		seen := map[string]bool{}
		for _, lines := range run(t, jobs...) {
			for _, line := range lines {
				if seen[line] || len(line) != 22 {
					t.Errorf("stamp %q came twice or is none", line)
				}
				seen[line] = true
			}
		}
		if len(seen) != 2000 {
			t.Errorf("%d stamps", len(seen))
		}
	})
}

// TestProcessesWithSkewedClocksNeverOpenADayAgain has 20 processes draw over midnight, with
// clocks that differ by up to 5 seconds either way. A process fails by itself if it gets
// a number of a day after it has seen a number of the next day.
func TestProcessesWithSkewedClocksNeverOpenADayAgain(t *testing.T) {
	onEachServer(t, func(t *testing.T, p place) {
		var jobs []job
		for i := range 20 {
			skew := 10*time.Second*time.Duration(i)/19 - 5*time.Second
			jobs = append(jobs, job{Kind: p.kind, URI: p.uri, Name: p.name, Callers: 2, OverMidnight: true, Skew: skew})
		}
		seen := map[string]bool{}
		days := map[string]int{}
		for _, lines := range run(t, jobs...) {
			for _, line := range lines {
				if seen[line] {
					t.Errorf("%s came twice", line)
				}
				seen[line] = true
				day, _, _ := strings.Cut(line, "-")
				days[day]++
			}
		}
		if len(days) != 2 || days["20261121"] < 1 || days["20261122"] < 1 {
			t.Errorf("numbers of the days %v", days)
		}
		for day, n := range days {
			for i := range n {
				if text := fmt.Sprintf("%s-%d", day, i+1); !seen[text] {
					t.Errorf("%s is missing: the day doesn't start at 1, or has a gap", text)
				}
			}
		}
	})
}

package sequence_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

// jobVariable makes the test binary a child process that does a job.
const jobVariable = "OIDKIT_TEST_SEQUENCE_JOB"

// A job is the work of a child process. Its callers draw until standard input ends or it
// is killed, and it prints a line per number at once.
type job struct {
	Place   place
	Callers int
	Kind    string        // numbers, stamps, documents, by date, rows, or rows too early
	Skew    time.Duration // how far its clock is ahead
	Pause   time.Duration // of each caller after each number
}

func child(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	s, err := j.Place.open()
	if err != nil {
		return err
	}
	defer s.close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	clock := sequence.WithClock(func() time.Time { return time.Now().Add(j.Skew) })
	seq := sequence.New(s, "numbers", cycling(99))
	stamper := sequence.NewStamper(s, "stamps", clock)
	numbering := sequence.NewNumbering(s, "documents", "{2006}-{0+}", clock)
	bills := billing(s, sequence.WithGapFree())
	draw := map[string]func() (string, error){
		"numbers": func() (string, error) {
			n, err := seq.Next(ctx)
			return fmt.Sprint(n.Ordinal, " ", n.Serial, " ", n.Cycle), err
		},
		"stamps": func() (string, error) {
			st, err := stamper.Next(ctx)
			return st.String(), err
		},
		"documents":      func() (string, error) { return numbering.Next(ctx) },
		"by date":        func() (string, error) { return writeByDate(ctx, s, bills) },
		"rows":           func() (string, error) { return writeRows(ctx, j.Place, s, true) },
		"rows too early": func() (string, error) { return writeRows(ctx, j.Place, s, false) },
	}[j.Kind]

	var stop sync.WaitGroup
	ended := make(chan struct{})
	go func() {
		io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	var mu sync.Mutex
	var failed error
	for range j.Callers {
		stop.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
				}
				line, err := draw()
				mu.Lock()
				if err != nil {
					failed = errors.Join(failed, err)
					mu.Unlock()
					return
				}
				fmt.Println(line)
				mu.Unlock()
				time.Sleep(j.Pause)
			}
		})
	}
	stop.Wait()
	return failed
}

// A program is a child process. Its lines are complete when it has ended.
type program struct {
	cmd   *exec.Cmd
	stdin io.Closer
	count atomic.Int64 // of lines until now
	read  chan struct{}
	lines []string
}

func start(t *testing.T, j job) *program {
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
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &program{cmd: cmd, stdin: stdin, read: make(chan struct{})}
	go func() {
		defer close(p.read)
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			p.lines = append(p.lines, lines.Text())
			p.count.Add(1)
		}
	}()
	return p
}

// drew waits until p has drawn n numbers since it started, and for a moment.
func (p *program) drew(t *testing.T, n int64) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); p.count.Load() < n; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("a program drew %d numbers in two minutes, want %d", p.count.Load(), n)
		}
	}
	time.Sleep(rand.N(20 * time.Millisecond)) // so that it dies at any moment of a draw
}

// kill ends p at once. A line that it was writing is dropped.
func (p *program) kill() []string {
	p.cmd.Process.Kill()
	<-p.read
	p.cmd.Wait()
	return p.lines
}

// end lets the callers of all programs finish, and returns the lines of each program. It
// tells all programs before it waits for one. On SQLite, writers who go on would leave the
// others no chance.
func end(t *testing.T, programs []*program) (lines [][]string) {
	t.Helper()
	for _, p := range programs {
		p.stdin.Close()
	}
	for _, p := range programs {
		<-p.read
		if err := p.cmd.Wait(); err != nil {
			t.Error(err)
		}
		lines = append(lines, p.lines)
	}
	return lines
}

// TestProgramsNeverDrawANumberTwice kills some programs of each kind while others go on.
// Their clocks differ by seconds.
func TestProgramsNeverDrawANumberTwice(t *testing.T) {
	onEach(t, func(t *testing.T, p place, s opened) {
		for _, kind := range []string{"numbers", "stamps", "documents"} {
			var programs []*program
			for i := range pick(3, 8) {
				programs = append(programs, start(t, job{Place: p, Callers: 4, Pause: shortPause, Kind: kind, Skew: time.Duration(i%3-1) * 3 * time.Second}))
			}
			seen, repeats, begun := map[string]bool{}, 0, time.Now()
			count := func(lines []string, whole bool) {
				for i, line := range lines {
					if i == len(lines)-1 && !whole {
						break
					}
					if kind == "numbers" {
						line, _, _ = strings.Cut(line, " ")
					}
					if seen[line] {
						repeats++
						t.Errorf("%s: %q came twice", kind, line)
					}
					seen[line] = true
				}
			}
			each := pick[int64](20, 200)
			for range pick(3, 12) {
				programs[0].drew(t, each)
				count(programs[0].kill(), false)
				programs = append(programs[1:], start(t, job{Place: p, Callers: 4, Pause: shortPause, Kind: kind}))
			}
			for _, p := range programs {
				p.drew(t, each)
			}
			for _, lines := range end(t, programs) {
				count(lines, true)
			}
			row(t, "programs killed: "+kind, p.Kind, pick(3, 8), 4, len(seen), pick(3, 12), repeats, 0, time.Since(begun), "gaps not counted")
		}
	})
}

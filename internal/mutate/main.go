// Command mutate measures how good the tests of a package are. It makes many small
// changes to the package, one at a time, such as < in place of <=, and looks
// whether a test fails. Such a change is a mutant. A test kills it, or it survives:
//
//	go run ./internal/mutate oid sqltype            # two packages, by their folders
//	go run ./internal/mutate -for 10m gormplugin    # a sample
//	go run ./internal/mutate -only uuid.go sqltype  # mutants whose line matches
//
// The files of the tree stay as they are. The command writes a copy of the package
// with all mutants to the folder -state, compiles the tests with it once (go test
// -c -overlay), and an environment variable chooses the mutant that lives. A first
// run without a mutant shows which test comes to which mutants. Only these tests
// run with it: the fast ones first, until one fails.
//
// The tests of the package, if it has any, run first, then those of the guards that
// guards.txt names for it. Each guard is compiled when the first mutant comes to it. Tests that
// need a server start one each. This is faster if a server runs already: set
// OIDKIT_POSTGRES_DSN, OIDKIT_MYSQL_DSN or OIDKIT_MONGO_URI. Tests of a command find the
// program with its mutants in OIDKIT_MUTANT_PROGRAM, so that they need not build it. A run that takes far more
// processor time, time or memory than without a mutant kills the mutant too. Tests that
// fail in the instrumented copy, such as those that count allocations, run once more for
// each survivor, in a copy that has only this mutant. A test that fails without the
// instruments too doesn't count, and neither does a mutant that doesn't compile.
//
// The order of the mutants depends only on -seed, so that what ran after -for is a
// sample. Results are kept in the folder -state, and the next run goes on where this
// one stopped: a mutant runs again when its file changes, a survivor also when a
// test or a folder testdata changes.
//
// For each survivor, write a test, make the code simpler, or write an entry with the
// reason in equivalent.txt if no test can see the change. Entries name the function
// and the text, not the line. The command tells of entries that nothing needs.
package main

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"golang.org/x/tools/go/packages"
)

//go:embed guards.txt
var guardsText string

//go:embed equivalent.txt
var equivalentText string

const usage = `usage: go run ./internal/mutate [options] FOLDER…

Changes each package a little in many ways, and lists the changes that no test
notices. FOLDER is the folder of a package, such as oid or sqltype/pgxoid.

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Stderr, "", guardsText, equivalentText, os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "mutate:", err)
		}
		os.Exit(1)
	}
}

// options are what the command line says.
type options struct {
	seed     uint64
	time     time.Duration
	workers  int
	memory   int
	patience time.Duration
	state    string
	only     *regexp.Regexp
	own      bool
	list     bool
	verbose  bool
}

// run runs the command in the folder dir.
func run(ctx context.Context, stdout, stderr io.Writer, dir, guardsText, equivalentText string, args []string) error {
	var o options
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage); flags.PrintDefaults() }
	flags.Uint64Var(&o.seed, "seed", 1, "the `number` that the order of the mutants depends on")
	flags.DurationVar(&o.time, "for", 0, "run no further mutants after this `time`; 0 is without end")
	flags.IntVar(&o.workers, "workers", max(1, runtime.GOMAXPROCS(0)/2), "the `number` of mutants that run at once")
	flags.IntVar(&o.memory, "memory", 4096, "the address space of each process, in `MiB`; 0 is without limit")
	flags.DurationVar(&o.patience, "patience", 5*time.Second, "the processor `time` that a mutant gets beyond four times the usual")
	flags.StringVar(&o.state, "state", "", "the `folder` for copies and results (default oidkit/mutate in your cache folder)")
	only := flags.String("only", "", "only mutants whose line FILE:LINE: BEFORE → AFTER matches this `regexp`")
	flags.BoolVar(&o.own, "own", false, "only the package's own tests, if it has any, not those of the other guards")
	flags.BoolVar(&o.list, "list", false, "list the mutants in their order, and run none")
	flags.BoolVar(&o.verbose, "v", false, "say at once what became of each mutant")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		flags.Usage()
		return flag.ErrHelp
	}
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		return err
	}
	guards, err := parseGuards(guardsText)
	if err != nil {
		return err
	}
	equivalents, err := parseEquivalents(equivalentText)
	if err != nil {
		return err
	}
	root, err := rootOf(dir)
	if err != nil {
		return err
	}
	if o.state == "" {
		if o.state, err = os.UserCacheDir(); err != nil {
			return err
		}
		o.state = filepath.Join(o.state, "oidkit", "mutate", fmt.Sprintf("%.8x", sha256.Sum256([]byte(root))))
	}
	if o.state, err = filepath.Abs(o.state); err != nil {
		return err
	}
	if o.time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.time)
		defer cancel()
	}

	var scores []score
	for i, folder := range flags.Args() {
		if i > 0 && ctx.Err() != nil {
			fmt.Fprintf(stderr, "no time is left for %s\n", strings.Join(flags.Args()[i:], " "))
			break
		}
		folder = strings.Trim(filepath.ToSlash(filepath.Clean(folder)), "/")
		p := &instrumented{root: root, folder: folder, dir: filepath.Join(o.state, strings.ReplaceAll(folder, "/", "_")), limits: limits{o.memory, o.patience}}
		p.log = func(format string, args ...any) { fmt.Fprintf(stderr, format+"\n", args...) }
		p.guards = append([]*guard{{folder: folder}}, guards[folder]...)
		if g := p.guards; len(g) > 1 && g[1].folder == folder { // with options
			p.guards = g[1:]
		}
		if tests, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(folder), "*_test.go")); len(tests) == 0 {
			if p.guards = guards[folder]; len(p.guards) == 0 {
				return fmt.Errorf("%s has no tests: name its guards in guards.txt", folder)
			}
		} else if o.own {
			p.guards = p.guards[:1]
		}
		s, err := p.score(ctx, stdout, o, equivalents)
		if err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
		scores = append(scores, s)
	}
	if o.list {
		return nil
	}
	return print(stdout, scores)
}

// rootOf returns the folder of go.work, or of go.mod if there is no workspace.
func rootOf(dir string) (string, error) {
	cmd := exec.Command("go", "env", "GOWORK", "GOMOD")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return "", err
	}
	for file := range strings.Lines(string(out)) {
		if file = strings.TrimSpace(file); file != "" && file != "off" && file != os.DevNull {
			return filepath.Dir(file), nil
		}
	}
	return "", errors.New("no module here")
}

// A score is what became of the mutants of a package.
type score struct {
	folder                              string
	mutants, run                        int // without those that don't compile; of these, those with a result
	killed, equivalent, survived, never int // never: no test comes there; part of survived
	lines                               []string
}

// load finds the mutants of the package.
func (p *instrumented) load() error {
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo,
		Dir:  p.root,
	}, "./"+p.folder)
	if err != nil {
		return err
	}
	if len(pkgs) != 1 || len(pkgs[0].Errors) > 0 {
		return fmt.Errorf("can't load the package: %v", pkgs[0].Errors)
	}
	p.name = pkgs[0].Name
	if p.sources, err = collect(pkgs[0], p.folder, os.ReadFile); err != nil {
		return err
	}
	for _, s := range p.sources {
		for _, point := range s.points {
			p.mutants = append(p.mutants, point.mutants...)
		}
	}
	sources := sha256.New()
	for _, s := range p.sources {
		fmt.Fprintf(sources, "%x\n", sha256.Sum256(s.text))
	}
	p.hash = fmt.Sprintf("%x", sources.Sum(nil))
	slices.SortFunc(p.mutants, func(a, b *mutant) int { return a.id - b.id })
	return nil
}

// score runs the mutants of the package until ctx ends.
func (p *instrumented) score(ctx context.Context, w io.Writer, o options, equivalents []equivalent) (score, error) {
	s := score{folder: p.folder}
	if err := p.load(); err != nil {
		return s, err
	}
	if o.list {
		for _, m := range p.order(o.seed) {
			if o.only.MatchString(m.String()) {
				fmt.Fprintln(w, m)
			}
		}
		return s, nil
	}
	if err := p.build(); err != nil {
		return s, err
	}
	st, err := openState(filepath.Join(p.dir, "outcomes.jsonl"))
	if err != nil {
		return s, err
	}
	outcomes, err := p.runAll(ctx, w, o, st)
	if err := st.close(err); err != nil {
		return s, err
	}

	needed := make([]bool, len(equivalents))
	var survivors []*mutant
	for _, m := range p.mutants {
		if !o.only.MatchString(m.String()) {
			continue
		}
		s.mutants++
		found, ok := outcomes[m]
		if !ok {
			continue
		}
		s.run++
		i := slices.IndexFunc(equivalents, func(e equivalent) bool { return e.is(m) })
		switch {
		case found.Killed != "":
			s.killed++
		case i >= 0:
			s.equivalent++
			needed[i] = true
		default:
			survivors = append(survivors, m)
		}
	}
	for _, m := range survivors {
		s.survived++
		note := ""
		if outcomes[m].Never {
			s.never++
			note = " (no test comes here)"
		}
		s.lines = append(s.lines, m.String()+note)
	}
	for i, e := range equivalents {
		if filepath.ToSlash(filepath.Dir(e.file)) != p.folder || needed[i] {
			continue
		}
		at := slices.IndexFunc(p.mutants, e.is)
		switch {
		case at < 0:
			s.lines = append(s.lines, fmt.Sprintf("equivalent.txt: there is no such mutant any more: %v", e))
		case outcomes[p.mutants[at]].Killed != "":
			s.lines = append(s.lines, fmt.Sprintf("equivalent.txt: %s kills this one: %v", outcomes[p.mutants[at]].Killed, e))
		}
	}
	return s, nil
}

// order returns the mutants in the order in which they run.
func (p *instrumented) order(seed uint64) []*mutant {
	list := slices.Clone(p.mutants)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// reached reports whether a test comes to the mutant.
func (p *instrumented) reached(m *mutant) bool {
	for _, g := range p.guards {
		if g.plain.comesTo(m) || slices.ContainsFunc(g.tests, func(t test) bool { return t.comesTo(m) }) {
			return true
		}
	}
	return false
}

// runAll returns the outcome of each mutant that ran before the end of ctx.
func (p *instrumented) runAll(ctx context.Context, w io.Writer, o options, st *state) (map[*mutant]outcome, error) {
	hashes := map[string]string{}
	for _, s := range p.sources {
		hashes[s.name] = fmt.Sprintf("%x", sha256.Sum256(s.text))
	}
	key := func(m *mutant) string {
		return fmt.Sprintf("%x", sha256.Sum256([]byte(hashes[m.file]+m.function+m.change())))
	}
	tests, err := p.testsHash()
	if err != nil {
		return nil, err
	}
	outcomes := map[*mutant]outcome{}
	var mu sync.Mutex
	var failure error
	n := 0
	work := make(chan *mutant)
	var wg sync.WaitGroup
	for range o.workers {
		wg.Go(func() {
			for m := range work {
				killed, err := p.kill(m)
				mu.Lock()
				if err == nil {
					outcomes[m] = outcome{key(m), tests, killed, killed == "" && !p.reached(m)}
					err = st.put(outcomes[m])
				}
				if err != nil {
					failure = err
					mu.Unlock()
					continue
				}
				switch {
				case killed != "" && o.verbose:
					fmt.Fprintf(w, "killed by %s: %v\n", killed, m)
				case o.verbose:
					fmt.Fprintf(w, "survives: %v\n", m)
				}
				if n++; n%100 == 0 {
					p.log("%s: %d mutants", p.folder, n)
				}
				mu.Unlock()
			}
		})
	}
	for _, m := range p.order(o.seed) {
		if !o.only.MatchString(m.String()) {
			continue
		}
		if out, ok := st.get(key(m), tests); ok {
			mu.Lock()
			outcomes[m] = out
			mu.Unlock()
			continue
		}
		if ctx.Err() != nil {
			continue
		}
		select {
		case work <- m:
		case <-ctx.Done():
		}
	}
	close(work)
	wg.Wait()
	return outcomes, failure
}

// testsHash returns a hash of the guards' files and of their data.
func (p *instrumented) testsHash() (string, error) {
	hash := sha256.New()
	for _, g := range p.guards {
		files, err := filepath.Glob(filepath.Join(p.root, filepath.FromSlash(g.folder), "*.go"))
		if err != nil {
			return "", err
		}
		if err := hashFiles(hash, files); err != nil {
			return "", err
		}
		data, err := p.dataHash(g.folder)
		if err != nil {
			return "", err
		}
		io.WriteString(hash, data)
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
}

// dataHash returns a hash of the folders testdata in folder and in the folders above it.
func (p *instrumented) dataHash(folder string) (string, error) {
	hash := sha256.New()
	for ; ; folder = path.Dir(folder) {
		var files []string
		err := filepath.WalkDir(filepath.Join(p.root, filepath.FromSlash(folder), "testdata"), func(name string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err == nil && d.Type().IsRegular() {
				files = append(files, name)
			}
			return err
		})
		if err == nil {
			err = hashFiles(hash, files)
		}
		if err != nil {
			return "", err
		}
		if folder == "." {
			return fmt.Sprintf("%x", hash.Sum(nil)), nil
		}
	}
}

func hashFiles(hash hash.Hash, names []string) error {
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(hash, "%x\n", sha256.Sum256(data))
	}
	return nil
}

// print writes the survivors and the table.
func print(w io.Writer, scores []score) error {
	for _, s := range scores {
		for _, line := range s.lines {
			fmt.Fprintln(w, line)
		}
	}
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "package\tmutants\trun\tkilled\tequivalent\tsurvived\tno test\tpercent")
	for _, s := range scores {
		percent := "–"
		if n := s.run - s.equivalent; n > 0 {
			percent = fmt.Sprintf("%.1f", float64(100*s.killed)/float64(n))
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n", s.folder, s.mutants, s.run, s.killed, s.equivalent, s.survived, s.never, percent)
	}
	return table.Flush()
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// largest is how many bytes an input may have that is kept.
const largest = 2 << 10

// An input is a file of Go's fuzzer.
type input struct {
	name string
	data []byte
}

// keep copies inputs of t from the go command's cache to testdata: those that reach
// what neither the seeds nor the inputs there reach, nor a smaller input. They are at
// most that many.
func (t target) keep(ctx context.Context, most int, tmp string, out io.Writer) error {
	cache, err := t.cache(ctx)
	if err != nil {
		return err
	}
	corpus := filepath.Join(t.dir, "testdata", "fuzz", t.name)
	have, err := inputs(corpus)
	if err != nil {
		return err
	}
	found, err := inputs(filepath.Join(cache, t.name))
	if err != nil {
		return err
	}
	run, err := t.coverage(ctx, tmp)
	if err != nil {
		return err
	}
	reached := map[string]bool{}
	if _, err := run("", reached); err != nil { // the seeds in the code, and the inputs in testdata
		return err
	}
	kept := 0
	for _, in := range found {
		if kept+len(have) >= most || len(in.data) > largest {
			break
		}
		if slices.ContainsFunc(have, func(h input) bool { return h.name == in.name }) {
			continue
		}
		if err := os.MkdirAll(corpus, 0o755); err != nil {
			return err
		}
		file := filepath.Join(corpus, in.name)
		if err := os.WriteFile(file, in.data, 0o644); err != nil {
			return err
		}
		fresh, err := run(in.name, reached)
		if err != nil || !fresh {
			if err := errors.Join(err, os.Remove(file)); err != nil {
				return err
			}
			continue
		}
		kept++
	}
	os.Remove(corpus) // if it is empty
	fmt.Fprintf(out, "%-60v kept %d of %d cached inputs, had %d\n", t, kept, len(found), len(have))
	return nil
}

// inputs returns the files of a folder that may be missing, the smallest first.
func inputs(dir string) (all []input, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, input{entry.Name(), data})
	}
	slices.SortFunc(all, func(a, b input) int {
		return cmp.Or(cmp.Compare(len(a.data), len(b.data)), strings.Compare(a.name, b.name))
	})
	return all, nil
}

// coverage compiles the tests of t's package so that they count what they reach of the
// workspace. It returns a function that runs t with one input of testdata, or with all,
// adds to reached, and reports whether it added anything.
func (t target) coverage(ctx context.Context, tmp string) (run func(name string, reached map[string]bool) (bool, error), err error) {
	// The package of some tests has no other files: look at what the tests import.
	const own = "{{if not .ForTest}}{{with .Module}}{{if .Main}}{{$.ImportPath}}{{end}}{{end}}{{end}}"
	list, err := output(ctx, t.dir, "go", "list", "-deps", "-test", "-f", own, ".")
	if err != nil {
		return nil, err
	}
	pkgs := slices.DeleteFunc(strings.Fields(string(list)), func(pkg string) bool { return strings.HasSuffix(pkg, ".test") })
	binary := filepath.Join(tmp, "cover", strings.ReplaceAll(t.pkg, "/", "_")+".test")
	if _, err := os.Stat(binary); err != nil {
		if _, err := output(ctx, t.dir, "go", "test", "-c", "-covermode=count", "-coverpkg="+strings.Join(pkgs, ","), "-o", binary, "."); err != nil {
			return nil, err
		}
	}
	profile := filepath.Join(tmp, "profile")
	return func(name string, reached map[string]bool) (bool, error) {
		pattern := "^" + t.name + "$"
		if name != "" {
			pattern += "/^" + regexp.QuoteMeta(name) + "$"
		}
		if _, err := output(ctx, t.dir, binary, "-test.run="+pattern, "-test.coverprofile="+profile); err != nil {
			return false, err
		}
		text, err := os.ReadFile(profile)
		if err != nil {
			return false, err
		}
		return add(reached, string(text)), nil
	}, nil
}

// add adds what a profile says was reached, and how often by the order of magnitude, and
// reports whether something of it is new.
func add(reached map[string]bool, profile string) (fresh bool) {
	for line := range strings.Lines(profile) {
		i := strings.LastIndexByte(line, ' ')
		count, err := strconv.ParseUint(strings.TrimSpace(line[i+1:]), 10, 64)
		if i < 0 || err != nil || count == 0 {
			continue
		}
		for magnitude := range bits.Len64(count) {
			key := fmt.Sprint(line[:i], " ", magnitude)
			fresh = fresh || !reached[key]
			reached[key] = true
		}
	}
	return fresh
}

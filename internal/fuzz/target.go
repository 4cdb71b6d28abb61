package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A target is a fuzz test.
type target struct {
	dir  string // of its package
	pkg  string // the package's import path
	name string
}

func (t target) String() string { return t.pkg + "." + t.name }

// targets returns the fuzz tests below root, for which this Go builds the files that
// they are in.
func targets(ctx context.Context, root string) ([]target, error) {
	patterns := []string{"./..."}
	if work, err := output(ctx, root, "go", "env", "GOWORK"); err != nil {
		return nil, err
	} else if work := strings.TrimSpace(string(work)); work != "" && work != "off" {
		patterns = []string{"work"}
	}
	out, err := output(ctx, root, "go", append([]string{"list", "-json=Dir,ImportPath,TestGoFiles,XTestGoFiles"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	var all []target
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p struct {
			Dir, ImportPath           string
			TestGoFiles, XTestGoFiles []string
		}
		if err := dec.Decode(&p); err != nil {
			return nil, err
		}
		for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			for _, decl := range file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Fuzz") {
					all = append(all, target{p.Dir, p.ImportPath, f.Name.Name})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b target) int { return cmp.Compare(a.String(), b.String()) })
	return all, nil
}

// output runs a command in a folder and returns what it prints.
func output(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s%s", name, args[0], err, out, &stderr)
	}
	return out, nil
}

// cache returns the folder in which the go command keeps interesting inputs of t.
func (t target) cache(ctx context.Context) (string, error) {
	dir, err := output(ctx, t.dir, "go", "env", "GOCACHE")
	return filepath.Join(strings.TrimSpace(string(dir)), "fuzz", filepath.FromSlash(t.pkg)), err
}

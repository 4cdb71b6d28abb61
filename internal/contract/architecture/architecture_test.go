// Package architecture_test holds the repository to its plan: which package may
// import what, and what the modules require.
package architecture_test

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/contract/tree"
)

const home = "github.com/oidkit/oidkit"

// The libraries that integrations integrate.
const (
	pgx      = "github.com/jackc/pgx/v5"
	mongo    = "go.mongodb.org/mongo-driver/v2"
	mongoV1  = "go.mongodb.org/mongo-driver"
	gorm     = "gorm.io/gorm"
	cli      = "github.com/urfave/cli/v3"
	term     = "golang.org/x/term"
	text     = "golang.org/x/text"
	analysis = "golang.org/x/tools"
	modfile  = "golang.org/x/mod"
	diff     = "github.com/rogpeppe/go-internal" // has the diff of the go command
	golangci = "github.com/golangci/plugin-module-register"
)

// allowed says what each package may import besides the standard library: packages
// of the repository by their folder, and modules of others by their path. An
// integration imports packages of the root module and the one library that it
// integrates, never another integration.
var allowed = map[string][]string{
	"oid":     {},
	"jsonx":   {"oid"},
	"public":  {"oid", "sqltype"},
	"sqltype": {"oid"},

	"sequence":                    {"sequence/driver", "sequence/internal/transient"},
	"sequence/driver":             {},
	"sequence/driver/sqltable":    {"sequence/driver", "sequence/internal/transient"},
	"sequence/drivertest":         {"sequence/driver"},
	"sequence/internal/transient": {},

	"sqltype/pgxoid": {"oid", "sqltype", pgx},
	"gormplugin": {"oid", "sqltype", "gormplugin/internal/cond", "gormplugin/internal/ids", "gormplugin/internal/mend", "gormplugin/internal/migrate",
		"gormplugin/internal/model", "gormplugin/internal/result", "gormplugin/internal/write", gorm},

	"gormplugin/internal/cond":    {"oid", "gormplugin/internal/ids", gorm},
	"gormplugin/internal/ids":     {"oid", gorm},
	"gormplugin/internal/mend":    {"gormplugin/internal/cond", "gormplugin/internal/ids", "gormplugin/internal/model", gorm},
	"gormplugin/internal/migrate": {"gormplugin/internal/cond", "gormplugin/internal/ids", "gormplugin/internal/model", gorm},
	"gormplugin/internal/model":   {"oid", "gormplugin/internal/ids", gorm},
	"gormplugin/internal/result":  {"gormplugin/internal/cond", "gormplugin/internal/ids", "gormplugin/internal/mend", "gormplugin/internal/model", gorm},
	"gormplugin/internal/write":   {"oid", "gormplugin/internal/cond", "gormplugin/internal/ids", "gormplugin/internal/model", gorm},

	"bsoncodec":                           {"oid", "bsoncodec/internal/document", mongo},
	"bsoncodec/internal/document":         {"oid"},
	"bsoncodec/internal/port":             {}, // writes mongov1
	"bsoncodec/mongov1":                   {"oid", "bsoncodec/mongov1/internal/document", mongoV1},
	"bsoncodec/mongov1/internal/document": {"oid"},

	"sequence/sqlsequence":   {"sequence", "sequence/driver", "sequence/driver/sqltable", "sequence/internal/transient"},
	"sequence/pgsequence":    {"sequence", "sequence/driver", "sequence/driver/sqltable", pgx},
	"sequence/mongosequence": {"sequence", "sequence/driver", mongo},

	"cmd/oid": {"oid", "sqltype", "cmd/oid/internal/cmdline", "cmd/oid/internal/format", "cmd/oid/internal/ids", "cmd/oid/internal/input", "cmd/oid/internal/query", "cmd/oid/internal/screen",
		"cmd/oid/internal/times", cli},
	"cmd/oid/internal/cmdline": {"oid", "cmd/oid/internal/format", "cmd/oid/internal/ids", "cmd/oid/internal/input", "cmd/oid/internal/screen", "cmd/oid/internal/times", cli},
	"cmd/oid/internal/format":  {},
	"cmd/oid/internal/ids":     {"oid", "sqltype", "cmd/oid/internal/format"},
	"cmd/oid/internal/input":   {"oid", "cmd/oid/internal/format", "cmd/oid/internal/ids", "cmd/oid/internal/rows"},
	"cmd/oid/internal/query":   {"oid", "cmd/oid/internal/format", "cmd/oid/internal/ids"},
	"cmd/oid/internal/rows":    {text},
	"cmd/oid/internal/screen":  {term},
	"cmd/oid/internal/times":   {"cmd/oid/internal/format"},

	"cmd/oidmove":                 {"cmd/oidmove/internal/apply", "cmd/oidmove/internal/load", "cmd/oidmove/internal/plan"},
	"cmd/oidmove/internal/apply":  {"cmd/oidmove/internal/load", "cmd/oidmove/internal/names", "cmd/oidmove/internal/plan", diff},
	"cmd/oidmove/internal/edit":   {},
	"cmd/oidmove/internal/find":   {"cmd/oidmove/internal/load", "cmd/oidmove/internal/names", analysis},
	"cmd/oidmove/internal/load":   {"cmd/oidmove/internal/names", analysis, modfile},
	"cmd/oidmove/internal/names":  {},
	"cmd/oidmove/internal/plan":   {"cmd/oidmove/internal/edit", "cmd/oidmove/internal/find", "cmd/oidmove/internal/load", "cmd/oidmove/internal/names", analysis},
	"cmd/oidvet":                  {"cmd/oidvet/all", analysis},
	"cmd/oidvet/all":              {"cmd/oidvet/anycompare", "cmd/oidvet/bsonhex", "cmd/oidvet/embedid", "cmd/oidvet/flatten", "cmd/oidvet/gormcond", "cmd/oidvet/gormdest", "cmd/oidvet/idcalls", "cmd/oidvet/idtype", "cmd/oidvet/omitempty", "cmd/oidvet/sqlargs", "cmd/oidvet/timerange", analysis},
	"cmd/oidvet/golangci":         {"cmd/oidvet/all", golangci, analysis},
	"cmd/oidvet/anycompare":       {"cmd/oidvet/internal/ids", "cmd/oidvet/internal/values", analysis},
	"cmd/oidvet/bsonhex":          {"cmd/oidvet/internal/ids", "cmd/oidvet/internal/values", analysis},
	"cmd/oidvet/embedid":          {"cmd/oidvet/internal/ids", analysis},
	"cmd/oidvet/flatten":          {"cmd/oidvet/internal/ids", analysis},
	"cmd/oidvet/gormcond":         {"cmd/oidvet/internal/gormast", "cmd/oidvet/internal/ids", analysis},
	"cmd/oidvet/gormdest":         {"cmd/oidvet/internal/gormast", "cmd/oidvet/internal/ids", analysis},
	"cmd/oidvet/idcalls":          {"cmd/oidvet/internal/ids", "cmd/oidvet/internal/values", analysis},
	"cmd/oidvet/idtype":           {"cmd/oidvet/internal/ids", analysis},
	"cmd/oidvet/omitempty":        {"cmd/oidvet/internal/ids", analysis},
	"cmd/oidvet/sqlargs":          {"cmd/oidvet/internal/gormast", "cmd/oidvet/internal/ids", "cmd/oidvet/internal/sqltext", "cmd/oidvet/internal/values", analysis},
	"cmd/oidvet/timerange":        {"cmd/oidvet/internal/ids", "cmd/oidvet/internal/values", analysis},
	"cmd/oidvet/internal/gormast": {"cmd/oidvet/internal/ids", analysis},
	"cmd/oidvet/internal/ids":     {analysis},
	"cmd/oidvet/internal/sqltext": {},
	"cmd/oidvet/internal/values":  {analysis},

	"internal/ci":            {}, // reads the output of tests
	"internal/contract/tree": {}, // for the tests of the repository
	"internal/fuzz":          {}, // keeps what fuzzing found
}

// A pkg is a package as go list knows it.
type pkg struct {
	path, module string
	imports      []string
}

// folder returns the package's folder below the root, or "" for a package of others.
func (p pkg) folder() string { return strings.TrimPrefix(strings.TrimPrefix(p.path, home), "/") }

// ofSequence reports whether p is package sequence, or below it.
func (p pkg) ofSequence() bool {
	return p.folder() == "sequence" || strings.HasPrefix(p.folder(), "sequence/")
}

func (p pkg) own() bool { return p.module == home || strings.HasPrefix(p.module, home+"/") }

// list returns every package that the workspace builds, by its path.
func list(t *testing.T) map[string]pkg {
	t.Helper()
	const format = `{{if and .GoFiles (not .Standard)}}{{.ImportPath}} {{with .Module}}{{.Path}}{{end}} {{join .Imports " "}}{{end}}`
	cmd := tree.Command(t, "go", "list", "-deps", "-f", format, "work")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, &stderr)
	}
	all := map[string]pkg{}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) >= 2 {
			all[fields[0]] = pkg{fields[0], fields[1], fields[2:]}
		}
	}
	if _, ok := all[home+"/oid"]; !ok {
		t.Fatalf("package oid is not among the %d packages of go list", len(all))
	}
	return all
}

// problems returns what all has that the rules forbid.
func problems(all map[string]pkg) (list []string) {
	for _, p := range all {
		if !p.own() {
			continue
		}
		module := strings.TrimPrefix(strings.TrimPrefix(p.module, home), "/")
		checked := module == "" || tree.Public(module)
		if _, ok := allowed[p.folder()]; checked && !ok {
			list = append(list, fmt.Sprintf("%s: say in allowed what it may import", p.folder()))
			continue
		}
		for _, path := range p.imports {
			other, ok := all[path]
			if path == "unsafe" || path == "C" {
				if checked {
					list = append(list, fmt.Sprintf("%s imports %s", p.folder(), path))
				}
				continue
			}
			if !ok {
				continue // the standard library
			}
			name := other.module
			if other.own() {
				name = other.folder()
			}
			if checked && !slices.Contains(allowed[p.folder()], name) {
				list = append(list, fmt.Sprintf("%s imports %s", p.folder(), name))
			}
			// IDs can be version 1 while sequence is version 0, because neither knows the other.
			if checked && other.own() && p.ofSequence() != other.ofSequence() {
				list = append(list, fmt.Sprintf("%s imports %s across the wall around sequence", p.folder(), name))
			}
			if inside := strings.TrimPrefix(other.path, other.module); other.own() && other.module != p.module && slices.Contains(strings.Split(inside, "/"), "internal") {
				list = append(list, fmt.Sprintf("%s imports %s, which is internal to another module: a user's build can mix two versions of them", p.folder(), name))
			}
		}
	}
	slices.Sort(list)
	return list
}

func TestPackagesImportWhatTheyMay(t *testing.T) {
	for _, problem := range problems(list(t)) {
		t.Error(problem)
	}
}

func TestProblems(t *testing.T) {
	oid := pkg{home + "/oid", home, nil}
	for _, tt := range []struct {
		name string
		pkg  pkg
		want string
	}{
		{"allowed", pkg{home + "/sqltype", home, []string{"fmt", home + "/oid"}}, ""},
		{"sideways", pkg{home + "/jsonx", home, []string{home + "/sqltype"}}, "jsonx imports sqltype"},
		{"upwards", pkg{home + "/oid", home, []string{home + "/sqltype"}}, "oid imports sqltype"},
		{"out of sequence", pkg{home + "/sequence/sqlsequence", home + "/sequence", []string{home + "/oid"}}, "sequence/sqlsequence imports oid, sequence/sqlsequence imports oid across the wall around sequence"},
		{"into sequence", pkg{home + "/gormplugin", home + "/gormplugin", []string{home + "/sequence"}}, "gormplugin imports sequence, gormplugin imports sequence across the wall around sequence"},
		{"a library", pkg{home + "/sequence", home, []string{pgx + "/pgtype"}}, "sequence imports " + pgx},
		{"unsafe", pkg{home + "/oid", home, []string{"unsafe"}}, "oid imports unsafe"},
		{"a new package", pkg{home + "/yaml", home, nil}, "yaml: say in allowed what it may import"},
		{"internal to another module", pkg{home + "/internal/itest/x", home + "/internal/itest", []string{home + "/bsoncodec/internal/document"}},
			"internal/itest/x imports bsoncodec/internal/document, which is internal to another module: a user's build can mix two versions of them"},
		{"a module for tests", pkg{home + "/internal/itest/x", home + "/internal/itest", []string{home + "/internal/servers/daemon", pgx + "/pgtype"}}, ""},
	} {
		all := map[string]pkg{oid.path: oid}
		for _, p := range []pkg{
			{home + "/sqltype", home, nil},
			{home + "/sequence", home + "/sequence", nil},
			{home + "/bsoncodec/internal/document", home + "/bsoncodec", nil},
			{home + "/internal/servers/daemon", home + "/internal/servers", nil},
			{pgx + "/pgtype", pgx, nil},
			tt.pkg,
		} {
			all[p.path] = p
		}
		if got := strings.Join(problems(all), ", "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// The root module and the module of sequence require nothing.
func TestRootModulesRequireNothing(t *testing.T) {
	for folder, path := range map[string]string{".": home, "sequence": home + "/sequence"} {
		data, err := os.ReadFile(filepath.Join(tree.Root(t), folder, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(data), "module "+path+"\n\ngo 1.25.0\n"; got != want {
			t.Errorf("%s/go.mod is\n%s\nwant\n%s", folder, got, want)
		}
		if _, err := os.Stat(filepath.Join(tree.Root(t), folder, "go.sum")); !os.IsNotExist(err) {
			t.Errorf("%s has a go.sum: %v", folder, err)
		}
	}
}

// The license counts for what is below it, but the zip file of a module holds
// only the module's own folder.
func TestEachModuleHasTheLicense(t *testing.T) {
	root := tree.Root(t)
	want, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	for _, module := range tree.Modules(t) {
		if !tree.Public(module) {
			continue
		}
		got, err := os.ReadFile(filepath.Join(root, module, "LICENSE"))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s/LICENSE differs from the one of the root", module)
		}
	}
}

func TestWorkspaceHasEveryModule(t *testing.T) {
	root, modules := tree.Root(t), tree.Modules(t)
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "node_modules" || entry.Name() == ".git"):
			return fs.SkipDir
		case name == "internal/ci/tools/go.mod": // what the tools require must not move what the tests require
		case entry.Name() == "go.mod" && !slices.Contains(modules, path.Dir(name)):
			t.Errorf("%s is not in go.work", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Main files of examples are there to be copied. What starts a server for the
// demonstration stands in a file of its own.
func TestOnlyServerFilesOfExamplesImportInternalPackages(t *testing.T) {
	root := tree.Root(t)
	n := 0
	err := fs.WalkDir(os.DirFS(root), "examples", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		n++
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if strings.Contains(imported, "/internal/") && path.Base(name) != "server.go" {
				t.Errorf("%s imports %s", name, imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 10 {
		t.Errorf("only %d files of examples found", n)
	}
}

// A program that "go build" leaves in its own folder would be part of the module
// that users download.
func TestNoFileIsLarge(t *testing.T) {
	out, err := tree.Command(t, "git", "ls-files").Output()
	if err != nil {
		tree.Skip(t, fmt.Errorf("not a clone: %w", err))
	}
	for file := range strings.Lines(string(out)) {
		file = strings.TrimSpace(file)
		info, err := os.Stat(filepath.Join(tree.Root(t), file))
		if err == nil && info.Size() > 1<<20 {
			t.Errorf("%s has %d bytes, want 1 MiB at most", file, info.Size())
		}
	}
}

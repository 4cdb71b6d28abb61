package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// extract writes the files of an archive below a new folder.
func extract(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		file := filepath.Join(dir, f.Name)
		write(t, file, f.Data)
		if filepath.Base(file) == "go.mod" {
			useLibraries(t, file, false)
		}
	}
	return dir
}

const workspace = `
-- go.work --
go 1.26.0

use (
	./app
	./lib
)
-- lib/go.mod --
module example.com/lib

go 1.25.0

require go.mongodb.org/mongo-driver/v2 v2.5.0
-- lib/lib.go --
package lib

import "go.mongodb.org/mongo-driver/v2/bson"

type User struct{ ID bson.ObjectID }

func Find(id bson.ObjectID) *User { return &User{ID: id} }
-- app/go.mod --
module example.com/app

go 1.25.0

require go.mongodb.org/mongo-driver/v2 v2.5.0
-- app/app.go --
package app

import (
	"example.com/lib"
	"go.mongodb.org/mongo-driver/v2/bson"
)

func Get(text string) (*lib.User, error) {
	id, err := bson.ObjectIDFromHex(text)
	if err != nil {
		return nil, err
	}
	return lib.Find(id), nil
}
-- app/app_test.go --
package app

import "testing"

func TestGet(t *testing.T) {
	const text = "65b3f7a2c4d1e80012345678"
	if u, err := Get(text); err != nil || u.ID.Hex() != text {
		t.Errorf("Get(%q) = %v, %v", text, u, err)
	}
}
`

// TestWorkspace moves two modules of a workspace, first the one that the other imports.
// Neither go.mod names the other module, before the move and after it.
func TestWorkspace(t *testing.T) {
	addOidkit := oidkitOfTree(t)
	dir := extract(t, workspace)
	for _, name := range []string{"lib", "app"} {
		module := filepath.Join(dir, name)
		if name == "lib" {
			goIn(t, module, "mod", "tidy")
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "lib", "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "app", "go.sum"), data)
	t.Setenv("GOWORK", "")
	before := snapshot(t, dir)
	for _, name := range []string{"lib", "app"} {
		addOidkit(filepath.Join(dir, name))
		want := name + ".go:1: modules that import this package now see oid.ID in its API: if such modules exist, release a new major version, and move them too\n" +
			"oidmove: 1 file changed, 1 place to look at\n"
		if report := moveIn(t, filepath.Join(dir, name), options{}); report != want {
			t.Errorf("the move of %s lists:\n%swant\n%s", name, report, want)
		}
	}
	for name, text := range snapshot(t, dir) {
		if strings.Contains(text, "bson.") {
			t.Errorf("%s still has the driver's type:\n%s", name, text)
		}
	}
	goIn(t, filepath.Join(dir, "app"), "test", "-ldflags=-w", "./...", "example.com/lib")
	mod, err := os.ReadFile(filepath.Join(dir, "app", "go.mod"))
	if err != nil || strings.Contains(string(mod), "example.com/lib") {
		t.Errorf("app/go.mod names the other module: %v\n%s", err, mod)
	}
	for _, name := range []string{"lib", "app"} {
		addOidkit(filepath.Join(dir, name))
		if err := run(options{dir: filepath.Join(dir, name), back: true, patterns: []string{"./..."}}); err == nil || !strings.Contains(err.Error(), "-driver=v2") {
			t.Errorf("a move back of %s, which doesn't import the driver now, gives %v", name, err)
		}
		moveIn(t, filepath.Join(dir, name), options{back: true, driver: "v2"})
	}
	same(t, "a move back", snapshot(t, dir), before)
}

// TestVendor moves a module with a vendor folder. Files of other modules in it stay as
// they were, and the module still builds from it, which .ci/nightly checks.
func TestVendor(t *testing.T) {
	t.Parallel()
	addOidkit := oidkitOfTree(t)
	lib := filepath.Join(extract(t, workspace), "lib")
	vendor := func() {
		addOidkit(lib)
		goIn(t, lib, "mod", "vendor")
	}
	goIn(t, lib, "mod", "tidy")
	vendor()
	vendored := filepath.Join(lib, "vendor", "go.mongodb.org", "mongo-driver", "v2", "bson", "objectid.go")
	before, err := os.ReadFile(vendored)
	if err != nil {
		t.Fatal(err)
	}
	moves := []options{{}}
	if nightly {
		moves = append(moves, options{}, options{back: true, driver: "v2"})
	}
	for _, o := range moves {
		moveIn(t, lib, o)
		if _, err := os.Stat(filepath.Join(lib, "vendor", "github.com", "oidkit", "oidkit", "oid")); (err == nil) == o.back {
			t.Errorf("after the move with %+v, the folder of package oid: %v", o, err)
		}
		if nightly { // it compiles the driver
			goIn(t, lib, "vet", "-mod=vendor", "./...")
			vendor()
		}
	}
	if after, err := os.ReadFile(vendored); err == nil && string(after) != string(before) { // it may have gone
		t.Errorf("the move changed %s", vendored)
	}
}

const bothDrivers = `
-- go.mod --
module example.com/both

go 1.25.0

require (
	go.mongodb.org/mongo-driver v1.17.7
	go.mongodb.org/mongo-driver/v2 v2.5.0
)
-- both.go --
package both

import (
	"go.mongodb.org/mongo-driver/bson/primitive"
	"go.mongodb.org/mongo-driver/v2/bson"
)

type Old struct{ ID primitive.ObjectID }

type New struct{ ID bson.ObjectID }

func (o Old) New() New { return New{ID: bson.ObjectID(o.ID)} }

func (n New) Old() Old { return Old{ID: primitive.ObjectID(n.ID)} }

func Make() (Old, New) { return Old{primitive.NewObjectID()}, New{bson.NewObjectID()} }
-- both_test.go --
package both

import "testing"

func TestNew(t *testing.T) {
	o, n := Make()
	if o.New().Old() != o || n.Old().New() != n {
		t.Error("a conversion changes an ID")
	}
}
`

// TestBothDrivers moves a module that uses both drivers, in two runs.
func TestBothDrivers(t *testing.T) {
	t.Parallel()
	addOidkit := oidkitOfTree(t)
	dir := extract(t, bothDrivers)
	goIn(t, dir, "mod", "tidy")
	addOidkit(dir)
	moveIn(t, dir, options{driver: "v1"})
	goIn(t, dir, "test", "-ldflags=-w", "./...")
	addOidkit(dir)
	moveIn(t, dir, options{driver: "v2"})
	goIn(t, dir, "test", "-ldflags=-w", "./...")
	if text := snapshot(t, dir)["both.go"]; strings.Contains(text, "ObjectID(") {
		t.Errorf("conversions are left:\n%s", text)
	}
}

const otherModule = `
-- go.mod --
module example.com/app

go 1.25.0

require (
	example.com/other v0.0.0
	go.mongodb.org/mongo-driver/v2 v2.5.0
)

replace example.com/other => ./other
-- app.go --
package app

import (
	"context"

	"example.com/other"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

func Name(id bson.ObjectID) string { return other.Name(id) }

func All(ctx context.Context, c *mongo.Cursor) (all []bson.M, err error) {
	err = c.All(ctx, &all)
	return all, err
}
-- other/go.mod --
module example.com/other

go 1.25.0

require go.mongodb.org/mongo-driver/v2 v2.5.0
-- other/other.go --
package other

import "go.mongodb.org/mongo-driver/v2/bson"

func Name(v any) string {
	id, _ := v.(bson.ObjectID)
	return id.Hex()
}
`

// TestOtherModule moves a module that passes IDs as an any to another module, which still
// has the driver's type. It is of an old version of Go.
// TestOtherModule moves a module that imports another one, and decodes documents for the
// client of a third.
func TestOtherModule(t *testing.T) {
	t.Parallel()
	addOidkit := oidkitOfTree(t)
	dir := extract(t, otherModule)
	goIn(t, filepath.Join(dir, "other"), "mod", "tidy")
	goIn(t, dir, "mod", "tidy")
	before := snapshot(t, filepath.Join(dir, "other"))
	goIn(t, dir, "mod", "edit", "-go=1.21")
	addOidkit(dir)
	report := moveIn(t, dir, options{})
	for _, want := range []string{
		"app.go:6: package example.com/other may expect the driver's ObjectID in an any, which now holds an oid.ID: ",
		"app.go:15: documents are decoded into maps, and no package makes a client: give the client the registry bsoncodec.NewRegistry()",
		"go.mod:1: the go version changes from 1.21 to 1.25.0, which oidkit needs: each round of a for loop now has its own variable",
	} {
		if !strings.Contains(report, want) {
			t.Errorf("the report doesn't say %q:\n%s", want, report)
		}
	}
	goIn(t, dir, "vet", "./...")
	same(t, "the move of another module", snapshot(t, filepath.Join(dir, "other")), before)
}

// TestRequire checks that go get runs only for modules that go.mod lacks, that it gets them
// from a proxy, and that its error says what to do.
func TestRequire(t *testing.T) {
	proxy(t)
	root, codec := filepath.Dir(tree(t, "oid")), tree(t, "bsoncodec")
	lib := filepath.Join(extract(t, workspace), "lib")
	require := func() error {
		mod, err := load.OpenModule(lib, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return mod.Require("github.com/oidkit/oidkit", names.V2.Codec)
	}
	available := os.Getenv("GOPROXY")
	t.Setenv("GOPROXY", "off")
	err := require()
	if err == nil || !strings.Contains(err.Error(), "go mod edit -require=github.com/oidkit/oidkit/bsoncodec@VERSION") {
		t.Errorf("require without a proxy gives %v", err)
	}
	t.Setenv("GOPROXY", available)
	if err := require(); err != nil {
		t.Errorf("require with a proxy gives %v", err)
	}
	goIn(t, lib, "mod", "edit", "-require=github.com/oidkit/oidkit@v0.1.0", "-replace=github.com/oidkit/oidkit="+root,
		"-require=github.com/oidkit/oidkit/bsoncodec@v0.1.0", "-replace=github.com/oidkit/oidkit/bsoncodec="+codec)
	goIn(t, lib, "mod", "download")
	t.Setenv("GOPROXY", "off")
	if err := require(); err != nil {
		t.Errorf("require with the modules in go.mod gives %v", err)
	}
}

// TestNoSuchFolder checks that a pattern without packages is an error.
func TestNoSuchFolder(t *testing.T) {
	t.Parallel()
	dir := extract(t, "-- go.mod --\nmodule example.com/m\n-- m.go --\npackage m\n")
	for _, pattern := range []string{"./nothere", "./nothere/..."} {
		err := run(options{dir: dir, patterns: []string{pattern}})
		if err == nil || !strings.Contains(err.Error(), "nothere") {
			t.Errorf("run(%s) = %v, want an error that names the folder", pattern, err)
		}
	}
}

// TestCommand runs the program: its status is 1 for an error, and 2 for flags that it doesn't
// have.
func TestCommand(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args   []string
		status int
		want   string
	}{
		{nil, 1, "oidmove: name the packages to move"},
		{[]string{"-h"}, 0, "usage: oidmove [-n] [-back]"},
		{[]string{"-forth"}, 2, "usage: oidmove [-n] [-back]"},
	} {
		cmd := exec.Command(program, tt.args...)
		cmd.Env = append(os.Environ(), asCommand+"=1")
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != tt.status || !strings.Contains(string(out), tt.want) {
			t.Errorf("oidmove %v gives %v and %q, want status %d and %q", tt.args, err, out, tt.status, tt.want)
		}
	}
}

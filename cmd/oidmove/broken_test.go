package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Code that doesn't compile, with an error in each kind of expression and statement. The
// package good compiles, and so do the tests of the package onlytests.
const broken = `
-- go.mod --
module example.com/broken

go 1.25.0

require go.mongodb.org/mongo-driver/v2 v2.5.0
-- good/good.go --
package good

import (
	"unsafe"

	"go.mongodb.org/mongo-driver/v2/bson"
	_ "go.mongodb.org/mongo-driver/v2/mongo"
)

type User struct{ ID bson.ObjectID }

const Size = unsafe.Sizeof(User{})
-- bad/bad.go --
package bad

import (
	"fmt"

	"example.com/broken/absent"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

type User struct {
	ID    bson.ObjectID
	Other missing
	absent.Base
}

type Lists[T missing] struct {
	missing
	A []missing
	B map[missing]missing
	C chan missing
	D func(missing) missing
	E *missing
	F interface{ M(missing) }
	G [missing]int
	H Lists[missing]
}

var (
	first         = missing
	second        missing = bson.NilObjectID
	third, fourth = bson.NewObjectID()
	fifth         = []missing{bson.NilObjectID, {}, 0: bson.NilObjectID}
	sixth         = map[missing]bson.ObjectID{missing: bson.NilObjectID}
	seventh       = missing{bson.NilObjectID, ID: bson.NilObjectID}
)

func (m missing) Method() bson.ObjectID { return m.ID }

func Index(u User) int { return u.Old[0] + missing[bson.NilObjectID] + u.Old[u.ID] }

func Each(u User, res *mongo.InsertOneResult, v any) (id bson.ObjectID, err error) {
	_ = missing[1:bson.NilObjectID]
	_ = missing.(bson.ObjectID)
	_, ok := u.Old.(bson.ObjectID)
	_ = v.(missing)
	_ = *missing
	_ = &missing
	_ = -missing == bson.NilObjectID
	_ = missing(bson.NilObjectID)
	_ = missing[bson.ObjectID, int](bson.NilObjectID)
	_ = bson.Missing(u.ID)
	_ = u.Missing(u.ID).ID.String()
	_ = bson.ObjectID(missing).String()
	_ = bson.NewObjectIDFromTimestamp(missing)
	_ = bson.M{"$gte": bson.NewObjectIDFromTimestamp(missing), missing: u.Old}
	_ = res.InsertedID == missing || missing == res.InsertedID || res.Missing == u.ID
	_ = func(x missing) missing { return u.ID }
	_ = err == bson.ErrInvalidHex || bson.ErrInvalidHex == missing
	_ = fmt.Sprintf(missing, u.ID, missing)
	fmt.Println(missing, u.Old, missing...)
	missing, u.Old = u.ID, missing
	missing++
	missing <- u.ID
	bson.Unmarshal(missing, &missing)
	bson.Unmarshal()
	bson.Marshal(missing)
	options.Client().Missing().SetRegistry(missing)
	options.Client(missing).ApplyURI(missing)
	append(missing, u.ID)
	delete(missing, u.ID)
	copy()
	go missing(u.ID)
	defer missing(u.ID)
	for i, x := range missing {
		_ = x == u.ID
	}
	switch res.InsertedID {
	case missing:
	}
	switch missing {
	case u.ID, bson.NilObjectID:
	}
	switch x := missing.(type) {
	case bson.ObjectID, missing:
		_ = x
	}
	switch x := v.(type) {
	case bson.ObjectID:
		missing = x
	case missing:
	}
	select {
	case x := <-missing:
		_ = x
	}
	if x := missing; x == u.ID {
		goto nowhere
	}
	return u.ID, missing, u.ID
}
-- syntax/syntax.go --
package syntax

import "go.mongodb.org/mongo-driver/v2/bson"

func Broken(id bson.ObjectID { return id
-- cgo/cgo.go --
package cgo

// int twice(int n) { return 2 * n; }
import "C"

import "go.mongodb.org/mongo-driver/v2/bson"

func Twice(id bson.ObjectID) (bson.ObjectID, int) { return id, int(C.twice(C.int(id[0]))) }
-- onlytests/only_test.go --
package onlytests_test

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

func TestZero(t *testing.T) {
	if id := (bson.ObjectID{}); id != bson.NilObjectID {
		t.Error("not zero")
	}
}
-- tagged/tagged.go --
//go:build never

package tagged

import "go.mongodb.org/mongo-driver/v2/bson"

var id bson.ObjectID
`

// TestBrokenCode moves code of which a part doesn't compile, and back. What isn't Go stays
// as it is, and is listed. The rest is moved.
func TestBrokenCode(t *testing.T) {
	t.Parallel()
	addOidkit := oidkitOfTree(t)
	dir := extract(t, broken)
	goIn(t, dir, "mod", "tidy", "-e")
	addOidkit(dir)
	before := snapshot(t, dir)
	report := moveIn(t, dir, options{})
	for _, want := range []string{
		"syntax/syntax.go:1: this file is not Go, so it stays as it is",
		"tagged/tagged.go:1: this file uses IDs, but was not moved",
	} {
		if !strings.Contains(report, want) {
			t.Errorf("the report doesn't say %q:\n%s", want, report)
		}
	}
	after := snapshot(t, dir)
	for name, text := range after {
		left := name == "syntax/syntax.go" || name == "tagged/tagged.go"
		if stays := text == before[name]; stays != left {
			t.Errorf("%s stays as it was: %v, want %v\n%s", name, stays, left, text)
		}
	}
	if strings.Contains(report, "by hand") {
		t.Errorf("the report has errors that were there before:\n%s", report)
	}
	goIn(t, dir, "vet", "./good", "./cgo", "./onlytests")
	if !strings.Contains(after["bad/bad.go"], "return u.Old[0] + missing[oid.ID{}]") || !strings.Contains(after["cgo/cgo.go"], "func Twice(id oid.ID) (oid.ID, int)") {
		t.Errorf("names are left:\n%s\n%s", after["bad/bad.go"], after["cgo/cgo.go"])
	}
	addOidkit(dir)
	moveIn(t, dir, options{back: true})
}

// TestDoesNotCompileNow checks that a move whose result doesn't compile is an error, if the
// code compiled before.
func TestDoesNotCompileNow(t *testing.T) {
	t.Parallel()
	addOidkit := oidkitOfTree(t)
	dir := extract(t, `
-- go.mod --
module example.com/lists

go 1.25.0

require go.mongodb.org/mongo-driver/v2 v2.5.0
-- lists.go --
package lists

import "go.mongodb.org/mongo-driver/v2/bson"

type Embeds struct{ bson.ObjectID }

func All(ids []bson.ObjectID, e Embeds) []bson.ObjectID { return append(ids, []bson.ObjectID{e.ObjectID}...) }

func Pointers(e *Embeds) **bson.ObjectID {
	p := &e.ObjectID
	return &p
}
`)
	goIn(t, dir, "mod", "tidy")
	addOidkit(dir)
	var report strings.Builder
	err := run(options{dir: dir, patterns: []string{"./..."}, out: &report})
	if err == nil || !strings.Contains(err.Error(), "the code compiled before, and has 1 error now") {
		t.Errorf("the move gives %v", err)
	}
	if want := "lists.go:12: cannot use &p"; !strings.Contains(report.String(), want) {
		t.Errorf("the report doesn't say %q:\n%s", want, &report)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "lists.go")); err != nil || !strings.Contains(string(text), "oid.ID") {
		t.Errorf("the files aren't written: %v\n%s", err, text)
	}
}

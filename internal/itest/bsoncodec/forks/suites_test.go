//go:build nightly

package forks

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// native are the files that test the driver's readers and writers. These take a
// bson.ObjectID only.
var native = regexp.MustCompile(`^(objectid|value_reader|value_reader_writer|value_writer|bsonrw|copier|extjson_writer)_test\.go$`)

var (
	typeName  = regexp.MustCompile(`([^"\w.]|^)ObjectID([{,\s]|\)?$)`)
	assertion = regexp.MustCompile(`(\S+)\.\(ObjectID\)`)
	call      = regexp.MustCompile(`([^\w.]|^)(Marshal|Unmarshal)\(`)
	// A DBPointer has a bson.ObjectID, and a reader returns one.
	nativeLine = regexp.MustCompile(`Return:|Pointer:|"foobar"`)
	// These rows of a table test the codec of bson.ObjectID itself.
	nativeCodec = regexp.MustCompile(`objectID(De|En)codeValue\)`)
	constructor = regexp.MustCompile(`func New(\w*Registry)\(\) \*Registry {`)
	nextRow     = regexp.MustCompile(`^\t\t(\t(Value\w+Func|\S*Codec)\b|},$)`)
)

// retypeV2 replaces the type in a file of package bson.
func retypeV2(name, text string) string {
	switch {
	case name == "registry.go" || name == "mgoregistry.go":
		text = constructor.ReplaceAllString(text, "func New$1() *Registry { return changed(new$1()) }\n\nfunc new$1() *Registry {")
		return strings.ReplaceAll(text, "reg := New", "reg := new")
	case !strings.HasSuffix(name, "_test.go") || native.MatchString(name) || !strings.Contains(text, "\npackage bson\n"):
		return text
	}
	lines, inCodec := strings.Split(text, "\n"), false
	for i, line := range lines {
		inCodec = nativeCodec.MatchString(line) || inCodec && !nextRow.MatchString(line)
		if inCodec || nativeLine.MatchString(line) {
			continue
		}
		line = assertion.ReplaceAllString(line, "retypedOf($1)")
		line = typeName.ReplaceAllString(line, "${1}retyped$2")
		line = strings.ReplaceAll(line, "NewObjectID()", "retyped(NewObjectID())")
		line = strings.ReplaceAll(line, "ObjectIDFromHex(", "retypedFromHex(")
		lines[i] = call.ReplaceAllString(line, "${1}retyped$2(")
	}
	return strings.Join(lines, "\n")
}

const changedV2 = `package bson

// Changed changes each new registry.
var Changed func(*Registry)

func changed(reg *Registry) *Registry {
	if Changed != nil {
		Changed(reg)
	}
	return reg
}
`

const retypedV2 = `package bson

import "github.com/oidkit/oidkit/oid"

type retyped = TYPE

func retypedFromHex(s string) (retyped, error) { id, err := oid.Parse(s); return retyped(id), err }

func retypedOf(v any) retyped {
	switch id := v.(type) {
	case ObjectID:
		return retyped(id)
	case oid.ID:
		return retyped(id)
	}
	return v.(retyped)
}

var RetypedMarshal, RetypedUnmarshal = Marshal, Unmarshal

func retypedMarshal(v any) ([]byte, error)         { return RetypedMarshal(v) }
func retypedUnmarshal(data []byte, v any) error { return RetypedUnmarshal(data, v) }

func Default() *Registry { return defaultRegistry }
`

const hookV2 = `package bson_test

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
)

func init() {
	_, _ = bsoncodec.Register, bson.Default
	HOOK
}
`

const retypedV1 = `package mgocompat

import (
	"github.com/oidkit/oidkit/bsoncodec/mongov1"
	"github.com/oidkit/oidkit/oid"
)

type retyped = TYPE

func retypedFromHex(s string) (retyped, error) { id, err := oid.Parse(s); return retyped(id), err }

func init() {
	mongov1.Register(Registry)
	mongov1.Register(RegistryRespectNilValues)
}
`

// The driver's own tests pass with our types as they do with its own, except for those that
// docs/mongodb-reference.md and the comment of package bsoncodec explain: an any holds the
// driver's type, and a string of 12 bytes isn't an ID.
func TestSuitesOfTheDrivers(t *testing.T) {
	anys := []string{
		"TestDefaultValueDecoders/success_path/Decode/struct{}",
		"TestUnmarshalAllItems/8",
		"TestUnmarshalAllItemsWithPtrSetter/8",
		"TestUnmarshalByteSlicesUseDistinctArrays/bson.D_with_ObjectID",
	}
	const twelve = "TestTwoWayCrossPairs/40"
	type run struct {
		name   string
		change func(t *testing.T, dir, text string) // puts the type with this name into a copy
	}
	v2 := func(hook string) func(*testing.T, string, string) {
		return func(t *testing.T, dir, text string) {
			writeAll(t, filepath.Join(dir, "bson"), map[string]string{
				"changed.go":           changedV2,
				"retyped_test.go":      strings.Replace(retypedV2, "TYPE", text, 1),
				"retyped_hook_test.go": strings.Replace(hookV2, "HOOK", hook, 1),
			}, retypeV2)
		}
	}
	v1 := func(t *testing.T, dir, text string) {
		writeAll(t, filepath.Join(dir, "bson", "mgocompat"), map[string]string{"retyped_test.go": strings.Replace(retypedV1, "TYPE", text, 1)},
			func(name, text string) string {
				if name != "bson_test.go" {
					return text
				}
				text = strings.ReplaceAll(text, "primitive.ObjectIDFromHex(", "retypedFromHex(")
				text = regexp.MustCompile(`primitive\.ObjectID\b`).ReplaceAllString(text, "retyped")
				return strings.ReplaceAll(text, "Pointer: retyped", "Pointer: primitive.ObjectID")
			})
	}
	for _, d := range []struct {
		name           string
		module, folder string
		passing        int // how many of the tests pass as they are
		runs           []run
		differ         []string
	}{
		{"v2", driver, "./bson", 2300, []run{
			{"methods", v2("")},
			{"registry", v2("bson.Changed = bsoncodec.Register\n\tbsoncodec.Register(bson.Default())")},
			{"helpers", v2("bson.RetypedMarshal, bson.RetypedUnmarshal = bsoncodec.Marshal, bsoncodec.Unmarshal")},
		}, append(anys, twelve)},
		{"v1", driverV1, "./bson/mgocompat", 390, []run{{"registry", v1}},
			[]string{"TestUnmarshalAllItems/8", "TestUnmarshalAllItemsWithPtrSetter/8", twelve}},
	} {
		unchanged := t.TempDir()
		copyModule(t, d.module, unchanged)
		want := verdicts(t, unchanged, d.folder)
		passing := 0
		for _, verdict := range want {
			if verdict == "pass" {
				passing++
			}
		}
		t.Logf("%s: %d of %d tests pass as they are", d.module, passing, len(want))
		if passing < d.passing {
			t.Errorf("%s: want at least %d", d.module, d.passing)
		}
		for _, run := range d.runs {
			for _, text := range []string{"oid.ID", "oid.For[int]"} {
				t.Run(d.name+" "+run.name+" "+text, func(t *testing.T) {
					dir := t.TempDir()
					copyModule(t, d.module, dir)
					run.change(t, dir, text)
					got := verdicts(t, dir, d.folder)
					var differ []string
					for test, verdict := range want {
						if verdict == "pass" && got[test] != "pass" {
							differ = append(differ, test)
						}
					}
					slices.Sort(differ)
					t.Logf("%d of %d tests pass; not %s", passing-len(differ), passing, strings.Join(differ, ", "))
					for _, test := range differ {
						if !slices.Contains(d.differ, test) {
							t.Errorf("%s: %s, want pass", test, got[test])
						}
					}
				})
			}
		}
	}
}

// copyModule copies the version of a module that the tests use to dir, with our modules in
// its go.mod.
func copyModule(t *testing.T, module, dir string) {
	t.Helper()
	copyDriver(t, dir, module)
	edit := []string{"mod", "edit", "-go=1.25.0"}
	for _, ours := range []string{"", "/bsoncodec", "/bsoncodec/mongov1"} {
		edit = append(edit, "-replace=github.com/oidkit/oidkit"+ours+"="+root+ours, "-require=github.com/oidkit/oidkit"+ours+"@v0.0.0")
	}
	cmd := command("off", "go", edit...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// writeAll adds files to a folder, and passes those that are there through retype.
func writeAll(t *testing.T, dir string, added map[string]string, retype func(name, text string) string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if file := filepath.Join(dir, entry.Name()); strings.HasSuffix(file, ".go") {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			added[entry.Name()] = retype(entry.Name(), string(text))
		}
	}
	for name, text := range added {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// verdicts runs the tests of a folder, and returns what each test without subtests gives.
func verdicts(t *testing.T, dir, folder string) map[string]string {
	t.Helper()
	cmd := command("off", "go", "test", "-mod=mod", "-count=1", "-json", folder)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output() // some tests need files that the module doesn't have
	verdicts := map[string]string{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var event struct{ Action, Test string }
		if err := decoder.Decode(&event); err != nil {
			t.Fatalf("%v\n%s%s", err, out, stderr.String())
		}
		if event.Test != "" && (event.Action == "pass" || event.Action == "fail" || event.Action == "skip") {
			verdicts[event.Test] = event.Action
		}
	}
	for test := range verdicts {
		for i, c := range test {
			if c == '/' {
				delete(verdicts, test[:i])
			}
		}
	}
	if len(verdicts) == 0 {
		t.Fatalf("no test ran: %v\n%s%s", err, out, stderr.String())
	}
	return verdicts
}

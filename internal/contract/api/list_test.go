package api_test

import (
	"bytes"
	"fmt"
	"go/build"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/contract/tree"
)

// load returns the packages at paths as the compiler exports them, built with
// the given GOEXPERIMENT.
func load(t *testing.T, experiment string, paths ...string) []*types.Package {
	t.Helper()
	cmd := tree.Command(t, "go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, paths...)...)
	cmd.Env = append(cmd.Env, "GOEXPERIMENT="+experiment)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, stderr.Bytes())
	}
	files := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	exports := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(files[path])
	})
	var pkgs []*types.Package
	for _, path := range paths {
		pkg, err := exports.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, pkg)
	}
	return pkgs
}

// A test program that is built with -trimpath doesn't know where the standard library is.
func init() {
	if build.Default.GOROOT == "" {
		out, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			panic(err)
		}
		build.Default.GOROOT = strings.TrimSpace(string(out))
	}
}

// loadSource returns the package at path as its source has it with a build tag. It compiles
// nothing, because another GOEXPERIMENT would compile the standard library again.
func loadSource(t *testing.T, tag, path string) *types.Package {
	t.Helper()
	defer func(tags []string) { build.Default.BuildTags = tags }(build.Default.BuildTags)
	build.Default.BuildTags = []string{tag}
	source := importer.ForCompiler(token.NewFileSet(), "source", nil).(types.ImporterFrom)
	pkg, err := source.ImportFrom(path, tree.Root(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// list returns a line for each exported name of pkg, each exported field and each
// method, sorted. Names of parameters are left out: nothing depends on them.
func list(pkg *types.Package) []string {
	var lines []string
	relative := types.RelativeTo(pkg)
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	text := func(t types.Type) string { return types.TypeString(t, relative) }

	for _, name := range pkg.Scope().Names() {
		obj := pkg.Scope().Lookup(name)
		if !obj.Exported() {
			continue
		}
		switch obj := obj.(type) {
		case *types.Const:
			add("const %s %s = %s", name, text(obj.Type()), obj.Val().ExactString())
		case *types.Var:
			add("var %s %s", name, text(obj.Type()))
		case *types.Func:
			add("func %s%s", name, signature(obj.Signature(), text))
		case *types.TypeName:
			if obj.IsAlias() {
				add("type %s = %s", name, text(types.Unalias(obj.Type())))
				continue
			}
			named := obj.Type().(*types.Named)
			head := fmt.Sprintf("type %s%s", name, typeParams(named.TypeParams(), text))
			switch under := named.Underlying().(type) {
			case *types.Struct:
				add("%s struct", head)
				for i := range under.NumFields() {
					if f := under.Field(i); f.Exported() {
						line := fmt.Sprintf("%s struct, %s %s", head, f.Name(), text(f.Type()))
						if f.Embedded() {
							line += " (embedded)"
						}
						if tag := under.Tag(i); tag != "" {
							line += fmt.Sprintf(" %q", tag)
						}
						lines = append(lines, line)
					}
				}
			default: // the whole of it: a method more breaks an interface too
				add("%s %s", head, text(under))
			}
			if types.IsInterface(named) {
				continue
			}
			byValue := types.NewMethodSet(named)
			for method := range types.NewMethodSet(types.NewPointer(named)).Methods() {
				if !method.Obj().Exported() {
					continue
				}
				star := "*"
				if byValue.Lookup(pkg, method.Obj().Name()) != nil {
					star = ""
				}
				add("method (%s%s) %s%s", star, name, method.Obj().Name(), signature(method.Type().(*types.Signature), text))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// typeParams returns type parameters as they are declared, or nothing.
func typeParams(list *types.TypeParamList, text func(types.Type) string) string {
	var params []string
	for p := range list.TypeParams() {
		params = append(params, p.Obj().Name()+" "+text(p.Constraint()))
	}
	if params == nil {
		return ""
	}
	return "[" + strings.Join(params, ", ") + "]"
}

// signature returns what follows the name of a function in its declaration,
// without the names of its parameters.
func signature(s *types.Signature, text func(types.Type) string) string {
	strip := func(vars *types.Tuple) *types.Tuple {
		var out []*types.Var
		for v := range vars.Variables() {
			out = append(out, types.NewParam(token.NoPos, nil, "", v.Type()))
		}
		return types.NewTuple(out...)
	}
	nameless := types.NewSignatureType(nil, nil, nil, strip(s.Params()), strip(s.Results()), s.Variadic())
	return typeParams(s.TypeParams(), text) + strings.TrimPrefix(text(nameless), "func")
}

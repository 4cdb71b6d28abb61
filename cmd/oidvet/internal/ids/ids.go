// Package ids is what the analyzers share: it knows oidkit's types, the comment
// that silences a report, and where the documentation is.
package ids

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Root is the path of oidkit's root module.
const Root = "github.com/oidkit/oidkit"

// URL returns the address of an analyzer's section in the documentation.
func URL(analyzer string) string { return "https://" + Root + "/blob/main/docs/vet.md#" + analyzer }

// columnForms are the types of an ID by package, and whether a column of the type holds
// the 12 bytes rather than text.
var columnForms = map[string]map[string]bool{
	Root + "/oid":     {"ID": true, "For": true},
	Root + "/sqltype": {"ZeroNull": true, "ZeroNullFor": true, "Hex": false, "UUID": false},
	Root + "/jsonx":   {"Extended": true},
	Root + "/public":  {"ID": true},
}

// Is reports whether t is a type of an ID: oid.ID, oid.For[T], public.ID[T], one of package
// sqltype's or jsonx.Extended.
func Is(t types.Type) bool {
	_, ok := form(t)
	return ok
}

// form reports whether t is a type of an ID, and whether its columns are binary.
func form(t types.Type) (binary, ok bool) {
	named, _ := types.Unalias(t).(*types.Named)
	if named == nil || named.Obj().Pkg() == nil {
		return false, false
	}
	binary, ok = columnForms[named.Obj().Pkg().Path()][named.Obj().Name()]
	return binary, ok
}

// IsColumn reports whether a field of type t is a column of IDs: an ID, a pointer to
// one, or sql.Null of one. It accepts nil.
func IsColumn(t types.Type) bool {
	_, ok := columnForm(t)
	return ok
}

// IsBinaryColumn reports whether a field of type t is a column that holds the 12 bytes
// of IDs.
func IsBinaryColumn(t types.Type) bool {
	binary, _ := columnForm(t)
	return binary
}

func columnForm(t types.Type) (binary, ok bool) {
	switch u := types.Unalias(t).(type) {
	case *types.Pointer:
		t = u.Elem()
	case *types.Named:
		if nameIn(u, "database/sql") == "Null" {
			t = u.TypeArgs().At(0)
		}
	}
	return form(t)
}

// Model returns the type argument of a typed ID, such as User of oid.For[User]. It returns
// nil for other types, and for nil.
func Model(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil
	}
	if nameIn(named, "database/sql") == "Null" {
		return Model(named.TypeArgs().At(0))
	}
	if !Is(named) || named.TypeArgs().Len() == 0 {
		return nil
	}
	return named.TypeArgs().At(0)
}

// IsPlain reports whether t is oid.ID.
func IsPlain(t types.Type) bool { return nameIn(t, Root+"/oid") == "ID" }

// IsPointer reports whether t is a pointer to an ID.
func IsPointer(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	return ok && Is(p.Elem())
}

// IsList reports whether t is a slice or an array of IDs, such as sqltype.Array.
func IsList(t types.Type) bool {
	return Is(Elem(t))
}

// Elem returns the type of the elements of a slice or an array, or nil.
func Elem(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return u.Elem()
	case *types.Array:
		return u.Elem()
	}
	return nil
}

// Encodes reports whether t is a type of oidkit that encodes itself as an ID: in
// package oid, sqltype, jsonx or public, with a method MarshalJSON.
func Encodes(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	switch named.Obj().Pkg().Path() {
	case Root + "/oid", Root + "/sqltype", Root + "/jsonx", Root + "/public":
		return HasMethod(named, "MarshalJSON")
	}
	return false
}

// HasMethod reports whether t has a method of its own or promoted.
func HasMethod(t types.Type, name string) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, false, nil, name)
	_, ok := obj.(*types.Func)
	return ok
}

// TextOf returns the ID of which expr makes a text, by id.Hex(), id.String(), fmt.Sprint(id)
// or fmt.Sprintf("%s", id). It returns nil for other expressions.
func TextOf(info *types.Info, expr ast.Expr) ast.Expr {
	call, ok := ast.Unparen(expr).(*ast.CallExpr)
	if !ok {
		return nil
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	var id ast.Expr
	switch fun, _ := info.Uses[sel.Sel].(*types.Func); {
	case fun == nil:
	case (fun.Name() == "Hex" || fun.Name() == "String") && len(call.Args) == 0:
		id = sel.X
	case fun.FullName() == "fmt.Sprint" && len(call.Args) == 1:
		id = call.Args[0]
	case fun.FullName() == "fmt.Sprintf" && len(call.Args) == 2:
		if format := info.Types[call.Args[0]].Value; format != nil && (format.ExactString() == `"%s"` || format.ExactString() == `"%v"`) {
			id = call.Args[1]
		}
	}
	if id == nil || !Is(info.TypeOf(id)) && !IsPointer(info.TypeOf(id)) {
		return nil
	}
	return id
}

// WithoutText returns the fix that passes id in place of id.Hex() or id.String(). Other
// expressions, without which an import might not be used, have none.
func WithoutText(info *types.Info, expr ast.Expr) []analysis.SuggestedFix {
	id := TextOf(info, expr)
	if id == nil || len(ast.Unparen(expr).(*ast.CallExpr).Args) > 0 {
		return nil
	}
	return []analysis.SuggestedFix{{
		Message:   "Pass the ID",
		TextEdits: []analysis.TextEdit{{Pos: id.End(), End: ast.Unparen(expr).End()}},
	}}
}

// Instances returns the types that the package puts in the place of a type parameter.
func Instances(pass *analysis.Pass, param *types.TypeParam) (list []types.Type) {
	for id, instance := range pass.TypesInfo.Instances {
		for _, params := range typeParams(pass.TypesInfo.Uses[id]) {
			for i := range params.Len() {
				_, generic := instance.TypeArgs.At(i).(*types.TypeParam) // in a method of the type
				if params.At(i) == param && !generic {
					list = append(list, instance.TypeArgs.At(i))
				}
			}
		}
	}
	return list
}

// typeParams returns the type parameters of a function, or of a type and its methods.
func typeParams(obj types.Object) (lists []*types.TypeParamList) {
	switch obj := obj.(type) {
	case *types.Func:
		lists = append(lists, obj.Signature().TypeParams())
	case *types.TypeName:
		if named, ok := obj.Type().(*types.Named); ok {
			lists = append(lists, named.TypeParams())
			for method := range named.Methods() {
				lists = append(lists, method.Signature().RecvTypeParams())
			}
		}
	}
	return lists
}

// nameIn returns the name of t in the package with the given path, or "".
func nameIn(t types.Type, path string) string {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != path {
		return ""
	}
	return named.Obj().Name()
}

// IsNamed reports whether t, or what it points to, is the type with that name in a
// package with that path.
func IsNamed(t types.Type, path, name string) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	return nameIn(t, path) == name
}

// Name returns how t is written in the code of pkg.
func Name(t types.Type, pkg *types.Package) string {
	return types.TypeString(t, func(other *types.Package) string {
		if other == pkg {
			return ""
		}
		return other.Name()
	})
}

var directive = regexp.MustCompile(`^//oidvet:ignore((?:\s+[a-z,]+)?)(?:\s|$)`)

// Report reports a finding, unless a comment silences it. The comment is
//
//	//oidvet:ignore NAME why
//
// at the end of the line or on the line before it.
func Report(pass *analysis.Pass, d analysis.Diagnostic) {
	if silenced(pass, d.Pos) {
		return
	}
	d.URL = pass.Analyzer.URL
	pass.Report(d)
}

// silenced reports whether a comment at the line of pos, or the line before,
// silences the analyzer of pass.
func silenced(pass *analysis.Pass, pos token.Pos) bool {
	line := pass.Fset.Position(pos).Line
	for _, group := range fileOf(pass, pos).Comments {
		for _, c := range group.List {
			if at := pass.Fset.Position(c.Pos()).Line; at != line && at != line-1 {
				continue
			}
			m := directive.FindStringSubmatch(c.Text)
			if m == nil {
				continue
			}
			for name := range strings.SplitSeq(strings.TrimSpace(m[1]), ",") {
				if name == pass.Analyzer.Name {
					return true
				}
			}
		}
	}
	return false
}

// fileOf returns the file that pos is in.
func fileOf(pass *analysis.Pass, pos token.Pos) *ast.File {
	return pass.Files[slices.IndexFunc(pass.Files, func(file *ast.File) bool {
		return pass.Fset.File(file.FileStart) == pass.Fset.File(pos)
	})]
}

// Import returns the name by which the file at pos imports path, and the edit that
// adds the import if the file doesn't have it yet.
func Import(pass *analysis.Pass, pos token.Pos, path string) (name string, edits []analysis.TextEdit) {
	name = path[strings.LastIndexByte(path, '/')+1:]
	file := fileOf(pass, pos)
	for _, spec := range file.Imports {
		if strings.Trim(spec.Path.Value, "\"`") != path {
			continue
		}
		if spec.Name == nil {
			return name, nil
		}
		if spec.Name.Name != "_" && spec.Name.Name != "." {
			return spec.Name.Name, nil
		}
	}
	at, text := file.Name.End(), "\n\nimport \""+path+"\""
	for _, decl := range file.Decls {
		imports, ok := decl.(*ast.GenDecl)
		if !ok || imports.Tok != token.IMPORT || len(imports.Specs) == 0 {
			break
		}
		at, text = imports.Specs[len(imports.Specs)-1].End(), "\n\t\""+path+"\""
		if !imports.Lparen.IsValid() {
			at, text = imports.End(), "\nimport \""+path+"\""
		}
	}
	return name, []analysis.TextEdit{{Pos: at, End: at, NewText: []byte(text)}}
}

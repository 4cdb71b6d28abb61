// Package embedid finds structs that embed an ID next to other fields.
package embedid

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/ids"
)

// Analyzer reports a struct such as
//
//	type User struct {
//		oid.ID
//		Name string
//	}
//
// The struct inherits the methods of the ID, so most encoders lose the other fields.
// To fix the struct, give the field a name: ID oid.ID.
//
// A struct type that declares MarshalJSON itself is not reported.
var Analyzer = &analysis.Analyzer{
	Name:     "embedid",
	Doc:      "find structs that embed an ID and so lose their other fields when encoded",
	URL:      ids.URL("embedid"),
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      run,
}

func run(pass *analysis.Pass) (any, error) {
	in := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	for cursor := range in.Root().Preorder((*ast.StructType)(nil)) {
		node := cursor.Node().(*ast.StructType)
		typ := pass.TypesInfo.TypeOf(node).(*types.Struct)
		if typ.NumFields() < 2 || declaresMarshaler(pass, cursor.Parent().Node()) {
			continue
		}
		for _, field := range node.Fields.List {
			if len(field.Names) > 0 {
				continue
			}
			t := pass.TypesInfo.TypeOf(field.Type)
			if p, ok := types.Unalias(t).(*types.Pointer); ok {
				t = p.Elem()
			}
			// A second embedded type with the same methods hides them all.
			if !ids.Encodes(t) || !ids.HasMethod(typ, "MarshalJSON") {
				continue
			}
			ids.Report(pass, analysis.Diagnostic{
				Pos: field.Pos(), End: field.End(),
				Message: "the struct inherits the methods of " + ids.Name(t, pass.Pkg) + ": encoders encode it as a bare ID, without its other fields. Give the field a name",
			})
		}
	}
	return nil, nil
}

// declaresMarshaler reports whether the struct is that of a type which declares
// MarshalJSON itself.
func declaresMarshaler(pass *analysis.Pass, parent ast.Node) bool {
	spec, ok := parent.(*ast.TypeSpec)
	if !ok {
		return false
	}
	named, ok := pass.TypesInfo.TypeOf(spec.Name).(*types.Named)
	if !ok { // an alias
		return false
	}
	for m := range named.Methods() {
		if m.Name() == "MarshalJSON" {
			return true
		}
	}
	return false
}

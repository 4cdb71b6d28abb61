// Package omitempty finds JSON tags that are meant to omit the zero ID and don't.
package omitempty

import (
	"go/ast"
	"reflect"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/ids"
)

// Analyzer reports a field such as
//
//	Parent oid.ID `json:"parent,omitempty"`
//
// encoding/json's omitempty never omits an array, so the zero ID is written as 24
// zeros. The option omitzero omits it.
var Analyzer = &analysis.Analyzer{
	Name:     "omitempty",
	Doc:      "find JSON's omitempty on IDs, which has no effect",
	URL:      ids.URL("omitempty"),
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      run,
}

func run(pass *analysis.Pass) (any, error) {
	in := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	in.Preorder([]ast.Node{(*ast.Field)(nil)}, func(n ast.Node) {
		field := n.(*ast.Field)
		if field.Tag == nil || !ids.Is(pass.TypesInfo.TypeOf(field.Type)) {
			return
		}
		tag, err := strconv.Unquote(field.Tag.Value)
		if err != nil {
			return
		}
		old, ok := reflect.StructTag(tag).Lookup("json")
		if !ok {
			return
		}
		name, rest, _ := strings.Cut(old, ",")
		options := strings.Split(rest, ",")
		found, zero := -1, false
		for i, option := range options {
			switch option {
			case "omitempty":
				found = i
			case "omitzero":
				zero = true
			}
		}
		if found < 0 || zero {
			return
		}
		options[found] = "omitzero"
		mended := strings.Replace(field.Tag.Value, `"`+old+`"`, `"`+name+","+strings.Join(options, ",")+`"`, 1)
		d := analysis.Diagnostic{
			Pos: field.Tag.Pos(), End: field.Tag.End(),
			Message: "encoding/json's omitempty does not omit the zero ID: write omitzero",
		}
		if mended != field.Tag.Value {
			d.SuggestedFixes = []analysis.SuggestedFix{{
				Message:   "Replace omitempty with omitzero",
				TextEdits: []analysis.TextEdit{{Pos: field.Tag.Pos(), End: field.Tag.End(), NewText: []byte(mended)}},
			}}
		}
		ids.Report(pass, d)
	})
	return nil, nil
}

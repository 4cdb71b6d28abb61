// Package omitempty finds JSON tags that are meant to omit the zero ID and don't.
package omitempty

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
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
// encoding/json's omitempty never omits an ID, so a zero oid.ID is written as 24 zeros. The
// option omitzero omits it. A field whose type is a type parameter is reported if the package
// puts an ID in the place of the parameter.
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
		if field.Tag == nil {
			return
		}
		t := pass.TypesInfo.TypeOf(field.Type)
		param, generic := types.Unalias(t).(*types.TypeParam)
		if !ids.Is(t) && !(generic && slices.ContainsFunc(ids.Instances(pass, param), ids.Is)) {
			return
		}
		tag, _ := strconv.Unquote(field.Tag.Value) // the parser has checked it
		old := reflect.StructTag(tag).Get("json")
		name, rest, _ := strings.Cut(old, ",")
		options := strings.Split(rest, ",")
		found := slices.Index(options, "omitempty")
		if found < 0 || slices.Contains(options, "omitzero") {
			return
		}
		d := analysis.Diagnostic{
			Pos: field.Tag.Pos(), End: field.Tag.End(),
			Message: "encoding/json's omitempty does not omit the zero ID: write omitzero",
		}
		options[found] = "omitzero"
		// A tag in the quotes "" has others inside: there is no fix for it.
		quoted := `json:"` + old + `"`
		// In a generic type, omitzero may be wrong for the other types.
		if at := strings.Index(" "+field.Tag.Value[1:], " "+quoted); at >= 0 && !generic {
			pos := field.Tag.Pos() + token.Pos(at+1)
			d.SuggestedFixes = []analysis.SuggestedFix{{
				Message: "Replace omitempty with omitzero",
				TextEdits: []analysis.TextEdit{{
					Pos: pos, End: pos + token.Pos(len(quoted)),
					NewText: []byte(`json:"` + name + "," + strings.Join(options, ",") + `"`),
				}},
			}}
		}
		ids.Report(pass, d)
	})
	return nil, nil
}

// Package gormdest finds variables into which GORM can't read an ID correctly.
package gormdest

import (
	"go/ast"
	"go/constant"
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/gormast"
	"github.com/oidkit/oidkit/cmd/oidvet/internal/ids"
)

// Analyzer reports a string into which a statement with a known model reads a binary column
// of IDs:
//
//	var texts []string
//	db.Model(&User{}).Pluck("id", &texts)
//
//	type userJSON struct{ ID, Name string }
//	var row userJSON
//	db.Model(&User{}).First(&row)
//
// Use a []oid.ID or a field of type oid.ID instead. In JSON and in text, an oid.ID is 24 hex
// digits.
//
// Analyzer also reports a single ID. GORM tries to read one row into each of its bytes, and
// returns an error:
//
//	db.Model(&User{}).Select("id").Scan(&id)
var Analyzer = &analysis.Analyzer{
	Name:     "gormdest",
	Doc:      "find strings and single IDs that GORM fills wrongly when it reads an ID",
	URL:      ids.URL("gormdest"),
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      run,
}

// readers are the methods of *gorm.DB that read rows into their first argument.
var readers = map[string]bool{"First": true, "Take": true, "Last": true, "Find": true, "Scan": true}

func run(pass *analysis.Pass) (any, error) {
	in := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	in.Preorder([]ast.Node{(*ast.CallExpr)(nil)}, func(n ast.Node) {
		call := n.(*ast.CallExpr)
		name := gormast.Method(pass, call)
		if name != "Pluck" && !readers[name] {
			return
		}
		if name != "Pluck" && ids.IsPointer(pass.TypesInfo.TypeOf(call.Args[0])) {
			report(pass, call.Args[0], "GORM reads into a single ID byte by byte, which is an error: use Row().Scan, or Pluck into a list of IDs")
			return
		}
		s, ok := statementOf(pass, call)
		switch {
		case !ok:
		case name == "Pluck":
			s.selected = []string{text(pass, call.Args[0])}
			s.list(call.Args[1])
		default:
			s.list(call.Args[0])
			s.fields(call.Args[0])
		}
	})
	return nil, nil
}

// A statement is a chain of calls whose model is known, and its columns too.
type statement struct {
	pass     *analysis.Pass
	model    *types.Named
	columns  map[string]bool // of the model, with the 12 bytes of IDs
	selected []string        // nil: all
}

// statementOf returns the statement that call ends. It is not ok for a statement whose
// model or columns the chain doesn't tell.
func statementOf(pass *analysis.Pass, call *ast.CallExpr) (s statement, ok bool) {
	s = statement{pass: pass, columns: make(map[string]bool)}
	for link := range gormast.Chain(call) {
		switch gormast.Method(pass, link) {
		case "Model":
			s.model = gormast.Model(pass.TypesInfo.TypeOf(link.Args[0]))
		case "Select":
			if s.selected = selected(pass, link); s.selected == nil {
				return s, false
			}
		case "Table", "Raw", "Omit", "Scopes": // perhaps other columns
			return s, false
		}
	}
	if s.model == nil {
		return s, false
	}
	for field := range gormast.Fields(s.model) {
		if _, ok := field.Tag["serializer"]; !ok && ids.IsBinaryColumn(field.Type) {
			s.columns[field.Column] = true
		}
	}
	return s, len(s.columns) > 0
}

// selected returns the columns of Select("a", "b"), Select("a, b") and
// Select([]string{"a", "b"}). It returns nil for arguments that it can't read.
func selected(pass *analysis.Pass, link *ast.CallExpr) (columns []string) {
	args := link.Args
	if list, ok := ast.Unparen(args[0]).(*ast.CompositeLit); ok && len(args) == 1 {
		args = list.Elts
	}
	for _, arg := range args {
		s := text(pass, arg)
		if s == "" {
			return nil
		}
		columns = append(columns, strings.Split(s, ",")...)
	}
	return columns
}

// text returns the value of a constant string, or "".
func text(pass *analysis.Pass, arg ast.Expr) string {
	if v := pass.TypesInfo.Types[arg].Value; v != nil && v.Kind() == constant.String {
		return constant.StringVal(v)
	}
	return ""
}

// list reports a string, or a list of strings, that gets a column of IDs.
func (s statement) list(dest ast.Expr) {
	t := gormast.Deref(s.pass.TypesInfo.TypeOf(dest))
	if elem := ids.Elem(t); elem != nil {
		t = elem
	}
	if isString(t) && len(s.selected) == 1 && s.columns[columnOf(s.selected[0])] {
		report(s.pass, dest, "GORM reads the 12 bytes of an ID of "+s.model.Obj().Name()+" into a string: use an oid.ID, whose text is the 24 digits")
	}
}

// fields reports the fields of a struct that are strings and get a column of IDs.
func (s statement) fields(dest ast.Expr) {
	row := gormast.Row(s.pass.TypesInfo.TypeOf(dest))
	if row == nil {
		return
	}
	for field := range gormast.Fields(row) {
		if s.columns[field.Column] && isString(field.Type) && s.selects(field.Column) {
			report(s.pass, dest, "GORM reads the 12 bytes of an ID of "+s.model.Obj().Name()+" into the string "+field.Name+": make it an oid.ID, whose JSON is the 24 digits")
		}
	}
}

// selects reports whether the statement reads a column.
func (s statement) selects(column string) bool {
	if s.selected == nil {
		return true
	}
	for _, expr := range s.selected {
		if name := columnOf(expr); name == column || name == "*" {
			return true
		}
	}
	return false
}

// isString reports whether t is a string, or a pointer to one, without a method Scan.
func isString(t types.Type) bool {
	t = gormast.Deref(t)
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Kind() == types.String && !ids.HasMethod(types.NewPointer(t), "Scan")
}

// plainColumn matches a column, with or without a table and quotes.
var plainColumn = regexp.MustCompile("^\\s*(?:[`\"]?\\w+[`\"]?\\.)?[`\"]?(\\w+|\\*)[`\"]?\\s*$")

// columnOf returns the column that an expression of Select is, in lower case, or "".
func columnOf(expr string) string {
	if m := plainColumn.FindStringSubmatch(expr); m != nil {
		return strings.ToLower(m[1])
	}
	return ""
}

func report(pass *analysis.Pass, dest ast.Expr, message string) {
	ids.Report(pass, analysis.Diagnostic{Pos: dest.Pos(), End: dest.End(), Message: message})
}

// Package gormcond finds conditions of GORM that compare ID columns in a wrong way, and
// therefore match other rows than the programmer expects.
package gormcond

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/gormast"
	"github.com/oidkit/oidkit/cmd/oidvet/internal/ids"
)

// Analyzer reports these calls of GORM for a model whose primary key is an ID, and the
// first one for every column of a model that holds IDs:
//
//   - db.Delete(&User{}, 7): an integer or a boolean as the condition. The package
//     gormplugin refuses it when it runs. Without the plugin it can match other rows.
//   - db.First(&user, text): a string that is not a constant as the only argument.
//     GORM takes it as SQL, so it allows SQL injection.
//   - db.Delete(&User{}, list): a list of IDs that may be empty as the only argument.
//     GORM drops an empty list, and the statement deletes every row that its other
//     conditions match. gormplugin.IDs(list...) matches nothing instead.
//   - db.Where("id = ? AND name = ?", text, name): text in a condition that the plugin
//     doesn't read. It finds nothing.
//   - db.First(&user, pointer): a *oid.ID as the only argument. GORM panics if it is
//     nil.
var Analyzer = &analysis.Analyzer{
	Name:     "gormcond",
	Doc:      "find GORM conditions that do not name the rows they seem to name",
	URL:      ids.URL("gormcond"),
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      run,
}

// finishers are the methods of *gorm.DB that take a model, and then conditions.
var finishers = map[string]bool{
	"First": true, "Take": true, "Last": true, "Find": true, "Delete": true, "FirstOrInit": true, "FirstOrCreate": true,
}

// changers are the methods that end a chain and take no conditions. They change rows.
var changers = map[string]bool{"Update": true, "Updates": true, "UpdateColumn": true, "UpdateColumns": true}

// conditions are the methods that add a condition to a chain.
var conditions = map[string]bool{"Where": true, "Or": true, "Not": true}

func run(pass *analysis.Pass) (any, error) {
	in := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	for cursor := range in.Root().Preorder((*ast.CallExpr)(nil)) {
		call := cursor.Node().(*ast.CallExpr)
		name := gormast.Method(pass, call)
		if !finishers[name] && !changers[name] {
			continue
		}
		c := checker{pass: pass, changes: changers[name] || name == "Delete", body: body(cursor)}
		model := pass.TypesInfo.TypeOf(call.Args[0])
		for link := range gormast.Chain(call) {
			if gormast.Method(pass, link) == "Model" {
				model = pass.TypesInfo.TypeOf(link.Args[0])
			}
		}
		if c.model = gormast.Model(model); c.model == nil {
			continue
		}
		c.columns, c.binary = idColumns(c.model)
		c.keyed = ids.IsColumn(keyOf(c.model))
		if finishers[name] {
			c.inline(call.Args[1:])
		}
		for link := range gormast.Chain(call) {
			if conditions[gormast.Method(pass, link)] {
				c.where(link.Args)
			}
		}
	}
	return nil, nil
}

// body returns the innermost function around the call.
func body(cursor inspector.Cursor) ast.Node {
	for outer := range cursor.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		return outer.Node()
	}
	return nil
}

// keyOf returns the type of a model's primary key: the only field with the tag
// primaryKey, or else the field ID. It returns nil if there is none or more than one.
func keyOf(model *types.Named) types.Type {
	var tagged []types.Type
	var id types.Type
	for field := range gormast.Fields(model) {
		if _, ok := field.Tag["primarykey"]; ok {
			tagged = append(tagged, field.Type)
		} else if _, ok := field.Tag["primary_key"]; ok {
			tagged = append(tagged, field.Type)
		}
		if id == nil && (field.Name == "ID" || field.Name == "Id") {
			id = field.Type
		}
	}
	switch len(tagged) {
	case 0:
		return id
	case 1:
		return tagged[0]
	}
	return nil
}

// A checker looks at the conditions of one statement.
type checker struct {
	pass    *analysis.Pass
	model   *types.Named
	columns map[string]bool // of the model that hold IDs
	binary  map[string]bool // those that hold them as 12 bytes
	keyed   bool            // the model's primary key is an ID, so a value without a column is one
	changes bool            // the statement changes rows
	body    ast.Node        // the function around the statement
}

// inline looks at the conditions behind the model: db.First(&user, …).
func (c checker) inline(args []ast.Expr) {
	if len(args) == 0 {
		return
	}
	if c.keyed && len(args) == 1 && c.isVariableText(args[0]) {
		c.report(args[0], "GORM takes this string as SQL: parse it with oid.Parse and pass the ID, or SQL injection is possible")
	}
	c.where(args)
}

// where looks at a condition and its arguments: Where(…).
func (c checker) where(args []ast.Expr) {
	first := args[0]
	if len(args) > 1 {
		if query := c.constant(first); c.comparesID(query) {
			for _, arg := range args {
				c.number(arg)
			}
		} else {
			c.long(query, args[1:])
		}
		return
	}
	c.pairs(first)
	if !c.keyed {
		return
	}
	c.number(first)
	t := c.pass.TypesInfo.TypeOf(first)
	switch {
	case ids.IsPointer(t) && !isAddress(first):
		c.report(first, "GORM panics if this *"+ids.Name(gormast.Deref(t), c.pass.Pkg)+" is nil: check it, and pass the ID that it points to")
	case ids.IsList(t) && c.changes && !c.knownToHaveElements(first):
		c.list(first)
	}
}

// comparison is a whole condition: a column, with its table or not, in quotes or
// not, and perhaps an operator and a placeholder.
var comparison = regexp.MustCompile("(?i)^\\s*(?:([`\"]?)(\\w+)[`\"]?\\.)?[`\"]?(\\w+)[`\"]?\\s*(?:(?:=|<>|!=|<=|>=|<|>|\\s(?:not\\s+)?in\\s*)\\s*\\(?\\?\\)?\\s*)?$")

// comparesID reports whether query is a condition on a column of the model that
// holds IDs, and on nothing else.
func (c checker) comparesID(query string) bool {
	m := comparison.FindStringSubmatch(query)
	return m != nil && c.columns[c.columnOf(m[2], m[3])]
}

// columnOf returns a column of the model as SQL text names it, in lower case. It returns
// "" for one that may be of another table, which can hold integers.
func (c checker) columnOf(table, column string) string {
	if table != "" && !strings.EqualFold(table, gormast.ColumnName(c.model.Obj().Name())+"s") {
		return ""
	}
	return strings.ToLower(column)
}

// part is a comparison within a longer condition, up to its placeholder.
var part = regexp.MustCompile("(?i)(?:([`\"]?)\\b(\\w+)[`\"]?\\.)?[`\"]?\\b(\\w+)[`\"]?\\s*(?:=|<>|!=|<=|>=|<|>|\\s(?:not\\s+)?in\\s*)\\s*\\(?\\?")

// long looks at a condition with several comparisons: "id = ? AND name = ?". The plugin
// doesn't read those. So text is compared with the bytes of a binary column there.
func (c checker) long(query string, args []ast.Expr) {
	if strings.Contains(query, "'") || strings.Count(query, "?") != len(args) {
		return // a placeholder may be part of a text, or get several arguments
	}
	for _, m := range part.FindAllStringSubmatchIndex(query, -1) {
		table := ""
		if m[4] >= 0 {
			table = query[m[4]:m[5]]
		}
		column := c.columnOf(table, query[m[6]:m[7]])
		if !c.columns[column] {
			continue
		}
		arg := args[strings.Count(query[:m[1]], "?")-1]
		c.number(arg)
		if c.binary[column] && c.isText(arg) {
			c.report(arg, "the column of "+c.model.Obj().Name()+" holds the 12 bytes of IDs, which never equal this text: parse it with oid.Parse and pass the ID")
		}
	}
}

// pairs looks at a map of columns and values that is written out.
func (c checker) pairs(arg ast.Expr) {
	lit, ok := ast.Unparen(arg).(*ast.CompositeLit)
	if !ok {
		return
	}
	for _, elem := range lit.Elts {
		if pair, ok := elem.(*ast.KeyValueExpr); ok && c.comparesID(c.constant(pair.Key)) {
			c.number(pair.Value)
		}
	}
}

// idColumns returns the names of a model's columns that hold IDs, in lower case, and
// of those that hold them as 12 bytes.
func idColumns(model *types.Named) (columns, binary map[string]bool) {
	columns, binary = make(map[string]bool), make(map[string]bool)
	for field := range gormast.Fields(model) {
		columns[field.Column] = ids.IsColumn(field.Type)
		binary[field.Column] = ids.IsBinaryColumn(field.Type)
	}
	return columns, binary
}

// number reports a number, a boolean or a list of numbers as a condition.
func (c checker) number(arg ast.Expr) {
	if !c.isNumber(arg) {
		return
	}
	t := ids.Name(types.Default(c.pass.TypesInfo.TypeOf(arg)), c.pass.Pkg)
	c.report(arg, "the column of "+c.model.Obj().Name()+" holds IDs, and this condition is "+article(t)+t+": pass the ID")
}

// isNumber reports whether arg is a number, a boolean or a list of those.
func (c checker) isNumber(arg ast.Expr) bool {
	t := c.pass.TypesInfo.TypeOf(arg)
	elem := ids.Elem(t)
	if elem == nil {
		return isNumeric(t)
	}
	return isNumeric(elem) && !types.Identical(elem.Underlying(), types.Typ[types.Byte]) // bytes may be those of an ID
}

// isNumeric reports whether t is the type of a number or a boolean, and has no method
// that makes another value of it.
func isNumeric(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&(types.IsNumeric|types.IsBoolean) != 0 && !ids.HasMethod(t, "Value")
}

// isVariableText reports whether arg is a string that is not a constant.
func (c checker) isVariableText(arg ast.Expr) bool {
	return isString(c.pass.TypesInfo.TypeOf(arg)) && c.pass.TypesInfo.Types[arg].Value == nil
}

// isText reports whether arg is a string or a list of strings.
func (c checker) isText(arg ast.Expr) bool {
	t := c.pass.TypesInfo.TypeOf(arg)
	if elem := ids.Elem(t); elem != nil {
		t = elem
	}
	return isString(t) && !ids.HasMethod(t, "Value")
}

func isString(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsString != 0
}

// constant returns the value of a constant string, or "".
func (c checker) constant(arg ast.Expr) string {
	if v := c.pass.TypesInfo.Types[arg].Value; v != nil && v.Kind() == constant.String {
		return constant.StringVal(v)
	}
	return ""
}

// list reports a list of IDs that may be empty.
func (c checker) list(arg ast.Expr) {
	name, edits := ids.Import(c.pass, arg.Pos(), ids.Root+"/gormplugin")
	d := analysis.Diagnostic{
		Pos: arg.Pos(), End: arg.End(),
		Message: "GORM drops this condition if the list is empty, and the statement changes every row that the other conditions match: pass " + name + ".IDs(list...)",
	}
	if ident, ok := arg.(*ast.Ident); ok {
		d.SuggestedFixes = []analysis.SuggestedFix{{
			Message: "Pass " + name + ".IDs(" + ident.Name + "...)",
			TextEdits: append(edits,
				analysis.TextEdit{Pos: arg.Pos(), End: arg.Pos(), NewText: []byte(name + ".IDs(")},
				analysis.TextEdit{Pos: arg.End(), End: arg.End(), NewText: []byte("...)")}),
		}}
	}
	ids.Report(c.pass, d)
}

// knownToHaveElements reports whether the list is written out with elements, or
// the function asks for its length somewhere.
func (c checker) knownToHaveElements(arg ast.Expr) bool {
	switch arg := ast.Unparen(arg).(type) {
	case *ast.CompositeLit:
		return len(arg.Elts) > 0
	case *ast.Ident:
		obj, asked := c.pass.TypesInfo.ObjectOf(arg), false
		if c.body == nil {
			return false
		}
		ast.Inspect(c.body, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if fun, ok := call.Fun.(*ast.Ident); ok && fun.Name == "len" {
					if of, _ := call.Args[0].(*ast.Ident); c.pass.TypesInfo.ObjectOf(of) == obj {
						asked = true
					}
				}
			}
			return true
		})
		return asked
	}
	return false
}

func (c checker) report(arg ast.Expr, message string) {
	ids.Report(c.pass, analysis.Diagnostic{Pos: arg.Pos(), End: arg.End(), Message: message})
}

// isAddress reports whether expr is &x.
func isAddress(expr ast.Expr) bool {
	unary, ok := ast.Unparen(expr).(*ast.UnaryExpr)
	return ok && unary.Op == token.AND
}

func article(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) && !strings.HasPrefix(word, "uint") {
		return "an "
	}
	return "a "
}

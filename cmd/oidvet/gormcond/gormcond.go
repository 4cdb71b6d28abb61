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

// Analyzer reports these calls of GORM, in statements that name their model and end in First,
// Find, Delete, Update or the like. If a call names a column, the column must hold IDs.
// Otherwise, the primary key of the model must be an ID:
//
//   - db.Delete(&User{}, 7): a number or a boolean, or a list of these, as the condition.
//     Package gormplugin refuses this when the program runs. Without the plugin, the condition
//     can match other rows.
//   - db.First(&user, text): a string that is not a constant, as the condition.
//     GORM runs the string as SQL, so the call allows SQL injection.
//   - db.Delete(&User{}, list): only a list of IDs, perhaps empty, as the condition of a
//     delete or an update. GORM drops an empty list. The statement then changes every row that
//     its other conditions match. If the list is empty, gormplugin.IDs(list...) matches no
//     row.
//   - db.Where("id = ? AND name = ?", text, name): text in a condition that the plugin
//     doesn't read. A column with the 12 bytes of IDs never equals 24 hex digits.
//   - db.First(&user, pointer): a *oid.ID as the condition. GORM panics if it is nil.
//   - db.Where("id >= ?", time.Now()): a time. The plugin refuses it when the program runs.
//   - db.Model(&user).Update("team_id", user.ID): a typed ID for a column of IDs of another
//     model. The plugin refuses the ID when the program runs.
var Analyzer = &analysis.Analyzer{
	Name:     "gormcond",
	Doc:      "find GORM conditions that match other rows than the code seems to say",
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
		if c.model = modelOf(pass, model); c.model == nil {
			continue
		}
		c.columns, c.binary, c.models = idColumns(c.model)
		c.keyed = ids.IsColumn(keyOf(c.model))
		c.models[""] = ids.Model(keyOf(c.model)) // a value without a column
		if finishers[name] {
			c.inline(call.Args[1:])
		}
		for link := range gormast.Chain(call) {
			if conditions[gormast.Method(pass, link)] {
				c.where(link.Args)
			}
		}
		if changers[name] {
			c.assigned(call.Args)
		}
	}
	return nil, nil
}

// modelOf returns the model of a statement. In generic code, that is the first of the models
// that the package puts in the place of the type parameter, if the keys of all are IDs.
func modelOf(pass *analysis.Pass, t types.Type) *types.Named {
	param := typeParam(t)
	if param == nil {
		return gormast.Model(t)
	}
	var first *types.Named
	for _, instance := range ids.Instances(pass, param) {
		model := gormast.Model(instance)
		if model == nil || !ids.IsColumn(keyOf(model)) {
			return nil
		}
		if first == nil || model.Obj().Pos() < first.Obj().Pos() {
			first = model
		}
	}
	return first
}

// typeParam returns the type parameter that pointers and slices of it lead to, or nil.
func typeParam(t types.Type) *types.TypeParam {
	for {
		switch u := types.Unalias(t).(type) {
		case *types.TypeParam:
			return u
		case *types.Pointer:
			t = u.Elem()
		case *types.Slice:
			t = u.Elem()
		default:
			return nil
		}
	}
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
	columns map[string]bool       // of the model that hold IDs
	binary  map[string]bool       // those that hold them as 12 bytes
	models  map[string]types.Type // the models of those that hold typed IDs
	keyed   bool                  // the model's primary key is an ID, so a value without a column is one
	changes bool                  // the statement changes rows
	body    ast.Node              // the function around the statement
}

// inline looks at the conditions behind the model: db.First(&user, …).
func (c checker) inline(args []ast.Expr) {
	if len(args) == 0 {
		return
	}
	if c.keyed && len(args) == 1 && c.isVariableText(args[0]) {
		c.report(args[0], "GORM runs this string as SQL, so SQL injection is possible: parse the string with oid.Parse and pass the ID")
	}
	c.where(args)
}

// where looks at a condition and its arguments: Where(…).
func (c checker) where(args []ast.Expr) {
	first := args[0]
	if len(args) > 1 {
		if query := c.constant(first); c.comparesID(query) {
			for _, arg := range args {
				c.value(c.column(query), arg)
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
	c.value("", first)
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
func (c checker) comparesID(query string) bool { return c.columns[c.column(query)] }

// column returns the column of a whole condition, or "".
func (c checker) column(query string) string {
	if m := comparison.FindStringSubmatch(query); m != nil {
		return c.columnOf(m[2], m[3])
	}
	return ""
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
		c.value(column, arg)
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
			c.value(c.column(c.constant(pair.Key)), pair.Value)
		}
	}
}

// idColumns returns the names of a model's columns that hold IDs, in lower case, those of
// them that hold the 12 bytes, and the models of those that hold typed IDs.
func idColumns(model *types.Named) (columns, binary map[string]bool, models map[string]types.Type) {
	columns, binary, models = make(map[string]bool), make(map[string]bool), make(map[string]types.Type)
	for field := range gormast.Fields(model) {
		columns[field.Column] = ids.IsColumn(field.Type)
		binary[field.Column] = ids.IsBinaryColumn(field.Type)
		models[field.Column] = ids.Model(field.Type)
	}
	return columns, binary, models
}

// assigned looks at the columns that Update and Updates change.
func (c checker) assigned(args []ast.Expr) {
	set := func(column, value ast.Expr) {
		if name := strings.ToLower(c.constant(column)); name != "" {
			c.ofOtherModel(name, value)
		}
	}
	if len(args) == 2 {
		set(args[0], args[1])
	}
	if lit, ok := ast.Unparen(args[0]).(*ast.CompositeLit); ok {
		for _, elem := range lit.Elts {
			if pair, ok := elem.(*ast.KeyValueExpr); ok {
				set(pair.Key, pair.Value)
			}
		}
	}
}

// value looks at a value that a condition compares with a column of IDs.
func (c checker) value(column string, arg ast.Expr) {
	c.number(arg)
	c.ofOtherModel(column, arg)
	if ids.IsNamed(c.pass.TypesInfo.TypeOf(arg), "time", "Time") {
		c.report(arg, "the column of "+c.model.Obj().Name()+" holds IDs, and this condition is a time: use gormplugin.CreatedSince or CreatedBefore, or pass oid.MinAt(…)")
	}
}

// ofOtherModel reports the typed ID of another model, or a list of them.
func (c checker) ofOtherModel(column string, arg ast.Expr) {
	t := c.pass.TypesInfo.TypeOf(arg)
	if ids.IsList(t) {
		t = ids.Elem(t)
	}
	want, got := c.models[column], ids.Model(t)
	if want != nil && got != nil && !types.Identical(want, got) {
		c.report(arg, "the column of "+c.model.Obj().Name()+" holds IDs of "+ids.Name(want, c.pass.Pkg)+", and this is an ID of "+ids.Name(got, c.pass.Pkg))
	}
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

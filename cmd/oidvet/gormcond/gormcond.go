// Package gormcond finds conditions of GORM that name other rows than they seem
// to, for models whose key is an ID.
package gormcond

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/ids"
)

// Analyzer reports these calls of GORM for a model whose primary key is an ID:
//
//   - db.Delete(&User{}, 7): an integer or a boolean as the condition. The package
//     gormplugin refuses it when it runs. Without the plugin it can match other rows.
//   - db.First(&user, text): a string that is not a constant as the only argument.
//     GORM takes it as SQL, so it allows SQL injection.
//   - db.Delete(&User{}, list): a list of IDs that may be empty as the only argument.
//     GORM drops an empty list, and the statement deletes every row that its other
//     conditions match. gormplugin.IDs(list...) matches nothing instead.
//   - db.First(&user, pointer): a *oid.ID as the only argument. GORM panics if it is
//     nil.
var Analyzer = &analysis.Analyzer{
	Name:     "gormcond",
	Doc:      "find GORM conditions that do not name the rows they seem to name",
	URL:      ids.URL("gormcond"),
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      run,
}

const gorm = "gorm.io/gorm"

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
		name := method(pass, call)
		if !finishers[name] && !changers[name] {
			continue
		}
		c := checker{pass: pass, changes: changers[name] || name == "Delete", body: body(cursor)}
		model := pass.TypesInfo.TypeOf(call.Args[0])
		for link := receiver(call); link != nil; link = receiver(link) {
			if method(pass, link) == "Model" {
				model = pass.TypesInfo.TypeOf(link.Args[0])
			}
		}
		c.model = modelOf(model)
		if c.model == nil || !ids.Is(deref(keyOf(c.model))) {
			continue
		}
		c.columns = idColumns(c.model)
		if finishers[name] {
			c.inline(call.Args[1:])
		}
		for link := receiver(call); link != nil; link = receiver(link) {
			if conditions[method(pass, link)] {
				c.where(link.Args)
			}
		}
	}
	return nil, nil
}

// method returns the name of the method of *gorm.DB that is called, or "".
func method(pass *analysis.Pass, call *ast.CallExpr) string {
	fun := typeutil.StaticCallee(pass.TypesInfo, call)
	if fun == nil || fun.Signature().Recv() == nil || !ids.IsNamed(fun.Signature().Recv().Type(), gorm, "DB") {
		return ""
	}
	return fun.Name()
}

// receiver returns the call whose result the method is called on, or nil.
func receiver(call *ast.CallExpr) *ast.CallExpr {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	link, _ := ast.Unparen(sel.X).(*ast.CallExpr)
	return link
}

// body returns the innermost function around the call.
func body(cursor inspector.Cursor) ast.Node {
	for outer := range cursor.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		return outer.Node()
	}
	return nil
}

// modelOf returns the struct type of a model: what pointers, slices and arrays of
// it lead to.
func modelOf(t types.Type) *types.Named {
	for t != nil {
		t = types.Unalias(t)
		if named, ok := t.(*types.Named); ok {
			if _, ok := named.Underlying().(*types.Struct); ok {
				return named
			}
		}
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			t = u.Elem()
		case *types.Slice:
			t = u.Elem()
		case *types.Array:
			t = u.Elem()
		default:
			return nil
		}
	}
	return nil
}

// keyOf returns the type of a model's primary key: the only field with the tag
// primaryKey, or else the field ID. It returns nil if there is none or more than one.
func keyOf(model *types.Named) types.Type {
	var tagged []types.Type
	var id types.Type
	eachField(model, func(field *types.Var, tag map[string]string, prefix string) {
		if _, ok := tag["primarykey"]; ok {
			tagged = append(tagged, field.Type())
		} else if _, ok := tag["primary_key"]; ok {
			tagged = append(tagged, field.Type())
		}
		if name := field.Name(); id == nil && (name == "ID" || name == "Id") {
			id = field.Type()
		}
	})
	switch len(tagged) {
	case 0:
		return id
	case 1:
		return tagged[0]
	}
	return nil
}

// eachField calls visit for each field of a model and of the structs embedded in it. The
// prefix is that of the column.
func eachField(model *types.Named, visit func(field *types.Var, tag map[string]string, prefix string)) {
	seen := make(map[*types.Struct]bool)
	var walk func(s *types.Struct, prefix string)
	walk = func(s *types.Struct, prefix string) {
		if seen[s] {
			return
		}
		seen[s] = true
		for i := range s.NumFields() {
			field, tag := s.Field(i), gormTag(s.Tag(i))
			if when, ok := tag["-"]; ok && when != "migration" {
				continue
			}
			if inner, ok := deref(field.Type()).Underlying().(*types.Struct); ok {
				if _, ok := tag["embedded"]; ok || field.Embedded() {
					walk(inner, prefix+tag["embeddedprefix"])
					continue
				}
			}
			visit(field, tag, prefix)
		}
	}
	walk(model.Underlying().(*types.Struct), "")
}

// gormTag returns the settings in a field's gorm tag, with names in lower case.
func gormTag(tag string) map[string]string {
	settings := make(map[string]string)
	for setting := range strings.SplitSeq(reflect.StructTag(tag).Get("gorm"), ";") {
		name, value, _ := strings.Cut(setting, ":")
		settings[strings.ToLower(strings.TrimSpace(name))] = strings.ToLower(strings.TrimSpace(value))
	}
	return settings
}

func deref(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// A checker looks at the conditions of one statement.
type checker struct {
	pass    *analysis.Pass
	model   *types.Named
	columns map[string]bool // of the model that hold IDs
	changes bool            // the statement changes rows
	body    ast.Node        // the function around the statement
}

// inline looks at the conditions behind the model: db.First(&user, …).
func (c checker) inline(args []ast.Expr) {
	if len(args) == 0 {
		return
	}
	if len(args) == 1 && c.isVariableText(args[0]) {
		c.report(args[0], "GORM takes this string as SQL: parse it with oid.Parse and pass the ID, or SQL injection is possible")
	}
	c.where(args)
}

// where looks at a condition and its arguments: Where(…).
func (c checker) where(args []ast.Expr) {
	first := args[0]
	if len(args) > 1 {
		if c.comparesID(c.constant(first)) {
			for _, arg := range args {
				c.number(arg)
			}
		}
		return
	}
	c.number(first)
	c.pairs(first)
	t := c.pass.TypesInfo.TypeOf(first)
	switch {
	case ids.IsPointer(t) && !isAddress(first):
		c.report(first, "GORM panics if this *"+ids.Name(deref(t), c.pass.Pkg)+" is nil: check it, and pass the ID that it points to")
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
	if m == nil {
		return false
	}
	table, column := m[2], m[3]
	if table != "" && !strings.EqualFold(table, columnName(c.model.Obj().Name())+"s") {
		return false // perhaps another table, whose column has integers
	}
	return c.columns[strings.ToLower(column)]
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

// idColumns returns the names of a model's columns that hold IDs, in lower case.
func idColumns(model *types.Named) map[string]bool {
	columns := make(map[string]bool)
	eachField(model, func(field *types.Var, tag map[string]string, prefix string) {
		if !ids.Is(deref(field.Type())) {
			return
		}
		name, ok := tag["column"]
		if !ok {
			name = columnName(field.Name())
		}
		columns[prefix+name] = true
	})
	return columns
}

// columnName returns what GORM calls the column of a field, such as author_id for
// AuthorID.
func columnName(field string) string {
	var b strings.Builder
	letters := []rune(field)
	for i, r := range letters {
		if i > 0 && unicode.IsUpper(r) && (unicode.IsLower(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
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
	tv := c.pass.TypesInfo.Types[arg]
	basic, ok := tv.Type.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsString != 0 && tv.Value == nil
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

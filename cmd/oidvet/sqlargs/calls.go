package sqlargs

import (
	"go/ast"
	"go/types"
	"reflect"
	"strconv"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/gormast"
	"github.com/oidkit/oidkit/cmd/oidvet/internal/sqltext"
)

// A query is a statement, or a part of one, with its arguments.
type query struct {
	sqltext.Statement
	args map[string]argument // by placeholder
}

// An argument is an expression, or a field of one.
type argument struct {
	expr ast.Expr
	typ  types.Type
}

// The packages whose calls can't be read from their parameters alone.
const (
	gorm = "gorm.io/gorm"
	bun  = "github.com/uptrace/bun"
	pgx  = "github.com/jackc/pgx/"
)

// textNames are the names of parameters that are SQL.
var textNames = map[string]bool{"query": true, "sql": true, "stmt": true, "statement": true}

// callee returns the function that is called, if one is.
func (c checker) callee(call *ast.CallExpr) *types.Func {
	fun, _ := typeutil.Callee(c.pass.TypesInfo, call).(*types.Func)
	return fun
}

// textAt returns the index of the parameter of SQL, before the last one, or -1.
func (c checker) textAt(fun *types.Func, call *ast.CallExpr) int {
	params := fun.Signature().Params()
	i := params.Len() - 2
	if i < 0 || i >= len(call.Args) || !textNames[params.At(i).Name()] {
		return -1
	}
	if t, ok := params.At(i).Type().Underlying().(*types.Basic); !ok || t.Kind() != types.String {
		return -1
	}
	last := params.At(i + 1).Type()
	if s, ok := last.(*types.Slice); ok && fun.Signature().Variadic() {
		last = s.Elem()
	} else if !strings.HasPrefix(fun.Name(), "Named") { // sqlx.NamedExec, and functions that call it
		return -1
	}
	if !types.IsInterface(last) {
		return -1
	}
	return i
}

// queries returns the SQL of a call: none, one, or the conditions of a chain of GORM.
func (c checker) queries(call *ast.CallExpr) []query {
	fun := c.callee(call)
	if fun == nil {
		return nil
	}
	if finishers[gormast.Method(c.pass, call)] {
		if list := c.ofTable(call); list != nil {
			return list
		}
	}
	i := c.textAt(fun, call)
	if i < 0 || call.Ellipsis.IsValid() {
		return nil
	}
	var tables map[string]string
	switch fun.Pkg().Path() {
	case gorm:
		if fun.Name() != "Raw" && fun.Name() != "Exec" {
			tables = map[string]string{"": "?"} // there are others than those of the text
		}
	case bun:
		tables = c.bunTables(call)
	}
	return c.query(tables, call.Args[i], call.Args[i+1:])
}

// query reads a text and its arguments. It returns nothing if they don't fit together.
func (c checker) query(tables map[string]string, text ast.Expr, list []ast.Expr) []query {
	q := query{sqltext.Parse(c.values.Text(text), tables), make(map[string]argument)}
	for len(list) > 0 && c.isOption(list[0]) {
		list = list[1:]
	}
	if q.Params > 0 && q.Params != len(list) {
		return nil // one may get several arguments
	}
	for i, arg := range list {
		q.args[strconv.Itoa(i+1)] = c.argument(arg)
		c.named(q.args, arg)
	}
	return []query{q}
}

// isOption reports whether an argument is an option of pgx, which belongs to no placeholder.
func (c checker) isOption(arg ast.Expr) bool {
	named, ok := types.Unalias(c.pass.TypesInfo.TypeOf(arg)).(*types.Named)
	return ok && named.Obj().Pkg() != nil && strings.HasPrefix(named.Obj().Pkg().Path(), pgx) && strings.HasPrefix(named.Obj().Name(), "Query")
}

// argument returns an argument without what wraps it.
func (c checker) argument(arg ast.Expr) argument {
	arg = ast.Unparen(arg)
	if call, ok := arg.(*ast.CallExpr); ok && len(call.Args) == 1 {
		switch fun := c.values.Callee(call); {
		case c.pass.TypesInfo.Types[call.Fun].IsType() && types.IsInterface(c.pass.TypesInfo.TypeOf(call)),
			fun == "github.com/lib/pq.Array", fun == bun+".In", fun == bun+".List", fun == bun+"/dialect/pgdialect.Array":
			return c.argument(call.Args[0])
		}
	}
	return argument{arg, c.pass.TypesInfo.TypeOf(arg)}
}

// named adds the arguments that have names: of sql.Named, of a map such as pgx.NamedArgs,
// and of a struct of sqlx.
func (c checker) named(args map[string]argument, arg ast.Expr) {
	switch arg := c.values.Value(arg).(type) {
	case *ast.CallExpr:
		if c.values.Callee(arg) == "database/sql.Named" {
			args[c.values.Text(arg.Args[0])] = c.argument(arg.Args[1])
		}
	case *ast.CompositeLit:
		for _, elem := range arg.Elts {
			if pair, ok := elem.(*ast.KeyValueExpr); ok {
				if name := c.values.Text(pair.Key); name != "" {
					args[name] = c.argument(pair.Value)
				}
			}
		}
	}
	for name, t := range fields(c.pass.TypesInfo.TypeOf(arg)) {
		if _, ok := args[name]; !ok {
			args[name] = argument{arg, t}
		}
	}
}

// fields returns the columns of a struct, or of what leads to one, by its tags db or bun.
func fields(t types.Type) map[string]types.Type {
	columns := make(map[string]types.Type)
	if row := gormast.Row(t); row != nil {
		s := row.Underlying().(*types.Struct)
		for i := range s.NumFields() {
			tag := reflect.StructTag(s.Tag(i))
			name, _, _ := strings.Cut(tag.Get("db")+tag.Get("bun"), ",")
			if name == "" {
				name = gormast.ColumnName(s.Field(i).Name())
			}
			columns[strings.ToLower(name)] = s.Field(i).Type()
		}
	}
	return columns
}

// finishers are the methods that end a chain of GORM on db.Table.
var finishers = map[string]bool{"Count": true, "Pluck": true, "Scan": true, "Row": true, "Rows": true, "Find": true, "Take": true, "Update": true, "Updates": true, "UpdateColumn": true, "UpdateColumns": true, "Delete": true}

// ofTable returns the conditions of a chain of GORM on a table without a model, which the
// plugin doesn't read: db.Table("users").Where("id = ?", text).Count(&n).
func (c checker) ofTable(call *ast.CallExpr) (list []query) {
	table := ""
	for link := range gormast.Chain(call) {
		switch gormast.Method(c.pass, link) {
		case "Model":
			return nil
		case "Table":
			table = strings.ToLower(c.values.Text(link.Args[0]))
		}
	}
	if table == "" || len(call.Args) > 0 && gormast.Row(c.pass.TypesInfo.TypeOf(call.Args[0])) != nil {
		return nil
	}
	for link := range gormast.Chain(call) {
		switch gormast.Method(c.pass, link) {
		case "Where", "Or", "Not":
			list = append(list, c.query(map[string]string{table: table}, link.Args[0], link.Args[1:])...)
		}
	}
	return list
}

// bunTables returns the table of the model of a chain of bun.
func (c checker) bunTables(call *ast.CallExpr) map[string]string {
	for link := range gormast.Chain(call) {
		if model := c.bunModel(link); model != nil {
			return bunTable(model)
		}
	}
	return nil
}

// bunModel returns the model of a call of bun's Model, or nil.
func (c checker) bunModel(call *ast.CallExpr) *types.Named {
	if fun := c.callee(call); fun == nil || fun.Name() != "Model" || fun.Pkg().Path() != bun {
		return nil
	}
	return gormast.Model(c.pass.TypesInfo.TypeOf(call.Args[0]))
}

// bunTable returns the table of a model by its name and its alias.
func bunTable(model *types.Named) map[string]string {
	alias := gormast.ColumnName(model.Obj().Name())
	table := alias + "s"
	s := model.Underlying().(*types.Struct)
	for i := range s.NumFields() {
		if !s.Field(i).Embedded() {
			continue
		}
		for option := range strings.SplitSeq(reflect.StructTag(s.Tag(i)).Get("bun"), ",") {
			switch key, value, _ := strings.Cut(option, ":"); key {
			case "table":
				table = value
			case "alias":
				alias = value
			}
		}
	}
	return map[string]string{table: table, alias: table}
}

// A result is a column, and the variable or the field into which a call reads it.
type result struct {
	from sqltext.Column
	dest argument
}

// results returns what a call reads: row.Scan(&id), or sqlx.Get(&row, query).
func (c checker) results(call *ast.CallExpr) (list []result) {
	fun := c.callee(call)
	if fun == nil {
		return nil
	}
	if i := c.textAt(fun, call); i > 0 {
		return c.byName(call, call.Args[i-1])
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || fun.Name() != "Scan" && fun.Name() != "StructScan" {
		return nil
	}
	source, ok := c.values.Value(sel.X).(*ast.CallExpr)
	if !ok {
		return nil
	}
	if len(call.Args) == 1 && gormast.Row(c.pass.TypesInfo.TypeOf(call.Args[0])) != nil {
		list = c.byName(source, call.Args[0])
	}
	for _, q := range c.queries(source) {
		for i := range min(len(q.Results), len(call.Args)) {
			list = append(list, result{q.Results[i], c.argument(call.Args[i])})
		}
	}
	return list
}

// byName returns the fields of a struct, if dest leads to one, that get the columns with
// their names.
func (c checker) byName(source *ast.CallExpr, dest ast.Expr) (list []result) {
	for name, t := range fields(c.pass.TypesInfo.TypeOf(dest)) {
		for _, q := range c.queries(source) {
			for _, column := range q.Results {
				if column.Name == name || column.Name == "*" {
					list = append(list, result{sqltext.Column{Table: column.Table, Name: name}, argument{dest, t}})
				}
			}
		}
	}
	return list
}

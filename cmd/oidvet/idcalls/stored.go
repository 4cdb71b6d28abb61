package idcalls

import (
	"go/ast"
	"go/constant"
	"go/types"
	"iter"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/ids"
)

// stored reports zero IDs where NULL is meant, and rows and documents that get no key.
func (c checker) stored(fun *types.Func, call *ast.CallExpr) {
	if c.changes(fun, call.Args) {
		for _, arg := range call.Args {
			c.zeros(arg, "nil")
		}
	}
	switch path := fun.Pkg().Path(); {
	case fun.Name() == "InsertOne" && strings.HasPrefix(path, "go.mongodb.org/mongo-driver/"):
		c.document(call.Args)
	case fun.Name() == "WithModels" && path == ids.Root+"/gormplugin":
		for _, arg := range call.Args {
			c.model(arg)
		}
	}
}

// changes reports whether a call of GORM changes columns, or one of database/sql or pgx runs
// a constant INSERT or UPDATE.
func (c checker) changes(fun *types.Func, args []ast.Expr) bool {
	switch fun.Pkg().Path() {
	case "gorm.io/gorm":
		return changers.MatchString(fun.Name())
	case "database/sql", "github.com/jackc/pgx/v5", "github.com/jackc/pgx/v5/pgxpool":
		return strings.HasPrefix(fun.Name(), "Exec") && slices.ContainsFunc(args, func(arg ast.Expr) bool {
			value := c.pass.TypesInfo.Types[arg].Value
			return value != nil && value.Kind() == constant.String && statement.MatchString(constant.StringVal(value))
		})
	}
	return false
}

var (
	changers  = regexp.MustCompile(`^Update(s|Columns?)?$`)
	statement = regexp.MustCompile(`(?i)^\s*(insert|update)\s`)
)

// zeros reports oid.ID{} as an argument, or as a value of a map.
func (c checker) zeros(arg ast.Expr, instead string) {
	lit, ok := ast.Unparen(arg).(*ast.CompositeLit)
	if !ok {
		return
	}
	t := c.pass.TypesInfo.TypeOf(lit)
	if m, ok := t.Underlying().(*types.Map); ok {
		if !types.IsInterface(m.Elem()) {
			instead = "" // nil doesn't compile
		}
		for _, elem := range lit.Elts {
			c.zeros(elem.(*ast.KeyValueExpr).Value, instead)
		}
	}
	zeroIsNull := ids.IsNamed(t, ids.Root+"/sqltype", "ZeroNull") || ids.IsNamed(t, ids.Root+"/sqltype", "ZeroNullFor")
	if len(lit.Elts) == 0 && ids.Is(t) && !zeroIsNull {
		c.report(arg, "this stores a zero ID, which is not NULL: pass nil", instead)
	}
}

// document reports a document whose field ID has no tag.
func (c checker) document(args []ast.Expr) {
	if len(args) < 2 {
		return // InsertOne(f())
	}
	id := false
	for field, tag := range fields(c.pass.TypesInfo.TypeOf(args[1])) {
		name, _, _ := strings.Cut(reflect.StructTag(tag).Get("bson"), ",")
		if name == "_id" || field.Embedded() {
			return
		}
		id = id || name == "" && field.Name() == "ID" && ids.IsColumn(field.Type())
	}
	if id {
		c.report(args[1], "MongoDB's driver stores the field ID as \"id\", and makes another _id: give the field the tag `bson:\"_id\"`", "")
	}
}

// model reports a model without an ID, or with the key of gorm.Model, for which the plugin
// makes no key.
func (c checker) model(arg ast.Expr) {
	some, embeds := false, false
	for field := range fields(c.pass.TypesInfo.TypeOf(arg)) {
		if field.Embedded() && ids.IsNamed(field.Type(), "gorm.io/gorm", "Model") {
			c.report(arg, "this model has the integer key of gorm.Model, so the plugin makes no key for it: embed gormplugin.Model", "")
			return
		}
		embeds = embeds || field.Embedded() || ids.IsColumn(field.Type())
		some = true
	}
	if some && !embeds {
		c.report(arg, "this model has no field with an ID type, so the plugin makes no key for it: add the field ID oid.ID", "")
	}
}

// fields returns the fields of a struct, or of one that t points to, with their tags.
func fields(t types.Type) iter.Seq2[*types.Var, string] {
	return func(yield func(*types.Var, string) bool) {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		s, ok := t.Underlying().(*types.Struct)
		for i := 0; ok && i < s.NumFields() && yield(s.Field(i), s.Tag(i)); i++ {
		}
	}
}

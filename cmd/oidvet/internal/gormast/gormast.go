// Package gormast reads calls of GORM in a program, and the models in them.
package gormast

import (
	"go/ast"
	"go/types"
	"iter"
	"reflect"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/ids"
)

// Method returns the name of the method of *gorm.DB that is called, or "".
func Method(pass *analysis.Pass, call *ast.CallExpr) string {
	fun := typeutil.StaticCallee(pass.TypesInfo, call)
	if fun == nil || fun.Signature().Recv() == nil || !ids.IsNamed(fun.Signature().Recv().Type(), "gorm.io/gorm", "DB") {
		return ""
	}
	return fun.Name()
}

// Chain returns the calls before call in its chain, the last one first.
func Chain(call *ast.CallExpr) iter.Seq[*ast.CallExpr] {
	return func(yield func(*ast.CallExpr) bool) {
		for {
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return
			}
			if call, ok = ast.Unparen(sel.X).(*ast.CallExpr); !ok || !yield(call) {
				return
			}
		}
	}
}

// Model returns the struct type of a model: what pointers, slices and arrays of it
// lead to. It returns nil for other types, and for structs without a name.
func Model(t types.Type) *types.Named {
	named, _ := types.Unalias(Row(t)).(*types.Named)
	return named
}

// Row returns the struct type, with a name or without one, that pointers, slices and
// arrays of it lead to. It returns nil for other types.
func Row(t types.Type) types.Type {
	for t != nil {
		switch u := t.Underlying().(type) {
		case *types.Struct:
			return types.Unalias(t)
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

// A Field is a field of a struct, or of a struct embedded in it.
type Field struct {
	Name   string
	Type   types.Type
	Column string            // in lower case
	Tag    map[string]string // the settings of the tag gorm, all in lower case
}

// Fields returns the fields of a type whose underlying type is a struct.
func Fields(row types.Type) iter.Seq[Field] {
	return func(yield func(Field) bool) {
		seen := make(map[*types.Struct]bool)
		var walk func(s *types.Struct, prefix string) bool
		walk = func(s *types.Struct, prefix string) bool {
			if seen[s] {
				return true
			}
			seen[s] = true
			for i := range s.NumFields() {
				field, tag := s.Field(i), settings(s.Tag(i))
				if when, ok := tag["-"]; ok && when != "migration" {
					continue
				}
				if inner, ok := Deref(field.Type()).Underlying().(*types.Struct); ok {
					if _, ok := tag["embedded"]; ok || field.Embedded() {
						if !walk(inner, prefix+tag["embeddedprefix"]) {
							return false
						}
						continue
					}
				}
				name, ok := tag["column"]
				if !ok {
					name = ColumnName(field.Name())
				}
				if !yield(Field{Name: field.Name(), Type: field.Type(), Column: prefix + name, Tag: tag}) {
					return false
				}
			}
			return true
		}
		walk(row.Underlying().(*types.Struct), "")
	}
}

// settings returns the settings in a field's gorm tag, in lower case.
func settings(tag string) map[string]string {
	found := make(map[string]string)
	for setting := range strings.SplitSeq(reflect.StructTag(tag).Get("gorm"), ";") {
		name, value, _ := strings.Cut(setting, ":")
		found[strings.ToLower(strings.TrimSpace(name))] = strings.ToLower(strings.TrimSpace(value))
	}
	return found
}

// Deref returns what a pointer points to. It returns other types unchanged.
func Deref(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

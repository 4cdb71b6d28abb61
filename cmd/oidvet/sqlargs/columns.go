package sqlargs

import (
	"go/ast"
	"go/constant"
	"go/types"
	"regexp"
	"strings"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/gormast"
	"github.com/oidkit/oidkit/cmd/oidvet/internal/ids"
	"github.com/oidkit/oidkit/cmd/oidvet/internal/sqltext"
)

// A column is what a package shows of a column.
type column struct {
	ids   bool // some value is an ID
	other bool // a table with a column of that name holds something else

	storesBytes, storesText, comparesBytes bool
	textType, bytesType                    bool // as CREATE TABLE says

	declared, stored map[types.Type]bool // the models of typed IDs
}

// holdsBytes reports whether the column is one of 12 bytes, which no text equals.
func (c *column) holdsBytes() bool {
	return !c.textType && (c.storesBytes || c.bytesType || c.comparesBytes && !c.storesText)
}

// model returns the only model whose IDs the column holds. What a statement stores tells
// less than the types into which the package reads the column.
func (c *column) model(stores bool) types.Type {
	models := c.declared
	if len(models) == 0 && !stores {
		models = c.stored
	}
	if len(models) == 1 {
		for model := range models {
			return model
		}
	}
	return nil
}

// of returns what is known of a column.
func (c checker) of(name sqltext.Column) *column {
	if c.columns[name] == nil {
		c.columns[name] = &column{declared: make(map[types.Type]bool), stored: make(map[types.Type]bool)}
	}
	return c.columns[name]
}

var (
	texts = regexp.MustCompile(`char|text|^string$|^uuid$`)
	bytes = regexp.MustCompile(`^(bytea|objectid|(var)?binary|blob|raw)$`)
)

// tables learns from the tables that a text creates.
func (c checker) tables(text string) {
	for name, t := range sqltext.Types(text) {
		column := c.of(name)
		switch {
		case texts.MatchString(t):
			column.textType = true
		case bytes.MatchString(t):
			column.bytesType = true
			column.ids = column.ids || t == "objectid"
		default:
			column.other = true
		}
	}
}

// learn learns from an argument.
func (c checker) learn(m sqltext.Meeting, arg argument) {
	column := c.of(m.Column)
	stores := m.Op == ""
	switch kind, model := c.kindOf(arg); kind {
	case id:
		column.ids = true
		column.storesBytes = column.storesBytes || stores
		column.comparesBytes = column.comparesBytes || !stores
		if model != nil && stores {
			column.stored[canonical(column.stored, model)] = true
		}
	case hexID:
		column.ids, column.textType = true, true
	case text:
		column.storesText = column.storesText || stores
	case number:
		column.other = column.other || stores
	}
}

// learnResult learns from a variable or a field into which a column is read.
func (c checker) learnResult(r result) {
	column := c.of(r.from)
	switch kind, model := c.kindOf(r.dest); kind {
	case id:
		column.ids = true
		if model != nil {
			column.declared[canonical(column.declared, model)] = true
		}
	case hexID:
		column.ids, column.textType = true, true
	case moment, number:
		column.other = true
	}
}

// models learns from the fields of a model of GORM or bun.
func (c checker) models(call *ast.CallExpr) {
	if model := c.bunModel(call); model != nil {
		for name, t := range fields(model) {
			for _, table := range bunTable(model) {
				c.learnField(sqltext.Column{Table: table, Name: name}, t)
			}
		}
	}
	if gormast.Method(c.pass, call) == "" || len(call.Args) == 0 {
		return
	}
	if model := gormast.Model(c.pass.TypesInfo.TypeOf(call.Args[0])); model != nil && !ids.HasMethod(types.NewPointer(model), "TableName") {
		for field := range gormast.Fields(model) {
			c.learnField(sqltext.Column{Table: gormast.ColumnName(model.Obj().Name()) + "s", Name: field.Column}, field.Type)
		}
	}
}

// learnField learns from a field of a model, which stores its column and is read from it.
func (c checker) learnField(name sqltext.Column, t types.Type) {
	arg := argument{nil, t}
	c.learn(sqltext.Meeting{Column: name}, arg)
	c.learnResult(result{name, arg})
}

// canonical returns the type of the set that is identical to t, or t.
func canonical(set map[types.Type]bool, t types.Type) types.Type {
	for other := range set {
		if types.Identical(other, t) {
			return other
		}
	}
	return t
}

type kind int

const (
	unknown kind = iota
	id           // an ID that is sent as 12 bytes
	hexID        // an ID that is sent as text
	text
	moment // a time
	number
)

// kindOf returns what an argument is, or what the elements of a list are, and the
// model of a typed ID.
func (c checker) kindOf(arg argument) (kind, types.Type) {
	t := arg.typ
	for {
		switch u := types.Unalias(t).(type) {
		case *types.Pointer:
			t = u.Elem()
			continue
		case *types.Named:
			if ids.IsNamed(u, "database/sql", "Null") {
				t = u.TypeArgs().At(0)
				continue
			}
		}
		if elem := ids.Elem(t); elem != nil && !ids.Is(t) {
			t = elem
			continue
		}
		break
	}
	basic, _ := t.Underlying().(*types.Basic)
	switch {
	case ids.IsBinaryColumn(t):
		return id, ids.Model(t)
	case ids.Is(t):
		return hexID, nil
	case ids.IsNamed(t, "time", "Time"), ids.IsNamed(t, "database/sql", "NullTime"):
		return moment, nil
	case ids.IsNamed(t, "database/sql", "NullString"):
		return text, nil
	case basic != nil && basic.Info()&types.IsString != 0 && !ids.HasMethod(t, "Value") && !c.isRaw(arg.expr):
		return text, nil
	}
	if basic != nil && basic.Info()&types.IsNumeric != 0 && basic.Kind() != types.Byte {
		return number, nil
	}
	return unknown, nil
}

// isRaw reports whether a text may be the 12 bytes themselves, or the form of bytea in
// PostgreSQL that begins with \x.
func (c checker) isRaw(expr ast.Expr) bool {
	if expr == nil {
		return false
	}
	if call, ok := c.values.Value(expr).(*ast.CallExpr); ok && c.pass.TypesInfo.Types[call.Fun].IsType() {
		return true
	}
	raw := false
	ast.Inspect(c.values.Value(expr), func(n ast.Node) bool {
		lit, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		if v := c.pass.TypesInfo.Types[lit].Value; v != nil && v.Kind() == constant.String && strings.HasPrefix(constant.StringVal(v), `\x`) {
			raw = true
		}
		return true
	})
	return raw
}

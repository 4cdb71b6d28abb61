package write

import (
	"reflect"
	"slices"

	"github.com/oidkit/oidkit/gormplugin/internal/model"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// GORM gives what an INSERT returns to its rows by their order. If the INSERT skipped
// rows, a row would get the key that the database made for another. The plugin therefore
// has GORM read what comes back into a list of its own, and finds the row of each itself.

// A returning is a RETURNING clause. GORM reads what it returns into a list of the pass.
type returning struct {
	clause.Returning
	pass *Pass
}

// Build writes the clause. GORM has taken the values of the rows by now, and reads what
// comes back into Dest.
func (r returning) Build(builder clause.Builder) {
	r.Returning.Build(builder)
	stmt := r.pass.stmt
	r.pass.dest, r.pass.destValue = stmt.Dest, stmt.ReflectValue
	list := reflect.New(reflect.SliceOf(stmt.Schema.ModelType))
	stmt.Dest, stmt.ReflectValue = list.Interface(), list.Elem()
}

// capture makes GORM read what the INSERT returns into a list of the pass.
func (s *Pass) capture() {
	c := s.stmt.Clauses["RETURNING"]
	columns, _ := c.Expression.(clause.Returning)
	s.stmt.Clauses["RETURNING"] = clause.Clause{Name: "RETURNING", Expression: returning{columns, s}}
}

// share gives each row what the INSERT returned for it. It returns the rows for which
// nothing came back, and all rows if the pass has not read what came back.
func (s *Pass) share() (rest []model.Row) {
	rows := slices.Collect(s.rows.All())
	if s.dest == nil {
		return rows
	}
	list := s.stmt.ReflectValue
	s.stmt.Dest, s.stmt.ReflectValue, s.dest = s.dest, s.destValue, nil
	if s.Error != nil {
		return rows
	}
	columns, _ := s.stmt.Clauses["RETURNING"].Expression.(returning)
	for i, of := range s.match(rows, list) {
		if of < 0 {
			rest = append(rest, rows[i])
			continue
		}
		for _, field := range s.stmt.Schema.Fields {
			if field.DBName != "" && columns.has(field) {
				rows[i].Set(s.stmt.Context, field, field.ReflectValueOf(s.stmt.Context, list.Index(of)))
			}
		}
	}
	return rest
}

// has reports whether the clause returns the column of field.
func (r returning) has(field *schema.Field) bool {
	return len(r.Columns) == 0 || slices.ContainsFunc(r.Columns, func(c clause.Column) bool { return c.Name == "*" || c.Name == field.DBName })
}

// match returns for each row its place in list, which holds what was returned, in the
// order of the rows. The place is -1 if nothing was returned for the row, or if it isn't
// known what.
func (s *Pass) match(rows []model.Row, list reflect.Value) (places []int) {
	var came []oid.ID // those whose row isn't known
	at := map[oid.ID]int{}
	for j := range list.Len() {
		id := model.Row{Value: list.Index(j)}.ID(s.stmt.Context, s.plan.Key)
		came, at[id] = append(came, id), j
	}
	take := func(i int, id oid.ID) {
		places[i] = at[id]
		came = slices.DeleteFunc(came, func(other oid.ID) bool { return other == id })
	}
	var open []int // places of rows
	for i, row := range rows {
		places = append(places, -1)
		switch id := row.ID(s.stmt.Context, s.plan.Key); {
		case len(rows) == list.Len():
			places[i] = i
		case s.isMade(row):
			open = append(open, i)
		case slices.Contains(came, id):
			take(i, id)
		case !s.conflict.DoNothing:
			open = append(open, i)
		}
	}
	if len(rows) == list.Len() {
		return places
	}
	if len(open) == len(came) {
		for k, id := range slices.Clone(came) {
			take(open[k], id)
		}
		return places
	}
	var asked []model.Row
	for _, i := range open {
		asked = append(asked, rows[i])
	}
	for k, found := range s.conflicting(asked, s.plan.Uniques(), nil) {
		if len(found) == 1 && slices.Contains(came, found[0]) {
			take(open[k], found[0])
		}
	}
	return places
}

package write

import (
	"maps"
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

// withKey returns the RETURNING clause of the statement, or the one that GORM would add,
// with the key.
func (s *Pass) withKey() (all clause.Returning) {
	all, asked := s.stmt.Clauses["RETURNING"].Expression.(clause.Returning)
	if !asked {
		for _, field := range s.stmt.Schema.FieldsWithDefaultDBValue {
			if field.Readable {
				all.Columns = append(all.Columns, clause.Column{Name: field.DBName})
			}
		}
	}
	if key := s.plan.Key; !has(all, key) || len(all.Columns) == 0 && !asked {
		all.Columns = append(slices.Clip(all.Columns), clause.Column{Name: key.DBName})
	}
	return all
}

// share gives each row what the INSERT returned for it. It returns the rows for which
// nothing came back, and all rows if the pass has not read what came back.
func (s *Pass) share() (rest []model.Row) {
	if s.dest == nil {
		return s.rows
	}
	list := s.stmt.ReflectValue
	s.stmt.Dest, s.stmt.ReflectValue, s.dest = s.dest, s.destValue, nil
	if s.Error != nil {
		return s.rows
	}
	columns, _ := s.stmt.Clauses["RETURNING"].Expression.(returning)
	for i, of := range s.match(list) {
		if of < 0 {
			rest = append(rest, s.rows[i])
			continue
		}
		for _, field := range s.stmt.Schema.Fields {
			if field.DBName != "" && has(columns.Returning, field) {
				s.rows[i].Set(s.stmt.Context, field, field.ReflectValueOf(s.stmt.Context, list.Index(of)))
			}
		}
	}
	return rest
}

// has reports whether the clause returns the column of field.
func has(r clause.Returning, field *schema.Field) bool {
	return len(r.Columns) == 0 || slices.ContainsFunc(r.Columns, func(c clause.Column) bool { return c.Name == "*" || c.Name == field.DBName })
}

// match returns for each row its place in list, which holds what was returned, in the
// order of the rows. The place is -1 if nothing was returned for the row, or if it isn't
// known what.
func (s *Pass) match(list reflect.Value) (places []int) {
	at := map[oid.ID]int{} // what came back for a row that isn't known
	for j := range list.Len() {
		at[model.Row{Value: list.Index(j)}.ID(s.stmt.Context, s.plan.Key)] = j
	}
	var open []int // places of rows
	var rows []model.Row
	for i, row := range s.rows {
		places = append(places, -1)
		id := row.ID(s.stmt.Context, s.plan.Key)
		j, came := at[id]
		switch isMade := s.isMade(row); {
		case list.Len() == len(s.rows): // MariaDB also returns rows that it skipped
			places[i] = i
		case came && !isMade:
			places[i] = j
			delete(at, id)
		case isMade || !s.conflict.DoNothing:
			open, rows = append(open, i), append(rows, row)
		}
	}
	if len(open) == len(at) {
		for k, j := range slices.Sorted(maps.Values(at)) {
			places[open[k]] = j
		}
		return places
	}
	for k, found := range s.conflicting(rows, s.plan.Uniques()) {
		if len(found) != 1 {
			continue
		}
		if j, came := at[found[0]]; came {
			places[open[k]] = j
			delete(at, found[0])
		}
	}
	return places
}

package write

import (
	"reflect"
	"slices"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/gormplugin/internal/model"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// Assign fills assignable fields that are zero with new IDs.
func (s *Pass) Assign() {
	if len(s.plan.Fields) == 0 || s.AddError(s.checkModel()) != nil {
		return
	}
	for _, field := range s.plan.Fields {
		model.Select(s.stmt, field)
		if model.IsSelected(s.stmt, field) && model.IsAssignable(field) {
			s.AddError(s.assignColumn(field))
		}
	}
}

// assignColumn gives a new ID to each row whose field is zero. What else a map has in its
// place becomes an ID when the INSERT is built, or is refused there.
func (s *Pass) assignColumn(field *schema.Field) error {
	s.ids = nil
	for i, row := range s.rows {
		left := len(s.rows) - i
		switch {
		case !row.IsMap && row.Value.CanAddr():
			id := model.IDIn(field.ReflectValueOf(s.stmt.Context, row.Value))
			if id.IsZero() {
				*id = s.next(left)
			}
		case !s.isZero(row, field):
		case !row.IsMap:
			return s.errorf("can't set %s of a struct passed by value: %w", ids.Name(field), gorm.ErrInvalidValue)
		default:
			row.SetID(s.stmt.Context, field, s.next(left))
		}
	}
	return nil
}

// next returns the next new ID. It reserves those of a statement in one step, when the first
// is asked for by a row with which left rows may need one. IDs of rows that turn out to have
// one are not used.
func (s *Pass) next(left int) (id oid.ID) {
	if len(s.ids) == 0 {
		s.ids = s.one[:]
		if left > 1 {
			s.ids = make([]oid.ID, left)
		}
		s.source(s.ids)
	}
	id, s.ids = s.ids[0], s.ids[1:]
	return id
}

// checkModel returns an error if the rows are not of the model. The plugin reads
// and writes fields by their offset in the model. A nil map is refused because GORM
// would store NULL in its key.
func (s *Pass) checkModel() error {
	if slices.ContainsFunc(s.rows, func(row model.Row) bool { return row.IsMap && row.Fields == nil }) {
		return s.errorf("a row is a nil map: %w", gorm.ErrInvalidData)
	}
	if t, model := model.RowType(s.stmt.ReflectValue.Type()), s.stmt.Schema.ModelType; t.Kind() != reflect.Map && !t.ConvertibleTo(model) {
		return s.errorf("a row is %s, not the model %s: %w", t, model, gorm.ErrInvalidData)
	}
	return nil
}

// RefuseZeroKeys makes the INSERT fail if it would store a key that is zero or,
// which SQLite takes as well, left out. Only keys that are not assigned can be.
func (s *Pass) RefuseZeroKeys() {
	remedy := "set it, or tag it oid:auto"
	if s.isJoinTable() {
		remedy = "set the ID of the row that it refers to"
	}
	for _, field := range s.plan.Fields {
		if !field.PrimaryKey || model.HasDefault(field) {
			continue
		}
		isZeroIn := func(r model.Row) bool { return s.isZero(r, field) }
		if !model.IsSelected(s.stmt, field) {
			s.AddError(s.errorf("%s is left out and has no default: %w", ids.Name(field), gorm.ErrPrimaryKeyRequired))
		} else if !model.IsAssignable(field) && slices.ContainsFunc(s.rows, isZeroIn) {
			s.AddError(s.errorf("%s is zero: %s: %w", ids.Name(field), remedy, gorm.ErrPrimaryKeyRequired))
		}
	}
}

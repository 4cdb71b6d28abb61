package write

import (
	"slices"

	"github.com/oidkit/oidkit/gormplugin/internal/model"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

// Assign gives every row that has no ID a new one.
func (s *Pass) Assign() {
	if len(s.plan.Columns) == 0 || s.AddError(s.checkModel()) != nil {
		return
	}
	for _, c := range s.plan.Columns {
		c.SelectInto(s.stmt)
		if c.IsSelected(s.stmt) && c.IsAssignable() {
			s.AddError(s.assignColumn(c))
		}
	}
}

// assignColumn gives a new ID to each row whose field c is zero. What else a map has in its
// place becomes an ID when the INSERT is built, or is refused there.
func (s *Pass) assignColumn(c *model.Column) error {
	made := supply{source: s.source, left: s.rows.Len()}
	for row := range s.rows.All() {
		switch {
		case !row.IsMap && row.Value.CanAddr():
			id := c.ID(c.Field.ReflectValueOf(s.stmt.Context, row.Value))
			if id.IsZero() {
				*id = made.next()
			}
		case !ids.IsZero(row.ValueOf(s.stmt.Context, c.Field)):
		case !row.IsMap:
			return s.errorf("can't set %s of a struct passed by value: %w", c, gorm.ErrInvalidValue)
		default:
			row.SetID(s.stmt.Context, c, made.next())
		}
		made.left--
	}
	return nil
}

// checkModel returns an error if the rows are not of the model. The plugin reads
// and writes fields by their offset in the model. A nil map is refused because GORM
// would store NULL in its key.
func (s *Pass) checkModel() error {
	if s.rows.IsMaps {
		if slices.ContainsFunc(s.rows.Maps, func(row map[string]any) bool { return row == nil }) {
			return s.errorf("a row is a nil map: %w", gorm.ErrInvalidData)
		}
		return nil
	}
	if t, model := model.RowType(s.rows.Structs.Type()), s.stmt.Schema.ModelType; !t.ConvertibleTo(model) {
		return s.errorf("a row is %s, not the model %s: %w", t, model, gorm.ErrInvalidData)
	}
	return nil
}

// A Source makes new IDs, one or many.
type Source struct {
	New  func() oid.ID
	Fill func([]oid.ID)
}

// A supply hands out the new IDs of one statement. It reserves them in one step,
// when the first is asked for. IDs of rows that turn out to have one are not used.
type supply struct {
	source *Source
	left   int // how many rows may need one, with the present one
	ids    []oid.ID
}

// next returns the next id.
func (s *supply) next() (id oid.ID) {
	if s.ids == nil {
		if s.left == 1 {
			return s.source.New()
		}
		s.ids = make([]oid.ID, s.left)
		s.source.Fill(s.ids)
	}
	id, s.ids = s.ids[0], s.ids[1:]
	return id
}

// RefuseZeroKeys makes the INSERT fail if it would store a key that is zero or,
// which SQLite takes as well, left out. Only keys that are not assigned can be.
func (s *Pass) RefuseZeroKeys() {
	for _, c := range s.plan.Columns {
		if !c.Field.PrimaryKey || c.HasDefault() {
			continue
		}
		isZeroIn := func(r model.Row) bool { return ids.IsZero(r.ValueOf(s.stmt.Context, c.Field)) }
		if !c.IsSelected(s.stmt) {
			s.AddError(s.errorf("%s is left out and has no default: %w", c, gorm.ErrPrimaryKeyRequired))
		} else if !c.IsAssignable() && s.rows.Any(isZeroIn) {
			s.AddError(s.errorf("%s is zero: set it, or tag it oid:auto: %w", c, gorm.ErrPrimaryKeyRequired))
		}
	}
}

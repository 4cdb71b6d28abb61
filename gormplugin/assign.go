package gormplugin

import (
	"slices"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

// assign gives every row that has no ID a new one.
func (s *pass) assign() {
	if len(s.plan.columns) == 0 || s.AddError(s.checkModel()) != nil {
		return
	}
	for _, c := range s.plan.columns {
		c.selectInto(s.stmt)
		if c.isSelected(s.stmt) && c.isAssignable() {
			s.AddError(s.assignColumn(c))
		}
	}
}

// assignColumn gives a new ID to each row whose field c is zero. What else a map has in its
// place becomes an ID when the INSERT is built, or is refused there.
func (s *pass) assignColumn(c *column) error {
	made := supply{plugin: s.plugin, left: s.rows.len()}
	for row := range s.rows.all() {
		switch {
		case !row.isMap && row.value.CanAddr():
			id := c.id(c.field.ReflectValueOf(s.stmt.Context, row.value))
			if id.IsZero() {
				*id = made.next()
			}
		case !ids.IsZero(row.valueOf(s.stmt.Context, c.field)):
		case !row.isMap:
			return s.errorf("can't set %s of a struct passed by value: %w", c, gorm.ErrInvalidValue)
		default:
			row.setID(s.stmt.Context, c, made.next())
		}
		made.left--
	}
	return nil
}

// checkModel returns an error if the rows are not of the model. The plugin reads
// and writes fields by their offset in the model. A nil map is refused because GORM
// would store NULL in its key.
func (s *pass) checkModel() error {
	if s.rows.isMaps {
		if slices.ContainsFunc(s.rows.maps, func(row map[string]any) bool { return row == nil }) {
			return s.errorf("a row is a nil map: %w", gorm.ErrInvalidData)
		}
		return nil
	}
	if t, model := rowType(s.rows.structs.Type()), s.stmt.Schema.ModelType; !t.ConvertibleTo(model) {
		return s.errorf("a row is %s, not the model %s: %w", t, model, gorm.ErrInvalidData)
	}
	return nil
}

// A supply hands out the new IDs of one statement. It reserves them in one step,
// when the first is asked for. IDs of rows that turn out to have one are not used.
type supply struct {
	plugin *plugin
	left   int // how many rows may need one, with the present one
	ids    []oid.ID
}

// next returns the next id.
func (s *supply) next() (id oid.ID) {
	if s.ids == nil {
		if s.left == 1 {
			return s.plugin.newID()
		}
		s.ids = make([]oid.ID, s.left)
		s.plugin.fill(s.ids)
	}
	id, s.ids = s.ids[0], s.ids[1:]
	return id
}

// isSelected reports whether the statement writes c.
func (c *column) isSelected(stmt *gorm.Statement) bool {
	if len(stmt.Selects) == 0 && len(stmt.Omits) == 0 {
		return c.field.Creatable
	}
	columns, restricted := stmt.SelectAndOmitColumns(true, false)
	selected, named := columns[c.field.DBName]
	return selected || !named && !restricted
}

// selectInto makes the statement write c where a Select leaves it out. A key is
// never optional. It is left out only if the statement or a tag names it for that.
func (c *column) selectInto(stmt *gorm.Statement) {
	if c.isSelected(stmt) {
		return
	}
	columns, _ := stmt.SelectAndOmitColumns(true, false)
	if _, omitted := columns[c.field.DBName]; !omitted {
		// Clip, because a session that is used again holds the same slice.
		stmt.Selects = append(slices.Clip(stmt.Selects), c.field.DBName)
	}
}

// refuseZeroKeys makes the INSERT fail if it would store a key that is zero or,
// which SQLite takes as well, left out. Only keys that are not assigned can be.
func (s *pass) refuseZeroKeys() {
	for _, c := range s.plan.columns {
		if !c.field.PrimaryKey || c.hasDefault() {
			continue
		}
		isZeroIn := func(r row) bool { return ids.IsZero(r.valueOf(s.stmt.Context, c.field)) }
		if !c.isSelected(s.stmt) {
			s.AddError(s.errorf("%s is left out and has no default: %w", c, gorm.ErrPrimaryKeyRequired))
		} else if !c.isAssignable() && s.rows.any(isZeroIn) {
			s.AddError(s.errorf("%s is zero: set it, or tag it oid:auto: %w", c, gorm.ErrPrimaryKeyRequired))
		}
	}
}

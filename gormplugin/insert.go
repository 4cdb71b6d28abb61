package gormplugin

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"sync"

	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
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

// rowType returns the type of one row in t, which may be a list of rows or of pointers.
func rowType(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = t.Elem()
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
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

// A pass is what the plugin knows of an INSERT or UPDATE, from its first callback to its
// last.
type pass struct {
	*gorm.DB
	plugin *plugin
	stmt   *gorm.Statement
	plan   *plan
	rows   rows
	owner  *schema.Schema // of the rows whose associations the statement saves, or nil

	conflict  clause.OnConflict // of an INSERT whose rows may be stored under other IDs
	unsettled bool              // it is not known under which
	guarded   bool              // it is a Save that must not update another row
	kept      []keptKey         // the keys before an UPDATE

	dest      any // of the statement, while GORM reads what the INSERT returns into a list
	destValue reflect.Value
}

var passes = sync.Pool{New: func() any { return new(pass) }}

// place is where a statement keeps its pass, among its clauses. GORM builds no clause of
// this name.
const place = "oidkit"

// Build writes nothing. With this method, a pass implements clause.Expression.
func (*pass) Build(clause.Builder) {}

// begin makes the pass of a statement that is about to be built. It is nil after an
// error, and if the plugin has nothing to do.
func (p *plugin) begin(db *gorm.DB) *pass {
	stmt := db.Statement
	delete(stmt.Clauses, place) // of a chain that is used again
	owner, _ := stmt.Settings.LoadAndDelete(outer)
	if !isBuilding(db) {
		return nil
	}
	pl := p.plan(stmt.Schema)
	if pl.err != nil {
		db.AddError(pl.err)
		return nil
	}
	if !pl.hasIDs {
		return nil
	}
	s := passes.Get().(*pass)
	*s = pass{DB: db, plugin: p, stmt: stmt, plan: pl, rows: rowsOf(stmt)}
	s.owner, _ = owner.(*schema.Schema)
	stmt.Clauses[place] = clause.Clause{Name: place, Expression: s}
	return s
}

// passOf returns the pass of the statement, nil if there is none.
func passOf(db *gorm.DB) *pass {
	s, _ := db.Statement.Clauses[place].Expression.(*pass)
	return s
}

// end forgets the pass.
func (s *pass) end() {
	delete(s.stmt.Clauses, place)
	*s = pass{}
	passes.Put(s)
}

// outer is the setting in which a statement leaves its schema for those that GORM sends
// for it, which are saves of associations. GORM copies the settings to these.
const outer = "oidkit:outer"

// leaveSchema runs before GORM saves associations.
func leaveSchema(db *gorm.DB) {
	s := db.Statement.Schema
	if s != nil && len(s.Relationships.Many2Many) > 0 {
		db.Statement.Settings.Store(outer, s)
	}
}

// A keptKey is a key of a row of an UPDATE, and its value before.
type keptKey struct {
	place, value reflect.Value
}

// isBuilding reports whether GORM goes on to build a statement of a model.
func isBuilding(db *gorm.DB) bool {
	return db.Error == nil && db.Statement.Schema != nil && db.Statement.SQL.Len() == 0
}

// errorf returns an error of an INSERT, in the form of the call that made it.
func (s *pass) errorf(format string, args ...any) error {
	return fmt.Errorf("gormplugin.Create(%s): %w", s.written(), fmt.Errorf(format, args...))
}

// written names what the statement writes. GORM makes the types of join tables, which have no
// name.
func (s *pass) written() string {
	if s.stmt.Schema.ModelType.Name() == "" {
		return s.stmt.Schema.Table
	}
	return fmt.Sprintf("%T", s.stmt.Dest)
}

// rows are the rows that a statement writes. They are maps or structs.
type rows struct {
	maps    []map[string]any
	structs reflect.Value // a struct, or a list of structs or of pointers to them
	isMaps  bool
}

// rowsOf returns the rows of the statement.
func rowsOf(stmt *gorm.Statement) rows {
	maps, ok := mapRows(stmt.Dest)
	return rows{maps: maps, structs: stmt.ReflectValue, isMaps: ok}
}

// mapRows returns the rows of dest if it is of the types that GORM takes for rows
// in the form of maps.
func mapRows(dest any) (maps []map[string]any, ok bool) {
	switch dest := dest.(type) {
	case map[string]any:
		return []map[string]any{dest}, true
	case *map[string]any:
		return []map[string]any{*dest}, true
	case []map[string]any:
		return dest, true
	case *[]map[string]any:
		return *dest, true
	}
	return nil, false
}

// len returns how many rows there are, with those that are nil.
func (r rows) len() int {
	if r.isMaps {
		return len(r.maps)
	}
	switch r.structs.Kind() {
	case reflect.Struct:
		return 1
	case reflect.Slice, reflect.Array:
		return r.structs.Len()
	}
	return 0
}

// all goes through the rows. It leaves out nil pointers, which GORM reports.
func (r rows) all() iter.Seq[row] {
	return func(yield func(row) bool) {
		for i := range r.len() {
			var one row
			switch {
			case r.isMaps:
				one = row{fields: r.maps[i], isMap: true}
			case r.structs.Kind() == reflect.Struct:
				one = row{value: r.structs}
			default:
				one = row{value: reflect.Indirect(r.structs.Index(i))}
			}
			if (one.isMap || one.value.Kind() == reflect.Struct) && !yield(one) {
				return
			}
		}
	}
}

// any reports whether holds is true of a row.
func (r rows) any(holds func(row) bool) bool {
	for row := range r.all() {
		if holds(row) {
			return true
		}
	}
	return false
}

// A row is one row of a statement. It is a struct or a map.
type row struct {
	value  reflect.Value
	fields map[string]any
	isMap  bool
}

// valueOf returns the value of field in the row.
func (r row) valueOf(ctx context.Context, field *schema.Field) any {
	if r.isMap {
		_, value := entry(r.fields, field)
		return value
	}
	value, _ := field.ValueOf(ctx, r.value)
	return value
}

// id returns the ID that the row has in c. It is zero if there is none.
func (r row) id(ctx context.Context, c *column) (id oid.ID) {
	value := r.valueOf(ctx, c.field)
	if ids.IsZero(value) {
		return oid.ID{}
	}
	id, _ = ids.Of(value) // what is not an ID stays zero
	return id
}

// setID puts id into c. It does nothing for a struct that was passed by value.
func (r row) setID(ctx context.Context, c *column, id oid.ID) {
	if r.isMap {
		name, value := entry(r.fields, c.field)
		if held, _ := value.(*oid.ID); held != nil {
			*held = id
		} else {
			r.fields[name] = id
		}
	} else if r.value.CanAddr() {
		if held := c.field.ReflectValueOf(ctx, r.value); !held.IsZero() || !id.IsZero() {
			*c.id(held) = id
		}
	}
}

// set puts a value of field into the row.
func (r row) set(ctx context.Context, field *schema.Field, value reflect.Value) {
	if r.isMap {
		name, _ := entry(r.fields, field)
		r.fields[name] = value.Interface()
	} else if r.value.CanAddr() {
		field.ReflectValueOf(ctx, r.value).Set(value)
	}
}

// entry returns the entry of fields that GORM takes for field, under its column's
// name and nil if there is none.
func entry(fields map[string]any, field *schema.Field) (name string, value any) {
	for name, value := range fields {
		if field.Schema.LookUpField(name) == field {
			return name, value
		}
	}
	return field.DBName, nil
}

// A plan holds the facts about a model that never change. Relations are not part of
// it, because a schema gets more of them while other models are parsed.
type plan struct {
	schema  *schema.Schema
	hasIDs  bool      // in any column
	columns []*column // that are looked after
	key     *column   // the one that is the whole primary key, nil if there is none
	err     error     // what makes no sense

	once   sync.Once
	unique []unique // by uniques
}

// A column is a field that the plugin looks after. It is a primary key that holds
// an ID, or a field tagged oid:auto.
type column struct {
	field   *schema.Field
	rule    rule
	pointer bool // *oid.ID or *oid.For[T]
}

// A rule says when a column gets a new ID.
type rule int

const (
	never      rule = iota // tagged oid:-, or one part of a composite key
	ownKey                 // unless it turns out to be a foreign key
	everywhere             // tagged oid:auto
)

// plan returns the plan of s.
func (p *plugin) plan(s *schema.Schema) *plan {
	if known, ok := p.plans.Load(s); ok {
		return known.(*plan)
	}
	known, _ := p.plans.LoadOrStore(s, newPlan(s))
	return known.(*plan)
}

func newPlan(s *schema.Schema) *plan {
	pl := &plan{schema: s, hasIDs: slices.ContainsFunc(s.Fields, ids.IsColumn), err: refuseKeys(s)}
	for _, field := range s.Fields {
		if t := field.IndirectFieldType; field.DBName != "" && ids.IsBare(field) {
			pl.err = fmt.Errorf("gormplugin.Model(%s): %s: %s has no methods: write type %s = oid.For[%s]: %w", s.Name, field.Name, t, t.Name(), s.Name, gorm.ErrInvalidField)
		}
		if field.DBName == "" || !ids.IsKey(field) {
			if _, ok := schema.ParseTagSetting(field.Tag.Get("gorm"), ";")["OID"]; ok {
				pl.err = fmt.Errorf("gormplugin.Model(%s): %s: the tag oid is for columns of type oid.ID, not %s", s.Name, field.Name, field.FieldType)
			}
			continue
		}
		c := &column{field: field, pointer: field.FieldType.Kind() == reflect.Pointer}
		switch tag, ok := field.TagSettings["OID"]; {
		case !ok:
			if len(s.PrimaryFields) == 1 {
				c.rule = ownKey
			}
		case tag == "auto":
			c.rule = everywhere
		case tag != "-":
			pl.err = fmt.Errorf("gormplugin.Model(%s): %s: tag oid:%s, want oid:auto or oid:-", s.Name, field.Name, tag)
		}
		if field.PrimaryKey || c.rule == everywhere {
			pl.columns = append(pl.columns, c)
		}
		if field.PrimaryKey && len(s.PrimaryFields) == 1 {
			pl.key = c
		}
	}
	return pl
}

// refuseKeys returns an error if a relation of s keeps IDs in a field that isn't for them. GORM
// stores the raw bytes in a string, and then finds no row by them. A field of another model's
// IDs would hold what its type denies.
func refuseKeys(s *schema.Schema) error {
	s.Relationships.Mux.RLock()
	defer s.Relationships.Mux.RUnlock()
	for _, relation := range s.Relationships.Relations {
		for _, ref := range relation.References {
			if ref.PrimaryKey == nil {
				continue
			}
			if ids.IsBinary(ref.PrimaryKey) && ids.IsString(ref.ForeignKey) {
				return fmt.Errorf("gormplugin.Model(%s): %s: %s is %s, but holds the ID of %s: make it %s: %w",
					s.Name, relation.Name, ids.Name(ref.ForeignKey), ref.ForeignKey.FieldType, ids.Name(ref.PrimaryKey), ref.PrimaryKey.FieldType, gorm.ErrInvalidField)
			}
			if whose, held, ok := ids.Misfit(ref.ForeignKey, ref.PrimaryKey); ok {
				return fmt.Errorf("gormplugin.Model(%s): %s: %s is an %s, but refers to %s, an %s: make it %s, or oid.ID if it refers to several models: %w",
					s.Name, relation.Name, ids.Name(ref.ForeignKey), held, ids.Name(ref.PrimaryKey), whose, whose, gorm.ErrInvalidField)
			}
		}
	}
	return nil
}

// String returns the name of the column, for error messages.
func (c *column) String() string { return ids.Name(c.field) }

// name returns the column for a clause.
func (c *column) name() clause.Column { return columnOf(c.field) }

func columnOf(field *schema.Field) clause.Column {
	return clause.Column{Table: clause.CurrentTable, Name: field.DBName}
}

// isAssignable reports whether c is given new IDs.
func (c *column) isAssignable() bool {
	return c.rule == everywhere || c.rule == ownKey && !c.isForeignKey()
}

// isForeignKey reports whether the column refers to another row. The relation may
// be one of its own model, or a has-one or has-many of a model that GORM has
// parsed.
func (c *column) isForeignKey() bool {
	relations := &c.field.Schema.Relationships
	relations.Mux.RLock()
	defer relations.Mux.RUnlock()
	for _, relation := range relations.Relations {
		for _, ref := range relation.References {
			if ref.ForeignKey == c.field {
				return true
			}
		}
	}
	return false
}

// hasDefault reports whether the database fills the column if the INSERT doesn't.
// The tag autoIncrement doesn't count as a default: it may be left from an integer key.
func (c *column) hasDefault() bool { return hasDefault(c.field) }

func hasDefault(field *schema.Field) bool {
	return field != nil && field.HasDefaultValue && !field.AutoIncrement
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

// id returns where v, a value of the field of c that can be set, holds its ID. A pointer
// that is nil is set to a new one.
func (c *column) id(v reflect.Value) *oid.ID {
	if c.pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	return (*oid.ID)(v.Bytes()) // cheaper than v.Addr().Interface()
}

// A unique is a unique index. It has only the rows that meet the conditions.
type unique struct {
	fields []*schema.Field
	where  []clause.Expression
}

// uniques returns the unique indexes of the model.
func (pl *plan) uniques() []unique {
	pl.once.Do(func() {
		for _, field := range pl.schema.Fields {
			if field.Unique && field.DBName != "" {
				pl.unique = append(pl.unique, unique{fields: []*schema.Field{field}})
			}
		}
		for _, index := range pl.schema.ParseIndexes() {
			var u unique
			for _, option := range index.Fields {
				if option.Expression == "" {
					u.fields = append(u.fields, option.Field)
				}
			}
			if index.Where != "" {
				u.where = append(u.where, clause.Expr{SQL: index.Where})
			}
			if index.Class == "UNIQUE" && len(u.fields) == len(index.Fields) {
				pl.unique = append(pl.unique, u)
			}
		}
	})
	return pl.unique
}

package gormplugin

import (
	"errors"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Initialize registers the plugin's callbacks with db, in the order in which GORM
// calls them. GORM calls it from db.Use.
func (p *plugin) Initialize(db *gorm.DB) error {
	on := db.Callback()
	err := errors.Join(
		on.Create().Before("gorm:before_create").Register("oidkit:before_create", p.beforeCreate),
		on.Create().Before("gorm:create").Register("oidkit:create", p.create),
		on.Create().After("gorm:create").Before("gorm:save_after_associations").Register("oidkit:after_create", p.afterCreate),
		on.Query().Before("gorm:query").Register("oidkit:query", beforeQuery),
		on.Query().After("gorm:query").Register("oidkit:after_query", afterQuery),
		on.Row().Before("gorm:row").Register("oidkit:row", beforeQuery),
		on.Update().Before("gorm:before_update").Register("oidkit:before_update", beforeChange),
		on.Update().Before("gorm:update").Register("oidkit:update", update),
		on.Update().After("gorm:update").Before("gorm:save_after_associations").Register("oidkit:after_update", afterUpdate),
		on.Delete().Before("gorm:before_delete").Register("oidkit:before_delete", beforeDelete),
		on.Raw().Before("gorm:raw").Register("oidkit:raw", beforeRaw),
		on.Raw().After("gorm:raw").Register("oidkit:after_raw", nameRemedy),
	)
	for _, name := range []string{"SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "SET", "VALUES", "ON CONFLICT"} {
		db.ClauseBuilders[name] = mending(db.ClauseBuilders[name])
	}
	return errors.Join(err, p.prepareModels(db))
}

// beforeCreate assigns IDs before BeforeSave and BeforeCreate are called.
func (p *plugin) beforeCreate(db *gorm.DB) {
	takeJoining(db)
	if p.afterHooks {
		return
	}
	if in, ok := p.insertOf(db); ok {
		p.assign(in)
	}
}

// create runs right before the INSERT is built. It assigns the IDs that hooks and other
// callbacks have left or wiped out, and refuses rows whose key is zero nevertheless.
func (p *plugin) create(db *gorm.DB) {
	in, ok := p.insertOf(db)
	if !ok {
		return
	}
	p.assign(in)
	in.refuseZeroKeys()
	refuseLost(db, "Create")
	in.refuseHalfJoined()
	in.prepareUpsert()
}

// afterCreate runs right after the INSERT. GORM then saves the has-one, has-many
// and many-to-many rows.
func (p *plugin) afterCreate(db *gorm.DB) {
	p.settle(db)
	if _, ok := db.Statement.Clauses["RETURNING"]; ok {
		readMaps(db)
	}
	setJoining(db)
	nameAlias(db)
}

// beforeQuery runs right before a SELECT is built. It mends the conditions that no
// clause builder sees. These are the conditions of joins, and the WHERE from which
// FirstOrCreate makes a row.
func beforeQuery(db *gorm.DB) {
	if isBuilding(db) {
		mendJoins(db.Statement)
		mendWhere(db.Statement)
	}
	beforeRaw(db)
}

// afterQuery runs after a SELECT was read.
func afterQuery(db *gorm.DB) { readMaps(db) }

// beforeChange refuses bad conditions of an UPDATE or DELETE before GORM saves or
// deletes the associations of its rows.
func beforeChange(db *gorm.DB) {
	takeJoining(db)
	if !isBuilding(db) {
		return
	}
	db.AddError(refusedBy(db.Statement, mendWhere(db.Statement)))
}

// update runs right before an UPDATE is built.
func update(db *gorm.DB) {
	keepKeys(db)
	refuseLost(db, "Update")
}

// afterUpdate runs right after an UPDATE. GORM then saves the has-one, has-many and
// many-to-many rows.
func afterUpdate(db *gorm.DB) {
	restoreKeys(db)
	setJoining(db)
}

// beforeDelete runs before GORM deletes the associations of the rows of a DELETE.
func beforeDelete(db *gorm.DB) {
	refuseDeleteOfID(db)
	beforeChange(db)
}

// beforeRaw refuses SQL that was built from a subquery that was refused.
func beforeRaw(db *gorm.DB) {
	if db.Error == nil {
		carry(db.Statement, db.Statement.Vars)
	}
}

// isBuilding reports whether GORM goes on to build a statement of a model.
func isBuilding(db *gorm.DB) bool {
	return db.Error == nil && db.Statement.Schema != nil && db.Statement.SQL.Len() == 0
}

// mending returns a builder of a clause that mends its conditions before build
// writes it. A nil build is GORM's own.
func mending(build clause.ClauseBuilder) clause.ClauseBuilder {
	if build == nil {
		build = func(c clause.Clause, builder clause.Builder) { c.Build(builder) }
	}
	return func(c clause.Clause, builder clause.Builder) {
		stmt, ok := builder.(*gorm.Statement)
		if !ok {
			build(c, builder)
			return
		}
		if stmt.Schema != nil {
			conditions := conditionsOf(stmt)
			if mended, changed := conditions.clause(c.Expression); changed {
				c.Expression = mended
			}
		}
		before := len(stmt.Vars)
		build(c, builder)
		carry(stmt, stmt.Vars[min(before, len(stmt.Vars)):])
	}
}

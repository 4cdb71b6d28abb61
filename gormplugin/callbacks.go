package gormplugin

import (
	"errors"

	"github.com/oidkit/oidkit/gormplugin/internal/cond"
	"gorm.io/gorm"
)

// Initialize registers the plugin's callbacks with db, in the order in which GORM calls
// them. GORM calls Initialize from db.Use. If a program calls gorm.Open with a copy of
// the configuration, as dbresolver does, GORM calls Initialize again for the copy.
func (p *plugin) Initialize(db *gorm.DB) error {
	if p.err != nil {
		return p.err
	}
	on := db.Callback()
	err := errors.Join(
		on.Create().Before("gorm:before_create").Register("oidkit:before_create", p.beforeCreate),
		on.Create().Before("gorm:create").Register("oidkit:create", create),
		on.Create().After("gorm:create").Before("gorm:save_after_associations").Register("oidkit:after_create", afterCreate),
		on.Query().Before("gorm:query").Register("oidkit:query", p.beforeQuery),
		on.Query().After("gorm:query").Before("gorm:preload").Register("oidkit:after_query", afterQuery),
		on.Row().Before("gorm:row").Register("oidkit:row", p.beforeQuery),
		on.Row().After("gorm:row").Register("oidkit:after_row", afterRow),
		on.Update().Before("gorm:before_update").Register("oidkit:before_update", p.beforeUpdate),
		on.Update().Before("gorm:update").Register("oidkit:update", update),
		on.Update().After("gorm:update").Before("gorm:save_after_associations").Register("oidkit:after_update", afterUpdate),
		on.Delete().Before("gorm:before_delete").Register("oidkit:before_delete", beforeDelete),
		on.Raw().Before("gorm:raw").Register("oidkit:raw", p.beforeRaw),
		on.Raw().After("gorm:raw").Register("oidkit:after_raw", nameRemedy),
	)
	for _, name := range []string{"SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "SET", "VALUES", "ON CONFLICT"} {
		wrap(db.ClauseBuilders, name)
	}
	return errors.Join(err, p.prepareModels(db))
}

// beforeCreate assigns IDs before BeforeSave and BeforeCreate are called.
func (p *plugin) beforeCreate(db *gorm.DB) {
	if s := p.begin(db); s != nil && !p.afterHooks {
		s.assign()
	}
}

// create runs right before the INSERT is built. It assigns the IDs that hooks and other
// callbacks have left or wiped out, and refuses rows whose key is zero nevertheless.
func create(db *gorm.DB) {
	s := passOf(db)
	if s == nil || !isBuilding(db) {
		return
	}
	s.rows = rowsOf(s.stmt)
	s.assign()
	s.refuseZeroKeys()
	s.refuseLost("Create")
	s.refuseHalfJoined()
	s.guardSave()
	s.prepareUpsert()
}

// afterCreate runs right after the INSERT. GORM then saves the has-one, has-many
// and many-to-many rows.
func afterCreate(db *gorm.DB) {
	if s := passOf(db); s != nil {
		s.settle()
		s.nameDuplicate()
		s.end()
	}
	if _, ok := db.Statement.Clauses["RETURNING"]; ok {
		readMaps(db)
	}
	leaveSchema(db)
}

// beforeQuery runs right before a SELECT is built. It mends the conditions that no
// clause builder sees. These are the conditions of joins, and the WHERE from which
// FirstOrCreate makes a row.
func (p *plugin) beforeQuery(db *gorm.DB) {
	if isBuilding(db) {
		p.refuseStrings(db)
		mendJoins(db.Statement)
		mendWhere(db.Statement)
		if len(db.Statement.Preloads) > 0 {
			db.AddError(p.plan(db.Statement.Schema).err)
		}
	}
	cond.Carry(db.Statement, 0)
}

// afterQuery runs after a SELECT was read. GORM then preloads.
func afterQuery(db *gorm.DB) {
	readMaps(db)
	leaveSchema(db)
}

// afterRow runs after a SELECT was sent for Row or Rows.
func afterRow(db *gorm.DB) {
	afterQuery(db)
	giveRow(db)
}

// beforeUpdate runs before GORM saves the associations of the rows of an UPDATE.
func (p *plugin) beforeUpdate(db *gorm.DB) {
	mendChange(db)
	p.begin(db)
}

// update runs right before an UPDATE is built.
func update(db *gorm.DB) {
	if s := passOf(db); s != nil && isBuilding(db) {
		s.rows = rowsOf(s.stmt)
		s.keepKeys()
		s.refuseLost("Update")
	}
}

// afterUpdate runs right after an UPDATE. GORM then saves the has-one, has-many and
// many-to-many rows.
func afterUpdate(db *gorm.DB) {
	if s := passOf(db); s != nil {
		s.restoreKeys()
		s.end()
	}
	leaveSchema(db)
}

// beforeDelete runs before GORM deletes the associations of the rows of a DELETE.
func beforeDelete(db *gorm.DB) {
	refuseDeleteOfID(db)
	mendChange(db)
}

// beforeRaw refuses SQL that was built from a subquery that was refused, and a migration
// that would destroy keys.
func (p *plugin) beforeRaw(db *gorm.DB) {
	cond.Carry(db.Statement, 0)
	p.refuseRetype(db)
}

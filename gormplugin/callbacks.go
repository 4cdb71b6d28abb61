package gormplugin

import (
	"errors"

	"github.com/oidkit/oidkit/gormplugin/internal/cond"
	"github.com/oidkit/oidkit/gormplugin/internal/mend"
	"github.com/oidkit/oidkit/gormplugin/internal/migrate"
	"github.com/oidkit/oidkit/gormplugin/internal/model"
	"github.com/oidkit/oidkit/gormplugin/internal/result"
	"github.com/oidkit/oidkit/gormplugin/internal/write"
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
		on.Query().After("gorm:query").Before("gorm:preload").Register("oidkit:after_query", result.ReadMaps),
		on.Row().Before("gorm:row").Register("oidkit:row", p.beforeQuery),
		on.Row().After("gorm:row").Register("oidkit:after_row", result.GiveRow),
		on.Update().Before("gorm:before_update").Register("oidkit:before_update", p.beforeUpdate),
		on.Update().Before("gorm:update").Register("oidkit:update", update),
		on.Update().After("gorm:update").Before("gorm:save_after_associations").Register("oidkit:after_update", afterUpdate),
		on.Delete().Before("gorm:before_delete").Register("oidkit:before_delete", beforeDelete),
		on.Raw().Before("gorm:raw").Register("oidkit:raw", p.beforeRaw),
		on.Raw().After("gorm:raw").Register("oidkit:after_raw", migrate.NameRemedy),
	)
	for _, name := range []string{"SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "SET", "VALUES", "ON CONFLICT"} {
		mend.Wrap(db.ClauseBuilders, name)
	}
	return errors.Join(err, migrate.Prepare(db, p.models, &p.plans))
}

// beforeCreate assigns IDs before BeforeSave and BeforeCreate are called.
func (p *plugin) beforeCreate(db *gorm.DB) {
	if s := write.Begin(db, &p.plans, p.source); s != nil && !p.afterHooks {
		s.Assign()
	}
}

// create runs right before the INSERT is built. It assigns the IDs that hooks and other
// callbacks have left or wiped out, and refuses rows whose key is zero nevertheless.
func create(db *gorm.DB) {
	s := write.PassOf(db)
	if s == nil || !model.IsBuilding(db) {
		return
	}
	s.Look()
	s.Assign()
	s.RefuseZeroKeys()
	s.RefuseLost("Create")
	s.RefuseHalfJoined()
	s.GuardSave()
	s.PrepareUpsert()
}

// afterCreate runs right after the INSERT. GORM then saves the has-one, has-many
// and many-to-many rows.
func afterCreate(db *gorm.DB) {
	if s := write.PassOf(db); s != nil {
		s.Settle()
		s.NameDuplicate()
		s.End()
	}
	if _, ok := db.Statement.Clauses["RETURNING"]; ok {
		result.ReadMaps(db)
	}
	write.LeaveSchema(db)
}

// beforeQuery runs right before a SELECT is built. It mends the conditions that no
// clause builder sees. These are the conditions of joins, and the WHERE from which
// FirstOrCreate makes a row.
func (p *plugin) beforeQuery(db *gorm.DB) {
	if model.IsBuilding(db) {
		result.RefuseStrings(db, &p.plans)
		mend.Joins(db.Statement)
		mend.Where(db)
		if len(db.Statement.Preloads) > 0 {
			db.AddError(p.plans.Of(db.Statement.Schema).Err)
		}
	}
	cond.Carry(db.Statement, 0)
}

// beforeUpdate runs before GORM saves the associations of the rows of an UPDATE.
func (p *plugin) beforeUpdate(db *gorm.DB) {
	mend.Where(db)
	write.Begin(db, &p.plans, p.source)
}

// update runs right before an UPDATE is built.
func update(db *gorm.DB) {
	if s := write.PassOf(db); s != nil && model.IsBuilding(db) {
		s.Look()
		s.KeepKeys()
		s.RefuseLost("Update")
	}
}

// afterUpdate runs right after an UPDATE. GORM then saves the has-one, has-many and
// many-to-many rows.
func afterUpdate(db *gorm.DB) {
	if s := write.PassOf(db); s != nil {
		s.RestoreKeys()
		s.End()
	}
	write.LeaveSchema(db)
}

// beforeDelete runs before GORM deletes the associations of the rows of a DELETE.
func beforeDelete(db *gorm.DB) {
	write.RefuseDeleteOfID(db)
	mend.Where(db)
}

// beforeRaw refuses SQL that was built from a subquery that was refused, and a migration
// that would destroy keys.
func (p *plugin) beforeRaw(db *gorm.DB) {
	cond.Carry(db.Statement, 0)
	migrate.RefuseRetype(db, &p.plans)
}

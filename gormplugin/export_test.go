package gormplugin

import (
	"github.com/oidkit/oidkit/gormplugin/internal/mend"
	"github.com/oidkit/oidkit/gormplugin/internal/write"
	"gorm.io/gorm"
)

// Explain returns the SQL of a statement that was built.
func Explain(tx *gorm.DB) string {
	sql, vars := printed(tx.Statement.SQL.String(), tx.Statement.Vars)
	return tx.Dialector.Explain(sql, vars...)
}

// Assign and Mend are the plugin's work in every statement.

// Assign is the callback that assigns IDs.
func Assign(p gorm.Plugin, db *gorm.DB) {
	p.(*plugin).beforeCreate(db)
	write.PassOf(db).End()
}

// Mend looks at the conditions of the statement's WHERE.
func Mend(db *gorm.DB) (changed bool) {
	mended, _ := mend.Clause(db.Statement, db.Statement.Clauses["WHERE"].Expression)
	return mended != nil
}

package cond

import (
	"database/sql/driver"

	"gorm.io/gorm"
)

// Plugin is the name under which the plugin is registered.
const Plugin = "oidkit"

// Refused stands among the values of a statement for a condition that must not be sent.
// No driver can send it. It survives where GORM drops an error, which is in subqueries.
type Refused struct{ Err error }

// NotSent is what a logger prints of a statement that was refused.
const NotSent = "/* refused and not sent */"

// Refuse makes the statement fail if there is an error. The error stands among its values
// too, because GORM drops the errors of subqueries.
func Refuse(stmt *gorm.Statement, err error) {
	if err != nil {
		stmt.Vars = append(stmt.Vars, Refused{err})
		Carry(stmt, len(stmt.Vars)-1)
	}
}

// Carry makes the statement fail if its values from first on hold a refusal. The refusal
// may be one of a subquery. A logger prints what is built of the statement nevertheless.
func Carry(stmt *gorm.Statement, first int) {
	for _, v := range stmt.Vars[min(first, len(stmt.Vars)):] {
		if refused, ok := v.(Refused); ok && stmt.Error == nil {
			stmt.AddError(refused.Err)
			if stmt.SQL.Len() > 0 {
				stmt.WriteString(NotSent)
			}
		}
	}
}

// Value returns the error of the refusal.
func (r Refused) Value() (driver.Value, error) { return nil, r.Err }

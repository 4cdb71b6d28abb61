// Package result looks after what queries read into: maps, strings and rows.
package result

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/oidkit/oidkit/gormplugin/internal/cond"
	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/gormplugin/internal/mend"
	"github.com/oidkit/oidkit/gormplugin/internal/model"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// ReadMaps puts oid.ID into results in the form of maps. GORM puts the driver's
// []byte there, which is base64 in JSON.
func ReadMaps(db *gorm.DB) {
	if db.Error != nil || db.Statement.Schema == nil {
		return
	}
	m := cond.ModelOf(db.Statement)
	maps, _ := model.MapRows(db.Statement.Dest)
	for _, row := range maps {
		for name, value := range row {
			field := m.Schema.LookUpField(name)
			if field == nil { // Joins puts the relation before the name, as in Company__id
				field, _ = m.Field(strings.ReplaceAll(name, "__", "."))
			}
			if id, ok := ids.Read(field, value); ok {
				row[name] = id
			}
		}
	}
}

// RefuseStrings makes a query fail that reads IDs of 12 bytes into strings of the program.
// GORM would put the raw bytes there. Digits would be no better, because Scan and Rows,
// which no plugin sees, would still give bytes. What an expression selects isn't known.
func RefuseStrings(db *gorm.DB, plans *model.Plans) {
	stmt := db.Statement
	t := model.RowType(reflect.TypeOf(stmt.Dest))
	if t == nil || t == stmt.Schema.ModelType || stmt.TableExpr != nil && len(stmt.TableExpr.Vars) > 0 || !plans.Of(stmt.Schema).HasIDs {
		return
	}
	refuse := func(name string, field *schema.Field) {
		if ids.IsBinary(field) && db.Error == nil {
			db.AddError(fmt.Errorf("gormplugin.Find(%s): the column of %s holds 12 bytes, not digits: read it into %s, not into a string: %w",
				name, ids.Name(field), field.FieldType, gorm.ErrInvalidField))
		}
	}
	m, names := cond.ModelOf(stmt), strings.Join(stmt.Selects, ",")
	selected, _ := stmt.Clauses["SELECT"].Expression.(clause.Select)
	switch {
	case t.Kind() == reflect.String: // of Pluck, or of one column
		column := clause.Column{Name: names}
		if len(selected.Columns) == 1 {
			column = selected.Columns[0]
		}
		field, _ := m.Named(column)
		refuse(fmt.Sprintf("%T", stmt.Dest), field)
	case t.Kind() == reflect.Struct && stmt.Clauses["SELECT"].Expression == nil:
		dest := &gorm.Statement{DB: db}
		if dest.Parse(reflect.New(t).Interface()) != nil {
			return // GORM reports it
		}
		for _, own := range dest.Schema.Fields {
			field := stmt.Schema.LookUpField(own.DBName)
			isNamed := func(name string) bool {
				named, _ := m.Field(strings.TrimSpace(name))
				return named == field
			}
			if ids.IsString(own) && (names == "" || slices.ContainsFunc(strings.Split(names, ","), isNamed)) {
				refuse(ids.Name(own), field)
			}
		}
	}
}

// GiveRow runs after a SELECT was sent for Row or Rows. It gives Row a row whose Scan returns
// the error of the statement. Row of GORM returns nil after an error, and Scan of a nil row
// panics.
func GiveRow(db *gorm.DB) {
	isRows, _ := db.Get("rows")
	_, isSent := db.Statement.Dest.(interface{ Err() error }) // a *sql.Row or *sql.Rows
	if db.Error == nil || isRows == true || isSent || db.Statement.ConnPool == nil {
		return
	}
	// A context that is done sends nothing. Package database/sql returns its error.
	ctx, cancel := context.WithCancel(db.Statement.Context)
	cancel()
	db.Statement.Dest = mend.Unprepared(db.Statement.ConnPool).QueryRowContext(ended{ctx, db.Error}, "")
}

// An ended context is done, for the reason err.
type ended struct {
	context.Context
	err error
}

// Err returns the reason.
func (e ended) Err() error { return e.err }

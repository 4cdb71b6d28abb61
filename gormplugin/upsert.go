package gormplugin

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// An INSERT with ON CONFLICT may store a row under another ID than its own, or not
// at all. If the database can return the ID of each row, prepareUpsert asks it to.
// Otherwise settle asks afterwards which IDs are in the table.

// unsettled is where a statement keeps its ON CONFLICT clause for settle.
const unsettled = "oidkit:unsettled"

// prepareUpsert runs before an INSERT is built.
func (in insert) prepareUpsert() {
	conflict, ok := conflictOf(in.stmt)
	if !ok {
		return
	}
	// GORM keeps it by the statement's address, which an earlier one may have had.
	in.InstanceSet(unsettled, nil)
	key := in.plan.key
	if key == nil || !key.isSelected(in.stmt) || in.keepsKey(conflict) {
		return
	}
	// GORM matches the rows that come back with its own by their order. A row that
	// is skipped doesn't come back, and a map isn't matched at all.
	skips := conflict.DoNothing || len(conflict.Where.Exprs) > 0
	if !skips && !in.rows.isMaps && slices.Contains(in.stmt.BuildClauses, "RETURNING") {
		returnKey(in.stmt, key.field)
		return
	}
	in.InstanceSet(unsettled, conflict)
}

// conflictOf returns what the INSERT does with rows that conflict. It isn't ok if such
// a row is an error.
func conflictOf(stmt *gorm.Statement) (conflict clause.OnConflict, ok bool) {
	if conflict, ok = stmt.Clauses["ON CONFLICT"].Expression.(clause.OnConflict); ok {
		return conflict, true
	}
	insert, _ := stmt.Clauses["INSERT"].Expression.(clause.Insert)
	return clause.OnConflict{DoNothing: true}, strings.Contains(strings.ToUpper(insert.Modifier), "IGNORE")
}

// keepsKey reports whether rows can conflict only with the row of their own key.
// On MySQL they conflict by every unique column, whatever the clause says.
func (in insert) keepsKey(conflict clause.OnConflict) bool {
	switch s := in.stmt.Schema; {
	case isMySQL(in.DB) || conflict.OnConstraint != "":
		return false
	case len(conflict.Columns) == 0:
		return conflict.UpdateAll // GORM then adds the key
	default:
		return len(conflict.Columns) == 1 && lookUp(s, conflict.Columns[0].Name) == s.PrioritizedPrimaryField
	}
}

func isMySQL(db *gorm.DB) bool { return db.Dialector.Name() == "mysql" }

// returnKey makes the statement return the key of each row. It keeps the other
// columns that are returned.
func returnKey(stmt *gorm.Statement, key *schema.Field) {
	var columns []clause.Column
	if c, ok := stmt.Clauses["RETURNING"]; ok {
		returning, _ := c.Expression.(clause.Returning)
		if columns = returning.Columns; len(columns) == 0 {
			return // it returns all
		}
	} else {
		for _, field := range stmt.Schema.FieldsWithDefaultDBValue {
			if field.Readable {
				columns = append(columns, clause.Column{Name: field.DBName})
			}
		}
	}
	if !slices.ContainsFunc(columns, func(c clause.Column) bool { return c.Name == key.DBName }) {
		columns = append(slices.Clip(columns), clause.Column{Name: key.DBName})
	}
	stmt.Clauses["RETURNING"] = clause.Clause{Name: "RETURNING", Expression: clause.Returning{Columns: columns}}
}

// settle runs after an INSERT. It makes the rows hold the ID that they are stored
// under, or zero.
func (p *plugin) settle(db *gorm.DB) {
	stmt := db.Statement
	if _, ok := conflictOf(stmt); !ok || db.Error != nil || db.DryRun {
		return
	}
	value, _ := db.InstanceGet(unsettled)
	conflict, ok := value.(clause.OnConflict)
	if !ok {
		return
	}
	in := insert{DB: db, stmt: stmt, plan: p.plan(stmt.Schema), rows: rowsOf(stmt)}
	// RowsAffected tells whether all rows were inserted. MySQL counts unchanged
	// rows too if the connection asks for it, and with RETURNING GORM counts rows
	// that it hasn't read.
	_, returning := stmt.Clauses["RETURNING"]
	if conflict.DoNothing && int(db.RowsAffected) == in.rows.len() && !isMySQL(db) && !returning {
		return
	}
	skipped := in.skipped()
	if conflict.DoNothing && isJoining(db) {
		in.join(skipped)
	} else {
		for _, row := range skipped {
			if db.Error == nil {
				row.setID(stmt.Context, in.plan.key, in.otherID(conflict, row))
			}
		}
	}
	in.refuseOrphans()
}

// skipped returns the rows whose ID is not in the table.
func (in insert) skipped() (list []row) {
	key := in.plan.key
	var ids []any
	var all []row
	for i := range in.rows.len() {
		row := in.rows.at(i)
		all = append(all, row)
		if id := row.id(in.stmt.Context, key); !id.IsZero() { // or the database would have made it
			ids = append(ids, inForm(idTypeIn(key.field.IndirectFieldType), id))
		}
	}
	stored := make(map[oid.ID]bool)
	if len(ids) > 0 {
		for _, id := range in.selectKeys(clause.IN{Column: columnOf(key.field), Values: ids}) {
			stored[id] = true
		}
	}
	for _, row := range all {
		if !stored[row.id(in.stmt.Context, key)] {
			list = append(list, row)
		}
	}
	return list
}

// otherID returns the ID of the stored row that r was merged into. It is zero if r
// was skipped, or if the columns by which they conflict are not known.
func (in insert) otherID(conflict clause.OnConflict, r row) (id oid.ID) {
	if conflict.DoNothing || len(conflict.Columns) == 0 {
		return oid.ID{}
	}
	var same []clause.Expression
	for _, c := range conflict.Columns {
		field := lookUp(in.stmt.Schema, c.Name)
		if field == nil || field == in.plan.key.field {
			return oid.ID{}
		}
		same = append(same, clause.Eq{Column: columnOf(field), Value: r.valueOf(in.stmt.Context, field)})
	}
	if found := in.selectKeys(same...); len(found) == 1 {
		id = found[0]
	}
	return id
}

// selectKeys returns the keys of the rows for which conds hold.
func (in insert) selectKeys(conds ...clause.Expression) (keys []oid.ID) {
	stmt := in.newStatement()
	stmt.AddClause(clause.Select{Columns: []clause.Column{columnOf(in.plan.key.field)}})
	stmt.AddClause(clause.From{})
	stmt.AddClause(clause.Where{Exprs: conds})
	stmt.Build("SELECT", "FROM", "WHERE")
	in.query(stmt, func(scan func(...any) error) error {
		id, held := in.plan.key.held()
		err := scan(held)
		keys = append(keys, *id)
		return err
	})
	return keys
}

// newStatement returns a statement on the table of the INSERT.
func (in insert) newStatement() *gorm.Statement {
	return &gorm.Statement{
		DB:        in.DB,
		Table:     in.stmt.Table,
		TableExpr: in.stmt.TableExpr,
		Schema:    in.stmt.Schema,
		Clauses:   map[string]clause.Clause{},
	}
}

// query sends stmt and calls read for each row. It asks on the connection of the
// INSERT, which may be a transaction. A query through GORM could be sent to a
// replica.
func (in insert) query(stmt *gorm.Statement, read func(scan func(...any) error) error) {
	if in.Error != nil {
		return
	}
	begin, n := time.Now(), int64(0)
	rows, err := in.stmt.ConnPool.QueryContext(in.stmt.Context, stmt.SQL.String(), stmt.Vars...)
	if err == nil {
		defer rows.Close()
		for err == nil && rows.Next() {
			n++
			err = read(rows.Scan)
		}
		if err == nil {
			err = rows.Err()
		}
	}
	in.Logger.Trace(in.stmt.Context, begin, func() (string, int64) {
		sql, vars := stmt.SQL.String(), stmt.Vars
		if filter, ok := in.Logger.(gorm.ParamsFilter); ok {
			sql, vars = filter.ParamsFilter(in.stmt.Context, sql, vars...)
		}
		return in.Dialector.Explain(sql, vars...), n
	}, err)
	if err != nil {
		in.AddError(fmt.Errorf("gormplugin.Create(%T): reading the stored IDs: %w", in.stmt.Dest, err))
	}
}

func columnOf(field *schema.Field) clause.Column {
	return clause.Column{Table: clause.CurrentTable, Name: field.DBName}
}

package gormplugin

import (
	"slices"
	"time"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// An INSERT with ON CONFLICT may store a row under another id than its own, or not
// at all. Where the database can return the id of each row, prepareUpsert asks it
// to. Where it can't, settle asks afterwards which ids are in the table.

// unsettled is where a statement keeps its ON CONFLICT clause for settle.
const unsettled = "oidkit:unsettled"

// prepareUpsert runs before an INSERT is built.
func (p *Plugin) prepareUpsert(db *gorm.DB) {
	stmt := db.Statement
	c, ok := stmt.Clauses["ON CONFLICT"]
	if !ok || db.Error != nil || stmt.Schema == nil || stmt.SQL.Len() > 0 {
		return
	}
	db.InstanceSet(unsettled, nil)
	conflict, ok := c.Expression.(clause.OnConflict)
	key := p.plan(stmt.Schema).key
	if !ok || key == nil || !key.written(stmt) || keepsKey(db, conflict) {
		return
	}
	// GORM matches the rows that come back with its own by their order. A row that
	// is skipped doesn't come back, and a map isn't matched at all.
	_, isMap := mapRows(stmt.Dest)
	skips := conflict.DoNothing || len(conflict.Where.Exprs) > 0
	if !skips && !isMap && slices.Contains(stmt.BuildClauses, "RETURNING") {
		returnKey(stmt, key.field)
		return
	}
	db.InstanceSet(unsettled, conflict)
}

// keepsKey reports whether rows can conflict only with the row of their own key.
// On MySQL they conflict by every unique column, whatever the clause says.
func keepsKey(db *gorm.DB, conflict clause.OnConflict) bool {
	switch s := db.Statement.Schema; {
	case isMySQL(db) || conflict.OnConstraint != "":
		return false
	case len(conflict.Columns) == 0:
		return conflict.UpdateAll // GORM then adds the key
	default:
		return len(conflict.Columns) == 1 && lookUp(s, conflict.Columns[0].Name) == s.PrioritizedPrimaryField
	}
}

func isMySQL(db *gorm.DB) bool { return db.Dialector.Name() == "mysql" }

// returnKey makes the statement return the key of each row, beside what it returns
// anyway.
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

// settle runs after an INSERT. It makes the rows hold the id that they are stored
// under, or zero.
func (p *Plugin) settle(db *gorm.DB) {
	stmt := db.Statement
	if _, ok := stmt.Clauses["ON CONFLICT"]; !ok || db.Error != nil || db.DryRun || stmt.Schema == nil {
		return
	}
	value, _ := db.InstanceGet(unsettled)
	conflict, ok := value.(clause.OnConflict)
	if !ok {
		return
	}
	key := p.plan(stmt.Schema).key
	rows := rowsOf(stmt)
	// The count tells whether all rows went in, but for MySQL, which counts those
	// that it leaves alone as well if the connection asks for it, and for RETURNING,
	// where GORM counts rows that it has not read.
	_, returning := stmt.Clauses["RETURNING"]
	if conflict.DoNothing && int(db.RowsAffected) == len(rows) && !isMySQL(db) && !returning {
		return
	}
	ids := make([]any, len(rows))
	for i, row := range rows {
		ids[i] = row.id(stmt.Context, key)
	}
	stored := make(map[oid.ID]bool)
	for _, id := range selectKeys(db, key.field, clause.IN{Column: columnOf(key.field), Values: ids}) {
		stored[id] = true
	}
	for i, row := range rows {
		if db.Error != nil {
			return
		}
		if !stored[ids[i].(oid.ID)] {
			row.setID(stmt.Context, key, otherID(db, key, conflict, row))
		}
	}
	refuseOrphans(db, key.field, rows)
}

// otherID returns the id of the row in the table that row was merged into: zero if
// it was skipped, or if the columns by which they conflict are not known.
func otherID(db *gorm.DB, key *column, conflict clause.OnConflict, r row) (id oid.ID) {
	if conflict.DoNothing || len(conflict.Columns) == 0 {
		return id
	}
	var same []clause.Expression
	for _, c := range conflict.Columns {
		field := lookUp(db.Statement.Schema, c.Name)
		if field == nil || field == key.field {
			return id
		}
		same = append(same, clause.Eq{Column: columnOf(field), Value: r.valueOf(db.Statement.Context, field)})
	}
	if found := selectKeys(db, key.field, same...); len(found) == 1 {
		id = found[0]
	}
	return id
}

// selectKeys returns the keys of the rows for which conds hold. It asks on the
// statement's own connection, which may be a transaction; a query through GORM
// could be sent to a replica.
func selectKeys(db *gorm.DB, key *schema.Field, conds ...clause.Expression) (keys []oid.ID) {
	stmt := &gorm.Statement{
		DB:        db,
		Table:     db.Statement.Table,
		TableExpr: db.Statement.TableExpr,
		Schema:    db.Statement.Schema,
		Clauses:   map[string]clause.Clause{},
	}
	stmt.AddClause(clause.Select{Columns: []clause.Column{columnOf(key)}})
	stmt.AddClause(clause.From{})
	stmt.AddClause(clause.Where{Exprs: conds})
	stmt.Build("SELECT", "FROM", "WHERE")

	begin := time.Now()
	rows, err := db.Statement.ConnPool.QueryContext(db.Statement.Context, stmt.SQL.String(), stmt.Vars...)
	if err == nil {
		defer rows.Close()
		for err == nil && rows.Next() {
			var id oid.ID
			err = rows.Scan(&id)
			keys = append(keys, id)
		}
		if err == nil {
			err = rows.Err()
		}
	}
	db.Logger.Trace(db.Statement.Context, begin, func() (string, int64) {
		sql, vars := stmt.SQL.String(), stmt.Vars
		if filter, ok := db.Logger.(gorm.ParamsFilter); ok {
			sql, vars = filter.ParamsFilter(db.Statement.Context, sql, vars...)
		}
		return db.Dialector.Explain(sql, vars...), int64(len(keys))
	}, err)
	db.AddError(err)
	return keys
}

func columnOf(field *schema.Field) clause.Column {
	return clause.Column{Table: clause.CurrentTable, Name: field.DBName}
}

package migrate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/oidkit/oidkit/gormplugin/internal/cond"
	"github.com/oidkit/oidkit/gormplugin/internal/ids"
	"github.com/oidkit/oidkit/gormplugin/internal/model"
	"gorm.io/gorm"
)

// retypings match the statements by which GORM's migrators change the type of a column, with
// the names in quotes: the table, and what defines the column. On SQLite that is a new table.
var retypings = []*regexp.Regexp{
	regexp.MustCompile(`^ALTER TABLE "(.+)" ALTER COLUMN (".+" TYPE .+) USING ".+"::.+$`),
	regexp.MustCompile("^ALTER TABLE `(.+)` MODIFY COLUMN (`.+` .+)$"),
	regexp.MustCompile(`^ALTER TABLE "(.+)" ALTER COLUMN (".+" \w*binary.+)$`),
	regexp.MustCompile("(?s)^CREATE TABLE [`\"]?(.+)__temp[`\"]? (.*)$"),
}

// RefuseRetype refuses a migration that would turn columns of other kinds into IDs. The
// database would keep numbers or text in it that are not IDs, or lose them. A column is
// known by its model, or by the type binary(12).
func RefuseRetype(db *gorm.DB, plans *model.Plans) {
	if db.Error != nil || db.DryRun {
		return
	}
	for _, retyping := range retypings {
		match := retyping.FindStringSubmatch(db.Statement.SQL.String())
		if match == nil {
			continue
		}
		table := strings.NewReplacer("`", "", `"`, "").Replace(match[1])
		columns, err := db.Session(&gorm.Session{NewDB: true}).Migrator().ColumnTypes(table)
		if err != nil {
			return // the migration itself tells
		}
		fields := plans.FieldsOf(db, table)
		for _, column := range columns {
			name, now := column.Name(), strings.ToLower(column.DatabaseTypeName())
			definition := regexp.MustCompile("[`\"]" + regexp.QuoteMeta(name) + "[`\"] (?:TYPE )?([\\w()]+)").FindStringSubmatch(match[2])
			if definition == nil || !ids.IsColumn(fields[name]) && !strings.Contains(definition[1], binary12) {
				continue
			}
			isNew := func(kind *regexp.Regexp) bool { return kind.MatchString(definition[1]) && !kind.MatchString(now) }
			if slices.ContainsFunc(kinds, isNew) {
				db.AddError(fmt.Errorf("gormplugin.AutoMigrate(%s.%s): the column has the type %s, whose values are not IDs: move the rows to a new column or table first: %w",
					table, name, now, gorm.ErrInvalidData))
				db.Statement.WriteString(cond.NotSent)
				return
			}
		}
		return
	}
}

// kinds match the types of columns that hold bytes, and of those that hold text.
var kinds = []*regexp.Regexp{regexp.MustCompile("(?i)blob|binary|bytea|string"), regexp.MustCompile("(?i)char|text|uuid")}

// NameRemedy adds advice to MySQL's error for a key of type longblob, and to that for a
// column of type uuid.
func NameRemedy(db *gorm.DB) {
	if db.Error == nil || !model.IsMySQL(db) {
		return
	}
	switch text := db.Error.Error(); {
	case strings.Contains(text, "Error 1170"):
		db.Error = fmt.Errorf("%w (MySQL needs a size for a key: for an oid.ID, name the model in gormplugin.WithModels, embed gormplugin.Model, "+
			"or tag the field gorm:\"size:12\")", db.Error)
	case strings.Contains(text, "Error 1064") && uuidColumn.MatchString(db.Statement.SQL.String()):
		db.Error = fmt.Errorf("%w (MySQL has no column type uuid: name the model in gormplugin.WithModels, which makes the column "+
			"char(36), or tag the field gorm:\"type:char(36)\")", db.Error)
	}
}

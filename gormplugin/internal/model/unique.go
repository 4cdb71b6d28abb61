package model

import (
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// A Unique is a unique index. It has only the rows that meet the conditions.
type Unique struct {
	Fields []*schema.Field
	Where  []clause.Expression
}

// Uniques returns the unique indexes of the model.
func (pl *Plan) Uniques() []Unique {
	pl.once.Do(func() {
		for _, field := range pl.Schema.Fields {
			if field.Unique && field.DBName != "" {
				pl.unique = append(pl.unique, Unique{Fields: []*schema.Field{field}})
			}
		}
		for _, index := range pl.Schema.ParseIndexes() {
			var u Unique
			for _, option := range index.Fields {
				if option.Expression == "" {
					u.Fields = append(u.Fields, option.Field)
				}
			}
			if index.Where != "" {
				u.Where = append(u.Where, clause.Expr{SQL: index.Where})
			}
			if index.Class == "UNIQUE" && len(u.Fields) == len(index.Fields) {
				pl.unique = append(pl.unique, u)
			}
		}
	})
	return pl.unique
}

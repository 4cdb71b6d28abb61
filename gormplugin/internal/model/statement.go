package model

import "gorm.io/gorm"

// IsBuilding reports whether GORM goes on to build a statement of a model.
func IsBuilding(db *gorm.DB) bool {
	return db.Error == nil && db.Statement.Schema != nil && db.Statement.SQL.Len() == 0
}

// IsMySQL reports whether db is MySQL, or a server that speaks its language.
func IsMySQL(db *gorm.DB) bool { return db.Dialector.Name() == "mysql" }

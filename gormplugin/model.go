package gormplugin

import (
	"time"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

// Model is gorm.Model with an oid.ID for its key. Embed it:
//
//	type User struct {
//		gormplugin.Model
//		Name string
//	}
//
// AutoMigrate gives the key, and the columns that refer to it, 12 bytes on SQLite,
// PostgreSQL and MySQL. SQL Server needs [WithModels] or [ForMigration]. The key is
// NOT NULL because SQLite takes NULL in a primary key otherwise.
type Model struct {
	ID        oid.ID `gorm:"primaryKey;size:12;not null"`
	CreatedAt time.Time
	UpdatedAt time.Time
	DeletedAt gorm.DeletedAt `gorm:"index"`
}

// ModelFor is [Model] with a typed key:
//
//	type User struct {
//		gormplugin.ModelFor[User]
//		Name string
//	}
type ModelFor[T any] struct {
	ID        oid.For[T] `gorm:"primaryKey;size:12;not null"`
	CreatedAt time.Time
	UpdatedAt time.Time
	DeletedAt gorm.DeletedAt `gorm:"index"`
}

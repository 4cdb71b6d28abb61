package gormplugin

import (
	"time"

	"github.com/oidkit/oidkit/oid"
	"gorm.io/gorm"
)

// Model is gorm.Model with an oid.ID as its primary key. Embed Model in your own models:
//
//	type User struct {
//		gormplugin.Model
//		Name string
//	}
//
// On SQLite, PostgreSQL, MySQL and MariaDB, AutoMigrate needs no further option for a Model.
// On SQL Server, a Model needs [WithModels]. The key has the tag "not null", because SQLite
// would otherwise accept NULL in a primary key.
type Model struct {
	ID        oid.ID `gorm:"primaryKey;size:12;not null"`
	CreatedAt time.Time
	UpdatedAt time.Time
	DeletedAt gorm.DeletedAt `gorm:"index"`
}

// ModelFor is [Model] with an oid.For[T] as its primary key:
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

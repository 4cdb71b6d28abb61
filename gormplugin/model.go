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
// AutoMigrate makes a column of 12 bytes of the key on SQLite, PostgreSQL and
// MySQL, and of the columns that refer to it; SQL Server needs [ForMigration]. The
// key is NOT NULL because SQLite takes NULL in a primary key otherwise.
type Model struct {
	ID        oid.ID `gorm:"primaryKey;size:12;not null"`
	CreatedAt time.Time
	UpdatedAt time.Time
	DeletedAt gorm.DeletedAt `gorm:"index"`
}

package gormplugin

import (
	"math"
	"time"

	"github.com/oidkit/oidkit/oid"
)

// After holds for IDs that come after id. In ascending order they are the next
// page. For the first page id is zero.
//
//	db.Scopes(gormplugin.After(last)).Order("id").Limit(50).Find(&users)
func After(id oid.ID, column ...string) Scope {
	return within{"After", column, []bound{{">", id}}}.scope()
}

// Before holds for IDs that come before id. In descending order they are the next
// page. For the first page id is zero, which stands for the end.
//
//	db.Scopes(gormplugin.Before(last)).Order("id DESC").Limit(50).Find(&users)
func Before(id oid.ID, column ...string) Scope {
	if id.IsZero() {
		return within{"Before", column, []bound{{"<=", oid.MaxAt(time.Unix(math.MaxUint32, 0))}}}.scope()
	}
	return within{"Before", column, []bound{{"<", id}}}.scope()
}

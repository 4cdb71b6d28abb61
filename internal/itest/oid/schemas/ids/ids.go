// Package ids has names for the ID types of a program. Some generators accept a name,
// but no type arguments.
package ids

import "github.com/oidkit/oidkit/oid"

// A Customer orders.
type Customer struct{}

// CustomerID is the id of a Customer.
type CustomerID = oid.For[Customer]

// OgenCustomerID is the same for ogen, which takes no aliases.
type OgenCustomerID struct{ CustomerID }

// Package ids is where a program names the ids of its types, for generators that
// take a name and no type arguments.
package ids

import "github.com/oidkit/oidkit/oid"

// A Customer orders.
type Customer struct{}

// CustomerID is the id of a Customer.
type CustomerID = oid.For[Customer]

// OgenCustomerID is the same for ogen, which takes no aliases.
type OgenCustomerID struct{ CustomerID }

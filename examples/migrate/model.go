package main

import (
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// A Customer is a document and a row.
type Customer struct {
	ID   oid.ID `bson:"_id"`
	Name string `bson:"name"`
}

// An Order is a document and a row. Its ids are ObjectIds in MongoDB and 12 bytes
// in SQL: the key, the customer, and the order that it replaces, if any, which is
// missing in a document and NULL in a row.
type Order struct {
	ID         oid.ID           `bson:"_id"`
	CustomerID oid.ID           `bson:"customer" gorm:"index;not null"`
	Customer   *Customer        `bson:"-"` // makes GORM declare the foreign key
	Replaces   sqltype.ZeroNull `bson:"replaces,omitempty"`
	Lines      []Line           `bson:"lines" gorm:"serializer:json"`
	Cents      int64            `bson:"cents"`
}

// A Line of an order names an article by its id: JSON in the row.
type Line struct {
	Article oid.ID `bson:"article" json:"article"`
	Count   int    `bson:"count" json:"count"`
}

func (Customer) TableName() string { return "oidkit_migrate_customers" }
func (Order) TableName() string    { return "oidkit_migrate_orders" }

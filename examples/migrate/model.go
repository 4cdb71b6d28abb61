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

// An Order is a document and a row. Its IDs are ObjectIds in MongoDB and 12 bytes in
// SQL. Replaces is the order that this one replaces. The zero ID is a missing field in
// MongoDB and NULL in SQL.
type Order struct {
	ID         oid.ID           `bson:"_id"`
	CustomerID oid.ID           `bson:"customer" gorm:"index;not null"`
	Customer   *Customer        `bson:"-"` // GORM declares a foreign key for it
	Replaces   sqltype.ZeroNull `bson:"replaces,omitempty"`
	Lines      []Line           `bson:"lines" gorm:"serializer:json"`
	Cents      int64            `bson:"cents"`
}

// A Line of an order. In SQL the lines are a JSON column.
type Line struct {
	Article oid.ID `bson:"article" json:"article"`
	Count   int    `bson:"count" json:"count"`
}

func (Customer) TableName() string { return "oidkit_migrate_customers" }
func (Order) TableName() string    { return "oidkit_migrate_orders" }

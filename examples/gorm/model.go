package main

import (
	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// A Customer has orders.
type Customer struct {
	gormplugin.Model
	Name   string
	Email  string `gorm:"size:100;uniqueIndex"`
	Orders []Order
}

// An Order belongs to a customer. Another customer, the referrer, may have brought it.
// Its ID holds the time of the order.
type Order struct {
	gormplugin.Model
	Number     string
	CustomerID oid.ID
	Customer   *Customer
	ReferrerID sqltype.ZeroNull // the zero ID is NULL
	Referrer   *Customer
	Items      []Item
	Tags       []Tag `gorm:"many2many:order_tags"`
}

// An Item is a line of an order. An ID as primary key needs no tag.
type Item struct {
	ID      oid.ID
	OrderID oid.ID
	Article string
	Count   int64
	Cents   int64
}

// A Tag marks orders.
type Tag struct {
	ID   oid.ID
	Name string `gorm:"size:50;uniqueIndex"`
}

package main

import (
	"encoding/json"
	"time"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sequence"
)

// The compiler refuses a CustomerID where an InvoiceID belongs.
type (
	CustomerID = oid.For[Customer]
	InvoiceID  = oid.For[Invoice]
)

// A Customer is a row. The ID needs no tag: the plugin makes it.
type Customer struct {
	ID   CustomerID `json:"id"`
	Name string     `json:"name" gorm:"size:100;not null"`
}

// An Invoice is a row. It needs no column created_at, because its ID holds the time.
type Invoice struct {
	ID         InvoiceID  `json:"id" gorm:"index:by_customer,priority:2"`
	Number     string     `json:"number" gorm:"size:20;not null;uniqueIndex"`
	CustomerID CustomerID `json:"customer_id" gorm:"index:by_customer,priority:1;not null"`
	Customer   *Customer  `json:"-"`
	Cents      int64      `json:"cents" gorm:"not null"`
}

// MarshalJSON adds the time of creation.
func (i Invoice) MarshalJSON() ([]byte, error) {
	type fields Invoice
	return json.Marshal(struct {
		fields
		Created time.Time `json:"created"`
	}{fields(i), i.ID.Timestamp()})
}

// invoiceNumbers counts from 1 in each year. A rollback gives the number back, so no
// number is missing.
func invoiceNumbers(store sequence.Store) *sequence.Numbering {
	return sequence.NewNumbering(store, "invoices", "INV-{2006}-{00000}", sequence.WithGapFree())
}

package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/public"
	"github.com/oidkit/oidkit/sequence"
)

// The compiler refuses a CustomerID where an InvoiceID belongs. In URLs and JSON, the IDs are
// sealed, so that no client reads or guesses another one. The database has the plain IDs.
type (
	CustomerID = public.ID[Customer]
	InvoiceID  = public.ID[Invoice]
)

// The forms of the IDs outside. readKeys makes them before the first request.
var customerForm, invoiceForm *public.Form

func (Customer) IDForm() *public.Form { return customerForm }
func (Invoice) IDForm() *public.Form  { return invoiceForm }

// readKeys makes the forms with keys in base64, with commas between them. The first key seals.
func readKeys(text string) error {
	var keys [][]byte
	for i, part := range strings.Split(text, ",") {
		key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(part))
		if err != nil {
			return fmt.Errorf("key %d is not base64", i+1) // without the key
		}
		keys = append(keys, key)
	}
	var err error
	if customerForm, err = public.Sealed("cus", keys...); err != nil {
		return err
	}
	invoiceForm, err = public.Sealed("inv", keys...)
	return err
}

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

// MarshalJSON adds the time of creation, which the customer may know.
func (i Invoice) MarshalJSON() ([]byte, error) {
	type fields Invoice
	return json.Marshal(struct {
		fields
		Created time.Time `json:"created"`
	}{fields(i), oid.ID(i.ID).Timestamp()})
}

// invoiceNumbers counts from 1 in each year. A rollback gives the number back, so no
// number is missing.
func invoiceNumbers(store sequence.Store) *sequence.Numbering {
	return sequence.NewNumbering(store, "invoices", "INV-{2006}-{00000}", sequence.WithGapFree())
}

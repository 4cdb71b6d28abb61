// Package public_test shows that a public.ID works everywhere an oid.For works: it is stored
// as the plain ID, and shown in its form.
package public_test

import (
	"testing"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/public"
)

func TestMain(m *testing.M) {
	daemon.AtOnce(2)
	m.Run()
}

var (
	orderForm = public.Must(public.Sealed("ord", numbers(0)))
	shopForm  = public.Must(public.Sealed("shop", numbers(0)))
)

func numbers(first byte) []byte {
	key := make([]byte, 32)
	for i := range key {
		key[i] = first + byte(i)
	}
	return key
}

type (
	ShopID  = public.ID[Shop]
	OrderID = public.ID[Order]
)

type Shop struct {
	ID     ShopID  `json:"id" bson:"_id"`
	Name   string  `json:"name" gorm:"size:50"`
	Orders []Order `json:"orders,omitempty" bson:"orders,omitempty"`
}

type Order struct {
	ID     OrderID `json:"id" bson:"_id"`
	ShopID ShopID  `json:"shop_id" bson:"shop_id"`
	Note   string  `json:"note" bson:"note" gorm:"size:50"`
}

func (Shop) IDForm() *public.Form  { return shopForm }
func (Order) IDForm() *public.Form { return orderForm }

var sample = oid.MustParse("65b3f7a2c1d4e5f6a7b8c9d0")

// printable is an ID whose bytes are text.
var printable = oid.ID([]byte("hello world!"))

func newOrder() Order { return Order{OrderID(oid.New()), ShopID(oid.New()), "a note"} }

func ptr[T any](v T) *T { return &v }

// Package embedid has structs that embed an ID.
package embedid

import (
	"time"

	"github.com/oidkit/oidkit/jsonx"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/public"
	"github.com/oidkit/oidkit/sqltype"
)

type User struct {
	oid.ID // want `the struct inherits the methods of oid.ID: .* Give the field a name`
	Name   string
}

type Pointer struct {
	Name    string
	*oid.ID // want `the struct inherits the methods of oid.ID`
}

type Typed struct {
	oid.For[User] // want `the struct inherits the methods of oid.For`
	N             int
}

type Form struct {
	sqltype.Hex // want `the struct inherits the methods of sqltype.Hex`
	N           int
}

func (User) IDForm() *public.Form { return nil }

type Public struct {
	public.ID[User] // want `the struct inherits the methods of public.ID`
	N               int
}

type Extended struct {
	jsonx.Extended `bson:"_id"` // want `the struct inherits the methods of jsonx.Extended`
	N              int
}

var anonymous struct {
	oid.ID // want `the struct inherits the methods of oid.ID`
	N      int
}

type Two struct {
	oid.ID // want `the struct inherits the methods of oid.ID`
	Other  oid.ID
}

type Mixed struct {
	oid.ID // want `the struct inherits the methods of oid.ID`
	oid.Fields
	int
	error
}

type Printed struct {
	oid.ID // want `the struct inherits the methods of oid.ID`
	N      int
}

func (p Printed) String() string { return p.Hex() }

type Alias = struct {
	oid.ID // want `the struct inherits the methods of oid.ID`
	N      int
}

// These are right.

type Named struct {
	ID   oid.ID
	Name string
}

type Only struct{ oid.ID }

type Own struct {
	oid.ID
	Name string
}

func (o Own) MarshalJSON() ([]byte, error) { return nil, nil }

type Base struct{ ID oid.ID }

type Embeds struct {
	Base
	Name string
}

type Time struct {
	time.Time // has methods of its own, which are not an ID's
	N         int
}

type Number struct {
	int
	N int
}

type Problem struct {
	error
	N int
}

type Both struct { // neither of the two is promoted
	sqltype.Hex
	jsonx.Extended
	N int
}

type Silenced struct {
	//oidvet:ignore embedid never encoded
	oid.ID
	N int
}

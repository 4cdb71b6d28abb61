// Package idtype has types that are defined as an ID.
package idtype

import (
	"github.com/oidkit/oidkit/oid"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
)

type User struct{ ID UserID }

type UserID oid.ID // want `UserID has none of the methods of oid.ID: .* = oid.For\[T\]`

type (
	Team   struct{ ID TeamId }
	TeamId oid.For[Team] // want `TeamId has none of the methods`
)

type Key oid.ID // want `Key has none of the methods`

type aliasOfKey = oid.ID

type OfAlias aliasOfKey // want `OfAlias has none of the methods`

// These are right.

type OrderID = oid.For[Order]

type Order struct{ ID OrderID }

type Same = oid.ID

type List []oid.ID

type Own oid.ID

func (id Own) String() string { return oid.ID(id).Hex() }

type Registered oid.ID

func registry() *bson.Registry {
	reg := bsoncodec.NewRegistry()
	bsoncodec.RegisterFor[Registered](reg)
	return reg
}

//oidvet:ignore idtype the registry is made elsewhere
type Silenced oid.ID

type SilencedToo oid.ID //oidvet:ignore idtype

func local() {
	type UserID oid.ID // want `UserID has none of the methods`
	_ = UserID{}
}

// Package idtype has types that are defined as an ID.
package idtype

import (
	"reflect"

	"github.com/oidkit/oidkit/oid"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/sqltype"
)

type User struct{ ID UserID }

type UserID oid.ID // want `UserID has none of the methods of oid.ID: .* = oid.For\[T\]`

type (
	Team   struct{ ID TeamId }
	TeamId oid.For[Team] // want `TeamId has none of the methods`
)

type Book struct{}

type BookId oid.ID // want `BookId has none of the methods`

type Key oid.ID // want `Key has none of the methods`

type aliasOfKey = oid.ID

type OfAlias aliasOfKey // want `OfAlias has none of the methods`

type Generic[T any] oid.ID // want `Generic has none of the methods`

type TypedGeneric[T any] oid.For[T] // want `TypedGeneric has none of the methods`

// There is no type to name in oid.For for these.

type UserGenericID[T any] oid.ID // want `UserGenericID has none of the methods`

type UserGeneric struct{}

type NobodyID oid.ID // want `NobodyID has none of the methods`

type newID oid.ID // want `newID has none of the methods`

func new() reflect.Type { return []reflect.Type{reflect.TypeFor[Key]()}[0] }

type BossID oid.ID // want `BossID has none of the methods`

type Boss = User

type PageID oid.ID // want `PageID has none of the methods`

type Page[T any] struct{}

type TeamAliasID aliasOfKey // want `TeamAliasID has none of the methods`

type TeamAlias struct{}

type PostID sqltype.Hex // want `PostID has none of the methods of sqltype.Hex: .* = sqltype.Hex`

type ParentID sqltype.ZeroNullFor[User] // want `ParentID has none of the methods of sqltype.ZeroNullFor\[User\]: .* = sqltype.ZeroNullFor\[User\]`

type Second ParentID // want `Second has none of the methods of sqltype.ZeroNullFor\[User\]`

type Third Second // want `Third has none of the methods of sqltype.ZeroNullFor\[User\]`

type OfOwn Own // want `OfOwn has none of the methods of oid.ID`

// These are right.

type Types []reflect.Type

type Copy Types

type OrderID = oid.For[Order]

type Order struct{ ID OrderID }

type Same = oid.ID

type List []oid.ID

type Own oid.ID

func (id Own) String() string { return oid.ID(id).Hex() }

type Registered oid.ID

type RegisteredGeneric[T any] oid.ID

func registry() *bson.Registry {
	reg := bsoncodec.NewRegistry()
	bsoncodec.RegisterFor[Registered](reg)
	bsoncodec.RegisterFor[RegisteredGeneric[User]](reg)
	bsoncodec.RegisterFor[[12]byte](reg)
	return reg
}

//oidvet:ignore idtype the registry is made elsewhere
type Silenced oid.ID

type SilencedToo oid.ID //oidvet:ignore idtype

func local() {
	type UserID oid.ID // want `UserID has none of the methods`
	_ = UserID{}
}

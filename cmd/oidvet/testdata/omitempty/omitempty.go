// Package omitempty has fields of type ID with JSON tags.
package omitempty

import (
	"github.com/oidkit/oidkit/jsonx"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/public"
	"github.com/oidkit/oidkit/sqltype"
)

type order struct {
	Parent oid.ID         `json:"parent,omitempty"`                       // want `omitempty does not omit the zero ID: write omitzero`
	Typed  oid.For[order] `bson:"typed,omitempty" json:",omitempty" x:""` // want `omitempty does not omit the zero ID`
	Right  oid.ID         `json:"right,omitzero"`
	Both   oid.ID         `json:"both,omitempty,omitzero"`
	Ptr    *oid.ID        `json:"ptr,omitempty"`
	List   []oid.ID       `json:"list,omitempty"`
	BSON   oid.ID         `bson:"bson,omitempty"`
	Text   string         `json:"text,omitempty"`
	Quiet  oid.ID         `json:"quiet,omitempty"` //oidvet:ignore omitempty older clients want the zeros
}

type everywhere struct {
	Same   oid.ID `bson:"same,omitempty" json:"same,omitempty"` // want `write omitzero`
	First  oid.ID `json:"first,omitempty" bson:"first"`         // want `write omitzero`
	Middle oid.ID `json:"middle,string,omitempty,case:ignore"`  // want `write omitzero`
	Other  oid.ID `xjson:"other,omitempty" json:"other"`
	Two    oid.ID `xjson:"two,omitempty" json:"two,omitempty"` // want `write omitzero`
	Quoted oid.ID "json:\"quoted,omitempty\""                  // want `write omitzero`
	Plain  oid.ID `json:"plain"`
	Err    error  `json:"err,omitempty"`
	Mine   ID     `json:"mine,omitempty"`
	Loud   oid.ID `json:"loud,omitempty"` //oidvet:ignore idtype,embedid another analyzer // want `write omitzero`
	Bare   oid.ID
	Null   sqltype.ZeroNull           `json:"null,omitempty"`   // want `write omitzero`
	User   sqltype.ZeroNullFor[order] `json:"user,omitempty"`   // want `write omitzero`
	Hex    sqltype.Hex                `json:"hex,omitempty"`    // want `write omitzero`
	UUID   sqltype.UUID               `json:"uuid,omitempty"`   // want `write omitzero`
	Ext    jsonx.Extended             `json:"ext,omitempty"`    // want `write omitzero`
	Public public.ID[order]           `json:"public,omitempty"` // want `write omitzero`
	Array  sqltype.Array[oid.ID]      `json:"array,omitempty"`
}

// ID isn't oid.ID.
type ID [12]byte

func (order) IDForm() *public.Form { return nil }

type pair[K comparable, V any] struct {
	Key   K `json:"key,omitempty"`
	Value V `json:"value,omitempty"` // want `omitempty does not omit the zero ID`
}

type only[T any] struct {
	Value T `json:"value,omitempty"`
}

func generic() (pair[string, oid.ID], only[string]) {
	return pair[string, oid.ID]{}, first(only[string]{})
}

func first[T any](list ...T) T { return list[0] }

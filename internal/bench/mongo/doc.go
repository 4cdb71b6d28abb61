// Package mongo compares oid.ID with bson.ObjectID in MongoDB's Go driver v2:
//
//	go run ./internal/bench mongo
//
// native is the driver's own type. oid-registry and for-registry are oid.ID and
// oid.For with the registry of package bsoncodec, oid-bsoncodec and for-bsoncodec
// the same with its Marshal and Unmarshal. oid-plain is oid.ID without any of that,
// by its methods. oid-in is the filter of bsoncodec.In. for-named is oid.For after a call of
// RegisterFor. oid-least reads the IDs of a list by the driver's public reader and keeps
// none of them: no codec for lists takes less time. oid-current is bsoncodec.UnmarshalWith of
// the bytes that a cursor holds.
package mongo

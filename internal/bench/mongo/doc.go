// Package mongo measures oid.ID beside bson.ObjectID in MongoDB's Go driver v2:
//
//	go run ./internal/bench mongo
//
// native is the driver's own type, oid-registry is oid.ID with the registry of
// package bsoncodec, and oid-plain is oid.ID without it, by its methods.
package mongo

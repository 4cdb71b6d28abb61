// Package bsoncodec_test holds the tests of oid.ID with MongoDB's Go drivers, v2 and v1, that
// need no server: the same bytes and the same verdicts as for the drivers' own
// ObjectID, in Go and to readers in other languages. The folders below it have the
// tests with a server, and those of a program that forgot to import mongov1.
package bsoncodec_test

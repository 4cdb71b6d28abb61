// Package mongo holds the tests of oid.ID with MongoDB's Go drivers, v2 and v1: the
// same bytes and the same verdicts as for the drivers' own ObjectID, on a live
// server and to readers in other languages.
package mongo

package bsoncodec

import "go.mongodb.org/mongo-driver/v2/bson"

// Knows reports whether vr has the fields of the driver's reader.
func Knows(vr bson.ValueReader) bool { return new(readerView).learn(vr) }

// WithoutReadingAhead runs f as if the driver's reader were unknown.
func WithoutReadingAhead(f func()) {
	known := viewOf
	viewOf = func() *readerView { return new(readerView) }
	defer func() { viewOf = known }()
	f()
}

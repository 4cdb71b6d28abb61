package bsoncodec

// WithoutReadingAhead runs f as if the driver's reader were unknown.
func WithoutReadingAhead(f func()) {
	known := viewOf
	viewOf = func() *readerView { return new(readerView) }
	defer func() { viewOf = known }()
	f()
}

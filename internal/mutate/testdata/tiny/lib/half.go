package lib

// Half has a mutant that doesn't compile. The file doesn't import the package of its
// type.
func Half() int64 { return int64(limit / 2) }

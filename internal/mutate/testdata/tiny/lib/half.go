package lib

// Half has a mutant of type time.Duration. The file doesn't import package time.
func Half() int64 { return int64(limit / 2) }

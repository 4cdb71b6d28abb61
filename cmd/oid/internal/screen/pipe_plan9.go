package screen

// IsBrokenPipe reports false, because Plan 9 ends a program whose reader has gone.
func IsBrokenPipe(error) bool { return false }

package main

// isBrokenPipe reports false, because Plan 9 ends a program whose reader has gone.
func isBrokenPipe(error) bool { return false }

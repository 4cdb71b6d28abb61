//go:build !linux

package daemon

// Memory knows no folder in memory on this system.
func Memory() string { return "" }

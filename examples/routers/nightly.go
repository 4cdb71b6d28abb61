//go:build nightly

package main

// Without the tag, nobody waits for gin's encoders to compile.
func init() { routers["gin"] = newGin }

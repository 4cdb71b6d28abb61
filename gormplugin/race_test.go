//go:build race

package gormplugin_test

// The race detector makes a sync.Pool drop values, so that allocations can't be counted.
func init() { countsAllocations = false }

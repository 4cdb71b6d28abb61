//go:build !unix

package processor

import "time"

var begun = time.Now()

// used returns the elapsed time: this system has no Getrusage.
func used() time.Duration { return time.Since(begun) }

//go:build !plan9

package main

import (
	"errors"
	"syscall"
)

// isBrokenPipe reports whether the reader of the output has gone.
func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

//go:build !plan9

package screen

import (
	"errors"
	"syscall"
)

// IsBrokenPipe reports whether the reader of the output has gone.
func IsBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

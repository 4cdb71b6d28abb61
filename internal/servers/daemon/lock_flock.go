//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Lock waits until no other process of this user holds the lock of that name. The lock ends
// with the process too.
func Lock(name string) (unlock func() error, err error) {
	path := filepath.Join(os.TempDir(), fmt.Sprintf("oidkit-%s-%d.lock", name, os.Getuid()))
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	return file.Close, nil
}

package consumer_test

import "syscall"

// On most Linux systems, the files of /dev/shm are in memory. There the go command unpacks
// the modules in a third of the time. They need half a gigabyte.
func init() {
	const (
		tmpfs  = 0x01021994 // TMPFS_MAGIC in statfs(2)
		noexec = 8          // ST_NOEXEC
	)
	var fs syscall.Statfs_t
	if err := syscall.Statfs("/dev/shm", &fs); err == nil && fs.Type == tmpfs && fs.Flags&noexec == 0 && fs.Bavail*uint64(fs.Bsize) > 2<<30 {
		parent = "/dev/shm"
	}
}

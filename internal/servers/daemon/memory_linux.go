package daemon

import "syscall"

// The files of sharedMemory are in memory on most Linux systems.
const (
	sharedMemory = "/dev/shm"
	tmpfs        = 0x01021994 // TMPFS_MAGIC in statfs(2)
	enough       = 2 << 30    // bytes, several times what tests store
)

// Memory returns the parent for folders of data that nobody needs after a crash: one whose
// files are in memory. In it a new database takes a fraction of the time. Memory returns
// "", which stands for the folder for temporary files, if the system has no such folder
// or less than 2 GiB are free in it.
func Memory() string {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(sharedMemory, &fs); err != nil || fs.Type != tmpfs || fs.Bavail*uint64(fs.Bsize) < enough {
		return ""
	}
	return sharedMemory
}

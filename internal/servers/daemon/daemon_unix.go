//go:build unix

package daemon

import "syscall"

const runsServers = true

// attributes lets a process run as o, or as the caller if o is nil. The terminal's
// Ctrl-C doesn't end the process.
func attributes(o *owner) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if o != nil {
		attr.Credential = &syscall.Credential{Uid: o.uid, Gid: o.gid}
	}
	return attr
}

func stop(pid int) { syscall.Kill(pid, syscall.SIGSTOP) }

func resume(pid int) { syscall.Kill(pid, syscall.SIGCONT) }

func kill(pid int) { syscall.Kill(pid, syscall.SIGKILL) }

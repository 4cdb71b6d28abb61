//go:build unix

package main

import (
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// limited returns the command that gives another one limits: of the processor's
// time, in whole seconds, and of memory, in MiB. 0 is no limit.
func limited(cpu time.Duration, memory int) []string {
	script := ""
	if cpu > 0 {
		script += fmt.Sprintf("ulimit -t %d; ", 1+int(cpu.Seconds()))
	}
	if memory > 0 {
		script += fmt.Sprintf("ulimit -v %d 2>/dev/null; ", memory<<10)
	}
	return []string{"/bin/sh", "-c", script + `exec "$@"`, "sh"}
}

// ownGroup lets the end of a command be the end of all that it started.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

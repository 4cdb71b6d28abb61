//go:build !unix

package daemon

import "syscall"

const runsServers = false

func attributes(*owner) *syscall.SysProcAttr { return nil }

func stop(int) {}

func resume(int) {}

func kill(int) {}

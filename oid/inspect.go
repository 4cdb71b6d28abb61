package oid

import (
	"crypto/md5"
	"crypto/rand"
	"encoding/binary"
	"os"
	"time"
)

// Fields holds the parts of an ID.
type Fields struct {
	Time    time.Time // creation time, whole seconds, UTC
	Process [5]byte   // process value
	Counter uint32    // counter, from 0 to 2^24-1
}

// Inspect returns the parts of id, so that a program can show them to people. A program
// should not depend on the values of Process and Counter.
func Inspect(id ID) Fields {
	return Fields{
		Time:    id.Timestamp(),
		Process: [5]byte(id[4:]),
		Counter: binary.BigEndian.Uint32(id[8:]) & 0xffffff,
	}
}

// Machine returns the first three bytes of Process. In the layout of most drivers before
// 2018, these bytes are part of a hash of the host name: see [HostProcess]. In today's
// layout they are random.
func (f Fields) Machine() [3]byte { return [3]byte(f.Process[:]) }

// PID returns the last two bytes of Process. In the layout of most drivers before 2018,
// these bytes are the low 16 bits of the process ID: see [HostProcess]. The npm package
// bson wrote them in the opposite order before version 0.5.2. In today's layout they are
// random.
func (f Fields) PID() uint16 { return binary.BigEndian.Uint16(f.Process[3:]) }

// HostProcess returns a process value for a [Generator], in the layout that mgo and other
// drivers used before 2018. The process value has the first three bytes of the MD5 hash
// of the host name, and the low 16 bits of the process ID. If the host name is
// unavailable, or if MD5 is disabled by GODEBUG=fips140=only, three random bytes replace
// the hash.
//
// If possible, leave the field Process of the Generator zero, so that the Generator draws
// five random bytes instead. Containers with the same host name and process ID can make
// the same IDs if they use HostProcess.
func HostProcess() (process [5]byte) {
	machine, ok := hostHash(os.Hostname)
	if !ok {
		rand.Read(machine[:])
	}
	copy(process[:], machine[:])
	binary.BigEndian.PutUint16(process[3:], uint16(os.Getpid()))
	return process
}

// hostHash returns the first three bytes of the MD5 hash of the host name.
func hostHash(hostname func() (string, error)) (hash [3]byte, ok bool) {
	name, err := hostname()
	if err != nil || name == "" {
		return [3]byte{}, false
	}
	// In a program that runs with GODEBUG=fips140=only MD5 panics, and Go 1.25 has no
	// call that asks first, and ok is still false.
	defer func() { _ = recover() }()
	sum := md5.Sum([]byte(name))
	return [3]byte(sum[:]), true
}

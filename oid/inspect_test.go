package oid_test

import (
	"crypto/md5"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/oid"
)

func TestInspectTakesAnIDApart(t *testing.T) {
	got := oid.Inspect(sample)
	want := oid.Fields{
		Time:    time.Date(2024, 1, 26, 18, 19, 13, 0, time.UTC),
		Process: [5]byte{0xc2, 0xd3, 0xe4, 0xf5, 0xa6},
		Counter: 0xb7c8d9,
	}
	if got != want {
		t.Errorf("Inspect(%v) = %+v, want %+v", sample, got, want)
	}
	if got.Machine() != [3]byte{0xc2, 0xd3, 0xe4} || got.PID() != 0xf5a6 {
		t.Errorf("Machine, PID = %x, %#x", got.Machine(), got.PID())
	}
	for range 1000 {
		id := randomID()
		f := oid.Inspect(id)
		if back := slowID(f.Time.Unix(), f.Process, int64(f.Counter)); back != id {
			t.Errorf("the parts of %v make %v", id, back)
		}
	}
}

func TestHostProcessIsTheOlderLayout(t *testing.T) {
	process := oid.HostProcess()
	f := oid.Inspect((&oid.Generator{Process: process}).New())
	if f.PID() != uint16(os.Getpid()) {
		t.Errorf("PID() = %d, want the low 16 bits of %d", f.PID(), os.Getpid())
	}
	name, err := os.Hostname()
	if err != nil || name == "" {
		t.Skip("this machine has no host name:", err)
	}
	if noMD5() {
		t.Skip("TestHostProcessWithoutMD5 tests this program")
	}
	sum := md5.Sum([]byte(name))
	if got := f.Machine(); got != [3]byte(sum[:3]) {
		t.Errorf("Machine() = %x, want %x", got, sum[:3])
	}
	if again := oid.HostProcess(); again != process {
		t.Errorf("HostProcess() = %x, then %x", process, again)
	}
}

// noMD5 reports whether the tests run in a program that forbids MD5.
func noMD5() bool { return strings.Contains(os.Getenv("GODEBUG"), "fips140=only") }

func TestHostHash(t *testing.T) {
	want, wantOK := [3]byte{0xa3, 0x53, 0x5c}, true // printf db1.example.com | md5sum
	if noMD5() {
		want, wantOK = [3]byte{}, false
	}
	if hash, ok := oid.HostHash(func() (string, error) { return "db1.example.com", nil }); ok != wantOK || hash != want {
		t.Errorf("hash %x, %v, want %x, %v", hash, ok, want, wantOK)
	}
	for _, tt := range []struct {
		name string
		err  error
	}{{"", errors.New("no name")}, {"", nil}, {"half a name", errors.New("too long")}} {
		if hash, ok := oid.HostHash(func() (string, error) { return tt.name, tt.err }); ok || hash != [3]byte{} {
			t.Errorf("the hash of the host name %q, %v is %x, want none", tt.name, tt.err, hash)
		}
	}
}

// Where MD5 is forbidden, HostProcess still works, with random bytes.
func TestHostProcessWithoutMD5(t *testing.T) {
	const env = "OID_TEST_HOST_PROCESS"
	if os.Getenv(env) != "" {
		a, b := oid.HostProcess(), oid.HostProcess()
		fmt.Println(a != b, a[3] == b[3] && a[4] == b[4])
		return
	}
	if out := runChild(t, env+"=1", "GODEBUG=fips140=only"); !strings.HasPrefix(out, "true true\n") {
		t.Errorf("with GODEBUG=fips140=only: %s", out)
	}
}

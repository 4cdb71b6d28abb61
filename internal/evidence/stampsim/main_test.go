package main

import (
	"testing"
	"time"
)

func TestStampsNeverComeTwiceWhereClockAndSerialDo(t *testing.T) {
	*ids = 50_000
	draws := world{time.Millisecond, 8, 10 * time.Millisecond, 500 * time.Microsecond, 50e3}.draws(1)
	if n := clockAndSerial(draws, time.Millisecond); n == 0 {
		t.Error("clock and serial: none came twice")
	}
	if n, err := stamped(draws, time.Millisecond); n != 0 || err != nil {
		t.Errorf("stamps: %d came twice, %v", n, err)
	}
	single := world{time.Microsecond, 1, 0, 0, 10e3}.draws(1)
	if n := clockAndSerial(single, time.Microsecond); n != 0 {
		t.Errorf("one machine: %d came twice", n)
	}
}

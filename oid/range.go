package oid

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// ErrTime is the error for a time whose second an ID cannot hold: before
// 1970-01-01T00:00:00Z or after 2106-02-07T06:28:15Z. Check for ErrTime with errors.Is.
var ErrTime = errors.New("time outside 1970-01-01T00:00:00Z to 2106-02-07T06:28:15Z")

// showTime returns t as errors show it. The zero time, which somebody forgot to set, is
// shown as the Go value.
func showTime(t time.Time) string {
	if t.IsZero() {
		return "time.Time{}"
	}
	return t.UTC().Format(time.RFC3339)
}

// maxSeconds is the last second that an ID can hold, 2106-02-07T06:28:15Z.
const maxSeconds = math.MaxUint32

// Timestamp returns the creation time that id holds, in whole seconds and UTC.
func (id ID) Timestamp() time.Time {
	return time.Unix(int64(binary.BigEndian.Uint32(id[:])), 0).UTC()
}

// MinAt returns the least ID whose creation time is t, rounded down to a whole second.
// The function [Range] returns this ID as its lower bound. The comparison id >= MinAt(t)
// is true for every ID whose creation time is this second or later.
//
// A time before 1970 gives the zero ID. A time from 2106-02-07T06:28:16Z on gives the
// greatest ID, twelve bytes 0xff, which is greater than every other ID.
func MinAt(t time.Time) ID { return firstOf(t.Unix()) }

// MaxAt returns the greatest ID whose creation time is t, rounded down to a whole second.
// The comparison id <= MaxAt(t) is true for every ID whose creation time is this second or
// earlier. For creation times before t, use id < [Until](t).
//
// A time before 1970 gives the zero ID, which is less than every other ID. A time after
// 2106-02-07T06:28:15Z gives the greatest ID.
func MaxAt(t time.Time) ID {
	sec := t.Unix()
	if sec < 0 {
		return ID{}
	}
	return fromWords(clampSeconds(sec)<<32|math.MaxUint32, math.MaxUint32)
}

// Range returns bounds for the IDs whose creation time is in [from, to). The comparison
// lo <= id && id < hi is true for each of these IDs. IDs hold whole seconds, so Range
// rounds the start down and the end up. If both times are whole seconds, the comparison is
// false for every ID created at another time. If b is a whole second between a and c,
// Range(a, b) and Range(b, c) have no ID in common, and together contain the IDs of
// Range(a, c).
//
// For a time before 1970, the bound is the zero ID. For a time from 2106-02-07T06:28:16Z
// on, the bound is the greatest ID, twelve bytes 0xff. No range contains the greatest ID,
// because hi is exclusive. If from.Before(to) is false, lo equals hi, and the range is
// empty.
func Range(from, to time.Time) (lo, hi ID) {
	from, to = from.UTC(), to.UTC() // without a monotonic reading: IDs know only the wall clock
	lo = MinAt(from)
	if !from.Before(to) {
		return lo, lo
	}
	return lo, Until(to)
}

// Until returns the least ID whose creation time is t, rounded up to a whole second. If
// from is before t, [Range](from, t) returns this ID as its upper bound. The comparison
// id < Until(t) is true for every ID whose creation time is before t. For a t after
// 2106-02-07T06:28:15Z, Until returns the greatest ID, twelve bytes 0xff, for which the
// comparison is false.
func Until(t time.Time) ID {
	sec := t.Unix()
	if t.Nanosecond() > 0 && sec < math.MaxInt64 {
		sec++
	}
	return firstOf(sec)
}

// firstOf returns the least ID of the second sec or a later one. There is none
// after 2106: then it returns the greatest ID.
func firstOf(sec int64) ID {
	if sec > maxSeconds {
		return fromWords(math.MaxUint64, math.MaxUint32)
	}
	return fromWords(clampSeconds(sec)<<32, 0)
}

// clampSeconds returns the second nearest to sec that an ID can hold.
func clampSeconds(sec int64) uint64 { return uint64(min(max(sec, 0), maxSeconds)) }

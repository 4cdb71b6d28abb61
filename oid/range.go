package oid

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// ErrTime is the error that errors.Is finds for a time that an ID cannot hold:
// before 1970-01-01T00:00:00Z or after 2106-02-07T06:28:15Z.
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

// MinAt returns the least ID of t's second. It is the lower bound of [Range]:
// id >= MinAt(t) holds for every ID made at t, rounded down to the second, or later.
//
// A time before 1970 gives the zero ID. A time after 2106-02-07T06:28:15Z gives the
// greatest ID, twelve bytes 0xff, which no ID in use reaches.
func MinAt(t time.Time) ID { return firstOf(t.Unix()) }

// MaxAt returns the greatest ID of t's second: id <= MaxAt(t) holds for every ID made
// in t's second or earlier. Prefer [Until], whose bound is outside.
//
// A time before 1970 gives the zero ID: no ID in use is as low. A time after
// 2106-02-07T06:28:15Z gives the greatest ID.
func MaxAt(t time.Time) ID {
	sec := t.Unix()
	if sec < 0 {
		return ID{}
	}
	return fromWords(clampSeconds(sec)<<32|math.MaxUint32, math.MaxUint32)
}

// Range returns bounds for the IDs made in [from, to): lo <= id && id < hi holds
// for each of them. IDs hold whole seconds, so from is rounded down and to is
// rounded up. If both are whole seconds, no other ID lies between the bounds.
// Ranges that meet at a whole second share no ID and leave none out.
//
// A bound before 1970 is the zero ID. A bound after 2106-02-07T06:28:15Z is the
// greatest ID, twelve bytes 0xff. No range contains that ID. If from is not before
// to, lo equals hi.
func Range(from, to time.Time) (lo, hi ID) {
	from, to = from.UTC(), to.UTC() // without a monotonic reading: IDs know only the wall clock
	lo = MinAt(from)
	if !from.Before(to) {
		return lo, lo
	}
	return lo, Until(to)
}

// Until returns the upper bound of [Range]: id < Until(t) holds for every ID made
// before t. It is the least ID of t's second, or of the next second if t is not a
// whole one. After 2106-02-07T06:28:15Z it is the greatest ID, twelve bytes 0xff.
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

package oid

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// ErrTime is what errors.Is finds in the error for a time that an id cannot
// hold: before 1970-01-01T00:00:00Z or after 2106-02-07T06:28:15Z.
var ErrTime = errors.New("oid: time outside 1970-01-01T00:00:00Z to 2106-02-07T06:28:15Z")

// maxSeconds is the last second that an id can hold, 2106-02-07T06:28:15Z.
const maxSeconds = math.MaxUint32

// Timestamp returns the creation time that id holds, in whole seconds and UTC.
func (id ID) Timestamp() time.Time {
	return time.Unix(int64(binary.BigEndian.Uint32(id[:4])), 0).UTC()
}

// MinAt returns the least id of t's second. Times outside 1970–2106 count as the
// first and the last second that an id can hold; before 1970 that gives the zero
// ID.
func MinAt(t time.Time) ID { return fromWords(clampSeconds(t.Unix())<<32, 0) }

// MaxAt returns the greatest id of t's second. Times outside 1970–2106 count as
// the first and the last second that an id can hold.
func MaxAt(t time.Time) ID {
	return fromWords(clampSeconds(t.Unix())<<32|math.MaxUint32, math.MaxUint32)
}

// Range returns bounds for the ids made in [from, to): lo <= id && id < hi holds
// for each of them. As ids hold whole seconds, from is rounded down and to is
// rounded up; with both at whole seconds no other id lies between the bounds,
// and ranges that meet at a whole second share no id and leave none out.
//
// Before 1970 a bound is the zero ID, and after 2106-02-07T06:28:15Z it is the
// greatest id, twelve bytes 0xff, which is the only one that no range holds. If
// from is not before to, lo equals hi.
func Range(from, to time.Time) (lo, hi ID) {
	from, to = from.Round(0), to.Round(0) // ids know only the wall clock
	lo = Since(from)
	if !from.Before(to) {
		return lo, lo
	}
	return lo, Until(to)
}

// Since returns the lower bound of [Range]: id >= Since(t) holds for every id
// made at t or later. It is the least id of t's second. After
// 2106-02-07T06:28:15Z it is the greatest id, twelve bytes 0xff.
func Since(t time.Time) ID { return firstOf(t.Unix()) }

// Until returns the upper bound of [Range]: id < Until(t) holds for every id made
// before t. It is the least id of t's second, or of the next one if t is not a
// whole second. After 2106-02-07T06:28:15Z it is the greatest id, twelve bytes
// 0xff, which is the only one that no range holds.
func Until(t time.Time) ID {
	sec := t.Unix()
	if t.Nanosecond() > 0 && sec < math.MaxInt64 {
		sec++
	}
	return firstOf(sec)
}

// firstOf returns the least id dated at or after the second sec. There is
// none after 2106: then it returns the greatest id.
func firstOf(sec int64) ID {
	if sec > maxSeconds {
		return fromWords(math.MaxUint64, math.MaxUint32)
	}
	return fromWords(clampSeconds(sec)<<32, 0)
}

// clampSeconds returns the second nearest to sec that an id can hold.
func clampSeconds(sec int64) uint64 { return uint64(min(max(sec, 0), maxSeconds)) }

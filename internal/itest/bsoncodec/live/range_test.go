package live_test

import (
	"crypto/rand"
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"time"

	bsonv1 "go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/bsoncodec/mongov1"
	"github.com/oidkit/oidkit/internal/servers/mongodb"
	"github.com/oidkit/oidkit/oid"
)

// idsOf returns IDs of the second sec as several processes make them: the least one
// that there can be, the greatest, and some between.
func idsOf(sec uint32) (ids []oid.ID) {
	tails := [][8]byte{{}, {0, 0, 0, 0, 0, 0, 0, 1}, {255, 255, 255, 255, 255, 255, 255, 254}, {255, 255, 255, 255, 255, 255, 255, 255}}
	for range 3 {
		var tail [8]byte
		rand.Read(tail[:])
		tails = append(tails, tail)
	}
	for _, tail := range tails {
		var id oid.ID
		binary.BigEndian.PutUint32(id[:], sec)
		copy(id[4:], tail[:])
		ids = append(ids, id)
	}
	return ids
}

// A filter for creation times finds the documents of these times: all of them, and
// no other, whichever process made their IDs.
func TestLiveRangeFindsExactlyTheRightOnes(t *testing.T) {
	s := mongodb.Start(t)
	c := openV2(t, s, bsoncodec.NewRegistry()).Collection("range")
	cV1 := openV1(t, s, nil).Collection("range")
	const base = 1_700_000_000
	var all []oid.ID
	for sec := uint32(base - 2); sec <= base+5; sec++ {
		all = append(all, idsOf(sec)...)
	}
	all = append(all, idsOf(0)...)
	all = append(all, idsOf(math.MaxInt32)...)
	all = append(all, idsOf(math.MaxInt32+1)...)
	all = append(all, idsOf(math.MaxUint32)...)
	var docs []any
	for i, id := range all {
		if i%2 == 0 {
			docs = append(docs, bson.D{{Key: "_id", Value: id}})
		} else {
			docs = append(docs, bson.D{{Key: "_id", Value: bson.ObjectID(id)}})
		}
	}
	if _, err := c.InsertMany(t.Context(), docs); err != nil {
		t.Fatal(err)
	}

	at := func(sec int64, ns int64) time.Time { return time.Unix(base+sec, ns).UTC() }
	kathmandu := time.FixedZone("+0545", 5*3600+45*60)
	open := time.Time{}
	for _, test := range []struct {
		name     string
		from, to time.Time // zero: open
		lo, hi   int64     // the seconds to find, in [lo, hi)
	}{
		{"a second", at(0, 0), at(1, 0), base, base + 1},
		{"three seconds", at(0, 0), at(3, 0), base, base + 3},
		{"sub-second from", at(0, 999_999_999), at(2, 0), base, base + 2},
		{"sub-second to", at(0, 0), at(2, 1), base, base + 3},
		{"within a second", at(1, 250), at(1, 750), base + 1, base + 2},
		{"another zone", at(0, 0).In(kathmandu), at(3, 0).In(kathmandu), base, base + 3},
		{"zones of different offset", at(0, 0).In(kathmandu), at(3, 0).In(time.FixedZone("-12", -12*3600)), base, base + 3},
		{"empty", at(1, 0), at(1, 0), 0, 0},
		{"turned round", at(3, 0), at(1, 0), 0, 0},
		{"from 1970", time.Unix(0, 0), at(0, 0), 0, base},
		{"before 1970", time.Unix(-1000, 0), time.Unix(-10, 0), 0, 0},
		{"from before 1970", time.Unix(-1000, 0), time.Unix(1, 0), 0, 1},
		{"around 2038", time.Unix(math.MaxInt32, 0), time.Unix(math.MaxInt32+2, 0), math.MaxInt32, math.MaxInt32 + 2},
		{"since", at(2, 5e8), open, base + 2, math.MaxUint32 + 1},
		{"before", open, at(2, 5e8), 0, base + 3},
		{"before in another zone", open, at(2, 0).In(kathmandu), 0, base + 2},
	} {
		var want []oid.ID
		for _, id := range all {
			if sec := int64(binary.BigEndian.Uint32(id[:])); test.lo <= sec && sec < test.hi {
				want = append(want, id)
			}
		}
		slices.SortFunc(want, oid.ID.Compare)

		filter, filterV1 := bsoncodec.CreatedBetween("_id", test.from, test.to), mongov1.CreatedBetween("_id", test.from, test.to)
		switch open {
		case test.to:
			filter, filterV1 = bsoncodec.CreatedSince("_id", test.from), mongov1.CreatedSince("_id", test.from)
		case test.from:
			filter, filterV1 = bsoncodec.CreatedBefore("_id", test.to), mongov1.CreatedBefore("_id", test.to)
		}
		type found struct {
			ID oid.ID `bson:"_id"`
		}
		var got, gotV1 []found
		cursor, err := c.Find(t.Context(), filter, options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}))
		if err == nil {
			err = cursor.All(t.Context(), &got)
		}
		if err != nil {
			t.Fatal(err)
		}
		cursorV1, err := cV1.Find(t.Context(), filterV1)
		if err == nil {
			err = cursorV1.All(t.Context(), &gotV1)
		}
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(gotV1, func(a, b found) int { return a.ID.Compare(b.ID) })
		same := func(f found, id oid.ID) bool { return f.ID == id }
		if !slices.EqualFunc(got, want, same) {
			t.Errorf("%s, v2: got %v\nwant %v", test.name, got, want)
		}
		if !slices.EqualFunc(gotV1, want, same) {
			t.Errorf("%s, v1: got %v\nwant %v", test.name, gotV1, want)
		}
	}
	if n, err := cV1.CountDocuments(t.Context(), bsonv1.D{}); err != nil || n != int64(len(all)) {
		t.Errorf("%d documents, %v; want %d", n, err, len(all))
	}
}

package bsoncodec_test

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/oid"
)

func TestFilters(t *testing.T) {
	from := time.Date(2024, 1, 26, 18, 20, 29, 5e8, time.FixedZone("", 3600))
	to := from.Add(time.Hour)
	lo, hi := oid.Range(from, to)
	for _, test := range []struct {
		name      string
		got, want bson.D
	}{
		{"between", bsoncodec.CreatedBetween("_id", from, to), bson.D{{Key: "_id", Value: bson.D{{Key: "$gte", Value: lo}, {Key: "$lt", Value: hi}}}}},
		{"since", bsoncodec.CreatedSince("a.b", from), bson.D{{Key: "a.b", Value: bson.D{{Key: "$gte", Value: lo}}}}},
		{"before", bsoncodec.CreatedBefore("_id", to), bson.D{{Key: "_id", Value: bson.D{{Key: "$lt", Value: hi}}}}},
		{"since 2200", bsoncodec.CreatedSince("_id", time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)),
			bson.D{{Key: "_id", Value: bson.D{{Key: "$gte", Value: oid.MaxAt(time.Unix(math.MaxUint32, 0))}}}}},
		{"before 1900", bsoncodec.CreatedBefore("_id", time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)),
			bson.D{{Key: "_id", Value: bson.D{{Key: "$lt", Value: oid.ID{}}}}}},
	} {
		// The filters need no registry.
		if got, want := mustMarshal(t, test.got), mustMarshal(t, test.want); !bytes.Equal(got, want) {
			t.Errorf("%s: %v, want %v", test.name, bson.Raw(got), bson.Raw(want))
		}
	}
	if hi.Timestamp() != to.Truncate(time.Second).Add(time.Second).UTC() {
		t.Errorf("the upper bound %v isn't the second after %v", hi.Timestamp(), to)
	}
}

func TestInIsTheDriversList(t *testing.T) {
	for _, n := range []int{0, 1, 9, 10, 11, 99, 100, 101, 1000, 1001, 10_001} {
		ids := make([]oid.ID, n)
		oid.Fill(ids)
		list, typed := bson.A{}, []oid.For[order]{}
		for _, id := range ids {
			list, typed = append(list, bson.ObjectID(id)), append(typed, oid.For[order](id))
		}
		if got, want := mustMarshal(t, bsoncodec.In("_id", typed)), mustMarshal(t, bsoncodec.In("_id", ids)); !bytes.Equal(got, want) {
			t.Errorf("In of %d typed IDs is not In of the IDs", n)
		}
		got := mustMarshal(t, bsoncodec.In("_id", ids))
		if want := mustMarshal(t, bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: list}}}}); !bytes.Equal(got, want) {
			t.Errorf("%d ids: not what the driver makes of them", n)
		}
	}
	if got, want := mustMarshal(t, bsoncodec.In("_id", []oid.ID(nil))), mustMarshal(t, bsoncodec.In("_id", []oid.ID{})); !bytes.Equal(got, want) {
		t.Errorf("nil: %v", bson.Raw(got))
	}
}

// A list that no message holds is an error that says so, and not a message that the
// server refuses.
func TestInOfMoreThanAMessageHolds(t *testing.T) {
	fits, tooMany := 844_000, 845_000
	data, err := bson.Marshal(bsoncodec.In("_id", make([]oid.ID, fits)))
	if err != nil || len(data) > 16<<20+16<<10 {
		t.Errorf("In with %d ids: %d bytes, %v", fits, len(data), err)
	}
	for _, filter := range []any{
		bsoncodec.In("_id", make([]oid.ID, tooMany)),
		bson.D{{Key: "$and", Value: bson.A{bsoncodec.In("_id", make([]oid.For[order], tooMany))}}},
	} {
		for _, reg := range []*bson.Registry{bson.NewRegistry(), bsoncodec.NewRegistry()} {
			_, err := marshal(reg, filter)
			const want = `("_id", 845000 IDs): the list is larger than 16 MiB, the limit for a BSON document: split the IDs over several queries`
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("In with %d ids: error %v, want %s", tooMany, err, want)
			}
		}
	}
}

package document_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/oidkit/oidkit/bsoncodec/mongov1/internal/document"
	"github.com/oidkit/oidkit/oid"
)

// ParseArray reads back what AppendArray writes, and says no to every array that is
// cut, longer than it says, or changed where it matters: without a panic, and without
// touching the ids that were there.
func TestParseArray(t *testing.T) {
	ids := make([]oid.ID, 12)
	oid.Fill(ids)
	array := document.AppendArray(nil, ids)
	if got, ok := document.ParseArray([]oid.ID(nil), array); !ok || !slices.Equal(got, ids) {
		t.Fatalf("%v, %v", got, ok)
	}
	refuse := func(what string, array []byte) {
		t.Helper()
		before := oid.New()
		room := append(make([]oid.ID, 0, 20), before)
		if _, ok := document.ParseArray(room[:0], array); ok || room[0] != before {
			t.Errorf("%s: %v, %v", what, ok, room[0])
		}
	}
	relabel := func(array []byte) []byte { // with the length that it has
		if len(array) >= 4 {
			array[0], array[1], array[2], array[3] = byte(len(array)), byte(len(array)>>8), 0, 0
		}
		return array
	}
	for n := range array {
		refuse("cut", array[:n:n])
		refuse("cut, and says so", relabel(bytes.Clone(array[:n])))
	}
	refuse("longer than it says", append(bytes.Clone(array), 0))
	short := bytes.Clone(array)
	short[0]--
	refuse("says less than it is", short)
	refuse("data after the end", relabel(append(bytes.Clone(array), 0)))
	changed := bytes.Clone(array)
	changed[4] = 0x0a
	refuse("not an ObjectId", changed)
	changed = bytes.Clone(array)
	changed[len(changed)-1] = 1
	refuse("no end", changed)
}

func TestAppendArrayWritesWhatTheSpecificationAsksFor(t *testing.T) {
	for _, n := range []int{0, 1, 10, 11, 100, 101, 1000, 1001, 10_001} {
		ids := make([]oid.ID, n)
		oid.Fill(ids)
		want := []byte{0, 0, 0, 0}
		for i, id := range ids {
			want = append(fmt.Appendf(want, "\x07%d\x00", i), id[:]...)
		}
		want = append(want, 0)
		binary.LittleEndian.PutUint32(want, uint32(len(want)))
		if got := document.AppendArray([]byte("before"), ids); string(got) != "before"+string(want) {
			t.Errorf("an array of %d ids is not as it should be", n)
		}
	}
}

package document_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/oidkit/oidkit/bsoncodec/internal/document"
	"github.com/oidkit/oidkit/oid"
)

func TestCopyArrayReadsWhatAppendArrayWrites(t *testing.T) {
	for _, n := range []int{0, 1, 10, 11, 100, 101, 1000, 1001} {
		ids := make([]oid.ID, n)
		oid.Fill(ids)
		data := document.AppendArray(nil, ids)
		if got, ok := document.Count(data); got != n || !ok {
			t.Errorf("Count of %d ids = %d, %v", n, got, ok)
		}
		got := make([]oid.ID, n)
		document.CopyArray(got, data)
		if !slices.Equal(got, ids) {
			t.Errorf("CopyArray of %d ids = %v, want %v", n, got, ids)
		}
	}
}

// The keys of an array are of no importance. Only their ends are.
func TestKeysAreNotLookedAt(t *testing.T) {
	ids := make([]oid.ID, 1001)
	oid.Fill(ids)
	for _, at := range []int{0, 9, 10, 99, 100, 500, 999, 1000} { // the index of another key
		for _, key := range []string{"", "x", strconv.Itoa(at) + "0"} {
			data := []byte{0, 0, 0, 0}
			for i, id := range ids {
				name := strconv.Itoa(i)
				if i == at {
					name = key
				}
				data = append(append(append(append(data, 0x07), name...), 0), id[:]...)
			}
			data = append(data, 0)
			binary.LittleEndian.PutUint32(data, uint32(len(data)))
			if n, ok := document.Count(data); n != len(ids) || !ok {
				t.Errorf("Count with the key %q of element %d = %d, %v, want %d, true", key, at, n, ok, len(ids))
				continue
			}
			got := make([]oid.ID, len(ids))
			document.CopyArray(got, data)
			if !slices.Equal(got, ids) {
				t.Errorf("CopyArray with the key %q of element %d does not return the IDs", key, at)
			}
		}
	}
}

// Count reports false for an array that is cut, that is longer than its length says, or
// in which a significant byte is changed.
func TestCountRefusesBrokenArrays(t *testing.T) {
	ids := make([]oid.ID, 12)
	oid.Fill(ids)
	data := document.AppendArray(nil, ids)
	refuse := func(what string, array []byte) {
		t.Helper()
		if n, ok := document.Count(array); ok {
			t.Errorf("Count of an array that is %s = %d, true", what, n)
		}
	}
	relabel := func(array []byte) []byte { // with the length that it has
		if len(array) >= 4 {
			binary.LittleEndian.PutUint32(array, uint32(len(array)))
		}
		return array
	}
	for n := range data {
		refuse("cut", data[:n:n])
		refuse("cut, and says so", relabel(bytes.Clone(data[:n])))
	}
	refuse("longer than it says", append(bytes.Clone(data), 0))
	short := bytes.Clone(data)
	short[0]--
	refuse("longer than it says", short)
	refuse("followed by data", relabel(append(bytes.Clone(data), 0)))
	changed := bytes.Clone(data)
	changed[4] = 0x0a
	refuse("not of ObjectIds", changed)
	changed = bytes.Clone(data)
	changed[len(changed)-1] = 1
	refuse("without an end", changed)
	for n := range 9 { // all that is left is part of a key
		refuse("a key without an end", relabel(append([]byte{0, 0, 0, 0, 0x07}, "123456789"[:n]...)))
	}
}

func TestAppendArrayWritesWhatTheSpecificationAsksFor(t *testing.T) {
	for _, n := range []int{0, 1, 9, 10, 11, 99, 100, 101, 999, 1000, 1001, 10_001} {
		ids := make([]oid.ID, n)
		oid.Fill(ids)
		want := []byte{0, 0, 0, 0}
		for i, id := range ids {
			want = append(fmt.Appendf(want, "\x07%d\x00", i), id[:]...)
		}
		want = append(want, 0)
		binary.LittleEndian.PutUint32(want, uint32(len(want)))
		if got := document.AppendArray([]byte("before"), ids); string(got) != "before"+string(want) {
			t.Errorf("AppendArray of %d ids is not the array of the specification", n)
		}
		if got := document.ArraySize(n); got != len(want) {
			t.Errorf("ArraySize(%d) = %d, want %d", n, got, len(want))
		}
	}
}

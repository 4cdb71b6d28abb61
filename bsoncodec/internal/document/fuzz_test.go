package document

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"testing"

	"github.com/oidkit/oidkit/oid"
)

// slowArray returns the IDs of a BSON array, read with a reader that knows its end.
func slowArray(array []byte) (ids []oid.ID, ok bool) {
	r := bytes.NewBuffer(array)
	if size := r.Next(4); len(size) < 4 || int64(int32(binary.LittleEndian.Uint32(size))) != int64(len(array)) {
		return nil, false
	}
	for {
		typ, err := r.ReadByte()
		if err != nil || typ == 0 {
			return ids, err == nil && r.Len() == 0
		}
		if _, err := r.ReadBytes(0); typ != 0x07 || err != nil || r.Len() < 12 {
			return nil, false
		}
		ids = append(ids, oid.ID(r.Next(12)))
	}
}

// An array is read at once only if the slow reader reads it too, as the same IDs.
// AppendArray writes it.
func FuzzArray(f *testing.F) {
	some := []oid.ID{{1}, {2}, {3, 0, 7}}
	whole := AppendArray(nil, some)
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	long := make([]byte, 4)
	for i := range 1001 {
		long = append(append(append(append(long, 0x07), strconv.Itoa(i)...), 0), some[i%3][:]...)
	}
	long = append(long, 0)
	binary.LittleEndian.PutUint32(long, uint32(len(long)))
	f.Add(long)
	f.Add([]byte{5, 0, 0, 0, 0})
	f.Add([]byte{12, 0, 0, 0, 0x10, '0', 0, 7, 0, 0, 0, 0})
	f.Add(bytes.ReplaceAll(whole, []byte("\x071\x00"), []byte("\x07x\x00")))
	f.Fuzz(func(t *testing.T, array []byte) {
		want, wantOK := slowArray(array)
		n, ok := Count(array)
		if ok != wantOK || ok && n != len(want) {
			t.Fatalf("Count(%x) = %d, %v, want %d, %v", array, n, ok, len(want), wantOK)
		}
		if !ok {
			return
		}
		got := make([]oid.ID, n)
		CopyArray(got, array)
		for i, id := range got {
			if id != want[i] {
				t.Fatalf("%x: element %d is %v, want %v", array, i, id, want[i])
			}
		}
		// Readers don't look at the keys, but we write those of the specification.
		written := AppendArray([]byte("kept"), got)
		if len(written) != len("kept")+ArraySize(n) || !bytes.HasPrefix(written, []byte("kept")) {
			t.Fatalf("%d elements are written in %d bytes, want %d", n, len(written)-len("kept"), ArraySize(n))
		}
		again, ok := slowArray(written[len("kept"):])
		if !ok || len(again) != n {
			t.Fatalf("%x: written as %x", array, written)
		}
		for i := range again {
			if again[i] != got[i] || !bytes.Contains(written, append(append([]byte{0x07}, strconv.Itoa(i)...), 0)) {
				t.Fatalf("%x: written as %x", array, written)
			}
		}
	})
}

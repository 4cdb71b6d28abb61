// Package public compares the forms of package public with hex digits and with the libraries
// that also write IDs for URLs. A Sqid hides nothing from anyone who has its alphabet.
package public

import (
	"encoding/binary"
	"testing"

	"github.com/sqids/sqids-go"
	"go.jetify.com/typeid"

	"github.com/oidkit/oidkit/internal/bench/processor"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/public"
	"github.com/oidkit/oidkit/sqltype"
)

// The benchmarks write to these, so that the compiler can't leave the calls out.
var (
	sinkID      oid.ID
	sinkText    []byte
	sinkString  string
	sinkNumbers []uint64
	sinkUUID    []byte
	sinkErr     error
)

var (
	sample   = oid.MustParse("65b3f7a2c1d4e5f6a7b8c9d0")
	uuid     = sqltype.UUID(sample).Bytes()
	numbers  = []uint64{uint64(binary.BigEndian.Uint32(sample[:])), binary.BigEndian.Uint64(sample[4:])}
	sealed   = public.Must(public.Sealed("ord", key(0)))
	rotated  = public.Must(public.Sealed("ord", key(32), key(0)))
	prefixed = public.Must(public.Prefixed("ord"))
)

func key(first byte) []byte {
	key := make([]byte, 32)
	for i := range key {
		key[i] = first + byte(i)
	}
	return key
}

type Order struct{}

func (Order) IDForm() *public.Form { return sealed }

func newSqids(b *testing.B) *sqids.Sqids {
	s, err := sqids.New()
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func run(b *testing.B, name string, do func()) {
	b.Run(name, func(b *testing.B) {
		defer processor.Time(b)()
		for b.Loop() {
			do()
		}
		if sinkErr != nil {
			b.Fatal(sinkErr)
		}
	})
}

// BenchmarkAppend appends the text of an ID to a buffer.
func BenchmarkAppend(b *testing.B) {
	buf, id := make([]byte, 0, 64), public.ID[Order](sample)
	run(b, "hex", func() { sinkText, sinkErr = sample.AppendText(buf) })
	run(b, "Prefixed", func() { sinkText, sinkErr = prefixed.AppendText(buf, sample) })
	run(b, "Sealed", func() { sinkText, sinkErr = sealed.AppendText(buf, sample) })
	run(b, "public.ID", func() { sinkText, sinkErr = id.AppendText(buf) })
}

// BenchmarkText makes the text of an ID as a string.
func BenchmarkText(b *testing.B) {
	s := newSqids(b)
	run(b, "hex", func() { sinkString = sample.Hex() })
	run(b, "Prefixed", func() { sinkString = prefixed.Text(sample) })
	run(b, "Sealed", func() { sinkString = sealed.Text(sample) })
	run(b, "typeid-go", func() {
		id, err := typeid.FromUUIDBytesWithPrefix("ord", uuid[:])
		sinkString, sinkErr = id.String(), err
	})
	run(b, "sqids", func() { sinkString, sinkErr = s.Encode(numbers) })
}

// BenchmarkParse reads the text of an ID.
func BenchmarkParse(b *testing.B) {
	s := newSqids(b)
	hex, typeID, sealedText := sample.Hex(), prefixed.Text(sample), sealed.Text(sample)
	sqid, err := s.Encode(numbers)
	if err != nil {
		b.Fatal(err)
	}
	run(b, "hex", func() { sinkID, sinkErr = oid.Parse(hex) })
	run(b, "Prefixed", func() { sinkID, sinkErr = prefixed.Parse(typeID) })
	run(b, "Sealed", func() { sinkID, sinkErr = sealed.Parse(sealedText) })
	run(b, "Sealed,old-key", func() { sinkID, sinkErr = rotated.Parse(sealedText) })
	run(b, "typeid-go", func() {
		id, err := typeid.FromString(typeID)
		sinkUUID, sinkErr = id.UUIDBytes(), err
	})
	run(b, "sqids", func() { sinkNumbers = s.Decode(sqid) })
}

// Another library reads the texts of both forms as TypeIDs, and the UUID of the prefixed one
// as ours.
func TestTypeIDLibraryReadsTheForms(t *testing.T) {
	id, err := typeid.FromString(prefixed.Text(sample))
	if err != nil || string(id.UUIDBytes()) != string(uuid[:]) || id.Prefix() != "ord" {
		t.Errorf("%v, %v", id, err)
	}
	if id, err := typeid.FromString(sealed.Text(sample)); err != nil || id.String() != sealed.Text(sample) {
		t.Errorf("%v, %v", id, err)
	}
}

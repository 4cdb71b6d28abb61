package sqltype_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// uuidText returns the text that is sent to a uuid column.
func uuidText(t testing.TB, id oid.ID) string {
	t.Helper()
	v, err := sqltype.UUID(id).Value()
	if err != nil {
		t.Fatal(err)
	}
	return v.(string)
}

func TestUUIDIsThatOfTheGoldenVectors(t *testing.T) {
	file, err := os.Open("testdata/uuid.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	vectors := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		vectors++
		digits, want, _ := strings.Cut(lines.Text(), " ")
		id := oid.MustParse(digits)
		if got := uuidText(t, id); got != want {
			t.Errorf("UUID(%v).Value() = %s, want %s", id, got, want)
		}
		b := sqltype.UUID(id).Bytes()
		if got := hex.EncodeToString(b[:]); got != strings.ReplaceAll(want, "-", "") {
			t.Errorf("UUID(%v).Bytes() = %s, want %s", id, got, want)
		}
		if got, err := sqltype.FromUUID(b); got != id || err != nil {
			t.Errorf("FromUUID(%s) = %v, %v, want %v", want, got, err, id)
		}
		for _, src := range []any{want, []byte(want), strings.ToUpper(want), b[:]} {
			got := sqltype.UUID(other)
			if err := got.Scan(src); err != nil || got != sqltype.UUID(id) {
				t.Errorf("UUID.Scan(%T %s) = %v, %v, want %v", src, src, got, err, id)
			}
		}
	}
	if vectors < 16 {
		t.Errorf("%d vectors", vectors)
	}
}

// randomID returns a random ID whose first 0 to 11 bytes are those of before. So
// every byte decides the order of some pair.
func randomID(r *rand.Rand, before oid.ID) (id oid.ID) {
	for i := range id {
		id[i] = byte(r.Uint32())
	}
	copy(id[:r.IntN(len(id))], before[:])
	return id
}

func TestUUIDIsLosslessAndKeepsTheOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var before oid.ID
	for range 200_000 {
		id := randomID(r, before)
		a, b := sqltype.UUID(before).Bytes(), sqltype.UUID(id).Bytes()
		if got, err := sqltype.FromUUID(b); got != id || err != nil {
			t.Fatalf("FromUUID(UUID(%v)) = %v, %v", id, got, err)
		}
		if bytes.Compare(a[:], b[:]) != before.Compare(id) {
			t.Fatalf("%v and %v are in another order than %x and %x", before, id, a, b)
		}
		if b[6]>>4 != 7 || b[8]>>6 != 0b10 {
			t.Fatalf("UUID(%v) = %x is not a UUIDv7", id, b)
		}
		before = id
	}
}

func TestFromUUIDRefusesOtherUUIDs(t *testing.T) {
	const call = "sqltype.FromUUID(018d44dd-d1a0-70c1-8ade-4f5061720000): "
	good := sqltype.UUID(sample).Bytes()
	change := func(i int, b byte) [16]byte {
		bad := good
		bad[i] = b
		return bad
	}
	const way = `: only UUIDs made from IDs can be read; for older rows see "From UUID keys" in docs/migrating.md`
	late := sqltype.UUID(oid.ID([]byte(strings.Repeat("\xff", 12)))).Bytes()
	binary.BigEndian.PutUint64(late[:], 1<<32*1000<<16|7<<12) // the second after the last one
	for _, tt := range []struct {
		in   [16]byte
		want string
	}{
		{late, "a UUID whose time is not a whole second from 1970 to 2106"},
		{[16]byte{}, "a UUID of version 0, want 7"},
		{[16]byte(bytes.Repeat([]byte{0xff}, 16)), "a UUID of version 15, want 7"},
		{change(6, 4<<4), "a UUID of version 4, want 7"},
		{change(8, good[8]&0x3f), "a UUID whose variant is not that of RFC 9562"},
		{change(8, good[8]|0xc0), "a UUID whose variant is not that of RFC 9562"},
		{change(5, good[5]+1), "a UUID whose time is not a whole second from 1970 to 2106"},
		{change(0, 0xff), "a UUID whose time is not a whole second from 1970 to 2106"},
		{change(15, good[15]^1), "a UUID that is not marked as an ID"},
		{change(14, good[14]^1), "a UUID that is not marked as an ID"},
	} {
		id, err := sqltype.FromUUID(tt.in)
		if !id.IsZero() || !errors.Is(err, oid.ErrSyntax) || !strings.HasSuffix(err.Error(), "): "+tt.want+way) {
			t.Errorf("FromUUID(%x) = %v, %v, want %s", tt.in, id, err, tt.want)
		}
		if err != nil && len(err.Error()) != len(call)+len(tt.want)+len(way) {
			t.Errorf("FromUUID(%x): %v", tt.in, err)
		}
		u := sqltype.UUID(other)
		err = u.Scan(tt.in[:])
		if want := "sqltype.UUID.Scan([]uint8): " + tt.want + way; err == nil || err.Error() != want || u != sqltype.UUID(other) {
			t.Errorf("Scan(%x) = %v, destination %v, want %s", tt.in, err, u, want)
		}
	}
	// Exactly the bits that are not part of the ID are checked.
	for bit := range 128 {
		bad := good
		bad[bit/8] ^= 0x80 >> (bit % 8)
		_, err := sqltype.FromUUID(bad)
		ofTheID := bit >= 52 && bit < 64 || bit >= 66 && bit < 118
		if (err == nil) != ofTheID {
			t.Errorf("bit %d: %v", bit, err)
		}
	}
}

// A UUID of other origin passes once in a million: 1000 milliseconds × 1024 marks.
func TestOneUUIDInAMillionPasses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const tries = 4_096_000
	passed := 0
	for range tries {
		var b [16]byte
		for i := 6; i < 16; i++ {
			b[i] = byte(r.Uint32())
		}
		ms := uint64(1_700_000_000_000) + r.Uint64N(1e11)
		for i := range 6 {
			b[i] = byte(ms >> (40 - 8*i))
		}
		b[6], b[8] = b[6]&0xf|0x70, b[8]&0x3f|0x80
		if _, err := sqltype.FromUUID(b); err == nil {
			passed++
		}
	}
	if passed == 0 || passed > 16 {
		t.Errorf("%d of %d UUIDs of other origin pass, want about 4", passed, tries)
	}
}

func TestUUIDScanRefusesNULLAndOtherForms(t *testing.T) {
	u := sqltype.UUID(other)
	const want = "sqltype.UUID.Scan(nil): NULL is not an ID: use *sqltype.UUID or sql.Null[sqltype.UUID] for a nullable column"
	if err := u.Scan(nil); err == nil || err.Error() != want || !errors.Is(err, oid.ErrSyntax) || u != sqltype.UUID(other) {
		t.Errorf("Scan(nil) = %v, destination %v", err, u)
	}
	text := uuidText(t, sample)
	for _, src := range []any{
		strings.ReplaceAll(text, "-", ""), "{" + text + "}", "urn:uuid:" + text, text[1:], text + " ", text[:35] + "g",
		text[:8] + "0" + text[9:], text[:13] + "0" + text[14:], text[:18] + "0" + text[19:], text[:23] + "0" + text[24:],
		sample.Hex(), sample[:], 1,
	} {
		err := u.Scan(src)
		want := fmt.Sprintf("sqltype.UUID.Scan(%T): want the 36 characters or the 16 bytes of a UUID", src)
		if !errors.Is(err, oid.ErrSyntax) || err.Error() != want || u != sqltype.UUID(other) {
			t.Errorf("Scan(%T %v) = %v, destination %v, want %s", src, src, err, u, want)
		}
	}
}

func TestUUIDBytesDoesNotAllocate(t *testing.T) {
	var sum byte
	if n := testing.AllocsPerRun(100, func() {
		b := sqltype.UUID(sample).Bytes()
		id, _ := sqltype.FromUUID(b)
		sum += id[0]
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzUUIDScan(f *testing.F) {
	f.Add([]byte("018d44dd-d1a0-70c1-8ade-4f5061720000"))
	b := sqltype.UUID(sample).Bytes()
	f.Add(b[:])
	f.Fuzz(func(t *testing.T, in []byte) {
		u := sqltype.UUID(other)
		if err := u.Scan(in); err != nil {
			if u != sqltype.UUID(other) || !errors.Is(err, oid.ErrSyntax) {
				t.Errorf("Scan(%q) = %v, destination %v", in, err, u)
			}
			return
		}
		b := u.Bytes()
		if v, _ := u.Value(); !bytes.Equal(in, b[:]) && !strings.EqualFold(v.(string), string(in)) {
			t.Errorf("Scan(%q) gives %v, which is %v", in, oid.ID(u), v)
		}
	})
}

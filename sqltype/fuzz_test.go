package sqltype_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// decoders are the methods that read a type of this package, in the order of decode.
type decoders interface {
	Scan(any) error
	UnmarshalText([]byte) error
	UnmarshalJSON([]byte) error
	UnmarshalBSONValue(byte, []byte) error
}

const decodeWays = 7

// decode has dst read data in one of several ways.
func decode(dst decoders, way, typ byte, data []byte) error {
	switch way % decodeWays {
	case 0:
		return dst.Scan(data)
	case 1:
		return dst.Scan(string(data))
	case 2:
		return dst.UnmarshalText(data)
	case 3:
		return dst.UnmarshalJSON(data)
	case 4:
		return dst.UnmarshalBSONValue(typ, data)
	case 5:
		if dst, ok := dst.(bytesScanner); ok {
			return dst.ScanBytes(data)
		}
		return dst.Scan(data)
	}
	return dst.Scan(nil)
}

// addForms seeds f with an ID in every form that is read, and with some that aren't.
func addForms(f *testing.F) {
	b := sqltype.UUID(sample).Bytes()
	text, err := sqltype.UUID(sample).Value()
	if err != nil {
		f.Fatal(err)
	}
	for way := range byte(decodeWays) {
		for _, data := range [][]byte{
			sample[:], []byte(sample.Hex()), []byte(`\x` + sample.Hex()), []byte(strings.ToUpper(sample.Hex())), []byte(`"` + sample.Hex() + `"`),
			[]byte(`{"$oid":"` + sample.Hex() + `"}`), []byte("null"), []byte(`""`), {}, b[:], []byte(text.(string)), []byte("65b3f7a40c1b2d3e4f50617"),
		} {
			f.Add(way, byte(0x07), data)
		}
	}
	b[15]++ // without the mark
	f.Add(byte(0), byte(0), b[:])
	f.Add(byte(4), byte(0x0a), []byte{})
	f.Add(byte(4), byte(0x06), []byte{})
	f.Add(byte(4), byte(0x02), append(append([]byte{25, 0, 0, 0}, sample.Hex()...), 0))
}

// FuzzForms checks that each form reads what an oid.ID reads, but for NULL and for the
// UUID. An error doesn't change the destination.
func FuzzForms(f *testing.F) {
	addForms(f)
	f.Fuzz(func(t *testing.T, way, typ byte, data []byte) {
		before := bytes.Clone(data)
		way %= decodeWays
		want := other
		wantErr := decode(&want, way, typ, data)

		h, z, zf, u := sqltype.Hex(other), sqltype.ZeroNull(other), optionalUser(other), sqltype.UUID(other)
		for _, form := range []struct {
			name     string
			dst      decoders
			get      func() oid.ID
			nullable bool // NULL is the zero value
		}{
			{"Hex", &h, func() oid.ID { return oid.ID(h) }, false},
			{"ZeroNull", &z, func() oid.ID { return oid.ID(z) }, true},
			{"ZeroNullFor", &zf, func() oid.ID { return oid.ID(zf) }, true},
			{"UUID", &u, func() oid.ID { return oid.ID(u) }, false},
		} {
			name := fmt.Sprintf("%s, way %d, type %#x, %q", form.name, way, typ, data)
			err, want, wantErr := decode(form.dst, way, typ, data), want, wantErr
			if form.name == "UUID" && way != 2 && way != 3 && way != 4 {
				if way == 6 {
					continue // TestUUIDScanRefusesNULLAndOtherForms
				}
				if want, wantErr = slowUUID(data); way == 1 && len(data) == 16 {
					wantErr = errors.New("bytes in a string")
				}
			}
			if form.nullable && way == 6 { // NULL
				want, wantErr = oid.ID{}, nil
			}
			if (err == nil) != (wantErr == nil) {
				t.Fatalf("%s: %v, want %v", name, err, wantErr)
			}
			if err != nil {
				want = other
				if !errors.Is(err, oid.ErrSyntax) || len(err.Error()) > 300 {
					t.Errorf("%s: error %v", name, err)
				}
			}
			if got := form.get(); got != want {
				t.Errorf("%s: %v, want %v after %v", name, got, want, err)
			}
		}
		if !bytes.Equal(data, before) {
			t.Errorf("way %d changed its input", way)
		}
	})
}

// slowUUID reads a UUID's text or bytes in the plainest way.
func slowUUID(data []byte) (id oid.ID, err error) {
	digits := hex.EncodeToString(data)
	if len(data) != 16 {
		groups := strings.Split(strings.ToLower(string(data)), "-")
		digits = strings.Join(groups, "")
		if len(groups) != 5 || len(groups[0]) != 8 || len(groups[1]) != 4 || len(groups[2]) != 4 || len(groups[3]) != 4 || len(groups[4]) != 12 {
			return id, errors.New("not the text of a UUID")
		}
	}
	b, err := hex.DecodeString(digits)
	if err != nil {
		return id, err
	}
	bits := ""
	for _, x := range b {
		bits += fmt.Sprintf("%08b", x)
	}
	var milliseconds int64
	fmt.Sscanf(bits[:48], "%b", &milliseconds)
	if bits[48:52] != "0111" || bits[64:66] != "10" || bits[118:] != "1100011101" || milliseconds%1000 != 0 || milliseconds >= 1000<<32 {
		return id, errors.New("not a UUID of an ID")
	}
	binary.BigEndian.PutUint32(id[:], uint32(milliseconds/1000))
	rest := bits[52:64] + bits[66:118]
	for i := range 8 {
		fmt.Sscanf(rest[8*i:8*i+8], "%b", &id[4+i])
	}
	return id, nil
}

// UUIDs are lossless, in the order of their IDs, and what the slow reference reads.
func FuzzUUIDOrder(f *testing.F) {
	f.Add(sample[:], other[:])
	f.Add([]byte{}, bytes.Repeat([]byte{0xff}, 12))
	f.Add([]byte{0, 0, 0, 1}, []byte{0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var a, b oid.ID
		copy(a[:], first)
		copy(b[:], second)
		ua, ub := sqltype.UUID(a).Bytes(), sqltype.UUID(b).Bytes()
		if got, want := bytes.Compare(ua[:], ub[:]), a.Compare(b); got != want {
			t.Errorf("%x and %x compare as %d, their IDs as %d", ua, ub, got, want)
		}
		if got, want := strings.Compare(uuidText(t, a), uuidText(t, b)), a.Compare(b); got != want {
			t.Errorf("%s and %s compare as %d, their IDs as %d", uuidText(t, a), uuidText(t, b), got, want)
		}
		if back, err := sqltype.FromUUID(ua); back != a || err != nil {
			t.Errorf("FromUUID(%x) = %v, %v, want %v", ua, back, err, a)
		}
		for _, form := range [][]byte{ua[:], []byte(uuidText(t, a))} {
			if back, err := slowUUID(form); back != a || err != nil {
				t.Errorf("slowUUID(%q) = %v, %v, want %v", form, back, err, a)
			}
		}
	})
}

// The bounds of a partition are those of the IDs made in it. Times that can't be
// bounds are errors.
func FuzzPartitionBounds(f *testing.F) {
	f.Add(int64(1772323200), int64(0), int64(1775001600), int64(0))
	f.Add(int64(1772323200), int64(1), int64(1772323200), int64(999_999_999))
	f.Add(int64(0), int64(0), int64(1)<<32-1, int64(0))
	f.Add(int64(1772323200), int64(0), int64(1772323200), int64(0))
	f.Add(int64(1772323201), int64(0), int64(1772323200), int64(0))
	f.Add(int64(-1), int64(0), int64(1)<<32, int64(0))
	f.Add(int64(1)<<32-1, int64(0), int64(1)<<33, int64(0))
	f.Fuzz(func(t *testing.T, from, fromNanos, to, toNanos int64) {
		const most = 1 << 40
		from, to, fromNanos, toNanos = from%most, to%most, fromNanos&0x1fffffff, toNanos&0x1fffffff
		bounds, err := sqltype.PostgresPartitionBounds(time.Unix(from, fromNanos), time.Unix(to, toNanos))
		ok := 0 <= from && from < to && to < 1<<32 && fromNanos == 0 && toNanos == 0
		mysql, mysqlErr := sqltype.MySQLPartitionBounds(time.Unix(from, fromNanos), time.Unix(to, toNanos))
		if (mysqlErr == nil) != ok || ok && mysql != fmt.Sprintf("VALUES LESS THAN (x'%08x0000000000000000')", to) {
			t.Fatalf("MySQLPartitionBounds(%d, %d) = %q, %v", from, to, mysql, mysqlErr)
		}
		if (err == nil) != ok {
			t.Fatalf("PostgresPartitionBounds(%d, %d) = %q, %v", from, to, bounds, err)
		}
		if err != nil {
			if bounds != "" || len(err.Error()) > 300 || !strings.HasPrefix(err.Error(), "sqltype.PostgresPartitionBounds(") {
				t.Errorf("%q with the error %v", bounds, err)
			}
			return
		}
		want := fmt.Sprintf(`FROM ('\x%08x0000000000000000') TO ('\x%08x0000000000000000')`, from, to)
		if from == 0 {
			want = fmt.Sprintf(`FROM (MINVALUE) TO ('\x%08x0000000000000000')`, to)
		}
		if bounds != want {
			t.Errorf("PostgresPartitionBounds(%d, %d) = %q, want %q", from, to, bounds, want)
		}
	})
}

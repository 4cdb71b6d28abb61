package oid_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/oidkit/oidkit/oid"
)

// maxMessage bounds the error for any input: what it shows of the input, each byte
// as \x.., and what it says.
const maxMessage = 4*oid.MaxQuoted + 150

// decodes checks what holds for every decoder: on success it set the ID to want,
// and on failure it says so within bounds and doesn't change the ID.
func decodes(t *testing.T, name string, decode func(*oid.ID) error, want oid.ID, ok bool) {
	t.Helper()
	id := sample
	err := decode(&id)
	if (err == nil) != ok {
		t.Fatalf("%s: %v, want success %v", name, err, ok)
	}
	if ok {
		if id != want {
			t.Fatalf("%s: %v, want %v", name, id, want)
		}
		roundTrips(t, id)
		return
	}
	switch {
	case id != sample:
		t.Fatalf("%s changed the id before it failed", name)
	case !errors.Is(err, oid.ErrSyntax):
		t.Fatalf("%s: %v is not ErrSyntax", name, err)
	case len(err.Error()) > maxMessage || !utf8.ValidString(err.Error()) || strings.ContainsAny(err.Error(), "\x00\n"):
		t.Fatalf("%s: bad message %q", name, err)
	}
}

// addTexts seeds f with texts that are IDs, and that nearly are.
func addTexts(f *testing.F) {
	for _, s := range []string{"", text, strings.ToUpper(text), `\x` + text, string(sample[:]), text[:23] + "z", text + "0"} {
		f.Add([]byte(s))
	}
}

func FuzzText(f *testing.F) {
	addTexts(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		want, ok := slowParse(string(data))
		decodes(t, "Parse", func(id *oid.ID) (err error) {
			parsed, err := oid.Parse(string(data))
			if err == nil {
				*id = parsed
			}
			return err
		}, want, ok)
		decodes(t, "UnmarshalParam", func(id *oid.ID) error { return id.UnmarshalParam(string(data)) }, want, ok)
		decodes(t, "UnmarshalText", func(id *oid.ID) error { return id.UnmarshalText(data) }, want, ok || len(data) == 0)
	})
}

func FuzzBinary(f *testing.F) {
	addTexts(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var want oid.ID
		copy(want[:], data)
		decodes(t, "UnmarshalBinary", func(id *oid.ID) error { return id.UnmarshalBinary(data) }, want, len(data) == 12)
	})
}

func FuzzScan(f *testing.F) {
	addTexts(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		want, ok := slowParse(strings.TrimPrefix(string(data), `\x`))
		decodes(t, "Scan of a string", func(id *oid.ID) error { return id.Scan(string(data)) }, want, ok)
		if len(data) == 12 {
			ok = true
			copy(want[:], data)
		}
		decodes(t, "Scan of bytes", func(id *oid.ID) error { return id.Scan(data) }, want, ok)
		decodes(t, "ScanBytes", func(id *oid.ID) error { return id.ScanBytes(data) }, want, ok)
	})
}

func FuzzBSON(f *testing.F) {
	f.Add(byte(0x07), sample[:])
	f.Add(byte(0x02), bsonText(text))
	f.Add(byte(0x02), bsonText(text[:23]))
	f.Add(byte(0x0a), []byte{})
	f.Fuzz(func(t *testing.T, typ byte, data []byte) {
		var want oid.ID
		ok := false
		switch typ {
		case 0x06, 0x0a:
			ok = len(data) == 0
		case 0x07:
			ok = len(data) == 12
			copy(want[:], data)
		case 0x02:
			if len(data) == 29 && bytes.Equal(data[:4], []byte{25, 0, 0, 0}) && data[28] == 0 {
				want, ok = slowParse(string(data[4:28]))
			}
		}
		decodes(t, "UnmarshalBSONValue", func(id *oid.ID) error { return id.UnmarshalBSONValue(typ, data) }, want, ok)
	})
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{
		`"` + text + `"`, `""`, `null`, `123456789012`, `{"$oid":"` + text + `"}`, `{"$oid": ""}`, `{"$oid":"` + text + `","x":1}`,
		`"\u0036` + text[1:] + `"`, `"` + text[:22] + `\n"`, ` "` + text + `"`, `[1,2,3,4,56]`, `{"$oid":"` + text + `","$oid":"` + text + `"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		want, ok := slowJSON(data)
		decodes(t, "UnmarshalJSON", func(id *oid.ID) error { return id.UnmarshalJSON(data) }, want, ok)
	})
}

// The decoders of a typed ID give the same results as those of ID.
func FuzzTyped(f *testing.F) {
	type user struct{}
	for decoder := range byte(8) {
		f.Add(decoder, byte(0x07), sample[:])
		f.Add(decoder, byte(0x02), bsonText(text))
		f.Add(decoder, byte(0x0a), []byte{})
		f.Add(decoder, byte(0), []byte(text))
		f.Add(decoder, byte(0), []byte(`"`+text+`"`))
		f.Add(decoder, byte(0), []byte("null"))
	}
	type decoders interface {
		UnmarshalText([]byte) error
		UnmarshalParam(string) error
		UnmarshalBinary([]byte) error
		UnmarshalJSON([]byte) error
		UnmarshalBSONValue(byte, []byte) error
		Scan(any) error
		ScanBytes([]byte) error
	}
	decode := func(id decoders, decoder, typ byte, data []byte) error {
		switch decoder % 8 {
		case 0:
			return id.UnmarshalText(data)
		case 1:
			return id.UnmarshalParam(string(data))
		case 2:
			return id.UnmarshalBinary(data)
		case 3:
			return id.UnmarshalJSON(data)
		case 4:
			return id.UnmarshalBSONValue(typ, data)
		case 5:
			return id.Scan(data)
		case 6:
			return id.Scan(string(data))
		}
		return id.ScanBytes(data)
	}
	f.Fuzz(func(t *testing.T, decoder, typ byte, data []byte) {
		plain, typed := sample, oid.For[user](sample)
		before := bytes.Clone(data)
		err, errTyped := decode(&plain, decoder, typ, data), decode(&typed, decoder, typ, data)
		if oid.ID(typed) != plain || (err == nil) != (errTyped == nil) {
			t.Fatalf("decoder %d, %q: %v, %v, and for an ID %v, %v", decoder%8, data, typed, errTyped, plain, err)
		}
		if err != nil && (!errors.Is(errTyped, oid.ErrSyntax) || len(errTyped.Error()) > maxMessage) {
			t.Fatalf("decoder %d, %q: %v", decoder%8, data, errTyped)
		}
		if parsed, err := oid.Parse(string(data)); decoder%8 == 1 && ((err == nil) != (errTyped == nil) || err == nil && parsed != plain) {
			t.Fatalf("Parse(%q) = %v, %v", data, parsed, err)
		}
		if !bytes.Equal(data, before) {
			t.Fatalf("decoder %d changed its input", decoder%8)
		}
		clear(data) // an ID doesn't hang on to what it was read from
		if oid.ID(typed) != plain {
			t.Fatalf("decoder %d: the ID changed with its input", decoder%8)
		}
	})
}

// IDs, their bytes and their texts are in one order, and Next and Prev are the
// neighbors in it.
func FuzzOrder(f *testing.F) {
	f.Add(sample[:], []byte(text))
	f.Add([]byte{}, bytes.Repeat([]byte{0xff}, 12))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 7, 0xff, 0xff, 0xff, 0xff}, []byte{0, 0, 0, 0, 0, 0, 0, 8})
	f.Add(bytes.Repeat([]byte{0xff}, 11), append(bytes.Repeat([]byte{0xff}, 11), 0x80))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var a, b oid.ID
		copy(a[:], first)
		copy(b[:], second)
		want := bytes.Compare(a[:], b[:])
		for name, got := range map[string]int{
			"Compare":        a.Compare(b),
			"the other way":  -b.Compare(a),
			"the texts":      strings.Compare(a.Hex(), b.Hex()),
			"the slow texts": strings.Compare(slowHex(a), slowHex(b)),
			"of typed IDs":   oid.For[int](a).Compare(oid.For[int](b)),
		} {
			if got != want {
				t.Errorf("%v and %v: %s says %d, want %d", a, b, name, got, want)
			}
		}
		if a.Timestamp().Before(b.Timestamp()) && want >= 0 {
			t.Errorf("%v is older than %v", a, b)
		}
		switch next := a.Next(); {
		case a == oid.MaxAt(time.Unix(1<<32-1, 0)):
			if !next.IsZero() {
				t.Errorf("after the greatest ID comes %v", next)
			}
		case next.Compare(a) <= 0 || next.Prev() != a || want < 0 && next.Compare(b) > 0:
			t.Errorf("%v: next %v, before it %v; the other is %v", a, next, next.Prev(), b)
		}
		roundTrips(t, a)
	})
}

// A range holds exactly the IDs whose second is in it, and its parts are all of it.
func FuzzRange(f *testing.F) {
	f.Add(int64(0), int64(1)<<32, int64(5), 3)
	f.Add(int64(-1), int64(1)<<33, int64(1)<<32-1, 10)
	f.Add(int64(1772366400), int64(1772366401), int64(1772366400), 100)
	f.Fuzz(func(t *testing.T, from, to, at int64, parts int) {
		const most = 1 << 40 // seconds, far outside what an ID can say
		from, to, at = from%most, to%most, at&0xffffffff
		lo, hi := oid.Range(time.Unix(from, 0), time.Unix(to, 0))
		if min, until := oid.MinAt(time.Unix(from, 0)), oid.Until(time.Unix(to, 0)); lo != min && lo.Compare(hi) < 0 || hi != until && lo.Compare(hi) < 0 {
			t.Errorf("Range(%d, %d) = %v, %v, MinAt %v, Until %v", from, to, lo, hi, min, until)
		}
		for _, id := range []oid.ID{oid.MinAt(time.Unix(at, 0)), slowID(at, [5]byte{1}, 1), oid.MaxAt(time.Unix(at, 0)).Prev()} {
			if got, want := lo.Compare(id) <= 0 && id.Compare(hi) < 0, from <= at && at < to; got != want {
				t.Errorf("Range(%d, %d) = %v, %v: holds %v, made at %d: %v, want %v", from, to, lo, hi, id, at, got, want)
			}
		}
		parts = parts % 100
		if parts < 1 {
			return
		}
		end := lo
		for a, b := range oid.Split(lo, hi, parts) {
			if a != end || b.Compare(a) < 0 {
				t.Fatalf("Split(%v, %v, %d): %v to %v comes after %v", lo, hi, parts, a, b, end)
			}
			end = b
		}
		if lo.Compare(hi) < 0 && end != hi {
			t.Fatalf("Split(%v, %v, %d) ends at %v", lo, hi, parts, end)
		}
	})
}

// slowJSON reads data with package encoding/json.
func slowJSON(data []byte) (id oid.ID, ok bool) {
	if string(data) == "null" {
		return sample, true // unchanged
	}
	if len(bytes.TrimSpace(data)) != len(data) || !json.Valid(data) {
		return oid.ID{}, false
	}
	var s string
	if json.Unmarshal(data, &s) == nil {
		if s == "" {
			return oid.ID{}, true
		}
		return slowParse(s)
	}
	// A map keeps no repeated keys, so read the object token by token: exactly
	// {, the key, the value and } are there.
	dec := json.NewDecoder(bytes.NewReader(data))
	var tokens []json.Token
	for {
		token, err := dec.Token()
		if err != nil {
			break
		}
		tokens = append(tokens, token)
	}
	if len(tokens) != 4 || tokens[0] != json.Delim('{') || tokens[1] != "$oid" {
		return oid.ID{}, false
	}
	s, ok = tokens[2].(string)
	if !ok {
		return oid.ID{}, false
	}
	return slowParse(s)
}

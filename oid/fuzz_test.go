package oid_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
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

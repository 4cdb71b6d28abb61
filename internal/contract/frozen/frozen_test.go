// Package frozen_test holds everything that users store, or send to other programs,
// to vectors. They were computed from the documentation, not by this library. A
// change that fails here breaks stored data.
package frozen_test

import (
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/jsonx"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// forms is the file of vectors.
type forms struct {
	IDs []struct {
		ID      string
		Time    time.Time
		Process string
		Counter uint32

		Text         string
		JSON         string
		ExtendedJSON string `json:"extended_json"`
		BSON         string
		Binary       string
		SQL          string
		SQLHex       string `json:"sql_hex"`
		SQLUUID      string `json:"sql_uuid"`
		SQLArray     string `json:"sql_array"`
		SQLHexArray  string `json:"sql_hex_array"`
		SQLUUIDArray string `json:"sql_uuid_array"`
	}
	Derived []struct {
		Time  time.Time
		Parts []string
		ID    string
	}
	Ranges []struct {
		From, To time.Time
		Lo, Hi   string
	}
	Buckets []struct {
		ID        string
		N, Bucket int
	}
}

func read(t *testing.T) (f forms) {
	t.Helper()
	data, err := os.ReadFile("testdata/forms.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	if len(f.IDs) < 8 || len(f.Derived) < 4 || len(f.Ranges) < 2 || len(f.Buckets) < 30 {
		t.Fatalf("vectors are missing: %d IDs, %d derived, %d ranges, %d buckets",
			len(f.IDs), len(f.Derived), len(f.Ranges), len(f.Buckets))
	}
	return f
}

// stored writes a database/sql value as the vectors do.
func stored(v driver.Valuer) string {
	value, err := v.Value()
	switch value := value.(type) {
	case []byte:
		return "bytes " + hex.EncodeToString(value)
	case string:
		return "text " + value
	}
	return fmt.Sprintf("%T %v, %v", value, value, err)
}

func text(data []byte, err error) string {
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func bson(v interface{ MarshalBSONValue() (byte, []byte, error) }) string {
	typ, data, err := v.MarshalBSONValue()
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("0x%02x %x", typ, data)
}

type order struct{}

func TestFormsOfIDs(t *testing.T) {
	for _, tt := range read(t).IDs {
		raw, err := hex.DecodeString(tt.ID)
		if err != nil {
			t.Fatal(err)
		}
		id := oid.ID(raw)
		typed := oid.For[order](id)
		for _, form := range []struct{ name, got, want string }{
			{"String", id.String(), tt.Text},
			{"MarshalText", text(id.MarshalText()), tt.Text},
			{"MarshalJSON", text(id.MarshalJSON()), tt.JSON},
			{"MarshalBSONValue", bson(id), tt.BSON},
			{"MarshalBinary", hex.EncodeToString([]byte(text(id.MarshalBinary()))), tt.Binary},
			{"Value", stored(id), tt.SQL},
			{"For.MarshalText", text(typed.MarshalText()), tt.Text},
			{"For.MarshalJSON", text(typed.MarshalJSON()), tt.JSON},
			{"For.MarshalBSONValue", bson(typed), tt.BSON},
			{"For.Value", stored(typed), tt.SQL},
			{"jsonx.Extended.MarshalJSON", text(jsonx.Extended(id).MarshalJSON()), tt.ExtendedJSON},
			{"jsonx.Extended.MarshalBSONValue", bson(jsonx.Extended(id)), tt.BSON},
			{"jsonx.Extended.Value", stored(jsonx.Extended(id)), tt.SQL},
			{"sqltype.Hex.Value", stored(sqltype.Hex(id)), tt.SQLHex},
			{"sqltype.Hex.MarshalBSONValue", bson(sqltype.Hex(id)), tt.BSON},
			{"sqltype.Hex.MarshalJSON", text(json.Marshal(sqltype.Hex(id))), tt.JSON},
			{"sqltype.UUID.Value", stored(sqltype.UUID(id)), tt.SQLUUID},
			{"sqltype.UUID.MarshalBSONValue", bson(sqltype.UUID(id)), tt.BSON},
			{"sqltype.UUID.MarshalJSON", text(json.Marshal(sqltype.UUID(id))), tt.JSON},
			{"sqltype.Array[oid.ID].Value", stored(sqltype.Array[oid.ID]{id}), tt.SQLArray},
			{"sqltype.Array[oid.For].Value", stored(sqltype.Array[oid.For[order]]{typed}), tt.SQLArray},
			{"sqltype.Array[Hex].Value", stored(sqltype.Array[sqltype.Hex]{sqltype.Hex(id)}), tt.SQLHexArray},
			{"sqltype.Array[UUID].Value", stored(sqltype.Array[sqltype.UUID]{sqltype.UUID(id)}), tt.SQLUUIDArray},
		} {
			if form.got != form.want {
				t.Errorf("%s: %s = %s, want %s", tt.ID, form.name, form.got, form.want)
			}
		}

		fields := oid.Inspect(id)
		if !fields.Time.Equal(tt.Time) || hex.EncodeToString(fields.Process[:]) != tt.Process || fields.Counter != tt.Counter {
			t.Errorf("Inspect(%s) = %v, want %v, %s, %d", tt.ID, fields, tt.Time, tt.Process, tt.Counter)
		}
		if seconds := int64(binary.BigEndian.Uint32(raw)); id.Timestamp().Unix() != seconds {
			t.Errorf("%s.Timestamp() = %v, want second %d", tt.ID, id.Timestamp(), seconds)
		}
	}
}

// Every newer version reads the values that an older one stored.
func TestFormsAreRead(t *testing.T) {
	for _, tt := range read(t).IDs {
		raw, err := hex.DecodeString(tt.ID)
		if err != nil {
			t.Fatal(err)
		}
		want := oid.ID(raw)
		scan := func(s sql.Scanner, stored string) error {
			kind, value, _ := strings.Cut(stored, " ")
			if kind == "bytes" {
				data, err := hex.DecodeString(value)
				if err != nil {
					return err
				}
				return s.Scan(data)
			}
			return s.Scan(value)
		}
		for _, form := range []struct {
			name string
			read func(id *oid.ID) error
		}{
			{"UnmarshalText", func(id *oid.ID) error { return id.UnmarshalText([]byte(tt.Text)) }},
			{"UnmarshalJSON", func(id *oid.ID) error { return id.UnmarshalJSON([]byte(tt.JSON)) }},
			{"UnmarshalJSON of Extended JSON", func(id *oid.ID) error { return id.UnmarshalJSON([]byte(tt.ExtendedJSON)) }},
			{"UnmarshalBSONValue", func(id *oid.ID) error { return id.UnmarshalBSONValue(0x07, raw) }},
			{"UnmarshalBinary", func(id *oid.ID) error { return id.UnmarshalBinary(raw) }},
			{"Scan", func(id *oid.ID) error { return scan(id, tt.SQL) }},
			{"Scan of text", func(id *oid.ID) error { return scan(id, tt.SQLHex) }},
			{"jsonx.Extended.UnmarshalJSON", func(id *oid.ID) error { return (*jsonx.Extended)(id).UnmarshalJSON([]byte(tt.ExtendedJSON)) }},
			{"sqltype.Hex.Scan", func(id *oid.ID) error { return scan((*sqltype.Hex)(id), tt.SQLHex) }},
			{"sqltype.UUID.Scan", func(id *oid.ID) error { return scan((*sqltype.UUID)(id), tt.SQLUUID) }},
			{"sqltype.Array[oid.ID].Scan", func(id *oid.ID) error {
				var list sqltype.Array[oid.ID]
				err := scan(&list, tt.SQLArray)
				if len(list) == 1 {
					*id = list[0]
				}
				return err
			}},
			{"sqltype.Array[Hex].Scan", func(id *oid.ID) error {
				var list sqltype.Array[sqltype.Hex]
				err := scan(&list, tt.SQLHexArray)
				if len(list) == 1 {
					*id = oid.ID(list[0])
				}
				return err
			}},
			{"sqltype.Array[UUID].Scan", func(id *oid.ID) error {
				var list sqltype.Array[sqltype.UUID]
				err := scan(&list, tt.SQLUUIDArray)
				if len(list) == 1 {
					*id = oid.ID(list[0])
				}
				return err
			}},
		} {
			got := oid.ID{0xaa}
			if err := form.read(&got); err != nil || got != want {
				t.Errorf("%s: %s reads %v, %v", tt.ID, form.name, got, err)
			}
		}
	}
}

// An import that runs again must find the rows that it made with an older version.
func TestDerivedIDs(t *testing.T) {
	for _, tt := range read(t).Derived {
		if got, err := oid.Derive(tt.Time, tt.Parts...); err != nil || got.Hex() != tt.ID {
			t.Errorf("Derive(%v, %q) = %v, %v, want %s", tt.Time, tt.Parts, got, err, tt.ID)
		}
	}
}

// Partitions of tables are made by ranges.
func TestRanges(t *testing.T) {
	for _, tt := range read(t).Ranges {
		if lo, hi := oid.Range(tt.From, tt.To); lo.Hex() != tt.Lo || hi.Hex() != tt.Hi {
			t.Errorf("Range(%v, %v) = %v, %v, want %s, %s", tt.From, tt.To, lo, hi, tt.Lo, tt.Hi)
		}
	}
}

// A row is looked for in the bucket that an older version, or SQL, has stored.
func TestBuckets(t *testing.T) {
	for _, tt := range read(t).Buckets {
		id := oid.MustParse(tt.ID)
		if got := oid.Bucket(id, tt.N); got != tt.Bucket {
			t.Errorf("Bucket(%s, %d) = %d, want %d", tt.ID, tt.N, got, tt.Bucket)
		}
		if got := oid.Bucket(oid.For[order](id), tt.N); got != tt.Bucket {
			t.Errorf("Bucket(For(%s), %d) = %d, want %d", tt.ID, tt.N, got, tt.Bucket)
		}
	}
}

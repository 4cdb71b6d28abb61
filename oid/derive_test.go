package oid_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/oid"
)

// Made with Python's hashlib and struct on 2026-11-21. Rows in the tables of others
// have such IDs: the vectors must stay what they are.
var derived = []struct {
	sec   int64
	parts []string
	want  string
}{
	{1582982656, []string{"orders", "17"}, "5e5a6600184024d311d7ae35"},
	{1582982656, []string{"orders", "18"}, "5e5a66004ec7581ef5b3848b"},
	{1582982656, []string{"orders1", "7"}, "5e5a6600d9daed33ce66b9cf"},
	{1582982656, []string{"orders17"}, "5e5a66001fd1797f23707371"},
	{1582982656, []string{"orders", "17", ""}, "5e5a6600bc42606d69fc8349"},
	{1582982656, []string{""}, "5e5a6600af5570f5a1810b7a"},
	{0, []string{""}, "00000000af5570f5a1810b7a"},
	{0xffffffff, []string{""}, "ffffffffaf5570f5a1810b7a"},
	{1772366400, []string{"Straße", "日本語", "🙂"}, "69a42a40da54f901475b3214"},
	{1772366400, []string{"\x00", strings.Repeat("a", 1000)}, "69a42a40709bef2992a76c3f"},
}

func TestDeriveGivesTheSameIDAlways(t *testing.T) {
	for _, tt := range derived {
		for _, at := range []time.Time{
			time.Unix(tt.sec, 0),
			time.Unix(tt.sec, 999_999_999).In(time.FixedZone("", -5*60*60)),
		} {
			got, err := oid.Derive(at, tt.parts...)
			if err != nil || got.Hex() != tt.want {
				t.Errorf("Derive(%v, %.40q) = %v, %v, want %s", at, tt.parts, got, err, tt.want)
			}
		}
	}
}

// slowDerive writes the bytes that are hashed in another way.
func slowDerive(sec int64, parts []string) string {
	var text strings.Builder
	for _, part := range parts {
		fmt.Fprintf(&text, "%016x%x", len(part), part)
	}
	bytes, err := hex.DecodeString(text.String())
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("%08x%.16s", sec, fmt.Sprintf("%x", sha256.Sum256(bytes)))
}

func FuzzDerive(f *testing.F) {
	for _, tt := range derived {
		f.Add(uint32(tt.sec), strings.Join(tt.parts, "|"))
	}
	f.Fuzz(func(t *testing.T, sec uint32, text string) {
		parts := strings.Split(text, "|")
		got, err := oid.Derive(time.Unix(int64(sec), 0), parts...)
		if want := slowDerive(int64(sec), parts); err != nil || got.Hex() != want {
			t.Errorf("Derive(%d, %q) = %v, %v, want %s", sec, parts, got, err, want)
		}
	})
}

func TestDeriveRefusesNoPartsAndWrongTimes(t *testing.T) {
	const bounds = "time outside 1970-01-01T00:00:00Z to 2106-02-07T06:28:15Z"
	for _, tt := range []struct {
		at      time.Time
		parts   []string
		wantErr string
		is      error
	}{
		{time.Unix(0, 0), nil, "oid.Derive(1970-01-01T00:00:00Z): want at least one part", nil},
		{time.Unix(0, -1), []string{"a"}, "oid.Derive(1969-12-31T23:59:59Z): " + bounds, oid.ErrTime},
		{time.Unix(1<<32, 0), []string{"a"}, "oid.Derive(2106-02-07T06:28:16Z): " + bounds, oid.ErrTime},
		{time.Time{}, []string{"a"}, "oid.Derive(time.Time{}): " + bounds, oid.ErrTime},
	} {
		got, err := oid.Derive(tt.at, tt.parts...)
		if err == nil || err.Error() != tt.wantErr || !got.IsZero() || tt.is != nil && !errors.Is(err, tt.is) {
			t.Errorf("Derive(%v, %q) = %v, %v, want %s", tt.at, tt.parts, got, err, tt.wantErr)
		}
	}
}

package main

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestNumbersAsPeopleWriteThem(t *testing.T) {
	for _, test := range []struct {
		in   string
		want float64
	}{
		{"1000", 1000}, {"1,000", 1000}, {"1_000", 1000}, {"12,345,678", 12345678}, {"-1,000.5", -1000.5}, {"1,000k", 1e6},
		{"1e3", 1000}, {"1k", 1000}, {"1K", 1000}, {"2.5M", 2.5e6}, {"1G", 1e9}, {"-2k", -2000}, {"0.25", 0.25}, {"0", 0},
	} {
		if got, err := parseNumber(test.in); err != nil || got != test.want {
			t.Errorf("parseNumber(%q) = %v, %v, want %v", test.in, got, err, test.want)
		}
	}
	for _, in := range []string{
		"", "x", "k", "1,5", "1,00,0", "1,000,00", "1 k", "1kM", "1Mk", "1kG", "1Gk", "1MG", "1GM", "1kk", "1KK",
		"NaN", "Inf", "-Inf", "1e300G", "-1e300G", "1e999", "0x10", "0X10", "0x1p4", "0X1P4",
	} {
		want := quote(in) + " is not a number: write it as 1000, 1,000, 1e3, 1k or 2.5M"
		if got, err := parseNumber(in); err == nil || err.Error() != want || got != 0 {
			t.Errorf("parseNumber(%q) = %v, %v, want 0, %s", in, got, err, want)
		}
	}
}

func TestCountsAreWholeNumbersAboveZero(t *testing.T) {
	for in, want := range map[string]int64{"1": 1, "1.5k": 1500, "1e15": 1e15} {
		if got, err := parseCount(in); err != nil || got != want {
			t.Errorf("parseCount(%q) = %d, %v, want %d", in, got, err, want)
		}
	}
	for in, reason := range map[string]string{"0": "count: want", "-1": "count: want", "0.5": "count: want", "1.5": "count: want", "1000000000000001": "count: want", "x": "number: write"} {
		if got, err := parseCount(in); err == nil || !strings.HasPrefix(err.Error(), quote(in)+" is not a "+reason) || got != 0 {
			t.Errorf("parseCount(%q) = %d, %v, want 0, … is not a %s", in, got, err, reason)
		}
	}
	if got, err := parseAbove("0.5"); err != nil || got != 0.5 {
		t.Errorf("parseAbove(0.5) = %v, %v", got, err)
	}
	for in, reason := range map[string]string{"0": ": want a number above 0", "-1": ": want a number above 0", "x": " is not a number: write"} {
		if got, err := parseAbove(in); err == nil || !strings.HasPrefix(err.Error(), quote(in)+reason) {
			t.Errorf("parseAbove(%q) = %v, %v, want %s", in, got, err, reason)
		}
	}
}

func TestNumbersAsPeopleReadThem(t *testing.T) {
	for _, test := range []struct {
		n    int64
		want string
	}{{0, "0"}, {7, "7"}, {99, "99"}, {123, "123"}, {1234, "1,234"}, {12345, "12,345"}, {123456, "123,456"}, {1234567, "1,234,567"}} {
		if got := thousands(test.n); got != test.want {
			t.Errorf("thousands(%d) = %s, want %s", test.n, got, test.want)
		}
	}
	for _, test := range []struct {
		x    float64
		want string
	}{
		{0, "0"}, {0.25, "0.25"}, {1.23456, "1.23"}, {999, "999"}, {999.4, "999"}, {999.5, "1,000"}, {999.7, "1,000"}, {1000.4, "1,000"}, {1234567.5, "1,234,568"},
		{999999999999999, "999,999,999,999,999"}, {1e15, "1.00 × 10^15"}, {1.236e45, "1.24 × 10^45"}, {1e123, "1.00 × 10^123"},
	} {
		if got := number(test.x); got != test.want {
			t.Errorf("number(%v) = %s, want %s", test.x, got, test.want)
		}
	}
	for _, test := range []struct {
		p             float64
		percent, once string
	}{
		{0, "0 %", "never"}, {1, "100 %", ""}, {math.Nextafter(1, 0), "> 99.9 %", ""}, {0.9995, "> 99.9 %", ""}, {0.9994, "99.9 %", ""},
		{0.75, "75 %", ""}, {0.5, "50 %", "1 in 2"}, {0.3, "30 %", "1 in 3"}, {1e-6, "0.0001 %", "1 in 1,000,000"}, {1e-20, "1e-18 %", "1 in 1.00 × 10^20"},
	} {
		if got := percent(test.p); got != test.percent {
			t.Errorf("percent(%v) = %s, want %s", test.p, got, test.percent)
		}
		if got := oneIn(test.p); got != test.once {
			t.Errorf("oneIn(%v) = %q, want %q", test.p, got, test.once)
		}
	}
	if got := plural(1, "ID", "IDs") + " " + plural(0, "ID", "IDs") + " " + plural(2000, "ID", "IDs"); got != "1 ID 0 IDs 2,000 IDs" {
		t.Errorf("plural: %s", got)
	}
}

// An error shows the start of long input.
func TestQuotedInputIsCut(t *testing.T) {
	for n, want := range map[int]string{0: `""`, 59: `"` + strings.Repeat("x", 59) + `"`, 60: `"` + strings.Repeat("x", 60) + `"`, 61: `"` + strings.Repeat("x", 60) + `"…`, 999: `"` + strings.Repeat("x", 60) + `"…`} {
		if got := quote(strings.Repeat("x", n)); got != want {
			t.Errorf("quote of %d bytes: %s, want %s", n, got, want)
		}
	}
}

// With a process value and a date, the counter starts at random, but low enough for all
// IDs of the run.
func TestRunsOfOneSecondStartLowEnough(t *testing.T) {
	at, process := time.Unix(0x65b3f7a2, 0), [5]byte{1, 2, 3, 4, 5}
	for n, want := range map[int64][]string{
		mostPerSecond:     {"65b3f7a20102030405000000"},
		mostPerSecond - 1: {"65b3f7a20102030405000000", "65b3f7a20102030405000001"},
	} {
		found := map[string]bool{}
		for range 100 {
			found[startOfRun(at, process, n).Hex()] = true
		}
		if len(found) != len(want) {
			t.Errorf("%d IDs start at %v, want %s", n, found, want)
		}
		for _, id := range want {
			if !found[id] {
				t.Errorf("%d IDs never start at %s", n, id)
			}
		}
	}
	high := 0
	for range 100 {
		id := startOfRun(at, process, 1)
		if got := id.Hex()[:18]; got != "65b3f7a20102030405" {
			t.Fatalf("starts at %s", id)
		}
		if id[9] >= 0x80 {
			high++
		}
	}
	if high == 0 || high == 100 {
		t.Errorf("%d of 100 counters are in the upper half", high)
	}
}

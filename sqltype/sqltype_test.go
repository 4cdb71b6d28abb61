package sqltype_test

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

var (
	sample = oid.MustParse("65b3f7a40c1b2d3e4f506172")
	other  = oid.MustParse("65b3f7a40c1b2d3e4f506173")
	zero   oid.ID
)

type user struct{}

type (
	userID       = oid.For[user]
	optionalUser = sqltype.ZeroNullFor[user]
)

// column has the methods that all types of this package have.
type column[T any] interface {
	*T
	sql.Scanner
	UnmarshalText([]byte) error
	UnmarshalJSON([]byte) error
	UnmarshalBSONValue(byte, []byte) error
}

// bytesScanner and bytesValuer are the interfaces that pgx uses for a binary column.
type bytesScanner interface{ ScanBytes([]byte) error }

type bytesValuer interface{ BytesValue() ([]byte, error) }

type value interface {
	comparable
	driver.Valuer
	MarshalText() ([]byte, error)
	MarshalJSON() ([]byte, error)
	MarshalBSONValue() (byte, []byte, error)
	IsZero() bool
}

// testRoundTrip tests that decoding every encoding of v returns v. The destination
// held another value before.
func testRoundTrip[T value, P column[T]](t *testing.T, v, before T) {
	t.Helper()
	check := func(how string, decode func(P) error) {
		t.Helper()
		got := before
		if err := decode(&got); err != nil || got != v {
			t.Errorf("%s: got %v, %v, want %v", how, got, err, v)
		}
	}
	check("Value and Scan", func(p P) error {
		x, err := v.Value()
		return errors.Join(err, p.Scan(x))
	})
	if v, ok := any(v).(bytesValuer); ok {
		check("BytesValue and ScanBytes", func(p P) error {
			x, err := v.BytesValue()
			return errors.Join(err, any(p).(bytesScanner).ScanBytes(x))
		})
	}
	check("text", func(p P) error {
		x, err := v.MarshalText()
		return errors.Join(err, p.UnmarshalText(x))
	})
	check("JSON", func(p P) error {
		x, err := json.Marshal(v)
		return errors.Join(err, json.Unmarshal(x, p))
	})
	check("BSON", func(p P) error {
		typ, x, err := v.MarshalBSONValue()
		return errors.Join(err, p.UnmarshalBSONValue(typ, x))
	})
}

func TestEveryEncodingGivesTheValueBack(t *testing.T) {
	testRoundTrip(t, sqltype.Hex(sample), sqltype.Hex(other))
	testRoundTrip(t, sqltype.Hex(zero), sqltype.Hex(other))
	testRoundTrip(t, sqltype.ZeroNull(sample), sqltype.ZeroNull(other))
	testRoundTrip(t, sqltype.ZeroNull(zero), sqltype.ZeroNull(other))
	testRoundTrip(t, sqltype.UUID(sample), sqltype.UUID(other))
	testRoundTrip(t, sqltype.UUID(zero), sqltype.UUID(other))
	testRoundTrip(t, optionalUser(sample), optionalUser(other))
	testRoundTrip(t, optionalUser(zero), optionalUser(other))
}

// badInputs are not IDs. A type that accepts one of them doesn't list it.
var badInputs = []any{
	"", []byte{}, "hello world!", []byte("hello world"), make([]byte, 11), make([]byte, 13), make([]byte, 16),
	"65b3f7a40c1b2d3e4f50617", "65b3f7a40c1b2d3e4f50617z", "65b3f7a40c1b2d3e4f5061720",
	"65b3f7a40c1b2d3e4f506172      ", `"65b3f7a40c1b2d3e4f506172"`, `/x65b3f7a40c1b2d3e4f506172`,
	"65b3f7a4-0c1b-2d3e-4f50-617265b3f7a4", int64(1), 1.5, true, time.Time{}, sample,
}

func testBadInput[T value, P column[T]](t *testing.T, name string, before T) {
	t.Helper()
	check := func(in any, got T, err error) {
		t.Helper()
		switch {
		case err == nil || got != before:
			t.Errorf("%s: %T %v: destination %v, error %v", name, in, in, got, err)
		case !errors.Is(err, oid.ErrSyntax) || !strings.HasPrefix(err.Error(), "sqltype."+name+"."):
			t.Errorf("%s: %T %v: error %v", name, in, in, err)
		}
	}
	for _, in := range badInputs {
		got := before
		check(in, got, P(&got).Scan(in))
		p, ok := any(&got).(bytesScanner)
		if in, isBytes := in.([]byte); ok && isBytes {
			check(in, got, p.ScanBytes(in))
		}
		if in, ok := in.(string); ok && in != "" {
			check(in, got, P(&got).UnmarshalText([]byte(in)))
		}
	}
	for _, in := range []string{`1`, `[1]`, `"6"`, `{}`, `{"$oid":1}`} {
		got := before
		check(in, got, P(&got).UnmarshalJSON([]byte(in)))
	}
	got := before
	check("BSON", got, P(&got).UnmarshalBSONValue(0x07, make([]byte, 11)))
	check("BSON", got, P(&got).UnmarshalBSONValue(0x10, make([]byte, 4)))
	check("BSON null with data", got, P(&got).UnmarshalBSONValue(0x0a, make([]byte, 4)))
}

func TestBadInputIsAnErrorAndLeavesTheDestinationAlone(t *testing.T) {
	testBadInput(t, "Hex", sqltype.Hex(other))
	testBadInput(t, "ZeroNull", sqltype.ZeroNull(other))
	testBadInput(t, "UUID", sqltype.UUID(other))
	testBadInput(t, "ZeroNull", optionalUser(other))

	// An error names the failing call, and says to an API client what is wrong.
	var n sqltype.ZeroNull
	var bad *oid.SyntaxError
	err := n.Scan("hello")
	const problem = "length 5, want 12 bytes, 24 hex digits, or \\x and 24 hex digits"
	if err == nil || err.Error() != "sqltype.ZeroNull.Scan(string): "+problem || !errors.As(err, &bad) || bad.Problem != problem {
		t.Errorf("ZeroNull.Scan(hello) = %v", err)
	}

	h := sqltype.Hex(other)
	const want = "sqltype.Hex.Scan(nil): NULL is not an ID: use *sqltype.Hex or sql.Null[sqltype.Hex] for a nullable column"
	if err := h.Scan(nil); err == nil || err.Error() != want || h != sqltype.Hex(other) {
		t.Errorf("Hex.Scan(nil) = %v, destination %v", err, h)
	}
	err = h.ScanBytes(nil)
	if !errors.Is(err, oid.ErrSyntax) || err.Error() != strings.Replace(want, "Scan(", "ScanBytes(", 1) || h != sqltype.Hex(other) {
		t.Errorf("Hex.ScanBytes(nil) = %v, destination %v", err, h)
	}
}

func TestHexIsTextInTextColumnsAndBinaryInBinaryOnes(t *testing.T) {
	if v, err := sqltype.Hex(sample).Value(); v != "65b3f7a40c1b2d3e4f506172" || err != nil {
		t.Errorf("Value = %v, %v", v, err)
	}
	if b, err := sqltype.Hex(sample).BytesValue(); !bytes.Equal(b, sample[:]) || err != nil {
		t.Errorf("BytesValue = %x, %v", b, err)
	}
}

func TestZeroNullIsNULLWhenZero(t *testing.T) {
	if v, err := (sqltype.ZeroNull{}).Value(); v != nil || err != nil {
		t.Errorf("Value = %v, %v", v, err)
	}
	if b, err := (sqltype.ZeroNull{}).BytesValue(); b != nil || err != nil {
		t.Errorf("BytesValue = %v, %v", b, err)
	}
	for _, id := range []oid.ID{sample, {0: 1}, {11: 1}} {
		if v, err := sqltype.ZeroNull(id).Value(); err != nil || v == nil || !bytes.Equal(v.([]byte), id[:]) {
			t.Errorf("Value of %v = %v, %v", id, v, err)
		}
	}
}

// In JSON and BSON, the types of this package have the same bytes as an oid.ID.
func TestJSONAndBSONAreThoseOfAnID(t *testing.T) {
	for _, id := range []oid.ID{sample, zero} {
		want, _ := json.Marshal(id)
		for _, v := range []any{sqltype.Hex(id), sqltype.ZeroNull(id), sqltype.UUID(id), optionalUser(id)} {
			if got, err := json.Marshal(v); string(got) != string(want) || err != nil {
				t.Errorf("%T: %s, %v, want %s", v, got, err, want)
			}
			typ, data, err := v.(interface {
				MarshalBSONValue() (byte, []byte, error)
			}).MarshalBSONValue()
			if typ != 0x07 || !bytes.Equal(data, id[:]) || err != nil {
				t.Errorf("%T: BSON %x %x, %v", v, typ, data, err)
			}
		}
	}
	type row struct {
		A sqltype.ZeroNull `json:"a,omitzero"`
		B optionalUser     `json:"b,omitzero"`
		C sqltype.Hex      `json:"c,omitzero"`
	}
	if got, err := json.Marshal(row{}); string(got) != "{}" || err != nil {
		t.Errorf("omitzero: %s, %v", got, err)
	}
}

func TestPrintedAsHexDigits(t *testing.T) {
	for _, v := range []any{sqltype.Hex(sample), sqltype.ZeroNull(sample), sqltype.UUID(sample), optionalUser(sample)} {
		if got := fmt.Sprint(v); got != sample.Hex() {
			t.Errorf("Sprint(%T) = %s, want %v", v, got, sample)
		}
	}
}

func TestIsZero(t *testing.T) {
	type zeroer interface{ IsZero() bool }
	for _, tt := range []struct {
		v    zeroer
		want bool
	}{
		{sqltype.Hex{}, true}, {sqltype.Hex(sample), false},
		{sqltype.UUID{}, true}, {sqltype.UUID(sample), false},
		{sqltype.ZeroNull{}, true}, {sqltype.ZeroNull(sample), false},
		{optionalUser{}, true}, {optionalUser(sample), false},
	} {
		if got := tt.v.IsZero(); got != tt.want {
			t.Errorf("%T%v.IsZero() = %v, want %v", tt.v, tt.v, got, tt.want)
		}
	}
}

// The error that a failed Scan returns takes memory. A good one takes none.
func TestScanDoesNotAllocate(t *testing.T) {
	var (
		h   sqltype.Hex
		z   sqltype.ZeroNull
		src any = sample[:]
	)
	if allocations := testing.AllocsPerRun(100, func() {
		if err := errors.Join(h.Scan(src), z.Scan(src)); err != nil {
			t.Fatal(err)
		}
	}); allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

// MongoDB's driver v1 would store these types as Binary. ProxyBSON must return the
// same as that of an oid.ID.
func TestProxyBSONIsThatOfAnID(t *testing.T) {
	_, want := sample.ProxyBSON()
	for _, v := range []interface{ ProxyBSON() (any, error) }{
		sqltype.Hex(sample), sqltype.ZeroNull(sample), sqltype.UUID(sample), optionalUser(sample),
	} {
		if _, err := v.ProxyBSON(); want == nil || err == nil || err.Error() != want.Error() {
			t.Errorf("%T: %v", v, err)
		}
	}
}

// The typed form has all the methods of the untyped one.
func TestTypedFormHasAllMethods(t *testing.T) {
	untyped, typed := reflect.TypeFor[*sqltype.ZeroNull](), reflect.TypeFor[*optionalUser]()
	for i := range untyped.NumMethod() {
		want := untyped.Method(i)
		if got, ok := typed.MethodByName(want.Name); !ok || got.Type.NumIn() != want.Type.NumIn() {
			t.Errorf("%v has no method %s as %v has", typed, want.Name, untyped)
		}
	}
	id := userID(oid.New())
	if z := optionalUser(id); userID(z) != id || sqltype.ZeroNull(z) != sqltype.ZeroNull(id) {
		t.Errorf("%v converts to %v", id, z)
	}
}

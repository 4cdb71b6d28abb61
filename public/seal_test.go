package public_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/public"
)

// key returns a key of 32 bytes, another one for each n.
func key(n byte) []byte {
	key := bytes.Repeat([]byte{n}, 32)
	for i := range key {
		key[i] += byte(i)
	}
	return key
}

func sealed(prefix string, keys ...[]byte) *public.Form {
	return public.Must(public.Sealed(prefix, keys...))
}

func TestSealedIsWhatTheDocumentationSays(t *testing.T) {
	f := sealed("ord", []byte("0123456789abcdef0123456789abcdef"))
	const want = "ord_6gj58nyjar56vf5y205p9xf0ej"
	if got := f.Text(sample); got != want {
		t.Errorf("Text = %s, want %s", got, want)
	}
	if got, err := f.Parse(want); got != sample || err != nil {
		t.Errorf("Parse(%s) = %v, %v", want, got, err)
	}
	f = sealed("ord", key(1), key(2))
	for _, id := range append(random(5000), oid.ID{11: 1}, oid.MustParse("ffffffffffffffffffffffff")) {
		texts := slowTexts(t, "ord", [][]byte{key(1), key(2)}, id)
		if got := f.Text(id); got != texts[0] {
			t.Fatalf("Text(%v) = %s, want %s", id, got, texts[0])
		}
		for _, text := range texts {
			if got, err := f.Parse(text); got != id || err != nil {
				t.Fatalf("Parse(%s) = %v, %v, want %v", text, got, err, id)
			}
		}
	}
}

// Random texts don't show that each bit is checked, because too few are nearly right.
func TestEachCheckBitIsChecked(t *testing.T) {
	f := sealed("ord", key(1))
	for bit := range 32 {
		for _, id := range random(20) {
			var block [16]byte
			copy(block[:], id[:])
			if got, err := f.Parse(slowSeal(t, "ord", key(1), block)); got != id || err != nil {
				t.Fatalf("the text of %v is refused: %v", id, err)
			}
			binary.BigEndian.PutUint32(block[12:], 1<<bit)
			refuses(t, f, slowSeal(t, "ord", key(1), block))
		}
	}
}

// The texts open under both keys. go run ./internal/evidence/sealed -search 2 finds such
// texts, and the scripts in internal/contract/frozen/testdata open them without oidkit.
func TestTheFirstKeyThatOpensWins(t *testing.T) {
	k1, k2 := key(0), key(32)
	for _, tt := range twoKeys {
		first, second := oid.MustParse(tt.first), oid.MustParse(tt.second)
		for _, c := range []struct {
			name string
			f    *public.Form
			want oid.ID
		}{
			{"k1", sealed("ord", k1), first},
			{"k2", sealed("ord", k2), second},
			{"k1, k2", sealed("ord", k1, k2), first},
			{"k2, k1", sealed("ord", k2, k1), second},
			{"k3, k1, k2", sealed("ord", key(9), k1, k2), first},
			{"k3, k2, k1", sealed("ord", key(9), k2, k1), second},
			{"k3, k4, k5, k1", sealed("ord", key(9), key(10), key(11), k1), first},
			{"k3, k4, k5, k2", sealed("ord", key(9), key(10), key(11), k2), second},
		} {
			if got, err := c.f.Parse(tt.text); got != c.want || err != nil {
				t.Errorf("%s: Parse(%s) = %v, %v, want %v", c.name, tt.text, got, err, c.want)
			}
		}
	}
}

func TestEveryChangeOfATextIsRefused(t *testing.T) {
	f := sealed("ord", key(1), key(2))
	check := func(text string) {
		if id, err := f.Parse(text); err == nil {
			t.Errorf("Parse(%q) = %v, want an error", text, id)
		}
	}
	for i, id := range random(1000) {
		text := f.Text(id)
		with := "0123456789abcdefghijklmnopqrstuvwxyzAO_- \n"
		if i < 20 {
			with = everyByte
		}
		for at := range text {
			for _, b := range []byte(with) {
				if b != text[at] {
					check(text[:at] + string([]byte{b}) + text[at+1:])
				}
			}
			check(text[:at] + text[at+1:])
			check(text[:at] + "0" + text[at:])
			if at > 0 && text[at] != text[at-1] {
				check(text[:at-1] + text[at:at+1] + text[at-1:at] + text[at+1:])
			}
		}
	}
}

var everyByte = func() string {
	b := make([]byte, 256)
	for i := range b {
		b[i] = byte(i)
	}
	return string(b)
}()

// Each of the 128 bits, and each first digit from 8 on.
func TestEachBitCounts(t *testing.T) {
	f := sealed("ord", key(1))
	for _, id := range random(50) {
		text := f.Text(id)
		for bit := range 128 {
			block := slowBlock(t, text[4:])
			block[bit/8] ^= 1 << (bit % 8)
			refuses(t, f, "ord_"+slowDigits(block))
		}
		for _, first := range "89abcdefghjkmnpqrstvwxyz" {
			refuses(t, f, "ord_"+string(first)+text[5:])
		}
	}
}

// go run ./internal/evidence/sealed -texts 100000000 does the same with more texts.
func TestRandomTextsAreRefused(t *testing.T) {
	f := sealed("ord", key(1), key(2))
	source := rand.NewChaCha8([32]byte{1})
	var block [16]byte
	for range 100_000 {
		source.Read(block[:])
		refuses(t, f, "ord_"+slowDigits(block))
	}
}

func TestNeighborsDifferInHalfOfTheBits(t *testing.T) {
	f := sealed("ord", key(1))
	const pairs = 100_000
	id, sum := sample, 0
	last := slowBlock(t, f.Text(id)[4:])
	for range pairs {
		id = id.Next()
		next := slowBlock(t, f.Text(id)[4:])
		for i := range next {
			sum += bits.OnesCount8(next[i] ^ last[i])
		}
		last = next
	}
	if mean := float64(sum) / pairs; math.Abs(mean-64) > 1 {
		t.Errorf("neighbors differ in %.2f bits, want 64 ± 1", mean)
	}
}

func TestOtherKeysAndPrefixesDontOpen(t *testing.T) {
	long := append(key(1), 0)
	forms := []*public.Form{
		sealed("ord", key(1)), sealed("usr", key(1)), sealed("or", key(1)), sealed("ordd", key(1)), sealed("ord", key(2)), sealed("ord", long), prefixed("ord"),
	}
	for i, f := range forms {
		for j, other := range forms {
			digits := f.Text(sample)[strings.LastIndexByte(f.Text(sample), '_')+1:]
			prefix, _ := splitLast(other.Text(sample))
			if i != j {
				refuses(t, other, prefix+"_"+digits)
			}
		}
	}
}

func TestBadKeys(t *testing.T) {
	for _, tt := range []struct {
		name   string
		prefix string
		keys   [][]byte
		want   string
	}{
		{"no prefix", "", [][]byte{key(1)}, `public.Sealed(""): the prefix is empty: pass one, such as "user"`},
		{"no key", "ord", nil, `public.Sealed("ord"): no key, want at least one`},
		{"nil key", "ord", [][]byte{nil}, `public.Sealed("ord"): key 1 of 1: 0 bytes, want at least 32`},
		{"short key", "ord", [][]byte{key(1), key(2)[:31]}, `public.Sealed("ord"): key 2 of 2: 31 bytes, want at least 32`},
		{"zero key", "ord", [][]byte{make([]byte, 32)}, `public.Sealed("ord"): key 1 of 1: all bytes are equal, want random bytes`},
		{"repeated byte", "ord", [][]byte{bytes.Repeat([]byte("x"), 100)}, `public.Sealed("ord"): key 1 of 1: all bytes are equal, want random bytes`},
		{"same key", "ord", [][]byte{key(1), key(2), key(1)}, `public.Sealed("ord"): key 3 of 3: this key is equal to an earlier key: pass each key once`},
	} {
		if f, err := public.Sealed(tt.prefix, tt.keys...); f != nil || err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, %v, want %s", tt.name, f, err, tt.want)
		}
	}
	if _, err := public.Sealed("ord", append(make([]byte, 31), 1), append(make([]byte, 32), 1)); err != nil {
		t.Errorf("two keys that differ: %v", err)
	}
}

func TestKeysAreNotKept(t *testing.T) {
	k1, k2 := key(1), key(2)
	f := sealed("ord", k1, k2)
	want := f.Text(sample)
	old := sealed("ord", k2).Text(sample)
	clear(k1)
	clear(k2)
	if got := f.Text(sample); got != want {
		t.Errorf("Text = %s after the keys were cleared, want %s", got, want)
	}
	if got, err := f.Parse(old); got != sample || err != nil {
		t.Errorf("Parse = %v, %v after the keys were cleared", got, err)
	}
}

// In each step, some servers have the forms of the step before. All read what any writes.
func TestRotationInThreeDeployments(t *testing.T) {
	before, now := key(1), key(2)
	steps := []*public.Form{sealed("ord", before), sealed("ord", before, now), sealed("ord", now, before)}
	for i, f := range steps[1:] {
		for _, pair := range [][2]*public.Form{{f, steps[i]}, {steps[i], f}} {
			if got, err := pair[0].Parse(pair[1].Text(sample)); got != sample || err != nil {
				t.Errorf("step %d: Parse = %v, %v", i+1, got, err)
			}
		}
	}
	last := sealed("ord", now)
	if got, err := last.Parse(steps[2].Text(sample)); got != sample || err != nil {
		t.Errorf("the last step: Parse = %v, %v", got, err)
	}
	refuses(t, last, steps[0].Text(sample))
}

// A printer that walks private fields, as those of test libraries do, finds the prefix and
// addresses of functions.
func TestPrintersShowNoKey(t *testing.T) {
	f := sealed("ord", key(1), key(2))
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			walk(path, v.Elem())
		case reflect.Struct:
			for i := range v.NumField() {
				walk(path+"."+v.Type().Field(i).Name, v.Field(i))
			}
		case reflect.Func:
		case reflect.String:
			if v.String() != "ord_" {
				t.Errorf("%s shows %q", path, v.String())
			}
		default:
			t.Errorf("%s is a %v, which a printer can look into", path, v.Type())
		}
	}
	walk("Form", reflect.ValueOf(f))
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d", "%q"} {
		for _, v := range []any{f, *f, []*public.Form{f}} {
			got := fmt.Sprintf(verb, v)
			for _, secret := range [][]byte{key(1), key(2)} {
				if strings.Contains(got, string(secret[:8])) || strings.Contains(got, hex.EncodeToString(secret[:8])) || strings.Contains(got, fmt.Sprint(secret[:4])[1:8]) {
					t.Errorf("%s shows a key: %s", verb, got)
				}
			}
		}
	}
	for _, keys := range [][][]byte{{key(1), key(1)}, {key(1)[:31]}, {key(1), nil}} {
		if _, err := public.Sealed("ord", keys...); err == nil || strings.Contains(err.Error(), string(key(1)[:4])) || strings.Contains(err.Error(), hex.EncodeToString(key(1)[:4])) {
			t.Errorf("the error shows a key: %v", err)
		}
	}
}

func TestManyGoroutinesUseAForm(t *testing.T) {
	f := sealed("ord", key(1), key(2))
	var wg sync.WaitGroup
	for _, id := range random(8) {
		wg.Go(func() {
			text, want := f.Text(id), slowTexts(t, "ord", [][]byte{key(1)}, id)[0]
			for range 2000 {
				if got := f.Text(id); got != want {
					t.Errorf("Text(%v) = %s, want %s", id, got, want)
				}
				if got, err := f.Parse(text); got != id || err != nil {
					t.Errorf("Parse(%s) = %v, %v", text, got, err)
				}
				if _, err := f.Parse("ord_00000000000000000000000000"); err == nil {
					t.Error("no error")
				}
			}
		})
	}
	wg.Wait()
}

// GODEBUG=fips140=only makes Go refuse what FIPS 140-3 doesn't allow.
func TestSealedWorksWithFIPS140Only(t *testing.T) {
	if os.Getenv("GODEBUG") == "fips140=only" {
		TestSealedIsWhatTheDocumentationSays(t)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestSealedWorksWithFIPS140Only$", "-test.v")
	cmd.Env = append(os.Environ(), "GODEBUG=fips140=only")
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("an emulated program can't start itself: ", err)
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: TestSealedWorksWithFIPS140Only") {
		t.Errorf("%v\n%s", err, out)
	}
}

// twoKeys are texts that open under key(0) and under key(32), with the prefix ord.
var twoKeys = []struct{ text, first, second string }{
	{"ord_3tej5e8rjkfk9z2trdrj80dh2f", "6b072fece32e2a72957b18ac", "4c4a1b88ace82c90aebac7eb"},
	{"ord_3hxnx8pjjh2qdy72rna8rwcmsz", "6b072fece32e2a734b240098", "5b2eff2425b597a2607f2017"},
}

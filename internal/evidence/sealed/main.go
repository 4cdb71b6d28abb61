// Command sealed checks the sealed form of package public with many random texts:
//
//	go run ./internal/evidence/sealed                   # a million texts, and a million pairs of neighbors
//	go run ./internal/evidence/sealed -texts 100000000  # some minutes
//	go run ./internal/evidence/sealed -search 2         # two texts that open under two keys: 2^32 steps for each
//
// No text should open. A control opens the same texts, but checks only 16 of the 32 bits.
// About one text in 65,536 should open, which shows that the texts are good enough to find
// a check that is too weak. The program fails if a count is not what it should be.
package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/public"
)

const prefix = "ord"

// The keys are those of the vectors.
var keys = [2][]byte{numbers(0), numbers(32)}

// numbers returns 32 numbers in a row.
func numbers(first byte) []byte {
	key := make([]byte, 32)
	for i := range key {
		key[i] = first + byte(i)
	}
	return key
}

func main() {
	texts := flag.Int("texts", 1e6, "how many random texts to open")
	pairs := flag.Int("pairs", 1e6, "how many pairs of neighbors to compare")
	search := flag.Int("search", 0, "search for so many texts that open under two keys, and do nothing else")
	flag.Parse()
	var err error
	if *search > 0 {
		err = bothKeys(os.Stdout, *search)
	} else {
		err = run(os.Stdout, *texts, *pairs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sealed:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, texts, pairs int) error {
	form, err := public.Sealed(prefix, keys[0])
	if err != nil {
		return err
	}
	random := rand.NewChaCha8([32]byte{47})
	control := block(keys[0])
	var opened, sixteen int
	var raw, plain [16]byte
	for range texts {
		random.Read(raw[:])
		if _, err := form.Parse(prefix + "_" + digits(raw)); err == nil {
			opened++
		}
		control.Decrypt(plain[:], raw[:])
		if plain[14]|plain[15] == 0 {
			sixteen++
		}
	}
	expected := float64(texts) / (1 << 16)
	fmt.Fprintf(w, "%d random texts: %d open. If only 16 bits are checked, %d open, and %.0f are expected\n", texts, opened, sixteen, expected)
	// Four standard deviations, and a tenth at most where there are enough texts for it.
	if margin := max(4*math.Sqrt(expected), 0.1*expected); opened > 0 || math.Abs(float64(sixteen)-expected) > margin {
		return fmt.Errorf("%d texts open, want 0. The control opens %d, want %.0f ± %.0f", opened, sixteen, expected, margin)
	}
	mean, err := neighbors(form, pairs)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%d pairs of neighbors: their texts differ in %.3f of 128 bits\n", pairs, mean)
	if math.Abs(mean-64) > 1 {
		return fmt.Errorf("the texts of neighbors differ in %.3f bits, want 64 ± 1", mean)
	}
	return nil
}

// neighbors returns in how many bits the texts of IDs that follow each other differ.
func neighbors(form *public.Form, pairs int) (mean float64, err error) {
	id, sum := oid.MustParse("65b3f7a2c1d4e5f6a7b8c9d0"), 0
	last, err := bitsOf(form.Text(id))
	for range pairs {
		if err != nil {
			return 0, err
		}
		id = id.Next()
		var next [16]byte
		next, err = bitsOf(form.Text(id))
		for i := range next {
			sum += bits.OnesCount8(next[i] ^ last[i])
		}
		last = next
	}
	return float64(sum) / float64(pairs), err
}

// bothKeys prints n IDs whose text under the first key opens under the second one too.
func bothKeys(w io.Writer, n int) error {
	first, second := block(keys[0]), block(keys[1])
	id := oid.New()
	var sealed, plain [16]byte
	for steps := 1; n > 0; steps++ {
		id = id.Next()
		plain = [16]byte{}
		copy(plain[:], id[:])
		first.Encrypt(sealed[:], plain[:])
		second.Decrypt(plain[:], sealed[:])
		if plain[12]|plain[13]|plain[14]|plain[15] == 0 {
			fmt.Fprintf(w, "%s opens as %s and as %x, after %d steps\n", prefix+"_"+digits(sealed), id, plain[:12], steps)
			n--
		}
	}
	return nil
}

// The functions below repeat the documentation of package public, without its code.

// block returns the cipher of a key.
func block(key []byte) cipher.Block {
	derived, err := hkdf.Key(sha256.New, key, nil, "oidkit public v1 "+prefix, 32)
	if err != nil {
		panic(err)
	}
	c, err := aes.NewCipher(derived)
	if err != nil {
		panic(err)
	}
	return c
}

var crockford = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// digits returns 16 bytes as 26 digits: those of 20 bytes, of which the first 4 are zero.
func digits(raw [16]byte) string {
	return crockford.EncodeToString(append(make([]byte, 4, 20), raw[:]...))[6:]
}

// bitsOf returns the 16 bytes of a text.
func bitsOf(text string) (raw [16]byte, err error) {
	data, err := crockford.DecodeString("000000" + text[len(prefix)+1:])
	if err == nil && len(data) != 20 {
		err = fmt.Errorf("%s has %s", text, hex.EncodeToString(data))
	}
	if err != nil {
		return raw, err
	}
	return [16]byte(data[4:]), nil
}

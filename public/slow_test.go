package public_test

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// The functions of this file follow the documentation step by step, to compare with.

var crockford = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// slowDigits returns 16 bytes as 26 digits: those of 20 bytes, of which the first 4 are zero.
func slowDigits(block [16]byte) string {
	return crockford.EncodeToString(append(make([]byte, 4, 20), block[:]...))[6:]
}

func slowBlock(t testing.TB, digits string) [16]byte {
	t.Helper()
	data, err := crockford.DecodeString("000000" + digits)
	if err != nil || len(data) != 20 {
		t.Fatalf("%s: %x, %v", digits, data, err)
	}
	return [16]byte(data[4:])
}

func slowCipher(t testing.TB, prefix string, key []byte) cipher.Block {
	t.Helper()
	derived, err := hkdf.Key(sha256.New, key, nil, "oidkit public v1 "+prefix, 32)
	if err != nil {
		t.Fatal(err)
	}
	c, err := aes.NewCipher(derived)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// slowSeal returns the text of any 16 bytes, whether they are an ID or not.
func slowSeal(t testing.TB, prefix string, key []byte, block [16]byte) string {
	t.Helper()
	slowCipher(t, prefix, key).Encrypt(block[:], block[:])
	return prefix + "_" + slowDigits(block)
}

// slowTexts returns the only texts under keys that may hold id: those that each key makes.
func slowTexts(t testing.TB, prefix string, keys [][]byte, id oid.ID) (texts []string) {
	for _, key := range keys {
		var block [16]byte
		copy(block[:], id[:])
		texts = append(texts, slowSeal(t, prefix, key, block))
	}
	return texts
}

func slowPrefixed(prefix string, id oid.ID) string {
	return strings.TrimPrefix(prefix+"_", "_") + slowDigits(sqltype.UUID(id).Bytes())
}

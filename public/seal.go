package public

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/oidkit/oidkit/oid"
)

// Sealed returns a form that encrypts an ID. Without a key of the form, nobody can compute
// the ID of a text, or the text of an ID. The first key encrypts. Parse tries the keys in
// order, and uses the first key that fits.
//
// Make a key at random, such as with "openssl rand -base64 32", and decode the base64. Sealed
// doesn't keep or change the bytes of a key. A key has at least 32 bytes. Sealed returns
// an error if there is no key, if a key is shorter or is given twice, or if all bytes of a
// key are equal. Never use a passphrase, because anyone who has one text can test guesses
// of the key.
//
// The prefix follows the rules of [Prefixed], but must not be empty. Several prefixes
// can use the same key, because Sealed derives another key from it for each prefix. If
// somebody replaces the prefix of an order's text by that of users, Parse of the users' form
// therefore returns an error. With a chance of 1 in 2^32 per key, it returns a random ID
// instead.
//
// To change a key, first deploy the keys (old, new) everywhere, and then (new, old).
// When you don't need the old texts anymore, deploy (new).
func Sealed(prefix string, keys ...[]byte) (*Form, error) {
	if err := checkPrefix("Sealed", prefix); err != nil {
		return nil, err
	}
	if prefix == "" {
		return nil, errors.New(`public.Sealed(""): the prefix is empty: pass one, such as "user"`)
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("public.Sealed(%q): no key, want at least one", prefix)
	}
	c := make(ciphers, len(keys))
	for i, key := range keys {
		var err error
		if c[i], err = newCipher(prefix, key, keys[:i]); err != nil {
			return nil, fmt.Errorf("public.Sealed(%q): key %d of %d: %w", prefix, i+1, len(keys), err)
		}
	}
	return &Form{prefix + "_", c.seal, c.open}, nil
}

// newCipher returns the cipher of a prefix and a key. The keys before it must differ.
func newCipher(prefix string, key []byte, before [][]byte) (cipher.Block, error) {
	switch {
	case len(key) < 32:
		return nil, fmt.Errorf("%d bytes, want at least 32", len(key))
	case bytes.Count(key, key[:1]) == len(key):
		return nil, fmt.Errorf("all bytes are equal, want random bytes")
	case slices.ContainsFunc(before, func(other []byte) bool { return bytes.Equal(key, other) }):
		return nil, fmt.Errorf("this key is equal to an earlier key: pass each key once")
	}
	derived, _ := hkdf.Key(sha256.New, key, nil, "oidkit public v1 "+prefix, 32)
	return aes.NewCipher(derived) // refuses the nil of an error
}

// ciphers are those of the keys of a form, in their order.
type ciphers []cipher.Block

// blocks has the memory in which ciphers work. A local variable would be moved to the
// heap in each call, because a cipher is an interface.
var blocks = sync.Pool{New: func() any { return new([16]byte) }}

// seal encrypts an ID and the zero bytes after it, with the first cipher.
func (c ciphers) seal(id oid.ID) [16]byte {
	block := blocks.Get().(*[16]byte)
	defer blocks.Put(block)
	*block = [16]byte{}
	copy(block[:], id[:])
	c[0].Encrypt(block[:], block[:])
	return *block
}

// open returns the ID that the first cipher finds with zero bytes after it.
func (c ciphers) open(sealed [16]byte) (oid.ID, error) {
	block := blocks.Get().(*[16]byte)
	defer blocks.Put(block)
	for _, one := range c {
		*block = sealed
		one.Decrypt(block[:], block[:])
		if subtle.ConstantTimeCompare(block[12:], make([]byte, 4)) == 1 {
			return oid.ID(block[:12]), nil
		}
	}
	return oid.ID{}, oid.ErrSyntax
}

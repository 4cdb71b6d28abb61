package sequence

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxKey is how many bytes a key may have.
const maxKey = 255

// checkKey returns an error unless every store can hold key.
func checkKey(key string) error {
	switch {
	case key == "":
		return errors.New("the key is empty")
	case len(key) > maxKey:
		return fmt.Errorf("the key has %d bytes, more than %d", len(key), maxKey)
	case !utf8.ValidString(key) || strings.ContainsRune(key, 0):
		return errors.New("the key is not UTF-8 without NUL")
	}
	return nil
}

// quoteKey returns the key as errors show it, quoted and cut at 32 bytes.
func quoteKey(key string) string {
	const most = 32
	if len(key) > most {
		return fmt.Sprintf("%q…", key[:most])
	}
	return fmt.Sprintf("%q", key)
}

// badText returns the error of a call that reads a text, which it cuts at 32 bytes.
func badText(call, text string, err error) error {
	return fmt.Errorf("%s(%s): %w", call, quoteKey(text), err)
}

// digits returns the number whose digits are s, of which there are at most 18.
func digits(s string) (n int64, ok bool) {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, len(s) <= 18
}

// mostAtOnce is how many numbers can be drawn at once.
const mostAtOnce = 1_000_000

// checkDraw returns an error if nobody can draw n numbers at once.
func checkDraw(n int64) error {
	if n < 1 {
		return errors.New("fewer than 1 number asked for")
	}
	if n > mostAtOnce {
		return fmt.Errorf("more than %d numbers asked for", mostAtOnce)
	}
	return nil
}

package sequence

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxKey is how many bytes a key may have.
const maxKey = 255

// checkKey returns an error unless every store can hold key.
func checkKey(key string) error {
	return cmp.Or(
		unless(key != "", "the key is empty"),
		unless(len(key) <= maxKey, "the key has %d bytes, more than %d", len(key), maxKey),
		unless(utf8.ValidString(key) && !strings.ContainsRune(key, 0), "the key is not UTF-8, or contains a NUL"),
	)
}

// quoteKey returns the key as errors show it, quoted and cut at 32 bytes.
func quoteKey(key string) string {
	const most = 32
	if len(key) > most {
		return fmt.Sprintf("%q…", key[:most])
	}
	return fmt.Sprintf("%q", key)
}

// failed returns err as the error of a method of a type, or nil. It shows the first argument
// of the call as quoteKey does, and then the other ones.
func failed(name, method, first string, err error, args ...any) error {
	if err == nil {
		return nil
	}
	shown := quoteKey(first)
	for _, a := range args {
		shown += fmt.Sprintf(", %v", a)
	}
	return fmt.Errorf("sequence.%s.%s(%s): %w", name, method, shown, err)
}

// mostAtOnce is how many numbers can be drawn at once.
const mostAtOnce = 1_000_000

// checkDraw returns an error if nobody can draw n numbers at once.
func checkDraw(n int64) error {
	return cmp.Or(
		unless(n >= 1, "want at least 1 number"),
		unless(n <= mostAtOnce, "want at most %d numbers", mostAtOnce),
	)
}

// unless returns an error of this text if ok is false.
func unless(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

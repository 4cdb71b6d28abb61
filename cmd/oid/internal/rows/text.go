package rows

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"

	"golang.org/x/text/encoding/unicode"
)

// bufferSize is how much of a file is read at once.
const bufferSize = 64 << 10

// Text returns the text of r without its byte order mark. UTF-16 with such a mark becomes
// UTF-8: Windows PowerShell writes it. A text that gzip made small is made large again.
func Text(r io.Reader) (io.Reader, error) {
	text := bufio.NewReaderSize(r, bufferSize)
	start, _ := text.Peek(3) // an error comes again
	switch {
	case bytes.HasPrefix(start, []byte("\xef\xbb\xbf")):
		text.Discard(3)
	case bytes.HasPrefix(start, []byte("\xff\xfe")), bytes.HasPrefix(start, []byte("\xfe\xff")):
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder().Reader(text), nil
	case bytes.HasPrefix(start, []byte("\x1f\x8b")):
		large, err := gzip.NewReader(text)
		if err != nil {
			return nil, err
		}
		return Text(large)
	case isBSON(start, text):
		return nil, errors.New("this is BSON, and not text: convert it with bsondump, and read the lines of JSON with --column _id")
	}
	return text, nil
}

// isBSON reports whether a file begins as mongodump writes it: the length of a document in
// four bytes, the type of a field, and its name. More is read only if a text can't begin so.
func isBSON(start []byte, text *bufio.Reader) bool {
	if bytes.IndexByte(start, 0) < 0 {
		return false
	}
	start, _ = text.Peek(6)
	return len(start) == 6 && start[3] == 0 && 0 < start[4] && start[4] <= 0x13 && start[5] > ' '
}

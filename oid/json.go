package oid

import (
	"bytes"
	"fmt"
	"strconv"
)

// MarshalJSON returns the 24 hex digits of id as a JSON string. The error is
// always nil.
func (id ID) MarshalJSON() ([]byte, error) {
	b := make([]byte, textSize+2)
	b[0], b[textSize+1] = '"', '"'
	encodeHex((*[textSize]byte)(b[1:]), &id)
	return b, nil
}

// UnmarshalJSON reads a JSON string of 24 hex digits, or such a string in the object
// {"$oid": "…"} of MongoDB's Extended JSON. The empty string decodes to the zero ID, but
// {"$oid": ""} is an error. Null leaves id unchanged, by the convention of package
// encoding/json. Any other input is an error, such as a number, an array, an object with
// other members, or text before or after the value.
func (id *ID) UnmarshalJSON(data []byte) error {
	if len(data) == textSize+2 && data[0] == '"' && data[textSize+1] == '"' {
		if parsed, ok := decodeHex(data[1:]); ok {
			*id = parsed
			return nil
		}
	}
	if string(data) == "null" {
		return nil
	}
	parsed, problem := parseJSON(data)
	if problem != "" {
		return badInput("oid.ID.UnmarshalJSON", data, problem)
	}
	*id = parsed
	return nil
}

const wantJSON = `want a string of 24 hex digits or {"$oid": "24 hex digits"}`

// parseJSON reads what UnmarshalJSON accepts, except null. For anything else,
// problem says why.
func parseJSON(data []byte) (id ID, problem string) {
	var text, rest []byte
	if len(data) > 0 && data[0] == '{' {
		text, rest, problem = scanExtended(data)
	} else {
		text, rest, problem = scanString(data)
		if problem == "" && len(rest) == 0 && len(text) == 0 {
			return ID{}, ""
		}
	}
	if problem != "" {
		return ID{}, problem
	}
	if len(rest) > 0 {
		return ID{}, "data after the JSON value"
	}
	if len(text) == textSize {
		if id, ok := decodeHex(text); ok {
			return id, ""
		}
	}
	problem = textProblem(text)
	if len(text) == textSize {
		problem += " of the string"
	}
	return ID{}, problem
}

// scanExtended reads {"$oid": "…"} at the start of data and returns the text of
// the value and what follows the object.
func scanExtended(data []byte) (text, rest []byte, problem string) {
	key, rest, _ := scanString(skipSpace(data[1:]))
	if string(key) != "$oid" {
		return nil, nil, wantJSON
	}
	rest = skipSpace(rest)
	if len(rest) == 0 || rest[0] != ':' {
		return nil, nil, wantJSON
	}
	text, rest, problem = scanString(skipSpace(rest[1:]))
	if problem != "" {
		return nil, nil, problem
	}
	rest = skipSpace(rest)
	if len(rest) == 0 || rest[0] != '}' {
		return nil, nil, wantJSON
	}
	return text, rest[1:], ""
}

// scanString reads a JSON string at the start of data and returns its text and
// what follows it. It reads as much as [textProblem] looks at and no further.
func scanString(data []byte) (text, rest []byte, problem string) {
	if len(data) == 0 || data[0] != '"' {
		return nil, nil, wantJSON
	}
	for i := 1; i < len(data) && len(text) <= maxForeign; i++ {
		switch b := data[i]; {
		case b == '"':
			return text, data[i+1:], ""
		case b < ' ':
			return nil, nil, "control character in the JSON string"
		case b != '\\':
			text = append(text, b)
		case i+5 < len(data) && data[i+1] == 'u':
			r, err := strconv.ParseUint(string(data[i+2:i+6]), 16, 7) // ASCII
			if err != nil {
				return nil, nil, wantJSON
			}
			text = append(text, byte(r))
			i += 5
		case i+1 < len(data) && data[i+1] == '"': // of ObjectId("…")
			text = append(text, '"')
			i++
		default: // no other escape is part of an ID in any form
			return nil, nil, wantJSON
		}
	}
	if len(text) > maxForeign {
		return nil, nil, fmt.Sprintf("string of more than %d bytes, want 24 hex digits", maxForeign)
	}
	return nil, nil, "unterminated JSON string"
}

// skipSpace returns data without the JSON white space at its start.
func skipSpace(data []byte) []byte { return bytes.TrimLeft(data, " \t\n\r") }

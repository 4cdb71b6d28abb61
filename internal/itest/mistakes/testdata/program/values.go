package program

import (
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/public"
	"github.com/oidkit/oidkit/sqltype"
)

// V: raw bytes
func (Env) RawBytesInAURL() error {
	return silent(url.PathEscape(string(Sample[:])) != Text)
}

// V: prints 12 numbers
func (Env) PrintedByTheVerbD() error {
	return silent(fmt.Sprintf("%d", Sample) != Text)
}

// V: encodes the hex digits as hex again
func (Env) PrintedByTheVerbX() error {
	return silent(fmt.Sprintf("%x", Sample) != Text)
}

// BadID has no methods.
type BadID oid.ID // the line that oidvet reports

// V: none of the methods
func (Env) DefinedType() error {
	type OwnID oid.ID
	data, err := json.Marshal(OwnID(Sample))
	if err != nil {
		return err
	}
	return silent(string(data) != `"`+Text+`"`)
}

// V: omitempty
func (Env) OmitEmptyInJSON() error {
	data, err := json.Marshal(struct {
		Customer oid.ID `json:"customer,omitempty"`
	}{})
	if err != nil {
		return err
	}
	return silent(string(data) != "{}")
}

// V: base64
func (Env) BytesInJSON() error {
	data, err := json.Marshal(Sample[:])
	if err != nil {
		return err
	}
	return silent(string(data) != `"`+Text+`"`)
}

// F: vet.md: a request whose JSON has a wrong field name
func (Env) OtherFieldNameInJSON() error {
	var request struct {
		UserID oid.ID `json:"user_id"`
	}
	if err := json.Unmarshal([]byte(`{"userId": "`+Text+`"}`), &request); err != nil {
		return err
	}
	return silent(request.UserID.IsZero())
}

// V: takes seconds
func (Env) MillisecondsAsSeconds() error {
	ms := time.Now().UnixMilli()
	lo, _ := oid.Range(time.Unix(ms, 0), time.Unix(ms, 0).Add(time.Hour))
	return silent(lo.Timestamp().Year() > 2100)
}

// F: vet.md: the last day of March is missing
func (Env) RangeToTheLastDay() error {
	_, hi := oid.Range(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC))
	return silent(oid.MinAt(time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)).Compare(hi) >= 0)
}

// V: earlier time first
func (Env) RangeOfSwappedTimes() error {
	to := time.Now()
	from := to.AddDate(0, 0, -1)
	lo, hi := oid.Range(to, from)
	return silent(lo.Compare(hi) >= 0)
}

// V: whole seconds
func (Env) TimestampEqualsACreationTime() error {
	row := struct{ CreatedAt time.Time }{time.Date(2026, 1, 2, 3, 4, 5, 600, time.UTC)}
	id, err := oid.NewAt(row.CreatedAt)
	if err != nil {
		return err
	}
	return silent(!id.Timestamp().Equal(row.CreatedAt))
}

// F: vet.md: whose `Now` returns `time.Time{}` or `time.Unix(ms, 0)`
func (Env) ClockOfAGenerator() error {
	zero := oid.Generator{Now: func() time.Time { return time.Time{} }}
	late := oid.Generator{Now: func() time.Time { return time.Unix(time.Now().UnixMilli(), 0) }}
	return silent(zero.New().Timestamp().Year() == 1970 && late.New().Timestamp().Year() > 2100)
}

// V: another ID in each second
func (Env) DerivedFromNow() error {
	first, err := oid.Derive(time.Now(), "row")
	if err != nil {
		return err
	}
	second, err := oid.Derive(time.Now().Add(time.Second), "row")
	if err != nil {
		return err
	}
	return silent(first != second)
}

// V: makes no ID
func (Env) FillOfAnEmptySlice() error {
	oid.Fill(make([]oid.ID, 0, 10))
	return silent(true)
}

// F: vet.md: 12 bytes of text
func (Env) ScanOfTwelveCharacters() error {
	var id oid.ID
	if err := id.Scan([]byte("Hello, World")); err != nil {
		return err
	}
	return silent(id.Hex() == "48656c6c6f2c20576f726c64")
}

// B: length 0, want 24 hex digits
func (Env) ParseOfNothing() error { return second(oid.Parse("")) }

// B: length 23, want 24 hex digits
func (Env) ParseOfADigitLess() error { return second(oid.Parse(Text[1:])) }

// B: invalid byte 'z' at index 23
func (Env) ParseOfABadDigit() error { return second(oid.Parse(Text[:23] + "z")) }

// A: other characters around the ID
func (Env) ParseOfABlank() error { return second(oid.Parse(" " + Text)) }

// A: ObjectId(…) around the ID
func (Env) ParseOfTheShellsForm() error { return second(oid.Parse(`ObjectId("` + Text + `")`)) }

// A: a UUID, want 24 hex digits
func (Env) ParseOfAUUID() error { return second(oid.Parse("018d46ff-58a0-70c1-acb4-f93d4185cb1d")) }

// A: an xid, want 24 hex digits
func (Env) ParseOfAnXID() error { return second(oid.Parse("9m4e2mr0ui3e8a215n4g")) }

// B: time outside
func (Env) IDOfAZeroTime() error { return second(oid.NewAt(time.Time{})) }

// B: time outside
func (Env) IDOfMilliseconds() error {
	return second(oid.NewAt(time.Unix(1_700_000_000_000, 0)))
}

// B: want a string
func (Env) NumberInJSON() error { return json.Unmarshal([]byte("17"), new(oid.ID)) }

// B: length 3, want 24 hex digits
func (Env) ShortTextInJSON() error { return json.Unmarshal([]byte(`"abc"`), new(oid.ID)) }

// A: use *oid.ID, sql.Null[oid.ID] or sqltype.ZeroNull
func (Env) ScanOfNULL() error { return new(oid.ID).Scan(nil) }

// B: want 12 bytes or 24 hex digits
func (Env) ScanOfANumber() error { return new(oid.ID).Scan(int64(7)) }

// A: raw bytes must be a []byte
func (Env) ScanOfAStringOfTwelveBytes() error { return new(oid.ID).Scan(string(Sample[:])) }

// A: for a column of UUIDs use sqltype.UUID
func (Env) ScanOfAUUID() error {
	return new(oid.ID).Scan([]byte("018d46ff-58a0-70c1-acb4-f93d4185cb1d"))
}

// B: a UUID of version 4, want 7
func (Env) UUIDOfAnotherVersion() error {
	return new(sqltype.UUID).Scan("018d46ff-58a0-4000-8000-00000000031d")
}

// B: at least 32
func (Env) ShortKeyOfAForm() error { return second(public.Sealed("ord", []byte("secret"))) }

// B: prefix
func (Env) SealedWithoutAPrefix() error { return second(public.Sealed("", make([]byte, 32))) }

// B: want
func (Env) ParseOfAPlainIDByAForm() error {
	return second(public.Must(public.Prefixed("ord")).Parse(Text))
}

func second[T any](_ T, err error) error { return err }

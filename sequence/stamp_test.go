package sequence_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/oidkit/oidkit/sequence"
)

func TestStampTextIsTwentyTwoDigits(t *testing.T) {
	st := sequence.Stamp{Tick: time.Date(2026, 11, 20, 9, 31, 15, 123456000, time.UTC), Serial: 7}
	const text = "2026112009311512345607"
	if st.String() != text {
		t.Errorf("got %s, want %s", st, text)
	}
	back, err := sequence.ParseStamp(text)
	if err != nil || back != st {
		t.Errorf("read back as %v, %v", back, err)
	}
	zoned := sequence.Stamp{Tick: st.Tick.In(time.FixedZone("", 7200)), Serial: 7}
	if zoned.String() != text {
		t.Errorf("in another zone: %s", zoned)
	}
	b, err := json.Marshal(map[string]sequence.Stamp{"no": st})
	if want := `{"no":"` + text + `"}`; err != nil || string(b) != want {
		t.Errorf("JSON %s, %v", b, err)
	}
	var m map[string]sequence.Stamp
	if err := json.Unmarshal(b, &m); err != nil || m["no"] != st {
		t.Errorf("from JSON: %v, %v", m, err)
	}
}

func TestStampTextsSortAsStamps(t *testing.T) {
	stamps := make([]sequence.Stamp, 5000)
	for i := range stamps {
		stamps[i] = sequence.Stamp{
			Tick:   time.UnixMicro(rand.Int64N(lastMicro >> (4 * rand.IntN(10)))).UTC(),
			Serial: rand.IntN(100),
		}
	}
	slices.SortFunc(stamps, sequence.Stamp.Compare)
	for i := range stamps[1:] {
		if a, b := stamps[i], stamps[i+1]; a.Compare(b) < 0 != (a.String() < b.String()) {
			t.Fatalf("%v and %v", a, b)
		}
	}
}

var lastMicro = time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC).UnixMicro()

func FuzzParseStamp(f *testing.F) {
	for _, s := range []string{"2026112009311512345607", "", "2026022909311512345607", "2026112009311512345a07", "9999123123595999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		st, err := sequence.ParseStamp(s)
		if err != nil {
			if st != (sequence.Stamp{}) {
				t.Fatalf("ParseStamp(%q) returned %v with an error", s, st)
			}
			return
		}
		if st.String() != s {
			t.Fatalf("ParseStamp(%q) prints as %q", s, st.String())
		}
	})
}

func TestParseStampRefusesWhatIsNotAStamp(t *testing.T) {
	for in, want := range map[string]string{
		"":                        `sequence.ParseStamp(""): 0 bytes long, not 22`,
		"202611200931151234560":   `sequence.ParseStamp("202611200931151234560"): 21 bytes long, not 22`,
		"20261120093115123456078": `sequence.ParseStamp("20261120093115123456078"): 23 bytes long, not 22`,
		"2026132009311512345607":  `sequence.ParseStamp("2026132009311512345607"): not a time`,
		"2026022909311512345607":  `sequence.ParseStamp("2026022909311512345607"): not a time`,
		"2026112009316012345607":  `sequence.ParseStamp("2026112009316012345607"): not a time`,
		"20261120093115.2345607":  `sequence.ParseStamp("20261120093115.2345607"): the end is not all digits`,
		"202611200931151234560+":  `sequence.ParseStamp("202611200931151234560+"): the end is not all digits`,
		"202611200931151234560/":  `sequence.ParseStamp("202611200931151234560/"): the end is not all digits`,
		"202611200931151234560:":  `sequence.ParseStamp("202611200931151234560:"): the end is not all digits`,
		"２０２６１１20093":             `sequence.ParseStamp("２０２６１１20093"): 23 bytes long, not 22`,
	} {
		st, err := sequence.ParseStamp(in)
		if err == nil || err.Error() != want || st != (sequence.Stamp{}) {
			t.Errorf("ParseStamp(%q): %v, %v, want %s", in, st, err, want)
		}
		keep := sequence.Stamp{Serial: 5}
		if err := keep.UnmarshalText([]byte(in)); err == nil || keep != (sequence.Stamp{Serial: 5}) {
			t.Errorf("UnmarshalText(%q): %v, %v", in, keep, err)
		}
	}
}

func TestStampWithoutATextIsAnError(t *testing.T) {
	at := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	for want, st := range map[string]sequence.Stamp{
		"sequence.Stamp.AppendText: serial 100 has no 2 digits":                                   {Tick: at, Serial: 100},
		"sequence.Stamp.AppendText: serial -1 has no 2 digits":                                    {Tick: at, Serial: -1},
		"sequence.Stamp.AppendText: 2026-11-20T00:00:00.000000001Z lies between two ticks of 1µs": {Tick: at.Add(1)},
		"sequence.Stamp.AppendText: the year 10000 has no four digits":                            {Tick: at.AddDate(7974, 0, 0)},
	} {
		b, err := st.AppendText([]byte("kept"))
		if err == nil || err.Error() != want || string(b) != "kept" {
			t.Errorf("%q, %v, want %s", b, err, want)
		}
		if got := st.String(); got != "%!("+want+")" {
			t.Errorf("String: %s", got)
		}
	}
}

func TestLayoutsAndWidths(t *testing.T) {
	at := time.Date(2026, 11, 20, 9, 31, 15, 123456789, time.UTC)
	for _, tt := range []struct {
		layout string
		width  int64
		want   string
	}{
		{"20060102150405000000", 100, "2026112009311512345600"},
		{"20060102150405000000", 99, "2026112009311512345600"},
		{"20060102150405000000", 1270, "202611200931151234560000"},
		{"20060102150405000000", 1000, "20261120093115123456000"},
		{"20060102150405000000", 1, "202611200931151234560"},
		{"20060102150405000", 10000, "202611200931151230000"},
		{"20060102150405", 100000, "2026112009311500000"},
		{"20060102150405", 11, "2026112009311500"},
		{"20060102150405", 101, "20261120093115000"},
		{"200601021504050", 10, "2026112009311510"},
		{"2006-01-02T15:04:05.", 1000, "2026-11-20T09:31:15.000"},
		{"2006-01-02T15:04:05.000", 10, "2026-11-20T09:31:15.1230"},
		{"Order 2006002.150405.00", 100, "Order 2026324.093115.1200"},
		{"2006-01-02T15:04:05-07", 100, "2026-11-20T09:31:15+0000"},
		{"20060102150405MST", 100, "20261120093115UTC00"},
	} {
		m := stampStore(t)
		s := sequence.NewStamper(m, "k", sequence.WithLayout(tt.layout), sequence.WithWidth(tt.width),
			sequence.WithClock(func() time.Time { return at }), sequence.WithMaxLead(1<<62))
		st, err := s.Next(t.Context())
		if err != nil || st.String() != tt.want {
			t.Errorf("%q, %d: got %v, %v, want %s", tt.layout, tt.width, st, err, tt.want)
			continue
		}
		back, err := s.Parse(tt.want)
		if err != nil || back != st {
			t.Errorf("%q, %d: read back as %v, %v", tt.layout, tt.width, back, err)
		}
	}
}

func TestLayoutThatDoesNotFitIsRefused(t *testing.T) {
	for _, tt := range []struct {
		layout string
		width  int64
		want   string
	}{
		{"20060102150405000000", 0, "width 0 is less than 1"},
		{"20060102150405000000", 1271, "width 1271: with a tick of 1µs, at most 1270 serials fit until the year 2200"},
		{"200601021504050000000", 10, `layout "200601021504050000000" has a tick below a microsecond`},
		{"060102150405", 10, `layout "060102150405" doesn't sort by time: "991201000000" comes before "000101000000"`},
		{"200601020304050", 10, `layout "200601020304050" can't be read back: "19990101120000"`},
		{"2006-01-02 15:04:5", 10, `layout "2006-01-02 15:04:5" makes texts of different lengths: "1999-01-01 00:00:9", "1999-01-01 00:00:10"`},
		{"20060102", 10, `layout "20060102" doesn't sort by time: "19990101" comes before "19990101"`},
		{"02.01.2006 15:04:05", 10, `layout "02.01.2006 15:04:05" doesn't sort by time: "31.01.1999 00:00:00" comes before "01.02.1999 00:00:00"`},
		{"2006Jan02150405", 10, `layout "2006Jan02150405" doesn't sort by time: "1999Jan31000000" comes before "1999Feb01000000"`},
		{"20060102150405.9990", 10, `layout "20060102150405.9990" has a fraction of a second that isn't its end, all zeros`},
		{"20060102150405.000-000", 10, `layout "20060102150405.000-000" has a fraction of a second that isn't its end, all zeros`},
		{"20060102150405.000Z", 10, `layout "20060102150405.000Z" has a fraction of a second that isn't its end, all zeros`},
		{"200612150405", 10, ""},
		{"", 10, ""},
	} {
		s := sequence.NewStamper(stampStore(t), "k", sequence.WithLayout(tt.layout), sequence.WithWidth(tt.width))
		_, err := s.Next(t.Context())
		if err == nil || tt.want != "" && err.Error() != `sequence.Stamper.Next("k"): `+tt.want {
			t.Errorf("%q, %d: %v, want %s", tt.layout, tt.width, err, tt.want)
		}
		if _, err := s.Parse("2026112009311512345607"); err == nil {
			t.Errorf("%q, %d: Parse", tt.layout, tt.width)
		}
	}
}

// Each stamp has one text. A text that the layout reads but never writes would be a
// second one.
func TestStampHasOneText(t *testing.T) {
	for _, tt := range []struct{ layout, text, other string }{
		{"2006-01-_2T15:04:05.", "2026-11- 2T09:31:15.07", "2026-11-02T09:31:15.07"},
		{"2006-01-02T15:04:05-07", "2026-11-02T09:31:15+0007", "2026-11-02T10:31:15+0107"},
		{"20060102150405MST", "20261102093115UTC07", "20261102093115CET07"},
	} {
		s := sequence.NewStamper(stampStore(t), "k", sequence.WithLayout(tt.layout))
		if st, err := s.Parse(tt.text); err != nil || st.Tick != time.Date(2026, 11, 2, 9, 31, 15, 0, time.UTC) || st.Serial != 7 {
			t.Errorf("Parse(%q) = %+v, %v", tt.text, st, err)
		}
		_, err := s.Parse(tt.other)
		if want := `sequence.Stamper.Parse("` + tt.other + `"): not a time`; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestParseKnowsTheWidth(t *testing.T) {
	s := sequence.NewStamper(stampStore(t), "k", sequence.WithWidth(50))
	if _, err := s.Parse("2026112009311512345649"); err != nil {
		t.Error(err)
	}
	_, err := s.Parse("2026112009311512345650")
	if want := `sequence.Stamper.Parse("2026112009311512345650"): serial 50, where a tick has 50`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

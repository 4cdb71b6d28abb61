package frozen_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/contract/tree"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/public"
)

// publicText is a line of testdata/public.txt.
type publicText struct {
	form, prefix string
	key          []byte
	id           oid.ID
	text         string
}

func publicTexts(t *testing.T) (texts []publicText) {
	t.Helper()
	data, err := os.ReadFile("testdata/public.txt")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) != 5 {
			t.Fatalf("%q has %d fields, want 5", line, len(fields))
		}
		for i := range fields {
			fields[i] = strings.TrimPrefix(fields[i], "-")
		}
		key, err := hex.DecodeString(fields[2])
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, publicText{fields[0], fields[1], key, oid.MustParse(fields[3]), fields[4]})
		counts[fields[0]]++
	}
	if counts["sealed"] < 20 || counts["prefixed"] < 9 {
		t.Fatalf("vectors are missing: %v", counts)
	}
	return texts
}

// newForm returns the form of a vector. Other keys come after the vector's own.
func (v publicText) newForm(t *testing.T, others ...[]byte) *public.Form {
	t.Helper()
	f, err := public.Prefixed(v.prefix)
	if v.form == "sealed" {
		f, err = public.Sealed(v.prefix, append([][]byte{v.key}, others...)...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestPublicTexts(t *testing.T) {
	for _, v := range publicTexts(t) {
		f := v.newForm(t)
		if got := f.Text(v.id); got != v.text {
			t.Errorf("%s %s %x: Text(%v) = %s, want %s", v.form, v.prefix, v.key, v.id, got, v.text)
		}
		if got, err := f.Parse(v.text); got != v.id || err != nil {
			t.Errorf("%s %s %x: Parse(%s) = %v, %v, want %v", v.form, v.prefix, v.key, v.text, got, err, v.id)
		}
	}
}

// Two texts of the vectors open under two keys. The first key of a form decides.
func TestFirstKeyThatOpensATextWins(t *testing.T) {
	texts, n := publicTexts(t), 0
	for i, v := range texts {
		for j, w := range texts {
			if i == j || v.text != w.text {
				continue
			}
			n++
			if got, err := v.newForm(t, w.key).Parse(v.text); got != v.id || err != nil || v.id == w.id {
				t.Errorf("keys %x, %x: Parse(%s) = %v, %v, want %v", v.key, w.key, v.text, got, err, v.id)
			}
		}
	}
	if n != 4 {
		t.Errorf("%d texts open under two keys, in both orders, want 2", n)
	}
}

// The vectors are what other programs compute. OpenSSL 3 is enough for one script, and the
// other needs Python's cryptography.
func TestOtherProgramsComputeThePublicTexts(t *testing.T) {
	want, err := os.ReadFile("testdata/public.txt")
	if err != nil {
		t.Fatal(err)
	}
	for name, try := range map[string][2][]string{
		"OpenSSL": {{"openssl", "kdf", "-help"}, {"bash", "testdata/public.sh"}},
		"Python":  {{"python3", "-c", "import cryptography.hazmat.primitives.kdf.hkdf"}, {"python3", "testdata/public.py"}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := exec.Command(try[0][0], try[0][1:]...).Run(); err != nil {
				tree.Skip(t, err)
			}
			cmd := exec.Command(try[1][0], try[1][1:]...)
			cmd.Stdin = bytes.NewReader(want)
			if got, err := cmd.CombinedOutput(); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%v: %v\n%s\nwant\n%s", cmd, err, got, want)
			}
		})
	}
}

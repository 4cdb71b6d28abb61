package bsoncodec_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	bsonv1 "go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/bsoncodec/mongov1"
	"github.com/oidkit/oidkit/oid"
)

// corpus is a file of the specification's vectors.
type corpus struct {
	Valid []struct {
		Description string
		BSON        string `json:"canonical_bson"`
		JSON        string `json:"canonical_extjson"`
	}
	DecodeErrors []struct{ Description, BSON string }
	ParseErrors  []struct{ Description, String string }
}

func readCorpus(t *testing.T, name string) (c corpus) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = os.ReadFile("testdata/bson-corpus/" + name) // what package oid is tested with too
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	data, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// mapped returns both drivers with registries that read every ObjectId as an oid.ID.
func mapped() []codec {
	regV2, regV1 := bsoncodec.NewRegistry(), mongov1.NewRegistry()
	bsoncodec.MapAny(regV2)
	mongov1.MapAny(regV1)
	return []codec{newV2(regV2), newV1(regV1)}
}

// newD returns a pointer to an empty D of the driver.
func newD(c codec) any {
	if c.driver == "v1" {
		return new(bsonv1.D)
	}
	return new(bson.D)
}

// countIDs counts the oid.IDs in what a D or an A of either driver holds.
func countIDs(v any) (n int) {
	switch v := v.(type) {
	case oid.ID:
		return 1
	case *bson.D:
		return countIDs(*v)
	case *bsonv1.D:
		return countIDs(*v)
	case bson.D:
		for _, e := range v {
			n += countIDs(e.Value)
		}
	case bsonv1.D:
		for _, e := range v {
			n += countIDs(e.Value)
		}
	case bson.A:
		for _, e := range v {
			n += countIDs(e)
		}
	case bsonv1.A:
		for _, e := range v {
			n += countIDs(e)
		}
	}
	return n
}

func TestCorpus(t *testing.T) {
	for _, file := range []string{"oid.json", "dbref.json", "multi-type.json", "multi-type-deprecated.json"} {
		vectors := readCorpus(t, file)
		if len(vectors.Valid) == 0 {
			t.Fatalf("%s: no vectors", file)
		}
		for _, vector := range vectors.Valid {
			data := unhex(t, vector.BSON)
			for _, c := range mapped() {
				doc := newD(c)
				if err := c.unmarshal(data, doc, ""); err != nil {
					t.Errorf("%s, %s, %s: %v", file, vector.Description, c.driver, err)
					continue
				}
				// Where the text has an ID, but for that in a DBPointer, we have it.
				want := strings.Count(vector.JSON, `"$oid"`) - strings.Count(vector.JSON, `"$dbPointer"`)
				if got := countIDs(doc); got != want {
					t.Errorf("%s, %s, %s: %d ids, want %d", file, vector.Description, c.driver, got, want)
				}
				if again, err := c.marshal(doc, ""); err != nil || !bytes.Equal(again, data) {
					t.Errorf("%s, %s, %s: encoded again as %x, %v", file, vector.Description, c.driver, again, err)
				}
				fromJSON := newD(c)
				if err := c.fromJSON(vector.JSON, fromJSON); err != nil {
					t.Errorf("%s, %s, %s: from Extended JSON: %v", file, vector.Description, c.driver, err)
				} else if again, err := c.marshal(fromJSON, ""); err != nil || !bytes.Equal(again, data) {
					t.Errorf("%s, %s, %s: from Extended JSON %x, %v", file, vector.Description, c.driver, again, err)
				}
				if text, err := c.toJSON(doc, true); err != nil || !sameJSON(t, text, []byte(vector.JSON)) {
					t.Errorf("%s, %s, %s: Extended JSON %s, %v; want %s", file, vector.Description, c.driver, text, err, vector.JSON)
				}
			}
		}
	}
}

// sameJSON reports whether two texts are the same but for white space.
func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var compactA, compactB bytes.Buffer
	if err := json.Compact(&compactA, a); err != nil {
		t.Error(err)
	}
	if err := json.Compact(&compactB, b); err != nil {
		t.Error(err)
	}
	return compactA.String() == compactB.String()
}

func TestCorpusIntoAnID(t *testing.T) {
	vectors := readCorpus(t, "oid.json")
	type doc struct{ A oid.ID }
	codecs := []codec{newV2(bson.NewRegistry()), newV2(bsoncodec.NewRegistry()), newV1(mongov1.NewRegistry())}
	for _, c := range codecs {
		for _, vector := range vectors.Valid {
			data := unhex(t, vector.BSON)
			want := oid.ID(data[7:19])
			var fromBSON, fromJSON doc
			if err := c.unmarshal(data, &fromBSON, ""); err != nil || fromBSON.A != want {
				t.Errorf("%s, %s: %v, %v", vector.Description, c.driver, fromBSON.A, err)
			}
			if err := c.fromJSON(vector.JSON, &fromJSON); err != nil || fromJSON.A != want {
				t.Errorf("%s, %s: from Extended JSON %v, %v", vector.Description, c.driver, fromJSON.A, err)
			}
			if again, err := c.marshal(doc{want}, ""); err != nil || !bytes.Equal(again, data) {
				t.Errorf("%s, %s: encoded as %x, %v", vector.Description, c.driver, again, err)
			}
		}
		for _, vector := range vectors.DecodeErrors {
			got := doc{id1}
			if err := c.unmarshal(unhex(t, vector.BSON), &got, ""); err == nil || got.A != id1 {
				t.Errorf("%s, %s: %v, %v", vector.Description, c.driver, got.A, err)
			}
		}
		parsed := 0
		for _, vector := range readCorpus(t, "top.json").ParseErrors {
			if !strings.HasPrefix(vector.Description, "Bad $oid") {
				continue
			}
			parsed++
			got := doc{id1}
			if err := c.fromJSON(vector.String, &got); err == nil || got.A != id1 {
				t.Errorf("%s, %s: %v, %v", vector.Description, c.driver, got.A, err)
			}
			// Package encoding/json too, as the whole value of the field.
			if err := json.Unmarshal([]byte(vector.String), &got); err == nil || got.A != id1 {
				t.Errorf("%s, encoding/json: %v, %v", vector.Description, got.A, err)
			}
		}
		if parsed != 2 {
			t.Errorf("%d parse errors for $oid, want 2", parsed)
		}
	}
}

package bsoncodec_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/oid"
)

// A reader is a BSON library of another language. Its program takes lines of JSON,
// {"bson": hex, "ids": [hex…]}, where ids are those of the document's list "ids". For
// each it answers with a line {"ids": [hex…], "times": [seconds…], "bson": hex,
// "made": hex}: the ids that it has read, the times in them, the document encoded
// again, and the document {"ids": […]} made of the hex digits only.
type reader struct {
	name string
	run  func(t *testing.T) *exec.Cmd
}

const pythonReader = `
import bson, json, sys
from bson.objectid import ObjectId
from bson.son import SON
from bson.codec_options import CodecOptions
options = CodecOptions(document_class=SON)
for line in sys.stdin:
    q = json.loads(line)
    data = bytes.fromhex(q["bson"])
    doc = bson.decode(data, codec_options=options)
    ids = doc["ids"]
    assert all(type(i) is ObjectId for i in ids), ids
    print(json.dumps({
        "ids": [str(i) for i in ids],
        "times": [int(i.generation_time.timestamp()) for i in ids],
        "bson": bson.encode(doc, codec_options=options).hex(),
        "made": bson.encode({"ids": [ObjectId(h) for h in q["ids"]]}).hex(),
    }))
`

const nodeReader = `
const { BSON, ObjectId } = require("bson");
const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const q = JSON.parse(line);
  const doc = BSON.deserialize(Buffer.from(q.bson, "hex"), { promoteValues: false });
  if (!doc.ids.every((id) => id instanceof ObjectId)) throw new Error("not ObjectIds");
  console.log(JSON.stringify({
    ids: doc.ids.map((id) => id.toHexString()),
    times: doc.ids.map((id) => id.getTimestamp().getTime() / 1000),
    bson: Buffer.from(BSON.serialize(doc)).toString("hex"),
    made: Buffer.from(BSON.serialize({ ids: q.ids.map((hex) => new ObjectId(hex)) })).toString("hex"),
  }));
});
`

// Debian's own Python, the one that has python3-bson.
func python(t *testing.T) *exec.Cmd {
	if err := exec.Command("/usr/bin/python3", "-c", "import bson, bson.objectid").Run(); err != nil {
		daemon.Skip(t, fmt.Errorf("python3-bson: %w", daemon.ErrNotInstalled))
	}
	return exec.Command("/usr/bin/python3", "-c", pythonReader)
}

func node(t *testing.T) *exec.Cmd {
	dir := t.TempDir()
	install := exec.Command("npm", "install", "--no-audit", "--no-fund", "--no-save", "bson@7.3.4")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		daemon.Skip(t, fmt.Errorf("npm's bson: %w: %v %s", daemon.ErrNotInstalled, err, out))
	}
	if err := os.WriteFile(filepath.Join(dir, "reader.js"), []byte(nodeReader), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "reader.js")
	cmd.Dir = dir
	return cmd
}

// Readers in other languages find our IDs in our documents, and write what we do,
// byte for byte; and we read what they write.
func TestIndependentReaders(t *testing.T) {
	type document struct {
		ID    oid.ID            `bson:"_id"`
		IDs   []oid.ID          `bson:"ids"`
		Ptr   *oid.ID           `bson:"ptr"`
		Nil   *oid.ID           `bson:"nil"`
		Typed oid.For[document] `bson:"typed"`
		ByID  map[oid.ID]oid.ID `bson:"byID"`
		Name  string            `bson:"name"`
	}
	type query struct {
		BSON string   `json:"bson"`
		IDs  []string `json:"ids"`
	}
	lists := [][]oid.ID{{}, {{}}, {oid.MustParse("ffffffffffffffffffffffff")}, {id1, id2}, {oid.MustParse("7fffffff0000000000000000"), oid.MustParse("80000000ffffffffffffffff")}}
	for range 20 {
		ids := make([]oid.ID, 25)
		oid.Fill(ids)
		lists = append(lists, ids)
	}
	var docs [][]byte
	var questions bytes.Buffer
	c := newV2(bsoncodec.NewRegistry())
	for _, ids := range lists {
		data, err := c.marshal(document{oid.New(), ids, &id1, nil, oid.For[document](oid.New()), map[oid.ID]oid.ID{id1: id2}, "größer"}, "")
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, data)
		q := query{BSON: hex.EncodeToString(data), IDs: []string{}}
		for _, id := range ids {
			q.IDs = append(q.IDs, id.Hex())
		}
		if err := json.NewEncoder(&questions).Encode(q); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range []reader{{"python", python}, {"node", node}} {
		t.Run(r.name, func(t *testing.T) {
			cmd := r.run(t)
			cmd.Stdin = bytes.NewReader(questions.Bytes())
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, stderr.String())
			}
			answers := json.NewDecoder(bytes.NewReader(out))
			for i, ids := range lists {
				var answer struct {
					IDs        []string
					Times      []int64
					BSON, Made string
				}
				if err := answers.Decode(&answer); err != nil {
					t.Fatal(err)
				}
				if len(answer.IDs) != len(ids) {
					t.Fatalf("%d ids, want %d", len(answer.IDs), len(ids))
				}
				for j, id := range ids {
					if answer.IDs[j] != id.Hex() || answer.Times[j] != id.Timestamp().Unix() {
						t.Errorf("read %s of %d, want %v of %d", answer.IDs[j], answer.Times[j], id, id.Timestamp().Unix())
					}
				}
				if again := unhex(t, answer.BSON); !bytes.Equal(again, docs[i]) {
					t.Errorf("encoded again:\n got %v\nwant %v", bson.Raw(again), bson.Raw(docs[i]))
				}
				var made struct{ IDs []oid.ID }
				if err := c.unmarshal(unhex(t, answer.Made), &made, ""); err != nil || len(made.IDs) != len(ids) {
					t.Fatalf("what it made: %v, %v", made, err)
				}
				ours, err := c.marshal(struct {
					IDs []oid.ID `bson:"ids"`
				}{made.IDs}, "")
				if err != nil || hex.EncodeToString(ours) != answer.Made {
					t.Errorf("what it made is not what we make: %s, %x, %v", answer.Made, ours, err)
				}
			}
		})
	}
}

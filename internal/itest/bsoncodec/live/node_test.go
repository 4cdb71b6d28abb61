//go:build nightly

package live_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/oidkit/oidkit/bsoncodec"
	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/mongodb"
	"github.com/oidkit/oidkit/jsonx"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

// nodeEncoders reads documents as hex digits, and prints for each the IDs in it, the
// document encoded again, and its Extended JSON. It also reads Extended JSON. For seconds,
// it prints the ID of createFromTime, and for IDs the seconds in them.
const nodeEncoders = `
const { BSON, ObjectId } = require("mongodb");
const { EJSON } = BSON;
const q = JSON.parse(require("fs").readFileSync(0, "utf8"));
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const idsIn = (v) => v instanceof ObjectId ? [v.toHexString()]
  : v && typeof v === "object" && !v._bsontype && !(v instanceof Date) ? Object.values(v).flatMap(idsIn) : [];
console.log(JSON.stringify({
  docs: q.docs.map((doc) => {
    const read = BSON.deserialize(Buffer.from(doc, "hex"), { promoteValues: false });
    return {
      ids: idsIn(read),
      again: hex(BSON.serialize(read)),
      canonical: EJSON.stringify(read, { relaxed: false }),
      relaxed: EJSON.stringify(BSON.deserialize(Buffer.from(doc, "hex")), { relaxed: true }),
    };
  }),
  made: q.ids.map((id) => hex(BSON.serialize({ _id: new ObjectId(id), refs: [new ObjectId(id)], byID: { [id]: new ObjectId(id) } }))),
  parsed: q.texts.map((text) => hex(BSON.serialize(EJSON.parse(text, { relaxed: false })))),
  first: q.seconds.map((s) => ObjectId.createFromTime(s).toHexString()),
  times: q.ids.map((id) => new ObjectId(id).getTimestamp().getTime() / 1000),
}));
`

// nodeDriver reads the orders that Go has stored, by several filters, and stores copies of
// them with IDs of its own.
const nodeDriver = `
const { MongoClient, ObjectId } = require("mongodb");
const q = JSON.parse(require("fs").readFileSync(0, "utf8"));
(async () => {
  const client = new MongoClient(q.uri, { serverSelectionTimeoutMS: 60000, maxPoolSize: 2 });
  try {
    const orders = client.db(q.database).collection("orders");
    const read = await orders.find().sort({ n: 1 }).toArray();
    const range = { _id: { $gte: ObjectId.createFromTime(q.from), $lt: ObjectId.createFromTime(q.to) } };
    const answer = {
      orders: read.map((o) => ({ id: o._id.toHexString(), customer: o.customer.toHexString(), lines: o.lines.map((id) => id.toHexString()),
        parent: o.parent && o.parent.toHexString(), n: o.n })),
      byID: 0,
      inRange: (await orders.find(range).sort({ n: 1 }).toArray()).map((o) => o.n),
    };
    for (const o of read) answer.byID += (await orders.findOne({ _id: o._id, customer: o.customer, lines: o.lines[0] })) ? 1 : 0;
    const made = read.map((o) => ({ _id: new ObjectId(), customer: new ObjectId(), lines: [new ObjectId(), o._id], parent: o.n % 2 ? null : o._id, n: o.n }));
    await client.db(q.database).collection("made").insertMany(made);
    answer.made = made.map((o) => ({ id: o._id.toHexString(), customer: o.customer.toHexString(), lines: o.lines.map((id) => id.toHexString()),
      parent: o.parent && o.parent.toHexString(), n: o.n }));
    console.log(JSON.stringify(answer));
  } finally {
    await client.close();
  }
})().catch((err) => { console.error(err); process.exit(1); });
`

// installNode returns a folder that has MongoDB's driver for Node.js, with its package bson.
func installNode(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	install := exec.Command("npm", "install", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts", "mongodb@7.9.0", "bson@7.3.4")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		daemon.Skip(t, fmt.Errorf("npm's mongodb: %w: %v %s", daemon.ErrNotInstalled, err, out))
	}
	return dir
}

// runNode runs a program with question as its input, and decodes what it prints.
func runNode(t *testing.T, dir, program string, question, answer any) {
	t.Helper()
	file := filepath.Join(dir, "program.js")
	if err := os.WriteFile(file, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	input, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", file)
	cmd.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	if err := json.Unmarshal(out, answer); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

type embedded struct {
	oid.ID `bson:"id"`
	N      int32
}

// forms has an ID in each form that we write.
type forms struct {
	ID       oid.ID            `bson:"_id"`
	Typed    oid.For[forms]    `bson:"typed"`
	Pointer  *oid.ID           `bson:"pointer"`
	Nil      *oid.ID           `bson:"nil"`
	List     []oid.ID          `bson:"list"`
	Empty    []oid.ID          `bson:"empty"`
	Pair     [2]oid.ID         `bson:"pair"`
	ByID     map[oid.ID]oid.ID `bson:"byID"`
	Any      any               `bson:"any"`
	Anys     bson.A            `bson:"anys"`
	Omitted  oid.ID            `bson:"omitted,omitempty"`
	Extended jsonx.Extended    `bson:"extended"`
	Hex      sqltype.Hex       `bson:"hex"`
	UUID     sqltype.UUID      `bson:"uuid"`
	Null     sqltype.ZeroNull  `bson:"null"`
	Embedded embedded          `bson:"embedded"`
	Text     string            `bson:"text"`
	Time     time.Time         `bson:"time"`
	Int      int32             `bson:"int"`
	Long     int64             `bson:"long"`
	Double   float64           `bson:"double"`
}

// idsOf returns the IDs of a document in the order of its fields.
func (f *forms) idsOf() (ids []string) {
	add := func(more ...oid.ID) {
		for _, id := range more {
			ids = append(ids, id.Hex())
		}
	}
	add(f.ID, oid.ID(f.Typed), *f.Pointer)
	add(f.List...)
	add(f.Pair[:]...)
	for _, id := range f.ByID {
		add(id)
	}
	add(f.Any.(oid.ID), f.Anys[0].(oid.ID), oid.ID(f.Extended), oid.ID(f.Hex), oid.ID(f.UUID), oid.ID(f.Null), f.Embedded.ID)
	return ids
}

// Node's package bson finds our IDs, writes the same bytes and the same Extended JSON, and
// dates an ID as we do.
func TestNodeEncodesTheSame(t *testing.T) {
	dir := installNode(t)
	var question struct {
		Docs    []string `json:"docs"`
		Texts   []string `json:"texts"`
		IDs     []string `json:"ids"`
		Seconds []int64  `json:"seconds"`
	}
	reg := bsoncodec.NewRegistry()
	extended := func(doc any, canonical bool) string {
		var text bytes.Buffer
		encoder := bson.NewEncoder(bson.NewExtJSONValueWriter(&text, canonical, false))
		encoder.SetRegistry(reg)
		if err := encoder.Encode(doc); err != nil {
			t.Fatal(err)
		}
		return string(bytes.TrimSpace(text.Bytes()))
	}
	random := rand.New(rand.NewPCG(1, 2))
	question.Seconds = []int64{0, 1, 15, 255, 256, 1<<28 - 1, 1 << 28, 1<<31 - 1, 1 << 31, 1<<32 - 1}
	for range 500 {
		question.Seconds = append(question.Seconds, int64(random.Uint32()))
	}
	var docs []*forms
	for _, seconds := range question.Seconds {
		low, high := oid.MinAt(time.Unix(seconds, 0)), oid.MaxAt(time.Unix(seconds, 0))
		question.IDs = append(question.IDs, low.Hex(), high.Hex())
		list := make([]oid.ID, random.IntN(12))
		oid.Fill(list)
		docs = append(docs, &forms{ID: low, Typed: oid.For[forms](high), Pointer: &high, List: list, Empty: []oid.ID{}, Pair: [2]oid.ID{low, high},
			ByID: map[oid.ID]oid.ID{high: low}, Any: high, Anys: bson.A{low, int32(7), "x"}, Extended: jsonx.Extended(low), Hex: sqltype.Hex(high),
			UUID: sqltype.UUID(low), Null: sqltype.ZeroNull(high), Embedded: embedded{high, 7}, Text: "größer <&> \" \\", Time: time.UnixMilli(seconds*1000 + 7).UTC(), Int: 7,
			Long: seconds, Double: 0.5})
	}
	var data [][]byte
	for _, doc := range docs {
		bytes, err := bsoncodec.MarshalWith(reg, doc)
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, bytes)
		question.Docs = append(question.Docs, hex.EncodeToString(bytes))
		question.Texts = append(question.Texts, extended(doc, true))
	}
	var answer struct {
		Docs []struct {
			IDs                       []string
			Again, Canonical, Relaxed string
		}
		Made, Parsed, First []string
		Times               []int64
	}
	runNode(t, dir, nodeEncoders, question, &answer)
	if len(answer.Docs) != len(docs) || len(answer.Made) != len(question.IDs) || len(answer.Parsed) != len(docs) || len(answer.First) != len(docs) || len(answer.Times) != len(question.IDs) {
		t.Fatalf("%d documents, %d made, %d parsed, %d first IDs, %d times", len(answer.Docs), len(answer.Made), len(answer.Parsed), len(answer.First), len(answer.Times))
	}
	same := func(what string, i int, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s of document %d:\nNode %s\n  Go %s", what, i, got, want)
		}
	}
	for i, doc := range docs {
		same("IDs", i, fmt.Sprint(answer.Docs[i].IDs), fmt.Sprint(doc.idsOf()))
		same("bytes", i, answer.Docs[i].Again, question.Docs[i])
		same("canonical Extended JSON", i, answer.Docs[i].Canonical, question.Texts[i])
		same("relaxed Extended JSON", i, answer.Docs[i].Relaxed, extended(doc, false))
		same("bytes from Extended JSON", i, answer.Parsed[i], question.Docs[i])
		for _, text := range []string{answer.Docs[i].Canonical, answer.Docs[i].Relaxed} {
			reader, err := bson.NewExtJSONValueReader(bytes.NewReader([]byte(text)), false)
			if err != nil {
				t.Fatal(err)
			}
			decoder := bson.NewDecoder(reader)
			decoder.SetRegistry(reg)
			var back forms
			if err := decoder.Decode(&back); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			again, err := bsoncodec.MarshalWith(reg, &back)
			if err != nil || !bytes.Equal(again, data[i]) {
				t.Errorf("Go reads %s as\n%v, %v", text, bson.Raw(again), err)
			}
		}
		same("createFromTime", i, answer.First[i], oid.MinAt(time.Unix(question.Seconds[i], 0)).Hex())
	}
	for i, text := range question.IDs {
		id := oid.MustParse(text)
		want, err := bsoncodec.MarshalWith(reg, bson.D{{Key: "_id", Value: id}, {Key: "refs", Value: []oid.ID{id}}, {Key: "byID", Value: map[oid.ID]oid.ID{id: id}}})
		if err != nil {
			t.Fatal(err)
		}
		same("bytes of a new document", i, answer.Made[i], hex.EncodeToString(want))
		if got, want := answer.Times[i], id.Timestamp().Unix(); got != want {
			t.Errorf("%v is of second %d in Node, of %d in Go", id, got, want)
		}
	}
	t.Logf("%d documents and %d IDs, no byte differs", len(docs), len(question.IDs))
}

// Node's driver finds our orders by their IDs and by time, and we find its orders.
func TestNodeDriverReadsAndWritesTheSame(t *testing.T) {
	dir := installNode(t)
	s := mongodb.Start(t)
	db := openV2(t, s, bsoncodec.NewRegistry())
	begin := time.Date(2024, 3, 3, 0, 0, 0, 0, time.UTC)
	stored := make([]order, 300)
	for i := range stored {
		stored[i] = newOrder(i)
		id, err := oid.NewAt(begin.Add(time.Duration(i) * time.Second))
		if err != nil {
			t.Fatal(err)
		}
		stored[i].ID = id
		if i%3 == 0 {
			stored[i].Parent = nil
		}
	}
	if _, err := db.Collection("orders").InsertMany(t.Context(), stored); err != nil {
		t.Fatal(err)
	}
	from, to := begin.Add(100*time.Second), begin.Add(200*time.Second)
	question := map[string]any{"uri": s.URI, "database": s.Database, "from": from.Unix(), "to": to.Unix()}
	type plain struct {
		ID, Customer string
		Lines        []string
		Parent       *string
		N            int
	}
	var answer struct {
		Orders, Made []plain
		ByID         int
		InRange      []int
	}
	runNode(t, dir, nodeDriver, question, &answer)
	parsed := func(p plain) order {
		o := order{ID: oid.MustParse(p.ID), Customer: oid.For[order](oid.MustParse(p.Customer)), N: p.N}
		for _, line := range p.Lines {
			o.Lines = append(o.Lines, oid.MustParse(line))
		}
		if p.Parent != nil {
			id := oid.MustParse(*p.Parent)
			o.Parent = &id
		}
		return o
	}
	if len(answer.Orders) != len(stored) || len(answer.Made) != len(stored) || answer.ByID != len(stored) {
		t.Fatalf("Node reads %d orders, finds %d by their IDs, and stores %d, want %d", len(answer.Orders), answer.ByID, len(answer.Made), len(stored))
	}
	for i, o := range answer.Orders {
		if !equalOrders(parsed(o), stored[i]) {
			t.Errorf("Node reads %+v, stored was %+v", o, stored[i])
		}
	}
	var inRange []int
	for _, o := range allV2(t, db.Collection("orders"), bsoncodec.CreatedBetween("_id", from, to)) {
		inRange = append(inRange, o.N)
	}
	if fmt.Sprint(inRange) != fmt.Sprint(answer.InRange) || len(inRange) != 100 {
		t.Errorf("in the range, Node finds %v, Go %v", answer.InRange, inRange)
	}
	made := allV2(t, db.Collection("made"), bson.D{}, options.Find().SetSort(bson.D{{Key: "n", Value: 1}}))
	var ids []oid.ID
	for i, o := range made {
		ids = append(ids, o.ID)
		if !equalOrders(parsed(answer.Made[i]), o) {
			t.Errorf("Go reads %+v, Node stored %+v", o, answer.Made[i])
		}
	}
	if found := allV2(t, db.Collection("made"), bsoncodec.In("_id", ids)); len(found) != len(stored) || len(made) != len(stored) {
		t.Errorf("Go reads %d orders of Node, and finds %d by their IDs, want %d", len(made), len(found), len(stored))
	}
}

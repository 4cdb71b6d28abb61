package oid_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/oidkit/oidkit/oid"
)

type user struct {
	ID    userID
	Boss  *userID `json:",omitempty"`
	Teams []teamID
}

type team struct{ ID teamID }

type (
	userID = oid.For[user]
	teamID = oid.For[team]
)

func TestForHasEveryFormOfAnID(t *testing.T) {
	id := oid.For[user]{ID: sample}
	in := user{ID: id, Teams: []teamID{{ID: maxID}}}
	data, err := json.Marshal(in)
	if want := `{"ID":"` + text + `","Teams":["ffffffffffffffffffffffff"]}`; err != nil || string(data) != want {
		t.Errorf("json.Marshal = %s, %v, want %s", data, err, want)
	}
	var out user
	if err := json.Unmarshal(data, &out); err != nil || out.ID != id || out.Teams[0].ID != maxID {
		t.Errorf("json.Unmarshal = %+v, %v", out, err)
	}
	if v, err := id.Value(); err != nil || string(v.([]byte)) != string(sample[:]) {
		t.Errorf("Value() = %v, %v", v, err)
	}
	var scanned userID
	if err := scanned.Scan(sample[:]); err != nil || scanned != id {
		t.Errorf("Scan = %v, %v", scanned, err)
	}
	if typ, b, err := id.MarshalBSONValue(); typ != 7 || string(b) != string(sample[:]) || err != nil {
		t.Errorf("MarshalBSONValue() = %v, %x, %v", typ, b, err)
	}
	if got := fmt.Sprintf("%v %s %x", id, id, id); got != text+" "+text+" "+text {
		t.Errorf("fmt prints %s", got)
	}
	if !(userID{}).IsZero() || id.Hex() != text {
		t.Error("IsZero or Hex is wrong")
	}
	if m := map[userID]int{id: 1}; m[id] != 1 {
		t.Error("not a map key")
	}
}

func TestNewForAndParseFor(t *testing.T) {
	before := oid.New()
	id := oid.NewFor[user]()
	if id.Compare(before) <= 0 {
		t.Errorf("NewFor = %v after %v", id, before)
	}
	got, err := oid.ParseFor[user](id.Hex())
	if err != nil || got != id {
		t.Errorf("ParseFor = %v, %v", got, err)
	}
	const want = `oid.ParseFor("x"): length 1, want 24 hex digits`
	if got, err := oid.ParseFor[team]("x"); err == nil || err.Error() != want || !errors.Is(err, oid.ErrSyntax) || !got.IsZero() {
		t.Errorf("ParseFor = %v, %v, want %s", got, err, want)
	}
}

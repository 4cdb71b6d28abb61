package oid_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
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
	id := userID(sample)
	in := user{ID: id, Teams: []teamID{teamID(maxID)}}
	data, err := json.Marshal(in)
	if want := `{"ID":"` + text + `","Teams":["ffffffffffffffffffffffff"]}`; err != nil || string(data) != want {
		t.Errorf("json.Marshal = %s, %v, want %s", data, err, want)
	}
	var out user
	if err := json.Unmarshal(data, &out); err != nil || out.ID != id || oid.ID(out.Teams[0]) != maxID {
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
	if got := fmt.Sprintf("%v %s %x", id, id, id[:]); got != text+" "+text+" "+text {
		t.Errorf("fmt prints %s", got)
	}
	if !(userID{}).IsZero() || id.Hex() != text {
		t.Error("IsZero or Hex is wrong")
	}
	if m := map[userID]int{id: 1}; m[id] != 1 {
		t.Error("not a map key")
	}
}

// The method sets of ID and For are equal, but for ID in signatures, where For
// has itself.
func TestForHasTheMethodsOfID(t *testing.T) {
	methods := func(typ reflect.Type) []string {
		var list []string
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			list = append(list, m.Name+" "+strings.ReplaceAll(m.Type.String(), reflect.TypeFor[userID]().String(), "oid.ID"))
		}
		return list
	}
	for _, tt := range []struct{ id, typed reflect.Type }{
		{reflect.TypeFor[oid.ID](), reflect.TypeFor[userID]()},
		{reflect.TypeFor[*oid.ID](), reflect.TypeFor[*userID]()},
	} {
		if want, got := methods(tt.id), methods(tt.typed); !slices.Equal(got, want) {
			t.Errorf("%v has the methods\n%s\nwant those of %v\n%s", tt.typed, strings.Join(got, "\n"), tt.id, strings.Join(want, "\n"))
		}
	}
}

// Each method of For does what the one of ID does.
func TestForDoesWhatIDDoes(t *testing.T) {
	values := []any{[]byte(nil), sample[:], []byte(text), []byte(`"` + text + `"`), []byte("null"), []byte("x"), text, "", "x", nil, 7}
	for _, id := range []oid.ID{{}, sample, maxID, oid.New()} {
		typed := userID(id)
		for _, name := range []string{"Timestamp", "Hex", "String", "IsZero", "Next", "Prev", "MarshalText", "MarshalBinary", "MarshalJSON", "Value", "MarshalBSONValue", "BytesValue", "ProxyBSON"} {
			want := fmt.Sprint(results(reflect.ValueOf(id).MethodByName(name).Call(nil)))
			got := fmt.Sprint(results(reflect.ValueOf(typed).MethodByName(name).Call(nil)))
			if got != want {
				t.Errorf("For(%v).%s() = %s, want %s", id, name, got, want)
			}
		}
		for _, name := range []string{"AppendText"} {
			in := []reflect.Value{reflect.ValueOf([]byte("x"))}
			want := fmt.Sprint(results(reflect.ValueOf(id).MethodByName(name).Call(in)))
			got := fmt.Sprint(results(reflect.ValueOf(typed).MethodByName(name).Call(in)))
			if got != want {
				t.Errorf("For(%v).%s(x) = %s, want %s", id, name, got, want)
			}
		}
		for _, other := range []oid.ID{{}, sample, maxID} {
			if got, want := typed.Compare(userID(other)), id.Compare(other); got != want {
				t.Errorf("For(%v).Compare(%v) = %d, want %d", id, other, got, want)
			}
		}
		for _, format := range []string{"%v", "%s", "%q", "%x", "%#x", "%#X", "%#q", "% X", "%d", "%30s"} {
			if got, want := fmt.Sprintf(format, typed), fmt.Sprintf(format, id); got != want {
				t.Errorf("Sprintf(%s, For(%v)) = %s, want %s", format, id, got, want)
			}
		}
	}
	for _, name := range []string{"UnmarshalText", "UnmarshalBinary", "UnmarshalJSON", "Scan", "ScanBytes", "UnmarshalParam"} {
		for _, v := range values {
			id, typed := maxID, userID(maxID)
			method := reflect.ValueOf(&id).MethodByName(name)
			in := reflect.Zero(method.Type().In(0))
			if v != nil {
				if !reflect.TypeOf(v).AssignableTo(in.Type()) {
					continue
				}
				in = reflect.ValueOf(v)
			}
			want := results(method.Call([]reflect.Value{in}))
			got := results(reflect.ValueOf(&typed).MethodByName(name).Call([]reflect.Value{in}))
			if fmt.Sprint(got) != fmt.Sprint(want) || oid.ID(typed) != id {
				t.Errorf("For.%s(%v) = %v, %v, want %v, %v", name, v, got, typed, want, id)
			}
		}
	}
	for typ, data := range map[byte][]byte{7: sample[:], 10: nil, 2: []byte("\x19\x00\x00\x00" + text + "\x00"), 1: nil} {
		id, typed := maxID, userID(maxID)
		want, got := id.UnmarshalBSONValue(typ, data), typed.UnmarshalBSONValue(typ, data)
		if fmt.Sprint(got) != fmt.Sprint(want) || oid.ID(typed) != id {
			t.Errorf("For.UnmarshalBSONValue(%d, %x) = %v, %v, want %v, %v", typ, data, got, typed, want, id)
		}
	}
}

func TestTypedIDsSort(t *testing.T) {
	ids := []userID{userID(oid.New()), userID(oid.New()), userID(sample)}
	want := []userID{ids[2], ids[0], ids[1]}
	slices.SortFunc(ids, userID.Compare)
	if !slices.Equal(ids, want) {
		t.Errorf("SortFunc(ids, userID.Compare) = %v, want %v", ids, want)
	}
}

// results returns the results of a call.
func results(values []reflect.Value) []any {
	var list []any
	for _, v := range values {
		list = append(list, v.Interface())
	}
	return list
}

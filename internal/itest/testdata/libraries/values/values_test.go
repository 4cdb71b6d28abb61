// Package values_test shows IDs in libraries that copy, merge, decode and mock values. What it
// observes stands in docs/libraries.md. The libraries need many modules, and so this module is
// no part of the workspace:
//
//	cd internal/itest/testdata/libraries && GOWORK=off go test ./...
package values_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"dario.cat/mergo"
	"github.com/BurntSushi/toml"
	"github.com/DATA-DOG/go-sqlmock"
	"github.com/globalsign/mgo/bson"
	"github.com/go-viper/mapstructure/v2"
	"github.com/jinzhu/copier"
	pelletier "github.com/pelletier/go-toml/v2"
	"github.com/spf13/viper"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/oidkit/oidkit/oid"
)

var (
	sample = oid.MustParse("65b3f7a0c1d2e3f405060708")
	other  = oid.MustParse("65b3f7a1c1d2e3f405060709")
)

// page names the document that an error of this package is about.
const page = ": change docs/libraries.md"

type user struct{}

// A config has an ID in each form that a decoder may meet.
type config struct {
	ID    oid.ID        `mapstructure:"id" toml:"id"`
	Owner oid.For[user] `mapstructure:"owner" toml:"owner"`
	Ptr   *oid.ID       `mapstructure:"ptr" toml:"ptr"`
	IDs   []oid.ID      `mapstructure:"ids" toml:"ids"`
}

func (c config) isRead() bool {
	return c.ID == sample && oid.ID(c.Owner) == other && c.Ptr != nil && *c.Ptr == sample && slices.Equal(c.IDs, []oid.ID{sample, other})
}

var text = map[string]any{"id": sample.Hex(), "owner": other.Hex(), "ptr": sample.Hex(), "ids": []string{sample.Hex(), other.Hex()}}

func decode(in map[string]any, out any, hook mapstructure.DecodeHookFunc) error {
	d, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{DecodeHook: hook, Result: out})
	if err != nil {
		return err
	}
	return d.Decode(in)
}

func TestMapstructureNeedsAHook(t *testing.T) {
	var c config
	if err := decode(text, &c, nil); err == nil {
		t.Error("mapstructure needs no hook" + page)
	}
	c = config{}
	if err := decode(text, &c, mapstructure.TextUnmarshallerHookFunc()); err != nil || !c.isRead() {
		t.Errorf("read %+v, %v", c, err)
	}
	for _, bad := range []any{"abcdefghijkl", sample.Hex()[1:], 7, make([]int, 13)} {
		var c struct{ ID oid.ID }
		if err := decode(map[string]any{"id": bad}, &c, mapstructure.TextUnmarshallerHookFunc()); err == nil || !c.ID.IsZero() {
			t.Errorf("%v is read as %v", bad, c.ID)
		}
	}
	var taken struct{ ID oid.ID }
	if err := decode(map[string]any{"id": []int{1, 2}}, &taken, mapstructure.TextUnmarshallerHookFunc()); err != nil || taken.ID != (oid.ID{1, 2}) {
		t.Errorf("a list of numbers is read as %v, %v%s", taken.ID, err, page)
	}
}

func TestViperNeedsAHook(t *testing.T) {
	v := viper.New()
	v.SetConfigType("yaml")
	yaml := "id: " + sample.Hex() + "\nowner: " + other.Hex() + "\nptr: " + sample.Hex() + "\nids: [" + sample.Hex() + ", " + other.Hex() + "]\n"
	if err := v.ReadConfig(strings.NewReader(yaml)); err != nil {
		t.Fatal(err)
	}
	var c config
	if err := v.Unmarshal(&c); err == nil {
		t.Error("viper needs no hook" + page)
	}
	c = config{}
	if err := v.Unmarshal(&c, viper.DecodeHook(mapstructure.TextUnmarshallerHookFunc())); err != nil || !c.isRead() {
		t.Errorf("read %+v, %v", c, err)
	}
	v.Set("number", 7)
	var taken struct{ Number oid.ID }
	if err := v.Unmarshal(&taken, viper.DecodeHook(mapstructure.TextUnmarshallerHookFunc())); err != nil || taken.Number != (oid.ID{7}) {
		t.Errorf("a number is read as %v, %v%s", taken.Number, err, page)
	}
}

func TestCopierWritesRawBytesIntoAString(t *testing.T) {
	type model struct {
		ID  oid.ID
		Ptr *oid.ID
	}
	type view struct{ ID string }
	var v view
	if err := copier.Copy(&v, model{ID: sample}); err != nil || v.ID != string(sample[:]) {
		t.Errorf("copied %q, %v%s", v.ID, err, page)
	}
	digits := copier.Option{Converters: []copier.TypeConverter{{
		SrcType: oid.ID{}, DstType: copier.String, Fn: func(src any) (any, error) { return src.(oid.ID).Hex(), nil },
	}}}
	if err := copier.CopyWithOption(&v, model{ID: sample}, digits); err != nil || v.ID != sample.Hex() {
		t.Errorf("copied %q, %v", v.ID, err)
	}
	var back model
	if err := copier.Copy(&back, view{sample.Hex()}); err != nil || back.ID != sample {
		t.Errorf("the way back: %v, %v", back, err)
	}
	var same model
	if err := copier.Copy(&same, model{sample, &other}); err != nil || same.ID != sample || *same.Ptr != other {
		t.Errorf("ID to ID: %v, %v", same, err)
	}
}

// mergo takes no array for empty, so a zero ID is a value to it.
func TestMergoTakesAZeroIDForAValue(t *testing.T) {
	type settings struct {
		ID  oid.ID
		Ptr *oid.ID
	}
	unset := settings{}
	if err := mergo.Merge(&unset, settings{sample, &sample}); err != nil || !unset.ID.IsZero() || unset.Ptr == nil || *unset.Ptr != sample {
		t.Errorf("Merge into zero: %v, %v%s", unset, err, page)
	}
	set := settings{sample, &sample}
	if err := mergo.Merge(&set, settings{}, mergo.WithOverride); err != nil || !set.ID.IsZero() || set.Ptr != &sample {
		t.Errorf("WithOverride by zero: %v, %v%s", set, err, page)
	}
	set = settings{ID: sample}
	if err := mergo.Merge(&set, settings{}, mergo.WithOverride, mergo.WithTransformers(mergeIDs{})); err != nil || set.ID != sample {
		t.Errorf("WithOverride by zero, with a transformer: %v, %v", set, err)
	}
	if err := mergo.Merge(&set, settings{ID: other}, mergo.WithOverride, mergo.WithTransformers(mergeIDs{})); err != nil || set.ID != other {
		t.Errorf("WithOverride with a transformer: %v, %v", set, err)
	}
}

// mergeIDs has WithOverride keep an ID where the other struct has none.
type mergeIDs struct{}

func (mergeIDs) Transformer(t reflect.Type) func(dst, src reflect.Value) error {
	if t != reflect.TypeFor[oid.ID]() {
		return nil
	}
	return func(dst, src reflect.Value) error {
		if !src.IsZero() {
			dst.Set(src)
		}
		return nil
	}
}

func TestStructpbTakesDigitsOnly(t *testing.T) {
	if _, err := structpb.NewStruct(map[string]any{"id": sample}); err == nil {
		t.Error("structpb takes an oid.ID" + page)
	}
	s, err := structpb.NewStruct(map[string]any{"id": sample.Hex()})
	if err != nil {
		t.Fatal(err)
	}
	if id, err := oid.Parse(s.Fields["id"].GetStringValue()); err != nil || id != sample {
		t.Errorf("read %v, %v", id, err)
	}
}

func TestTOML(t *testing.T) {
	id := sample
	in := config{sample, oid.For[user](other), &id, []oid.ID{sample, other}}
	for name, codec := range map[string]struct {
		marshal   func(any) ([]byte, error)
		unmarshal func([]byte, any) error

		takesLists bool
	}{
		"BurntSushi/toml":   {toml.Marshal, toml.Unmarshal, false},
		"pelletier/go-toml": {pelletier.Marshal, pelletier.Unmarshal, true},
	} {
		data, err := codec.marshal(in)
		var out config
		if err == nil {
			err = codec.unmarshal(data, &out)
		}
		if err != nil || !out.isRead() {
			t.Errorf("%s: read %+v from %s, %v", name, out, data, err)
		}
		for _, bad := range []string{`"abcdefghijkl"`, "7"} {
			out := config{ID: other}
			if err := codec.unmarshal([]byte("id = "+bad), &out); err == nil {
				t.Errorf("%s: %s is read as %v%s", name, bad, out.ID, page)
			}
		}
		for _, list := range []string{"[1, 2, 3]", "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]", "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]"} {
			var out config
			if err := codec.unmarshal([]byte("id = "+list), &out); (err == nil) != codec.takesLists {
				t.Errorf("%s: %s is read as %v, %v%s", name, list, out.ID, err, page)
			}
		}
	}
}

func TestMgoStoresAnIDAsBinary(t *testing.T) {
	data, err := bson.Marshal(struct{ ID oid.ID }{sample})
	if err != nil {
		t.Fatal(err)
	}
	var stored struct{ ID any }
	if err := bson.Unmarshal(data, &stored); err != nil {
		t.Fatal(err)
	}
	if _, isID := stored.ID.(bson.ObjectId); isID {
		t.Error("mgo stores an ObjectId" + page)
	}
	data, err = bson.Marshal(struct{ ID bson.ObjectId }{bson.ObjectId(sample[:])})
	if err != nil {
		t.Fatal(err)
	}
	var back struct{ ID oid.ID }
	if err := bson.Unmarshal(data, &back); err == nil && back.ID == sample {
		t.Error("mgo reads an ObjectId into an oid.ID" + page)
	}
	var native struct{ ID bson.ObjectId }
	if err := bson.Unmarshal(data, &native); err != nil || oid.ID([]byte(native.ID)) != sample {
		t.Errorf("read %v, %v", native.ID, err)
	}
}

func TestSqlmock(t *testing.T) {
	mocked, mock, err := sqlmock.New()
	if err != nil {
		t.Fatal(err)
	}
	defer mocked.Close()
	for _, stored := range []any{sample, sample[:]} {
		mock.ExpectQuery("SELECT id").WithArgs(sample).WillReturnRows(sqlmock.NewRows([]string{"id"}).AddRow(stored))
		var got oid.ID
		if err := mocked.QueryRow("SELECT id FROM orders WHERE id = ?", sample).Scan(&got); err != nil || got != sample {
			t.Errorf("AddRow(%T): read %v, %v", stored, got, err)
		}
	}
	mock.ExpectExec("DELETE").WithArgs(sample)
	if _, err := mocked.Exec("DELETE FROM orders WHERE id = ?", other); err == nil {
		t.Error("another ID matches")
	}
}

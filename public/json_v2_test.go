//go:build goexperiment.jsonv2

package public_test

import (
	"strings"
	"testing"
)

// With encoding/json/v2, also with the Marshalers that write Extended JSON, an ID is in its
// form.
func TestJSONv2(t *testing.T) {
	type line struct {
		ID   OrderID   `json:"id"`
		List []OrderID `json:"list"`
	}
	order := line{OrderID(sample), []OrderID{OrderID(sample)}}
	for name, options := range optionsV2 {
		data, err := marshalV2(order, options...)
		if want := `{"id":"` + orderText + `","list":["` + orderText + `"]}`; err != nil || string(data) != want {
			t.Errorf("%s: %s, %v, want %s", name, data, err, want)
		}
		var got line
		if err := unmarshalV2(data, &got, options...); err != nil || got.ID != order.ID || len(got.List) != 1 || got.List[0] != order.ID {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		data, err = marshalV2(map[OrderID]int{order.ID: 1}, options...)
		if want := `{"` + orderText + `":1}`; err != nil || string(data) != want {
			t.Errorf("%s: %s, %v, want %s", name, data, err, want)
		}
		if err := unmarshalV2([]byte(`{"id":{"$oid":"65b3f7a2c1d4e5f6a7b8c9d0"}}`), &got, options...); err == nil || strings.Contains(err.Error(), "panic") {
			t.Errorf("%s: Extended JSON is read: %v", name, err)
		}
	}
}

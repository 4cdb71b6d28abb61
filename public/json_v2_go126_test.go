//go:build goexperiment.jsonv2 && !go1.27

package public_test

import (
	"encoding/json/v2"

	"github.com/oidkit/oidkit/jsonx"
)

// What TestJSONv2 needs of encoding/json/v2. Go 1.27 takes these names only in a file for Go
// 1.27, and Go 1.26 has them as an experiment.
var (
	marshalV2, unmarshalV2 = json.Marshal, json.Unmarshal

	optionsV2 = map[string][]json.Options{
		"plain": nil,
		"jsonx": {json.WithMarshalers(jsonx.Marshalers()), json.WithUnmarshalers(jsonx.Unmarshalers())},
	}
)

//go:build nightly

package schemas

import (
	"encoding/json"
	"io"
	"log"
	"os"
	"path/filepath"
	"testing"

	"github.com/swaggo/swag/gen"
)

// TestSwaggo runs what swag's command runs, with the file .swaggo and without it.
func TestSwaggo(t *testing.T) {
	for _, described := range []bool{false, true} {
		folder := t.TempDir()
		config := &gen.Config{
			SearchDir: "testdata/swag", MainAPIFile: "main.go", PropNamingStrategy: "camelcase",
			OutputDir: folder, OutputTypes: []string{"json"}, ParseDepth: 100, ParseGoList: true, ParseDependency: 1,
			Debugger: log.New(io.Discard, "", 0),
		}
		if described {
			config.OverridesFile = "testdata/swag/.swaggo"
		}
		if err := gen.New().Build(config); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(folder, "swagger.json"))
		if err != nil {
			t.Fatal(err)
		}
		var doc struct{ Definitions map[string]json.RawMessage }
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		for place, p := range places(t, doc.Definitions["main.Order"]) {
			if p.isString() != (described || place == "customer") { // that has a tag
				t.Errorf("described %t: %s is %+v", described, place, p)
			}
		}
	}
}

//go:build nightly && !go1.27 && !goexperiment.jsonv2

package schemas

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ogen-go/ogen"
	"github.com/ogen-go/ogen/gen"
	"github.com/ogen-go/ogen/gen/genfs"
	"github.com/oidkit/oidkit/internal/itest/overlay"
)

// With Go 1.27 ogen v1.18.0 generates nothing for a type of another package. Its
// golang.org/x/tools, up to v0.49.0, can't read what that Go compiles. With
// encoding/json/v2, where encoding/json's interfaces are aliases, ogen panics.

func TestOgen(t *testing.T) {
	document, err := os.ReadFile("testdata/ogen/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := ogen.Parse(document)
	if err != nil {
		t.Fatal(err)
	}
	generator, err := gen.NewGenerator(spec, gen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "api")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := generator.WriteSource(genfs.FormattedSource{Root: folder}, "api"); err != nil {
		t.Fatal(err)
	}
	runGenerated(t, overlay.Build(t, "ogen", filepath.Dir(folder)))
}

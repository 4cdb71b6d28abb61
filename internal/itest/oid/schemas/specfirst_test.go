//go:build nightly

package schemas

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
	_ "github.com/oapi-codegen/runtime" // what it writes imports this
	"github.com/oidkit/oidkit/internal/itest/overlay"
)

// The output of the generators for a document with IDs is compiled and run.

func TestOapiCodegen(t *testing.T) {
	document, err := openapi3.NewLoader().LoadFromFile("testdata/oapicodegen/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	code, err := codegen.Generate(document, codegen.Configuration{
		PackageName: "api",
		Generate:    codegen.GenerateOptions{Models: true, StdHTTPServer: true},
	}.UpdateDefaults())
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "api")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "api.go"), []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	runGenerated(t, overlay.Build(t, "oapicodegen", filepath.Dir(folder)))
}

func runGenerated(t *testing.T, program string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), program).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

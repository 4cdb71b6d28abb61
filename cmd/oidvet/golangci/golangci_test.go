package golangci

import (
	"testing"

	"github.com/golangci/plugin-module-register/register"

	"github.com/oidkit/oidkit/cmd/oidvet/all"
)

func TestPluginHasAllAnalyzers(t *testing.T) {
	newPlugin, err := register.GetPlugin("oidvet")
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPlugin(nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.BuildAnalyzers()
	if want := all.Analyzers(); err != nil || len(got) != len(want) || len(got) == 0 {
		t.Errorf("BuildAnalyzers() = %v, %v, want %v", got, err, want)
	}
	if mode := p.GetLoadMode(); mode != register.LoadModeTypesInfo {
		t.Errorf("GetLoadMode() = %s, want %s", mode, register.LoadModeTypesInfo)
	}
}

// Package golangci makes the analyzers of oidvet a plugin of golangci-lint's module
// system. See https://golangci-lint.run/plugins/module-plugins. Name the plugin in
// .custom-gcl.yml, and run golangci-lint custom:
//
//	version: v2.1.0
//	plugins:
//	  - module: github.com/oidkit/oidkit/cmd/oidvet
//	    import: github.com/oidkit/oidkit/cmd/oidvet/golangci
//	    version: v0.1.0-rc.1
//
// Then enable it in .golangci.yml:
//
//	version: "2"
//	linters:
//	  enable: [oidvet]
//	  settings:
//	    custom:
//	      oidvet:
//	        type: module
package golangci

import (
	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/oidkit/oidkit/cmd/oidvet/all"
)

func init() { register.Plugin("oidvet", New) }

// New returns the plugin. It has no settings.
func New(settings any) (register.LinterPlugin, error) { return plugin{}, nil }

type plugin struct{}

// BuildAnalyzers returns the analyzers of oidvet.
func (plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) { return all.Analyzers(), nil }

// GetLoadMode says that the analyzers need types.
func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }

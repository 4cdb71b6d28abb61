// Package all lists the analyzers of oidvet.
package all

import (
	"golang.org/x/tools/go/analysis"

	"github.com/oidkit/oidkit/cmd/oidvet/anycompare"
	"github.com/oidkit/oidkit/cmd/oidvet/bsonhex"
	"github.com/oidkit/oidkit/cmd/oidvet/embedid"
	"github.com/oidkit/oidkit/cmd/oidvet/flatten"
	"github.com/oidkit/oidkit/cmd/oidvet/gormcond"
	"github.com/oidkit/oidkit/cmd/oidvet/gormdest"
	"github.com/oidkit/oidkit/cmd/oidvet/idcalls"
	"github.com/oidkit/oidkit/cmd/oidvet/idtype"
	"github.com/oidkit/oidkit/cmd/oidvet/omitempty"
	"github.com/oidkit/oidkit/cmd/oidvet/sqlargs"
	"github.com/oidkit/oidkit/cmd/oidvet/timerange"
)

// Analyzers returns the analyzers of oidvet, sorted by name.
func Analyzers() []*analysis.Analyzer {
	return []*analysis.Analyzer{
		anycompare.Analyzer,
		bsonhex.Analyzer,
		embedid.Analyzer,
		flatten.Analyzer,
		gormcond.Analyzer,
		gormdest.Analyzer,
		idcalls.Analyzer,
		idtype.Analyzer,
		omitempty.Analyzer,
		sqlargs.Analyzer,
		timerange.Analyzer,
	}
}

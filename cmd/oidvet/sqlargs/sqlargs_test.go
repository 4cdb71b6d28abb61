package sqlargs_test

import (
	"testing"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/vettest"
	"github.com/oidkit/oidkit/cmd/oidvet/sqlargs"
)

func TestAnalyzer(t *testing.T) { vettest.Run(t, sqlargs.Analyzer, "sqlargs") }

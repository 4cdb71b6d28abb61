package idcalls_test

import (
	"testing"

	"github.com/oidkit/oidkit/cmd/oidvet/idcalls"
	"github.com/oidkit/oidkit/cmd/oidvet/internal/vettest"
)

func TestAnalyzer(t *testing.T) { vettest.Run(t, idcalls.Analyzer, "idcalls") }

package idtype_test

import (
	"testing"

	"github.com/oidkit/oidkit/cmd/oidvet/idtype"
	"github.com/oidkit/oidkit/cmd/oidvet/internal/vettest"
)

func TestAnalyzer(t *testing.T) { vettest.Run(t, idtype.Analyzer, "idtype") }

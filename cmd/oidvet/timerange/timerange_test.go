package timerange_test

import (
	"testing"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/vettest"
	"github.com/oidkit/oidkit/cmd/oidvet/timerange"
)

func TestAnalyzer(t *testing.T) { vettest.Run(t, timerange.Analyzer, "timerange") }

package omitempty_test

import (
	"testing"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/vettest"
	"github.com/oidkit/oidkit/cmd/oidvet/omitempty"
)

func TestAnalyzer(t *testing.T) { vettest.Run(t, omitempty.Analyzer, "omitempty") }

package embedid_test

import (
	"testing"

	"github.com/oidkit/oidkit/cmd/oidvet/embedid"
	"github.com/oidkit/oidkit/cmd/oidvet/internal/vettest"
)

func TestAnalyzer(t *testing.T) { vettest.Run(t, embedid.Analyzer, "embedid") }

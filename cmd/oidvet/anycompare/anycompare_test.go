package anycompare_test

import (
	"testing"

	"github.com/oidkit/oidkit/cmd/oidvet/anycompare"
	"github.com/oidkit/oidkit/cmd/oidvet/internal/vettest"
)

func TestAnalyzer(t *testing.T) { vettest.Run(t, anycompare.Analyzer, "anycompare", "anycompare1") }

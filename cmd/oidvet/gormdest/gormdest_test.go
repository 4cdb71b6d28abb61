package gormdest_test

import (
	"testing"

	"github.com/oidkit/oidkit/cmd/oidvet/gormdest"
	"github.com/oidkit/oidkit/cmd/oidvet/internal/vettest"
)

func TestAnalyzer(t *testing.T) { vettest.Run(t, gormdest.Analyzer, "gormdest") }

package flatten_test

import (
	"testing"

	"github.com/oidkit/oidkit/cmd/oidvet/flatten"
	"github.com/oidkit/oidkit/cmd/oidvet/internal/vettest"
)

func TestAnalyzer(t *testing.T) { vettest.Run(t, flatten.Analyzer, "flatten") }

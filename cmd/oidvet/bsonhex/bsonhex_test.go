package bsonhex_test

import (
	"testing"

	"github.com/oidkit/oidkit/cmd/oidvet/bsonhex"
	"github.com/oidkit/oidkit/cmd/oidvet/internal/vettest"
)

func TestAnalyzer(t *testing.T) { vettest.Run(t, bsonhex.Analyzer, "bsonhex") }

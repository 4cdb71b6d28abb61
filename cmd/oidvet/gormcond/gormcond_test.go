package gormcond_test

import (
	"testing"

	"github.com/oidkit/oidkit/cmd/oidvet/gormcond"
	"github.com/oidkit/oidkit/cmd/oidvet/internal/vettest"
)

func TestAnalyzer(t *testing.T) { vettest.Run(t, gormcond.Analyzer, "gormcond") }

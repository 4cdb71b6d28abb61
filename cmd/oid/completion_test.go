package main

import (
	"slices"
	"strings"
	"testing"
)

// The words before the cursor are split at |; the last one is at the cursor.
func TestCompletionOffersWhatCanFollow(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"in", "inspect"},
		{"n", "new next"},
		{"--z", "--zone"},
		{"-z", "-zone"},
		{"--zone|utc|ran", "range"},
		{"new|--pro", "--process"},
		{"new|-pro", "-process"},
		{"new|--js", "--json"},
		{"new|-", "-n --at --process --to --template --json --zone --help"},
		{"new|--process|", "random host"},
		{"new|--process|h", "host"},
		{"new|--process=h", "--process=host"},
		{"new|--process|=|h", "host"},
		{"new|--process|=", "random host"},
		{"new|-process|ra", "random"},
		{"new|--n|", ""},
		{"new|--at|t", "today tomorrow"},
		{"range|--as|", "hex mongosh postgres mysql sqlite go"},
		{"range|-as|m", "mongosh mysql"},
		{"range|--as|hex|y", "yesterday"},
		{"range|--as=hex|y", "yesterday"},
		{"range|--json|--ta", "--table"},
		{"range|--table|", ""},
		{"histogram|--by|", "minute hour day week month quarter year"},
		{"histogram|--by|mi", "minute"},
		{"histogram|--to|n", "now"},
		{"filter|--to|n", "now"},
		{"convert|--to|u", "upper uuid"},
		{"convert|--input|u", "uuid"},
		{"next|--to|x", "xid"},
		{"inspect|", ""}, // files
		{"convert|--to|xid|", ""},
		{"new|--zone|europe/berl", "Europe/Berlin"},
		{"--zone|ut", "UTC"},
		{"completion|", "bash zsh fish pwsh"},
		{"help|ti", "times"},
		{"help|c", "convert completion"},
		{"odds|--process", "--processes --process-bits"},
		{"odds|--derive|--i", "--ids"},
	} {
		words := strings.Split(test.line, "|")
		n := len(words) - 1
		if test.line == "--zone|ut" || test.line == "new|--zone|europe/berl" {
			if len(zones()) < 100 {
				t.Log("the system has no list of zones")
				continue
			}
		}
		var got []string
		for line := range strings.Lines(succeed(t, "", append([]string{"__complete", "=" + words[n]}, words[:n]...)...)) {
			word, _, _ := strings.Cut(line, "\t")
			got = append(got, word)
		}
		if !slices.Equal(got, strings.Fields(test.want)) {
			t.Errorf("%s: %q, want %q", test.line, got, test.want)
		}
	}
	if got := succeed(t, "", "__complete", "=--as", "range"); got != "--as\tprint FORM only: hex, mongosh, postgres, mysql, sqlite, go\n" {
		t.Errorf("with a description: %q", got)
	}
	if got := succeed(t, "", "__complete"); got != "" {
		t.Errorf("without a word: %q", got)
	}
}

package main

import (
	"slices"
	"strings"
	"testing"
)

// The scripts pass the words before the cursor, and the word at it if it is an option.
func TestCompletionOffersWhatCanFollow(t *testing.T) {
	const forms = "hex upper xid base64 base64url uuid mongosh extjson postgres mysql sqlite go"
	for _, test := range []struct{ line, want string }{ // the words are split at |
		{"", "new inspect convert range filter histogram sql version help completion"},
		{"--z", "--zone"},
		{"--zone", "UTC local"},
		{"--zone|utc|new|--pro", "--process"},
		{"new|--js", "--json"},
		{"new|-", "-n --at --process --to --help --json --zone"},
		{"new|--process", "random host"},
		{"new|-n", ""},
		{"new|--at", "now today yesterday"},
		{"new|--to", forms},
		{"inspect", ""}, // files
		{"inspect|--input", "hex xid base64 base64url uuid"},
		{"convert|--to", forms},
		{"convert|--to|xid", ""},
		{"convert|to", ""},
		{"convert|--se", "--separator"},
		{"convert|--column|id|--separator", "tab"},
		{"range|--as", "hex mongosh extjson postgres mysql sqlite go"},
		{"range|--as|hex|--ta", "--table"},
		{"range|--table", ""},
		{"filter|--to", "now today yesterday"},
		{"histogram|--from", "now today yesterday"},
		{"histogram|--by", "minute hour day week month quarter year"},
		{"sql", "postgres mysql"},
		{"completion", "bash zsh fish pwsh"},
	} {
		args := strings.Split(test.line, "|")
		if test.line == "" {
			args = nil
		}
		var got []string
		for line := range strings.Lines(succeed(t, "", append(args, "--generate-shell-completion")...)) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), ":")
			got = append(got, word)
		}
		if !slices.Equal(got, strings.Fields(test.want)) {
			t.Errorf("%s: %q, want %q", test.line, got, test.want)
		}
	}
	if got, want := succeed(t, "", "range", "--as", "hex", "--te", "--generate-shell-completion"), "--text:the column holds 24 hex digits, not 12 bytes\n"; got != want {
		t.Errorf("with a description: %q, want %q", got, want)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "pwsh"} {
		if got := succeed(t, "", "completion", shell); !strings.Contains(got, " --generate-shell-completion ") {
			t.Errorf("oid completion %s prints\n%s", shell, got)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The words before the cursor are split at |; the last one is at the cursor.
func TestCompletionOffersWhatCanFollow(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"in", "inspect"},
		{"inspect", "inspect"},
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
		{"range|new|--ta", "--table"},
		{"zone|--ta", ""},
		{"range|table|", "now today yesterday tomorrow"},
		{"range|--as=hex|--json|to", "today tomorrow"},
		{"range|--as=|--ta", "--table"},
		{"filter|--input|up", ""}, // is not read
		{"range|to", "today tomorrow"},
		{"convert|no", ""},
		{"convert|to=u", ""},
		{"odds|--years|--se", ""},
		{"help|--j", "--json"},
		{"completion|z", "zsh"},
		{"histogram|--by|DA", "day"},
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
			if len(zones(zoneFolders...)) < 100 {
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
	for _, shell := range shells {
		if got := succeed(t, "", "completion", shell); !strings.Contains(got, " __complete ") {
			t.Errorf("oid completion %s prints\n%s", shell, got)
		}
	}
	if got := succeed(t, "", "__complete"); got != "" {
		t.Errorf("without a word: %q", got)
	}
}

func TestZonesOfTheFirstFolderThatHasAny(t *testing.T) {
	write := func(names ...string) string {
		dir := t.TempDir()
		for _, name := range names {
			if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	none := filepath.Join(t.TempDir(), "none")
	empty := write("zone.tab", "+VERSION", "Factory", "Europe/readme", "Europe/Inner/readme")
	full := write("Etc/Abc", "Etc/Zed", "Etc/@x", "Etc/[x", "America/Indiana/Knox", "posix/Etc/Abc", "right/Etc/Abc", "UTC")
	other := write("Asia/Tokyo")
	for _, test := range []struct {
		folders []string
		want    string
	}{
		{nil, ""}, {[]string{none, empty}, ""}, {[]string{none, empty, full, other}, " America/Indiana/Knox Etc/Abc Etc/Zed"}, {[]string{other, full}, " Asia/Tokyo"},
	} {
		var got []string
		for _, c := range zones(test.folders...) {
			got = append(got, c.word)
		}
		if want := "UTC local" + test.want; strings.Join(got, " ") != want {
			t.Errorf("%d folders: %s, want %s", len(test.folders), got, want)
		}
	}
}

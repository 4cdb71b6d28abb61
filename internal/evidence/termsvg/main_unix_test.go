//go:build unix

package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/repo"
)

// needShell skips t where there is no shell.
func needShell(t *testing.T) {
	t.Helper()
	if _, err := daemon.Find("sh"); err != nil {
		daemon.Skip(t, err)
	}
}

func TestHistogramPictureIsWhatItsCommandShows(t *testing.T) {
	needShell(t)
	repo.Path("examples/quickstart") // the command below runs these two programs
	repo.Path("cmd/oid")
	file := repo.Path("docs/histogram.svg")
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`termsvg '(.*)' > docs/histogram\.svg`).FindSubmatch(doc)
	if m == nil {
		t.Fatal("main.go doesn't tell how docs/histogram.svg is made")
	}
	if os.Getenv("GOWORK") == "off" {
		t.Setenv("GOWORK", "") // the command needs two modules
	}
	got, err := picture(repo.Root(), string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("%s is out of date: run the command in main.go again", file)
	}
}

func TestDrawPutsWordsAndBarsOnTheGrid(t *testing.T) {
	svg := draw("cat <a&b>", "ab  c ██▌ 1\n▏\n")
	wellFormed(t, svg)
	for _, want := range []string{
		`textLength="40">&lt;a&amp;b&gt;</text>`,
		`x="20" y="100" textLength="16">ab</text>`,
		`x="52" y="100" textLength="8">c</text>`,
		`<rect class="bar" x="68" y="89" width="20" height="14"/>`,
		`x="100" y="100" textLength="8">1</text>`,
		`<rect class="bar" x="20" y="108" width="1" height="14"/>`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
}

func TestCommandsThatFailDrawNothing(t *testing.T) {
	needShell(t)
	svg, err := picture(".", "echo half; echo the reason >&2; exit 3")
	if svg != "" || err == nil || !strings.Contains(err.Error(), "exit status 3\nthe reason") {
		t.Errorf("%q, %v", svg, err)
	}
}

// wellFormed fails the test if svg isn't XML.
func wellFormed(t *testing.T, svg string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
	}
}

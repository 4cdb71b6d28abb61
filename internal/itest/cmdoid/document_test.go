package cmdoid_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/repo"
)

// An age and a version differ from day to day and from build to build.
var (
	age     = regexp.MustCompile(`(\d+ \w+ )+ago`)
	version = regexp.MustCompile(`oid version v[\w\\.]+`)
)

// Every command of docs/command-line.md prints what the document shows.
func TestCommandsOfTheDocument(t *testing.T) {
	t.Parallel()
	bash, err := daemon.Find("bash")
	if err != nil {
		daemon.Skip(t, err)
	}
	text, err := os.ReadFile(repo.Path("docs/command-line.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	n := 0
	for _, block := range regexp.MustCompile("(?ms)^```console\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		for _, part := range strings.Split("\n"+block[1], "\n$ ")[1:] {
			line, want, _ := strings.Cut(strings.TrimSuffix(part, "\n"), "\n")
			if name, ok := strings.CutPrefix(line, "cat "); ok {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(want+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			n++
			cmd := exec.Command(bash, "-c", line)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "TZ=Europe/Berlin", "COLUMNS=80", "LC_ALL=C.UTF-8", "NO_COLOR=1", "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			got := strings.TrimSuffix(string(out), "\n")
			pattern := "^" + regexp.QuoteMeta(want) + "$"
			pattern = age.ReplaceAllLiteralString(pattern, age.String())
			pattern = version.ReplaceAllLiteralString(pattern, `oid version \S+`)
			if !regexp.MustCompile(pattern).MatchString(got) {
				t.Errorf("$ %s\n%s\nwant\n%s", line, got, want)
			}
			if err != nil && !regexp.MustCompile("is not an? (ID|time)").MatchString(want) {
				t.Errorf("$ %s: %v", line, err)
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d commands found", n)
	}
}

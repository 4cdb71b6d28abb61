package architecture_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/contract/tree"
)

// Dependabot looks at each module once, or it would miss what a new one requires.
func TestDependabotNamesEveryModule(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(tree.Root(t), ".github", "dependabot.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, m := range regexp.MustCompile(`(?m)^      - (/\S*)$`).FindAllSubmatch(data, -1) {
		got = append(got, string(m[1]))
	}
	for _, module := range append(tree.Modules(t), "internal/ci/tools") {
		want = append(want, path.Join("/", module))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("dependabot.yml names the folders\n%q\nthe modules are in\n%q", got, want)
	}
}

// A tag of an action can be moved to other code, a commit can't.
func TestActionsArePinnedByCommit(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(tree.Root(t), ".github", "workflows", "*.yml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("workflows %q, %v", files, err)
	}
	uses, pinned := regexp.MustCompile(`\buses:\s*(.*)`), regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	n := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range uses.FindAllSubmatch(data, -1) {
			n++
			if !pinned.Match(m[1]) {
				t.Errorf("%s uses %s: name a commit, and its version behind it", filepath.Base(file), m[1])
			}
		}
	}
	if n == 0 {
		t.Error("no workflow uses an action")
	}
}

// A step that no job of the scheduled workflow names would never run there.
func TestTheScheduledWorkflowRunsEveryStepOfNightly(t *testing.T) {
	root := tree.Root(t)
	read := func(elem ...string) string {
		data, err := os.ReadFile(filepath.Join(append([]string{root}, elem...)...))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	workflow := read(".github", "workflows", "nightly.yml")
	_, jobs, _ := strings.Cut(workflow, "        steps:\n")
	jobs, _, _ = strings.Cut(jobs, "    runs-on:")
	var got, want []string
	for _, m := range regexp.MustCompile(`(?m)^          - (.*)$`).FindAllStringSubmatch(jobs, -1) {
		got = append(got, strings.Fields(m[1])...)
	}
	for _, m := range regexp.MustCompile(`(?m)^nightly *\| (\w+)`).FindAllStringSubmatch(read(".ci", "steps.txt"), -1) {
		want = append(want, m[1])
	}
	// The jobs with a server of their own name their steps in the command, after those that
	// install something.
	for _, m := range regexp.MustCompile(`(?m)^      - run: bash \.ci/nightly (.*)$`).FindAllStringSubmatch(workflow, -1) {
		for _, step := range strings.Fields(m[1]) {
			if slices.Contains(want, step) {
				got = append(got, step)
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || len(want) == 0 {
		t.Errorf("the jobs of nightly.yml run the steps\n%q\n.ci/nightly has\n%q", got, want)
	}
}

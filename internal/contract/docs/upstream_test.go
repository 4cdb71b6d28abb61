//go:build nightly

package docs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/contract/tree"
)

// TestUpstreamFaultsAreStillThere runs the program of each page in docs/upstream, with
// the versions of internal/itest, and compares what it prints with the page. If the page has
// a patch, the program runs with the patch too, and so do the tests that the patch adds.
func TestUpstreamFaultsAreStillThere(t *testing.T) {
	type page struct{ program, prints, patch, then string }
	pages := map[string]*page{}
	for _, b := range blocks(t) {
		if filepath.Dir(b.file) != filepath.Join("docs", "upstream") {
			continue
		}
		p := pages[b.file]
		if p == nil {
			p = new(page)
			pages[b.file] = p
		}
		switch {
		case b.lang == "go" && p.program == "":
			p.program = b.text
		case b.lang == "text" && p.prints == "":
			p.prints = b.text
		case b.lang == "diff" && p.patch == "":
			p.patch = b.text
		case b.lang == "text" && p.patch != "" && p.then == "":
			p.then = b.text
		default:
			t.Errorf("%v: want one program and what it prints, and a patch and what it prints then", b)
		}
	}
	if len(pages) < 3 {
		t.Fatalf("only %d pages found", len(pages))
	}
	for file, p := range pages {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".md"), func(t *testing.T) {
			t.Parallel()
			arch := ""
			if strings.Contains(p.program+file, "s390x") {
				arch = "s390x"
			}
			program := buildUpstream(t, p.program, arch)
			cmd := exec.Command(program)
			if arch != "" {
				emulator, err := exec.LookPath("qemu-" + arch + "-static")
				if err != nil {
					return // it compiles; the nightly run has the emulator
				}
				cmd = exec.Command(emulator, program)
			}
			out, err := cmd.CombinedOutput()
			if err != nil || string(out) != p.prints {
				t.Errorf("%s prints %q, %v, where the page has %q. If the fault is gone, remove the page and what works around it", file, out, err, p.prints)
			}
			if p.patch == "" {
				return
			}
			text, err := os.ReadFile(filepath.Join(tree.Root(t), file))
			module := regexp.MustCompile("(?m)^Version: `([^`]+)`").FindSubmatch(text)
			if err != nil || module == nil {
				t.Fatalf("%s has no line that begins with Version: and a module, %v", file, err)
			}
			mended := buildPatched(t, p.program, string(module[1]), p.patch)
			if out, err := exec.Command(mended).CombinedOutput(); err != nil || string(out) != p.then {
				t.Errorf("%s with its patch prints %q, %v, want %q", file, out, err, p.then)
			}
		})
	}
}

// buildPatched compiles a program with a patch of the module that it requires, and returns
// its file.
func buildPatched(t *testing.T, source, module, patch string) string {
	t.Helper()
	itest := filepath.Join(tree.Root(t), "internal", "itest")
	run := func(dir, stdin, name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	dir := t.TempDir()
	copied := filepath.Join(dir, "module")
	where := run(itest, "", "go", "list", "-m", "-f", "{{.Dir}}", module)
	list := []string{"list", "-deps", "-f", "{{with .Module}}require {{.Path}} {{.Version}}{{end}}"}
	for _, imported := range regexp.MustCompile(`"(`+regexp.QuoteMeta(module)+`[^"]*)"`).FindAllStringSubmatch(source, -1) {
		list = append(list, imported[1])
	}
	requires := run(itest, "", "go", list...)
	sums, err := os.ReadFile(filepath.Join(itest, "go.sum"))
	if err := errors.Join(err, os.CopyFS(copied, os.DirFS(where))); err != nil {
		t.Fatal(err)
	}
	run(copied, patch, "git", "apply", "-")
	for name, text := range map[string]string{
		"main.go": source, "go.sum": string(sums),
		"go.mod": fmt.Sprintf("module program\n\ngo 1.25\n\n%s\n\nreplace %s => ./module\n", requires, module),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run(dir, "", "go", "build", "-o", "program.exe", ".")
	for _, test := range regexp.MustCompile(`(?m)^\+func (Test\w+)\(`).FindAllStringSubmatch(patch, -1) {
		if out := run(dir, "", "go", "test", "-v", "-run", "^"+test[1]+"$", module); !strings.Contains(out, "--- PASS: "+test[1]) {
			t.Errorf("the patch's %s didn't run: %s", test[1], out)
		}
	}
	return filepath.Join(dir, "program.exe")
}

// buildUpstream compiles a program in the module internal/itest, and returns its file.
func buildUpstream(t *testing.T, source, arch string) string {
	t.Helper()
	dir := t.TempDir()
	main := filepath.Join(dir, "main.go")
	if err := os.WriteFile(main, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(struct{ Replace map[string]string }{map[string]string{
		filepath.Join(tree.Root(t), "internal", "itest", "upstream", "main.go"): main,
	}})
	if err != nil {
		t.Fatal(err)
	}
	overlayFile := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlayFile, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program.exe")
	cmd := tree.Command(t, "go", "build", "-cover=false", "-overlay", overlayFile, "-o", program, "./internal/itest/upstream")
	if arch != "" {
		cmd.Env = append(cmd.Env, "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(fmt.Errorf("%w\n%s", err, out))
	}
	return program
}

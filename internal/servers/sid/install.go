package sid

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// The source of the packages. Only apt's own keys sign for it.
const (
	mirror  = "http://deb.debian.org/debian"
	keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"
)

// Install unpacks the set, and writes to w which versions it took. It does nothing if the
// set is there. If sid doesn't have the packages, or if they can't be unpacked here, the
// error says why, and [Set.Root] says it again until Install succeeds.
func (s Set) Install(w io.Writer) error {
	if _, err := s.Root(); err == nil {
		text, err := s.Version()
		fmt.Fprintf(w, "%s: %s is there\n", s.Name, text)
		return err
	}
	folder, err := s.folder()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(folder, "install-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	taken, err := s.unpack(work)
	if err != nil {
		reason := strings.Join(strings.Fields(err.Error()), " ") + "\n"
		return errors.Join(fmt.Errorf("%s: %w", s.Name, err), os.WriteFile(filepath.Join(folder, missing), []byte(reason), 0o644))
	}
	fmt.Fprintf(w, "%s: unpacked %s\n", s.Name, taken)
	return errors.Join(
		os.RemoveAll(filepath.Join(folder, tree)),
		os.WriteFile(filepath.Join(folder, version), []byte(taken+"\n"), 0o644),
		os.Rename(filepath.Join(work, tree), filepath.Join(folder, tree)),
		removeIfThere(filepath.Join(folder, missing)))
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// unpack downloads the packages, and unpacks them into the folder tree of work. It returns
// the name and the version of the set's first package.
func (s Set) unpack(work string) (string, error) {
	if _, err := os.Stat(keyring); err != nil {
		return "", fmt.Errorf("the keys of Debian's packages are missing (apt-get install debian-archive-keyring): %w", err)
	}
	apt, err := newAPT(work)
	if err != nil {
		return "", err
	}
	if err := apt("--error-on=any", "update"); err != nil {
		return "", err
	}
	if err := apt(append([]string{"install", "--yes", "--download-only"}, s.Packages...)...); err != nil {
		return "", err
	}
	archives, err := filepath.Glob(filepath.Join(work, "cache/archives/*.deb"))
	if err != nil || len(archives) == 0 {
		return "", errors.Join(errors.New("apt-get downloaded no package"), err)
	}
	var taken string
	for _, archive := range archives {
		name, rest, _ := strings.Cut(filepath.Base(archive), "_")
		if name == s.Packages[0] {
			number, _, _ := strings.Cut(rest, "_")
			taken = name + " " + strings.ReplaceAll(number, "%3a", ":")
		}
		if slices.ContainsFunc(s.Omit, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			continue
		}
		if err := run("dpkg-deb", "--extract", archive, filepath.Join(work, tree)); err != nil {
			return "", err
		}
	}
	if _, err := os.Stat(filepath.Join(work, tree, s.Program)); err != nil {
		return "", fmt.Errorf("%s isn't in %s", s.Program, taken)
	}
	return taken, s.finish(filepath.Join(work, tree))
}

// finish makes the set's links and scripts below root.
func (s Set) finish(root string) error {
	for link, target := range s.Links {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			return err
		}
	}
	if len(s.Others) == 0 {
		return nil
	}
	loader, libraries, err := s.libraries(root)
	if err != nil {
		return err
	}
	for _, program := range append([]string{s.Program}, s.Others...) {
		path := filepath.Join(root, program)
		up := strings.Repeat("/..", strings.Count(program, "/"))
		script := fmt.Sprintf(scriptText, up, loader, "$root/"+strings.Join(libraries, ":$root/"), moved)
		if err := errors.Join(os.Rename(path, path+moved), os.WriteFile(path, []byte(script), 0o755)); err != nil {
			return err
		}
	}
	return nil
}

// moved is the end of the name of a program in whose place a script is.
const moved = ".elf"

// scriptText is a script that finds everything by its own path, because the tree is moved
// after it was unpacked.
const scriptText = `#!/bin/sh
root=${0%%/*}%s
exec "$root/%s" --library-path "%s" "$0%s" "$@"
`

// newAPT returns a function that runs apt-get with a state of its own below the folder, in
// which sid is the only source and nothing is installed.
func newAPT(folder string) (func(args ...string) error, error) {
	for _, name := range []string{"lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o755); err != nil {
			return nil, err
		}
	}
	source := filepath.Join(folder, "sources.list")
	line := fmt.Sprintf("deb [signed-by=%s] %s sid main\n", keyring, mirror)
	if err := os.WriteFile(source, []byte(line), 0o644); err != nil {
		return nil, err
	}
	options := []string{"-qq"}
	for _, option := range []string{
		"Dir::Etc::sourcelist=" + source, "Dir::Etc::sourceparts=-",
		"Dir::State::lists=" + filepath.Join(folder, "lists"), "Dir::State::status=/dev/null",
		"Dir::Cache=" + filepath.Join(folder, "cache"),
		"Debug::NoLocking=1", "Acquire::Languages=none", "Acquire::Retries=3",
		"APT::Install-Recommends=0", "APT::Sandbox::User=",
		"APT::Update::Post-Invoke::=", "DPkg::Post-Invoke::=",
	} {
		options = append(options, "-o", option)
	}
	return func(args ...string) error { return run("apt-get", append(options, args...)...) }, nil
}

// run runs a program to its end. Its error has the first line that apt-get printed as an error,
// or the last line.
func run(program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive")
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	i := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "E: ") })
	if i < 0 {
		i = len(lines) - 1
	}
	return fmt.Errorf("%s %s: %w: %s", program, strings.Join(lastWords(args), " "), err, lines[i])
}

// lastWords returns the arguments after the last option, without their folders.
func lastWords(args []string) []string {
	words := []string{}
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") || strings.Contains(arg, "::") {
			words = words[:0]
			continue
		}
		words = append(words, filepath.Base(arg))
	}
	return words
}

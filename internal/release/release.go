package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// release makes a commit in which the modules require those of one family at the version of
// tag, and tags it for each module of the family that users fetch. It works in a clone, so
// that nothing is left half done; a dry run ends there.
func release(w io.Writer, root, tag string, dryRun bool) error {
	v, err := parseVersions([]string{tag})
	if err != nil {
		return err
	}
	changes, err := command(root, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changes != "" {
		return fmt.Errorf("the tree has changes that are not committed:\n%s", changes)
	}
	if err := announced(root, tag); err != nil && !dryRun {
		return err
	}
	temp, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	clone := filepath.Join(temp, "clone")
	if _, err := command("", "git", "clone", "-q", root, clone); err != nil {
		return err
	}
	for key, fallback := range map[string]string{"user.name": "dry run", "user.email": "dry-run@localhost"} {
		value, err := command(root, "git", "config", key)
		if err != nil && !dryRun {
			return fmt.Errorf("git doesn't know your %s: %w", key, err)
		}
		if err != nil {
			value = fallback
		}
		if _, err := command(clone, "git", "config", key, strings.TrimSpace(value)); err != nil {
			return err
		}
	}

	mods, err := prepare(clone, "", v)
	if err != nil {
		return err
	}
	if _, err := command(clone, "git", "add", "--all"); err != nil {
		return err
	}
	if _, err := command(clone, "git", "commit", "-q", "--allow-empty", "-m", "Release "+tag); err != nil {
		return err
	}
	var tags []string
	for _, m := range mods {
		if err := check(clone, m); err != nil {
			return err
		}
		// Git refuses a tag that exists.
		if _, err := command(clone, "git", "tag", "-a", "-m", m.path()+" "+m.version, m.tag(m.version)); err != nil {
			return err
		}
		tags = append(tags, m.tag(m.version))
	}
	patch, err := command(clone, "git", "show", "--format=commit: %s", "--patch-with-stat", "-U0", "HEAD")
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s\ntags: %s\n", strings.TrimSpace(patch), strings.Join(tags, " "))
	if dryRun {
		fmt.Fprintln(w, "A dry run: nothing was changed.")
		return nil
	}

	if _, err := command(root, "git", "fetch", "-q", clone, "HEAD"); err != nil {
		return err
	}
	if _, err := command(root, "git", "merge", "-q", "--ff-only", "FETCH_HEAD"); err != nil {
		return err
	}
	args := []string{"fetch", "-q", clone}
	for _, tag := range tags {
		args = append(args, "tag", tag)
	}
	if _, err := command(root, "git", args...); err != nil {
		return err
	}
	fmt.Fprintf(w, "Done. To publish it, and to see whether users get it:\n\tgit push --atomic origin HEAD %s\n\tgo run ./internal/release verify %s\n",
		strings.Join(tags, " "), tag)
	return nil
}

// announced returns an error if the changelog has no headline for tag.
func announced(root, tag string) error {
	data, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	headline := "\n## [" + strings.TrimPrefix(tag, "v") + "]"
	if !bytes.Contains(data, []byte(headline)) {
		return fmt.Errorf("CHANGELOG.md has no headline %q", strings.TrimSpace(headline))
	}
	return nil
}

// check compares the hash of m with that of the module as the go command will
// make it of the commit.
func check(root string, m hashed) error {
	dir := m.dir
	if dir == "." {
		dir = ""
	}
	var b bytes.Buffer
	if err := zip.CreateFromVCS(&b, module.Version{Path: m.path(), Version: m.version}, root, "HEAD", dir); err != nil {
		return fmt.Errorf("%s: %w", m.path(), err)
	}
	got, err := hashZip(b.Bytes())
	if err != nil {
		return err
	}
	if got != m.zip {
		return fmt.Errorf("%s: git has other files than the tree: %s, want %s", m.path(), got, m.zip)
	}
	return nil
}

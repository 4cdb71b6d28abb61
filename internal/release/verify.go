package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// verify asks the module proxy for each module of a published version, compares its hashes with
// those of the tags, and builds a program that imports all packages. It uses the GOPROXY and
// GOSUMDB of the user, and a module cache of its own, so that nothing comes from this machine.
func verify(w io.Writer, root, tag string) (err error) {
	v, err := parseVersions([]string{tag})
	if err != nil {
		return err
	}
	all, err := modules(root)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	env := []string{"GOWORK=off", "GOFLAGS=-modcacherw", "GOMODCACHE=" + filepath.Join(dir, "mod")}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module user\n"), 0o644); err != nil {
		return err
	}

	var packages []string
	get := []string{"get"}
	for _, m := range all {
		version := v[m.family()]
		if !m.public() || version == "" {
			continue
		}
		sum, err := sumOfTag(root, m, version)
		if err != nil {
			return err
		}
		out, err := commandEnv(dir, env, "go", "mod", "download", "-json", m.path()+"@"+version)
		var got struct{ Sum, Error string }
		if jsonErr := json.Unmarshal([]byte(out), &got); jsonErr != nil || got.Error != "" {
			return fmt.Errorf("%s@%s: the proxy doesn't have it yet, or not this one: %s: %w", m.path(), version, got.Error, errors.Join(err, jsonErr))
		}
		if got.Sum != sum {
			return fmt.Errorf("%s@%s: the proxy has %s, and the tag has %s: never use this version, and publish the next one", m.path(), version, got.Sum, sum)
		}
		fmt.Fprintf(w, "%s@%s %s\n", m.path(), version, sum)
		get = append(get, m.path()+"@"+version)
		out, err = command(filepath.Join(root, m.dir), "go", "list", "-find", "./...")
		if err != nil {
			return err
		}
		for _, p := range strings.Fields(out) {
			if !strings.Contains(p+"/", "/internal/") {
				packages = append(packages, p)
			}
		}
	}
	if _, err := commandEnv(dir, env, "go", get...); err != nil {
		return err
	}
	if _, err := commandEnv(dir, env, "go", append([]string{"build"}, packages...)...); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "The proxy has what was tagged, and a program with these %d packages builds.\n", len(packages))
	return err
}

// sumOfTag returns the hash of a module as the go command makes it of the module's tag.
func sumOfTag(root string, m mod, version string) (string, error) {
	dir := m.dir
	if dir == "." {
		dir = ""
	}
	var b bytes.Buffer
	if err := zip.CreateFromVCS(&b, module.Version{Path: m.path(), Version: version}, root, m.tag(version), dir); err != nil {
		return "", fmt.Errorf("the tag %s: %w", m.tag(version), err)
	}
	return hashZip(b.Bytes())
}

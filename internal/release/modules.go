package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// A mod is a module of the repository.
type mod struct {
	dir  string // below the root of the repository, with slashes; "." is the root
	file *modfile.File
}

func (m mod) path() string { return m.file.Module.Mod.Path }

// public reports whether users can fetch the module.
func (m mod) public() bool {
	elems := strings.Split(m.dir, "/")
	return elems[0] != "examples" && !slices.Contains(elems, "internal")
}

// tag returns the name of the tag that makes commit's module the given version.
func (m mod) tag(version string) string { return path.Join(m.dir, version) }

// families are the folders whose modules have versions of their own. The family "" has all
// other modules.
var families = []string{"sequence"}

// family returns the family of m.
func (m mod) family() string {
	if top, _, _ := strings.Cut(m.dir, "/"); slices.Contains(families, top) {
		return top
	}
	return ""
}

// versions are the versions that the modules of each family get.
type versions map[string]string

// parseVersions reads versions in the form of the tags of the first modules of families,
// such as v1.0.0 and sequence/v0.2.0.
func parseVersions(tags []string) (versions, error) {
	v := versions{}
	for _, tag := range tags {
		family, version := path.Split(tag)
		family = strings.TrimSuffix(family, "/")
		if family != "" && !slices.Contains(families, family) {
			return nil, fmt.Errorf("%q: no modules below %s have a version of their own, only those below %s", tag, family, strings.Join(families, ", "))
		}
		if !semver.IsValid(version) || semver.Canonical(version) != version {
			return nil, fmt.Errorf("%q is not a version such as v0.1.0 or sequence/v0.1.0", tag)
		}
		v[family] = version
	}
	return v, nil
}

// own returns the modules of mods that m requires, itself or through others, in
// the order of mods.
func (m mod) own(mods []mod) []mod {
	needed := map[string]bool{}
	var visit func(m mod)
	visit = func(m mod) {
		for _, r := range m.file.Require {
			i := slices.IndexFunc(mods, func(m mod) bool { return m.path() == r.Mod.Path })
			if i >= 0 && !needed[r.Mod.Path] {
				needed[r.Mod.Path] = true
				visit(mods[i])
			}
		}
	}
	visit(m)
	return slices.DeleteFunc(slices.Clone(mods), func(m mod) bool { return !needed[m.path()] })
}

// modules returns the modules that go.work of root names. Each stands behind the
// ones that it requires.
func modules(root string) ([]mod, error) {
	name := filepath.Join(root, "go.work")
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	work, err := modfile.ParseWork(name, data, nil)
	if err != nil {
		return nil, err
	}
	var found []mod
	for _, use := range work.Use {
		m := mod{dir: path.Clean(use.Path)}
		name := filepath.Join(root, m.dir, "go.mod")
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if m.file, err = modfile.Parse(name, data, nil); err != nil {
			return nil, err
		}
		found = append(found, m)
	}
	return inOrder(found)
}

// inOrder returns mods with each behind the ones that it requires. It refuses
// requirements and replacements that users' builds can't follow.
func inOrder(mods []mod) ([]mod, error) {
	var ordered []mod
	for len(ordered) < len(mods) {
		before := len(ordered)
		for _, m := range mods {
			if !contains(ordered, m) && !slices.ContainsFunc(m.own(mods), func(r mod) bool { return !contains(ordered, r) }) {
				ordered = append(ordered, m)
			}
		}
		if len(ordered) == before {
			return nil, fmt.Errorf("modules require each other in a circle, among them the first of\n%v", missing(mods, ordered))
		}
	}
	for _, m := range ordered {
		if !m.public() {
			continue
		}
		if len(m.file.Replace)+len(m.file.Exclude) > 0 {
			return nil, fmt.Errorf("%s/go.mod has a replace or an exclude, which users' builds don't follow", m.dir)
		}
		for _, r := range m.own(mods) {
			if !r.public() {
				return nil, fmt.Errorf("%s/go.mod requires %s, which users can't fetch", m.dir, r.path())
			}
			if r.family() != m.family() {
				return nil, fmt.Errorf("%s/go.mod requires %s, which has versions of its own", m.dir, r.path())
			}
		}
	}
	return ordered, nil
}

func contains(mods []mod, m mod) bool {
	return slices.ContainsFunc(mods, func(other mod) bool { return other.dir == m.dir })
}

func missing(mods, ordered []mod) (dirs []string) {
	for _, m := range mods {
		if !contains(ordered, m) {
			dirs = append(dirs, m.dir)
		}
	}
	return dirs
}

// A sums is the content of a go.sum file: hashes by module and version.
type sums map[module.Version]string

// readSums reads a go.sum, which may be missing.
func readSums(file string) (sums, error) {
	data, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	s := sums{}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			return nil, fmt.Errorf("%s: bad line %q", file, line)
		}
		s[module.Version{Path: fields[0], Version: fields[1]}] = fields[2]
	}
	return s, nil
}

// write writes s to file as the go command does, or removes the file of no sums.
func (s sums) write(file string) error {
	if len(s) == 0 {
		if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
			return err
		}
		return nil
	}
	var keys []module.Version
	for v := range s {
		keys = append(keys, v)
	}
	module.Sort(keys)
	var b strings.Builder
	for _, v := range keys {
		fmt.Fprintf(&b, "%s %s %s\n", v.Path, v.Version, s[v])
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}

// drop removes the sums of the modules in mods.
func (s sums) drop(mods []mod) {
	for v := range s {
		if slices.ContainsFunc(mods, func(m mod) bool { return m.path() == v.Path }) {
			delete(s, v)
		}
	}
}

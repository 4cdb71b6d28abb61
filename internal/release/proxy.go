package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// writeProxy writes the tree at root, as a release changes it, to dir/tree, and its public
// modules to dir/proxy. The tags name the versions. A family that they don't name gets the
// version of the family "".
func writeProxy(root, dir string, tags ...string) error {
	v, err := parseVersions(tags)
	if err != nil {
		return err
	}
	if v[""] == "" {
		return fmt.Errorf("no version such as v0.1.0 in %q", tags)
	}
	for _, family := range families {
		v[family] = cmp.Or(v[family], v[""])
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return err
	}
	tree := filepath.Join(dir, "tree")
	if _, err := os.Stat(tree); err == nil {
		return fmt.Errorf("%s is there already", tree)
	}
	if err := copyTree(root, tree); err != nil {
		return err
	}
	_, err = prepare(tree, filepath.Join(dir, "proxy"), v)
	return err
}

// copyTree copies the files that git tracks or would take to another folder.
func copyTree(root, to string) error {
	out, err := command(root, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join(root, name))
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted, and not yet committed
		}
		if err != nil {
			return err
		}
		file := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if info.Mode()&os.ModeSymlink != 0 {
			target, err := os.Readlink(filepath.Join(root, name))
			if err != nil {
				return err
			}
			if err := os.Symlink(target, file); err != nil {
				return err
			}
			continue
		}
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// A hashed is a module with its version, and the two hashes that a go.sum names it by.
type hashed struct {
	mod
	version    string
	zip, gomod string
}

// prepare makes the modules in tree require those of the families in v at their versions, and
// writes the hashes of those into the go.sum files of the public ones. These are also written
// to the folder proxy, if that isn't empty. It returns the public modules of the families.
func prepare(tree, proxy string, v versions) ([]hashed, error) {
	mods, err := modules(tree)
	if err != nil {
		return nil, err
	}
	var done []hashed
	for _, m := range mods {
		if err := require(tree, m, mods, v); err != nil {
			return nil, err
		}
		version := v[m.family()]
		if !m.public() || version == "" {
			continue
		}
		file := filepath.Join(tree, m.dir, "go.sum")
		s, err := readSums(file)
		if err != nil {
			return nil, err
		}
		s.drop(mods)
		own := m.own(mods)
		for _, h := range done {
			if contains(own, h.mod) {
				s[module.Version{Path: h.path(), Version: version}] = h.zip
				s[module.Version{Path: h.path(), Version: version + "/go.mod"}] = h.gomod
			}
		}
		if err := s.write(file); err != nil {
			return nil, err
		}
		h, err := pack(tree, m, proxy, version)
		if err != nil {
			return nil, err
		}
		done = append(done, h)
	}
	return done, nil
}

// require sets the versions at which m requires modules of mods.
func require(tree string, m mod, mods []mod, v versions) error {
	for _, r := range m.file.Require {
		for _, other := range mods {
			if version := v[other.family()]; other.path() == r.Mod.Path && version != "" {
				if err := m.file.AddRequire(r.Mod.Path, version); err != nil {
					return err
				}
			}
		}
	}
	data, err := m.file.Format()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(tree, m.dir, "go.mod"), data, 0o644)
}

// pack makes the zip file of a module and returns the module with its hashes. It
// writes what the go command asks a proxy for, if proxy isn't empty.
func pack(tree string, m mod, proxy, version string) (hashed, error) {
	v := module.Version{Path: m.path(), Version: version}
	var b bytes.Buffer
	if err := zip.CreateFromDir(&b, v, filepath.Join(tree, m.dir)); err != nil {
		return hashed{}, fmt.Errorf("%s: %w", v, err)
	}
	gomod, err := os.ReadFile(filepath.Join(tree, m.dir, "go.mod"))
	if err != nil {
		return hashed{}, err
	}
	h := hashed{mod: m, version: version}
	if h.zip, err = hashZip(b.Bytes()); err != nil {
		return hashed{}, err
	}
	h.gomod, err = dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(gomod)), nil
	})
	if err != nil || proxy == "" {
		return h, err
	}

	escaped, err := module.EscapePath(v.Path)
	if err != nil {
		return hashed{}, err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{version, time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return hashed{}, err
	}
	dir := filepath.Join(proxy, escaped, "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return hashed{}, err
	}
	for name, data := range map[string][]byte{
		"list": []byte(version + "\n"), version + ".info": info, version + ".mod": gomod, version + ".zip": b.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return hashed{}, err
		}
	}
	return h, nil
}

// hashZip returns the hash of a module's zip file.
func hashZip(data []byte) (string, error) {
	file, err := os.CreateTemp("", "release-*.zip")
	if err != nil {
		return "", err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(data)
	if err := errors.Join(err, file.Close()); err != nil {
		return "", err
	}
	return dirhash.HashZip(file.Name(), dirhash.Hash1)
}

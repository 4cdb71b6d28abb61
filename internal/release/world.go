package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// rehearsed is the version of the modules in a proxy that is made to look at them.
const rehearsed = "v0.0.1-tree"

// A world has our modules as users get them: from a proxy that is made of the tree.
type world struct {
	dir  string // of the proxy and of the tree as released
	mods []mod  // the public modules
	env  []string
}

// newWorld makes a world in the folder dir for the tree at root, or returns the one that is
// there. Modules of others come from the machine's module cache, or from where the go command
// fetches them.
func newWorld(root, dir string) (world, error) {
	if _, err := os.Stat(filepath.Join(dir, "proxy")); err != nil {
		if err := writeProxy(root, dir, rehearsed); err != nil {
			return world{}, err
		}
	}
	all, err := modules(root)
	if err != nil {
		return world{}, err
	}
	w := world{dir: dir}
	for _, m := range all {
		if m.public() {
			w.mods = append(w.mods, m)
		}
	}
	out, err := command(root, "go", "env", "-json", "GOMODCACHE", "GOPROXY")
	if err != nil {
		return world{}, err
	}
	var env struct{ GOMODCACHE, GOPROXY string }
	if err := json.Unmarshal([]byte(out), &env); err != nil {
		return world{}, err
	}
	w.env = []string{
		"GOWORK=off", "GOFLAGS=-modcacherw -trimpath -buildvcs=false", "GOTOOLCHAIN=local", "GONOSUMDB=github.com/oidkit/oidkit", "GOMODCACHE=" + filepath.Join(dir, "mod"),
		fmt.Sprintf("GOPROXY=file://%s/proxy,file://%s/cache/download,%s", dir, env.GOMODCACHE, env.GOPROXY),
	}
	return w, nil
}

// inWorld runs f in a new world, which is removed afterwards.
func inWorld(root string, f func(world) error) error {
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w, err := newWorld(root, dir)
	if err != nil {
		return err
	}
	return f(w)
}

// run runs a command in a folder of w, with further environment variables.
func (w world) run(dir string, env []string, name string, args ...string) (string, error) {
	out, err := commandEnv(dir, append(w.env[:len(w.env):len(w.env)], env...), name, args...)
	return strings.TrimSpace(out), err
}

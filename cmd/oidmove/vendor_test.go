//go:build projects

package main

import (
	"os"
	"path/filepath"
	"testing"
)

func init() { nightly = true }

// TestVendor moves a module with a vendor folder. Files of other modules in it stay as
// they were, and the module still builds from it.
func TestVendor(t *testing.T) {
	t.Parallel()
	addOidkit := oidkitOfTree(t)
	lib := filepath.Join(extract(t, workspace), "lib")
	vendor := func() {
		addOidkit(lib)
		goIn(t, lib, "mod", "vendor")
	}
	goIn(t, lib, "mod", "tidy")
	vendor()
	vendored := filepath.Join(lib, "vendor", "go.mongodb.org", "mongo-driver", "v2", "bson", "objectid.go")
	before, err := os.ReadFile(vendored)
	if err != nil {
		t.Fatal(err)
	}
	moveIn(t, lib, options{})
	goIn(t, lib, "vet", "-mod=vendor", "./...")
	vendor()
	moveIn(t, lib, options{})
	goIn(t, lib, "vet", "-mod=vendor", "./...")
	vendor()
	moveIn(t, lib, options{back: true, driver: "v2"})
	goIn(t, lib, "vet", "-mod=vendor", "./...")
	if after, err := os.ReadFile(vendored); err != nil || string(after) != string(before) {
		t.Errorf("the move changed %s: %v", vendored, err)
	}
}

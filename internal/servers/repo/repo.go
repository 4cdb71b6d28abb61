// Package repo lets a test use files and programs of the repository that are not in the
// test's module.
//
// The go command answers from its cache while the files that a test opened are the same.
// It looks only at files below the module's folder, by their name. So a module has links
// in its folder testdata, such as testdata/docs, and its tests open files through them.
package repo

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Path returns the path of a file or folder of the repository, such as docs/gorm.md, for
// a test that runs in the folder of its package. The path goes through a link in the
// folder testdata of the test's module. Path opens the folder and all folders below it,
// so the go command runs the test again after a change of any file there.
//
// Where git makes no links, such as on some Windows machines, the path is the file's own.
func Path(name string) string {
	path := filepath.Join(module(), "testdata", filepath.FromSlash(name))
	if !exists(path) {
		return filepath.Join(Root(), filepath.FromSlash(name))
	}
	// An error is of no interest here: whoever uses the path gets it too.
	fs.WalkDir(os.DirFS(path), ".", func(_ string, _ fs.DirEntry, err error) error { return err })
	return path
}

// Root returns the folder of the repository. The go command doesn't see what a test opens
// there.
func Root() string { return filepath.Dir(filepath.Dir(module())) }

// module returns the folder of the test's module, such as internal/itest.
func module() string {
	dir, err := filepath.Abs(".")
	if err != nil {
		panic(err)
	}
	for !exists(filepath.Join(dir, "go.mod")) {
		if dir == filepath.Dir(dir) {
			panic("repo: no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

// Program returns the import path of a program of the repository, such as cmd/oid, for the
// go command to run or to build. The go command runs the test again after a change of a
// file below the program's folder.
func Program(folder string) string {
	Path(folder)
	return "github.com/oidkit/oidkit/" + folder
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// Package sid has servers that Debian's stable release lacks. They are packages of Debian's
// development suite, sid, unpacked into the user's cache with all libraries that they need.
// The machine's own packages and apt sources stay as they are.
//
// No version is fixed: [Set.Install] takes what sid has on that day, and says what it was.
package sid

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/oidkit/oidkit/internal/servers/daemon"
)

// A Set is some packages, with the packages that they depend on.
type Set struct {
	Name     string   // the name of the server, and of the set's folder
	Packages []string // Debian's names. The version of the first one is the server's
	Omit     []string // the beginnings of names of packages that the server can do without
	Program  string   // the path of the server's program
}

// The sets that tests use.
var (
	MySQL = Set{
		Name:     "MySQL",
		Packages: []string{"mysql-server-core"},
		Omit:     []string{"perl"},
		Program:  "usr/sbin/mysqld",
	}
)

// Sets returns all sets.
func Sets() []Set { return []Set{MySQL} }

// folder returns the folder of the set, in the user's cache.
func (s Set) folder() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "oidkit", "sid", strings.ToLower(s.Name)), err
}

// The files of a set's folder.
const (
	tree    = "root"    // the unpacked packages
	version = "version" // which ones, in one line
	missing = "missing" // why there are none, in one line
)

// Root returns the folder into which the set is unpacked. If it isn't, the error is
// [daemon.ErrNotInstalled]. It is also [daemon.ErrUnobtainable] if Install has tried.
func (s Set) Root() (string, error) {
	folder, err := s.folder()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %w", s.Name, err, daemon.ErrNotInstalled)
	}
	root := filepath.Join(folder, tree)
	if _, err := os.Stat(filepath.Join(root, s.Program)); err == nil {
		return root, nil
	}
	if reason, err := os.ReadFile(filepath.Join(folder, missing)); err == nil {
		return "", fmt.Errorf("%s: %s: %w", s.Name, strings.TrimSpace(string(reason)), daemon.ErrUnobtainable)
	}
	return "", fmt.Errorf("%s (go run ./internal/servers/sid/install %[1]s): %w", s.Name, daemon.ErrNotInstalled)
}

// Version returns the package and the version that are unpacked, such as
// "mysql-server-core 9.7.4-1".
func (s Set) Version() (string, error) {
	folder, err := s.folder()
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(folder, version))
	return strings.TrimSpace(string(text)), err
}

// Command returns the path and the first arguments that run a program of the set with the
// set's own libraries. The system's may be older.
func (s Set) Command(program string, libraries ...string) (path string, args []string, err error) {
	root, err := s.Root()
	if err != nil {
		return "", nil, err
	}
	loaders, _ := filepath.Glob(filepath.Join(root, "usr/lib*/ld-linux*.so.*"))
	folders, _ := filepath.Glob(filepath.Join(root, "usr/lib/*-linux-gnu*"))
	if len(loaders) == 0 || len(folders) == 0 {
		return "", nil, fmt.Errorf("%s: no loader or libraries below %s", s.Name, root)
	}
	for _, library := range libraries {
		folders = append(folders, filepath.Join(root, library))
	}
	return loaders[0], []string{"--library-path", strings.Join(folders, ":"), filepath.Join(root, program)}, nil
}

var errNoSet = errors.New("no such set")

// Find returns the set of a name, in any case.
func Find(name string) (Set, error) {
	for _, s := range Sets() {
		if strings.EqualFold(s.Name, name) {
			return s, nil
		}
	}
	return Set{}, fmt.Errorf("%q: %w", name, errNoSet)
}

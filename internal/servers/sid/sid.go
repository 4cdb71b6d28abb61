// Package sid has servers that Debian's stable release lacks. They are packages of Debian's
// development suite, sid, unpacked into the user's cache with all libraries that they need.
// The machine's own packages and apt sources stay as they are.
//
// No version is fixed: [Set.Install] takes what sid has on that day, and says what it was.
package sid

import (
	"errors"
	"fmt"
	"io/fs"
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

	// Others are the paths of programs that start each other by their paths. Scripts that
	// start them with the set's own libraries take the places of Program and Others.
	Others []string
	// Libraries are the folders of further libraries that Program and Others need.
	Libraries []string
	// Links are the links that Debian makes when it installs the packages.
	Links map[string]string
}

// The sets that tests use.
var (
	MySQL = Set{
		Name:     "MySQL",
		Packages: []string{"mysql-server-core"},
		Omit:     []string{"perl"},
		Program:  "usr/sbin/mysqld",
	}
	DocumentDB = Set{
		Name:     "DocumentDB",
		Packages: []string{"postgresql-18-documentdb", "postgresql-18"},
		Omit:     []string{"perl", "libperl", "locales"},
		Program:  postgresql + "bin/postgres",
		// initdb starts postgres from its own folder.
		Others:    []string{postgresql + "bin/initdb", postgresql + "bin/psql"},
		Libraries: []string{"usr/lib", postgresql + "lib"},
		Links:     map[string]string{"usr/share/postgresql/18/extension/postgis.control": "postgis-3.control"},
	}
)

const postgresql = "usr/lib/postgresql/18/"

// Sets returns all sets.
func Sets() []Set { return []Set{MySQL, DocumentDB} }

// folder returns the folder of the set, below OIDKIT_SID or in the user's cache. For root it is
// in the system's cache: root's servers run as other users, who can't read root's home.
func (s Set) folder() (string, error) {
	name := strings.ToLower(s.Name)
	if sets := os.Getenv("OIDKIT_SID"); sets != "" {
		return filepath.Join(sets, name), nil
	}
	cache, err := os.UserCacheDir()
	if os.Getuid() == 0 {
		cache, err = "/var/cache", nil
	}
	return filepath.Join(cache, "oidkit", "sid", name), err
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

// Script returns the path of the script that starts a program of the set. The path of the
// program is the set's Program or one of its Others.
func (s Set) Script(program string) (string, error) {
	root, err := s.Root()
	return filepath.Join(root, program), err
}

// Command returns the path and the first arguments that run a program of the set with the
// set's own libraries. The system's may be older.
func (s Set) Command(program string, libraries ...string) (path string, args []string, err error) {
	root, err := s.Root()
	if err != nil {
		return "", nil, err
	}
	loader, folders, err := s.libraries(root)
	if err != nil {
		return "", nil, err
	}
	folders = append(folders, libraries...)
	for i, folder := range folders {
		folders[i] = filepath.Join(root, folder)
	}
	return filepath.Join(root, loader), []string{"--library-path", strings.Join(folders, ":"), filepath.Join(root, program)}, nil
}

// libraries returns the paths, below root, of the set's loader and of the folders of its
// libraries.
func (s Set) libraries(root string) (loader string, folders []string, err error) {
	tree := os.DirFS(root)
	loaders, _ := fs.Glob(tree, "usr/lib*/ld-linux*.so.*")
	folders, _ = fs.Glob(tree, "usr/lib/*-linux-gnu*")
	if len(loaders) == 0 || len(folders) == 0 {
		return "", nil, fmt.Errorf("%s: no loader or libraries below %s", s.Name, root)
	}
	return loaders[0], append(folders, s.Libraries...), nil
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

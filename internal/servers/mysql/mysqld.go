package mysql

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	"github.com/oidkit/oidkit/internal/servers/sid"
)

// prepareMySQL makes the data of a MySQL. It runs as the caller, who may read the user's
// cache, also if that is root.
func prepareMySQL(folder *daemon.Folder, data string, settings []string) (string, []string, error) {
	program, args, err := mysqld()
	if err != nil {
		return "", nil, err
	}
	if i := slices.IndexFunc(settings, isOfData); i >= 0 {
		return program, args, initialize(folder, program, args, data, settings[i])
	}
	fresh, err := freshData(program, args)
	if err != nil {
		return "", nil, err
	}
	return program, args, os.CopyFS(data, os.DirFS(fresh))
}

// isOfData reports whether a setting must be there when the data is made.
func isOfData(setting string) bool { return strings.HasPrefix(setting, "--lower-case-table-names=") }

// initialize makes the data of a new server.
func initialize(folder *daemon.Folder, program string, args []string, data string, settings ...string) error {
	args = slices.Concat(args, []string{"--initialize-insecure", "--datadir=" + data, "--innodb-flush-method=nosync"}, settings)
	if err := folder.Do(program, args...); err != nil {
		return fmt.Errorf("MySQL: %w", err)
	}
	return nil
}

// mysqld returns the command that runs MySQL's server.
func mysqld() (string, []string, error) {
	root, err := sid.MySQL.Root()
	if err != nil {
		return "", nil, err
	}
	program, args, err := sid.MySQL.Command(sid.MySQL.Program, "usr/lib/mysql/private")
	if err != nil {
		return "", nil, err
	}
	in := func(path string) string { return filepath.Join(root, "usr", path) }
	return program, append(args, "--no-defaults", "--user=root", "--basedir="+in(""),
		"--lc-messages-dir="+in("share/mysql"), "--character-sets-dir="+in("share/mysql/charsets"),
		"--plugin-dir="+in("lib/mysql/plugin"),
		"--mysqlx=OFF", "--secure-file-priv="), nil // its default is a folder that doesn't exist
}

// freshData returns a folder with the data of a new server. It takes seconds to make, so it
// is made once per version and user, and copied.
func freshData(program string, args []string) (string, error) {
	version, err := sid.MySQL.Version()
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	unlock, err := daemon.Lock("mysql-data")
	if err != nil {
		return "", err
	}
	defer unlock()
	folder := filepath.Join(cache, "oidkit", strings.ReplaceAll(version, " ", "-")+"-data")
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	parent, err := daemon.NewFolder(daemon.Memory(), "oidkit-mysql-data", "root")
	if err != nil {
		return "", err
	}
	defer parent.Close()
	data := filepath.Join(parent.Path, "data")
	if err := initialize(parent, program, args, data); err != nil {
		return "", err
	}
	// Each server gets an identity of its own.
	if err := os.Remove(filepath.Join(data, "auto.cnf")); err != nil {
		return "", err
	}
	half := folder + ".half"
	err = errors.Join(os.RemoveAll(half), os.CopyFS(half, os.DirFS(data)))
	if err != nil {
		return "", err
	}
	return folder, os.Rename(half, folder)
}

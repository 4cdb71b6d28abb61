package mysql

import (
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
	version, err := sid.MySQL.Version()
	if err != nil {
		return "", nil, err
	}
	return program, args, folder.Fresh(data, version, func() error {
		err := initialize(folder, program, args, data)
		if err != nil {
			return err
		}
		return os.Remove(filepath.Join(data, "auto.cnf")) // each server gets an identity of its own
	})
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

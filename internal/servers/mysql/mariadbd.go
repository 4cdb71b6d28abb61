package mysql

import (
	"bytes"
	"fmt"

	"github.com/oidkit/oidkit/internal/servers/daemon"
)

// prepareMariaDB makes the data of a MariaDB.
func prepareMariaDB(folder *daemon.Folder, data string, _ []string) (string, []string, error) {
	mariadbd, err := find("mariadbd")
	if err != nil {
		return "", nil, err
	}
	install, err := find("mariadb-install-db")
	if err != nil {
		return "", nil, err
	}
	version, err := folder.Command(mariadbd, "--version").Output()
	if err != nil {
		return "", nil, err
	}
	return mariadbd, []string{"--no-defaults"}, folder.Fresh(data, "MariaDB "+string(bytes.TrimSpace(version)), func() error {
		return folder.Do(install, "--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal", "--skip-test-db")
	})
}

func find(program string) (string, error) {
	path, err := daemon.Find(program)
	if err != nil {
		return "", fmt.Errorf("MariaDB (Debian: apt-get install mariadb-server, or set %s): %w", DSNVariable, err)
	}
	return path, nil
}

package mysql

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/oidkit/oidkit/internal/servers/daemon"
)

// A Cluster is a Galera cluster: servers that each have all rows, and that all write.
type Cluster struct {
	Nodes []*Server

	members []string // the addresses at which the nodes talk to each other
}

// StartCluster runs a cluster of n nodes for this test, which may kill them, and closes it
// at the test's end.
func StartCluster(t testing.TB, n int) *Cluster {
	t.Helper()
	return daemon.Own(t, func() (*Cluster, error) { return RunCluster(n) })
}

// RunCluster starts a cluster of n nodes. The caller has to close it. The first node makes
// the cluster. The others join it, and copy its data.
func RunCluster(n int) (*Cluster, error) {
	c := new(Cluster)
	for range n {
		node, err := c.join()
		if err != nil {
			return nil, errors.Join(err, c.Close())
		}
		c.Nodes = append(c.Nodes, node)
		if err := c.await(node); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return c, nil
}

// Restart starts a node again that was killed, or kills it first. It returns when the
// node has the rows of all others.
func (c *Cluster) Restart(node *Server) error {
	if err := node.Restart(); err != nil {
		return err
	}
	return c.await(node)
}

// join starts one more node.
func (c *Cluster) join() (*Server, error) {
	library, err := findGalera()
	if err != nil {
		return nil, err
	}
	var ports [3]int
	for i := range ports {
		if ports[i], err = daemon.FreePort(); err != nil {
			return nil, err
		}
	}
	address := fmt.Sprintf("127.0.0.1:%d", ports[0])
	s, config, err := MariaDB.start("", func() []string {
		others := slices.DeleteFunc(slices.Clone(c.members), func(member string) bool { return member == address })
		return []string{
			"--max-connections=400", "--wsrep-on=ON", "--wsrep-provider=" + library, "--wsrep-cluster-name=oidkit",
			"--wsrep-cluster-address=gcomm://" + strings.Join(others, ","), // empty: the node makes a cluster
			"--wsrep-node-address=" + address,
			fmt.Sprintf("--wsrep-provider-options=gmcast.listen_addr=tcp://%s;ist.recv_addr=127.0.0.1:%d", address, ports[1]),
			"--wsrep-sst-method=rsync", fmt.Sprintf("--wsrep-sst-receive-address=127.0.0.1:%d", ports[2]),
			"--binlog-format=ROW", "--innodb-autoinc-lock-mode=2",
		}
	})
	if err != nil {
		return nil, err
	}
	c.members = append(c.members, address)
	config.DBName = "test"
	s.DSN = config.FormatDSN()
	return s, nil
}

// await waits until node has the rows of all others, and a database.
func (c *Cluster) await(node *Server) error {
	config, err := mysql.ParseDSN(node.DSN)
	if err != nil {
		return err
	}
	config.DBName = ""
	db, err := sql.Open("mysql", config.FormatDSN())
	if err != nil {
		return err
	}
	defer db.Close()
	const query = "select group_concat(variable_value order by variable_name) from information_schema.global_status" +
		" where variable_name in ('wsrep_cluster_size', 'wsrep_local_state_comment')"
	want := fmt.Sprintf("%d,Synced", len(c.Nodes))
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		var got string
		err := db.QueryRow(query).Scan(&got) // error 1047 before it is ready
		if err == nil && got == want {
			break
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("a node of the Galera cluster is at %q, want %s (%v)", got, want, err)
		}
	}
	_, err = db.Exec("create database if not exists test")
	return err
}

// Close stops all nodes.
func (c *Cluster) Close() error {
	var errs []error
	for _, node := range c.Nodes {
		errs = append(errs, node.Close())
	}
	return errors.Join(errs...)
}

// findGalera returns Galera's part of a server.
func findGalera() (string, error) {
	for _, pattern := range []string{"/usr/lib/galera", "/usr/lib/*/galera", "/usr/lib64/galera*"} {
		if matches, _ := filepath.Glob(filepath.Join(pattern, "libgalera_smm.so")); len(matches) > 0 {
			return matches[0], nil
		}
	}
	return "", fmt.Errorf("galera-4 (Debian: apt-get install galera-4 rsync lsof): %w", daemon.ErrNotInstalled)
}

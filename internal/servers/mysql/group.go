package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oidkit/oidkit/internal/servers/daemon"
)

// A Group is servers of MySQL with Group Replication, which each have all rows.
type Group struct {
	Nodes []*Server

	multiPrimary bool
	members      []string // the addresses at which the nodes talk to each other
}

// StartGroup runs a group of n nodes for this test, which may kill them, and closes it at
// the test's end. All nodes write in a multi-primary group, and one in any other.
func StartGroup(t testing.TB, n int, multiPrimary bool) *Group {
	t.Helper()
	return daemon.Own(t, func() (*Group, error) { return RunGroup(n, multiPrimary) })
}

// RunGroup starts a group of n nodes. The caller has to close it. The first node makes the
// group, and is its primary at first. The others join it, and copy its data.
func RunGroup(n int, multiPrimary bool) (*Group, error) {
	g := &Group{multiPrimary: multiPrimary}
	for range n {
		port, err := daemon.FreePort()
		if err != nil {
			return nil, err
		}
		g.members = append(g.members, fmt.Sprintf("127.0.0.1:%d", port))
	}
	for i := range n {
		if err := g.add(i); err != nil {
			return nil, errors.Join(err, g.Close())
		}
	}
	return g, nil
}

// add starts the node of a member, and has it make the group or join it.
func (g *Group) add(i int) error {
	multi, single := "ON", "OFF"
	if !g.multiPrimary {
		multi, single = single, multi
	}
	const name = "--loose-group-replication-"
	node, config, err := MySQL.start(daemon.Memory(), func() []string {
		return []string{
			fmt.Sprintf("--server-id=%d", i+1), "--gtid-mode=ON", "--enforce-gtid-consistency=ON", "--report-host=127.0.0.1",
			"--plugin-load-add=group_replication.so",
			name + "group-name=00000000-0000-4000-8000-000000000001", name + "start-on-boot=OFF",
			name + "local-address=" + g.members[i], name + "group-seeds=" + strings.Join(g.members, ","),
			name + "recovery-get-public-key=ON",
			name + "single-primary-mode=" + single, name + "enforce-update-everywhere-checks=" + multi,
		}
	})
	if err != nil {
		return err
	}
	g.Nodes = append(g.Nodes, node)
	// Nodes copy from each other as this user.
	if err := session(node.DSN, "set sql_log_bin = 0",
		"create user recovery identified by 'recovery'",
		"grant replication slave, backup_admin, group_replication_stream, connection_admin on *.* to recovery",
		"reset binary logs and gtids",
		"change replication source to source_user = 'recovery', source_password = 'recovery' for channel 'group_replication_recovery'",
	); err != nil {
		return err
	}
	if i > 0 {
		err = g.join(node)
	} else {
		err = session(node.DSN, "set global group_replication_bootstrap_group = ON", "start group_replication",
			"set global group_replication_bootstrap_group = OFF", "create database test")
	}
	config.DBName = "test"
	node.DSN = config.FormatDSN()
	return err
}

// Restart starts a node again that was killed, or kills it first. It returns when the node
// has the rows of all others. The group must still have more than half of its nodes.
func (g *Group) Restart(node *Server) error {
	if err := node.Restart(); err != nil {
		return err
	}
	return g.join(node)
}

// join waits until node is one of the group. The group refuses a node that comes back before
// the group has noticed that it was away.
func (g *Group) join(node *Server) error {
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		state, err := g.state(node)
		switch {
		case err == nil && state == "ONLINE":
			return nil
		case err == nil && state == "OFFLINE":
			err = session(node.DSN, "start group_replication")
		case err == nil && state == "ERROR":
			err = session(node.DSN, "stop group_replication")
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("a node of the group is %s (%v), want ONLINE\n%s", state, err, node.LogEnd())
		}
	}
}

// state returns what a node says about itself: ONLINE when it has the rows of all others.
func (g *Group) state(node *Server) (state string, err error) {
	return state, ask(node, "select coalesce(max(member_state), 'OFFLINE') from performance_schema.replication_group_members where member_id = @@server_uuid", nil, &state)
}

// Primary returns the node that writes in a group with one primary, as other nodes see it.
// There is none for a while after it was killed.
func (g *Group) Primary() (*Server, error) {
	for _, node := range g.Nodes {
		var state, role string
		err := ask(node, "select member_state, member_role from performance_schema.replication_group_members where member_id = @@server_uuid", nil, &state, &role)
		if err == nil && state == "ONLINE" && role == "PRIMARY" {
			return node, nil
		}
	}
	return nil, errors.New("the group has no primary")
}

// ask reads one row of a server that may be dead.
func ask(s *Server, query string, args []any, dest ...any) error {
	db, err := sql.Open("mysql", s.DSN)
	if err != nil {
		return err
	}
	defer db.Close()
	return db.QueryRow(query, args...).Scan(dest...)
}

// session runs statements on one new connection.
func session(dsn string, statements ...string) error {
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn(context.Background())
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, statement := range statements {
		if _, err := conn.ExecContext(context.Background(), statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// Close stops all nodes, the last one first.
func (g *Group) Close() error {
	var errs []error
	for _, node := range slices.Backward(g.Nodes) {
		errs = append(errs, node.Close())
	}
	return errors.Join(errs...)
}

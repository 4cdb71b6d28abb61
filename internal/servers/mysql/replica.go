package mysql

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/oidkit/oidkit/internal/servers/daemon"
)

// A Replica is a server that copies the changes of another, its source, after it made them.
type Replica struct {
	*Server
	Source *Server

	engine *Engine
}

// StartReplica starts a source with the settings, and its replica, for this test. Both have the
// database test of the source.
func (e *Engine) StartReplica(t testing.TB, settings ...string) *Replica {
	t.Helper()
	r := &Replica{engine: e, Source: e.StartOwn(t, slices.Concat(settings, e.replicates(1))...)}
	config, err := mysql.ParseDSN(r.Source.DSN)
	if err != nil {
		t.Fatal(err)
	}
	if err := session(r.Source.DSN, "create user replica identified by 'replica'", "grant replication slave on *.* to replica"); err != nil {
		t.Fatal(err)
	}
	r.Server = daemon.Own(t, func() (*Server, error) {
		s, own, err := e.start(daemon.Memory(), func() []string { return slices.Concat(settings, e.replicates(2)) })
		if err != nil {
			return nil, err
		}
		if err := session(s.DSN, e.follow(config.Addr)...); err != nil {
			s.Close()
			return nil, err
		}
		own.DBName = "test"
		s.DSN = own.FormatDSN()
		return s, nil
	})
	return r
}

// replicates returns the settings of a server that replicates.
func (e *Engine) replicates(id int) []string {
	settings := []string{fmt.Sprintf("--server-id=%d", id), "--log-bin=binlog"}
	if e == MySQL {
		settings = append(settings, "--gtid-mode=ON", "--enforce-gtid-consistency=ON")
	}
	return settings
}

// follow returns the statements that make a new server the replica of the one at the address.
func (e *Engine) follow(address string) []string {
	host, port, _ := strings.Cut(address, ":")
	if e == MySQL {
		return []string{"change replication source to source_host = '" + host + "', source_port = " + port +
			", source_user = 'replica', source_password = 'replica', source_auto_position = 1, get_source_public_key = 1", "start replica"}
	}
	return []string{"change master to master_host = '" + host + "', master_port = " + port +
		", master_user = 'replica', master_password = 'replica', master_use_gtid = slave_pos", "start slave"}
}

// Await waits until the replica has all changes that the source has now.
func (r *Replica) Await(t testing.TB) {
	t.Helper()
	position, wait := "@@global.gtid_current_pos", "select master_gtid_wait(?, 60)"
	if r.engine == MySQL {
		position, wait = "@@global.gtid_executed", "select wait_for_executed_gtid_set(?, 60)"
	}
	var have string
	var late int
	if err := ask(r.Source, "select "+position, nil, &have); err != nil {
		t.Fatal(err)
	}
	if err := ask(r.Server, wait, []any{have}, &late); err != nil || late != 0 {
		t.Fatalf("the replica has not caught up after a minute: %v\n%s", err, r.LogEnd())
	}
}

// Delay has the replica make each change an hour later than its source, from now on.
func (r *Replica) Delay() error {
	if r.engine == MySQL {
		return session(r.DSN, "stop replica sql_thread", "change replication source to source_delay = 3600", "start replica sql_thread")
	}
	return session(r.DSN, "stop slave", "change master to master_delay = 3600", "start slave")
}

// Promote makes the replica a server of its own. It forgets the changes that it has not made.
func (r *Replica) Promote() error {
	if r.engine == MySQL {
		return session(r.DSN, "stop replica", "reset replica all")
	}
	return session(r.DSN, "stop slave", "reset slave all")
}

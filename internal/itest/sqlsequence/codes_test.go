package sqlsequence_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/oidkit/oidkit/internal/servers/daemon"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/sequence"
	"github.com/oidkit/oidkit/sequence/sqlsequence"
)

// codes are errors of servers that speak MySQL's protocol, after which a program may try
// again. Each is the error of a real server, except for one of class 08, and one that today's
// TiDB hardly sends.
var codes = []struct {
	number     uint16
	on         string // an engine's name, Galera, Group (MySQL with Group Replication), TiDB, or recorded: the bytes that a server sends
	rolledBack bool   // InTx runs the transaction again
	name       string
	provoke    func(t *testing.T) error
}{
	{1020, "mariadb", true, "the row has changed since the transaction's first read", changedRow},
	{1040, "mariadb", false, "too many connections", tooManyConnections(mysqlserver.MariaDB)},
	{1040, "mysql", false, "too many connections", tooManyConnections(mysqlserver.MySQL)},
	{1213, "mariadb", true, "a deadlock", deadlock(mysqlserver.MariaDB)},
	{1213, "mysql", true, "a deadlock", deadlock(mysqlserver.MySQL)},
	{1047, "Galera", false, "a node that left the cluster, of class 08", lonelyNode},
	{1213, "Galera", true, "two nodes change a row, at COMMIT", conflictAtCommit},
	{1180, "Group", true, "two nodes change a row, and the change of the other arrives before COMMIT", loseInGroup(1180)},
	{3101, "Group", true, "two nodes change a row, and the change of the other arrives at COMMIT", loseInGroup(3101)},
	{3100, "Group", false, "a hook of group replication fails, at COMMIT", tooLargeForGroup},
	{1180, "recorded", false, "the disk fails, at COMMIT", recorded(1180, "HY000", "Got error 5 - 'Input/output error' during COMMIT")},
	{8022, "TiDB", true, "the storage has rolled the transaction back, at COMMIT", rolledBackByStorage},
	{8028, "TiDB", true, "the table has changed, at COMMIT", changedSchema},
	{9007, "TiDB", true, "two optimistic transactions change a row, at COMMIT", optimisticConflict},
	{1159, "recorded", false, "another error of class 08, at COMMIT", recorded(1159, "08S01", "Got timeout reading communication packets")},
	{8002, "recorded", true, "SELECT FOR UPDATE in a transaction that older versions of TiDB run again, at COMMIT", recorded(8002, "HY000", "[1] can not retry select for update statement")},
}

func TestServersSendTransientErrors(t *testing.T) {
	t.Parallel()
	for _, e := range mysqlserver.Engines() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			sends(t, e.Name)
		})
	}
}

func TestRecordedErrorsAreTransient(t *testing.T) { sends(t, "recorded") }

// sends has servers send the errors that belong to them. The stores and IsTransient must
// know each, and InTx must run a transaction again exactly if it was taken back.
func sends(t *testing.T, on string) {
	for _, code := range codes {
		if code.on != on {
			continue
		}
		t.Run(fmt.Sprint(code.number, " ", code.name), func(t *testing.T) {
			t.Parallel()
			err := code.provoke(t)
			var sent *mysql.MySQLError
			if !errors.As(err, &sent) || sent.Number != code.number {
				t.Fatalf("got %v, want error %d", err, code.number)
			}
			t.Log(err)
			store, _ := onModernc(t).store(t) // InTx knows the errors of all servers
			if !sequence.IsTransient(err) || !store.Driver().Transient(err) {
				t.Errorf("IsTransient() = %v, the store says %v, want true", sequence.IsTransient(err), store.Driver().Transient(err))
			}
			runs := 0
			got := store.InTx(t.Context(), func(*sql.Tx) error {
				if runs++; runs == 1 {
					return err
				}
				return nil
			})
			if again := runs > 1; again != code.rolledBack || !again && got != err {
				t.Errorf("InTx() = %v after %d runs, want another run: %v", got, runs, code.rolledBack)
			}
		})
	}
}

// pair returns two sessions on servers that share a table with two rows.
func pair(t *testing.T, a, b server) (first, second *sql.Conn) {
	t.Helper()
	db := a.open(t)
	execute(t, db, "CREATE TABLE kept (id int PRIMARY KEY, n int NOT NULL)")
	execute(t, db, "INSERT INTO kept VALUES (1, 0), (2, 0)")
	conns := []*sql.Conn{}
	for _, db := range []*sql.DB{db, b.open(t)} {
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		conns = append(conns, conn)
	}
	return conns[0], conns[1]
}

// run runs statements until one fails.
func run(conn *sql.Conn, statements ...string) error {
	for _, statement := range statements {
		if _, err := conn.ExecContext(context.Background(), statement); err != nil {
			return err
		}
	}
	return nil
}

// read runs a query, and drops its rows.
func read(t *testing.T, conn *sql.Conn, query string) {
	t.Helper()
	rows, err := conn.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	rows.Close()
}

const (
	increment1 = "UPDATE kept SET n = n + 1 WHERE id = 1"
	increment2 = "UPDATE kept SET n = n + 1 WHERE id = 2"
)

func changedRow(t *testing.T) error {
	s := onMariaDB(t).with(t, "innodb_snapshot_isolation", "ON")
	first, second := pair(t, s, s)
	execute(t, first, "START TRANSACTION")
	read(t, first, "SELECT n FROM kept")
	execute(t, second, increment1)
	return run(first, increment1)
}

func tooManyConnections(e *mysqlserver.Engine) func(t *testing.T) error {
	return func(t *testing.T) error {
		own := e.StartOwn(t, "--max-connections=10")
		db := server{driver: "mysql", dsn: own.DSN}.open(t)
		for range 20 { // root may have one more
			conn, err := db.Conn(t.Context())
			if err != nil {
				return err
			}
			defer conn.Close()
		}
		return nil
	}
}

func deadlock(e *mysqlserver.Engine) func(t *testing.T) error {
	return func(t *testing.T) error {
		s := on(e)(t)
		first, second := pair(t, s, s)
		execute(t, first, "START TRANSACTION")
		execute(t, second, "START TRANSACTION")
		execute(t, first, increment1)
		execute(t, second, increment2)
		waits := make(chan error, 1)
		go func() { waits <- run(first, increment2, "COMMIT") }()
		return errors.Join(run(second, increment1, "COMMIT"), <-waits)
	}
}

// onGalera returns one server for each of three nodes of a cluster.
func onGalera(t *testing.T) (*mysqlserver.Cluster, []server) {
	t.Helper()
	cluster, err := mysqlserver.RunCluster(3)
	if err != nil {
		daemon.Skip(t, err)
	}
	t.Cleanup(func() { cluster.Close() })
	var nodes []server
	for i, node := range cluster.Nodes {
		nodes = append(nodes, server{fmt.Sprintf("node %d", i), "mysql", node.DSN, sqlsequence.MySQL})
	}
	return cluster, nodes
}

// lonelyNode cuts a node off from the others.
func lonelyNode(t *testing.T) (err error) {
	_, nodes := onGalera(t)
	first, last := pair(t, nodes[0], nodes[2])
	execute(t, last, "SET GLOBAL wsrep_provider_options = 'gmcast.isolate=1'")
	until(t, func() bool {
		err = run(last, increment1) // the first one may fail in the middle
		var sent *mysql.MySQLError
		return errors.As(err, &sent) && sent.Number == 1047
	})
	execute(t, first, increment1) // the others go on
	return err
}

// conflictAtCommit changes a row on a node after another node has changed it.
func conflictAtCommit(t *testing.T) error {
	_, nodes := onGalera(t)
	first, second := pair(t, nodes[0], nodes[1])
	until(t, func() bool { return run(second, increment1) == nil }) // it has the table
	execute(t, second, "START TRANSACTION")
	execute(t, second, increment1)
	execute(t, first, increment1)
	return run(second, "COMMIT")
}

// group is one of three primaries, which the tests of the binary share. The watchdogs of its
// folders stop it when the binary ends.
var group = sync.OnceValues(func() (*mysqlserver.Group, error) { return mysqlserver.RunGroup(3, true) })

// pairInGroup returns sessions on the first node and on the second, and another one on the
// second, which see the table kept.
func pairInGroup(t *testing.T) (first, second, look *sql.Conn) {
	t.Helper()
	g, err := group()
	if err != nil {
		daemon.Skip(t, err)
	}
	name := daemon.DatabaseName()
	execute(t, server{driver: "mysql", dsn: g.Nodes[0].DSN}.open(t), "CREATE DATABASE "+name)
	on := func(node int) server {
		return server{driver: "mysql", dsn: strings.Replace(g.Nodes[node].DSN, "/test", "/"+name, 1)}
	}
	until(t, func() bool { return on(1).open(t).Ping() == nil })
	first, second = pair(t, on(0), on(1))
	look, err = on(1).open(t).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { look.Close() })
	until(t, func() bool { return run(look, increment2) == nil }) // it has the table
	return first, second, look
}

// loseInGroup changes a row on two nodes, until the node that loses answers with the error.
// Which one it is depends on when the change of the other node arrives.
func loseInGroup(number uint16) func(t *testing.T) error {
	return func(t *testing.T) (err error) {
		first, second, look := pairInGroup(t)
		round := 0
		until(t, func() bool {
			round++
			execute(t, second, "START TRANSACTION")
			if err = run(second, increment1); err == nil {
				execute(t, first, fmt.Sprintf("UPDATE kept SET n = %d WHERE id = 1", 1000*round))
				if number == 1180 {
					until(t, func() bool {
						var n int
						return look.QueryRowContext(t.Context(), "SELECT n FROM kept WHERE id = 1").Scan(&n) == nil && n == 1000*round
					})
				}
				err = run(second, "COMMIT")
			}
			run(second, "ROLLBACK")
			var sent *mysql.MySQLError
			return errors.As(err, &sent) && sent.Number == number
		})
		return err
	}
}

// tooLargeForGroup commits a transaction that is too large for the group.
func tooLargeForGroup(t *testing.T) error {
	_, second, _ := pairInGroup(t)
	execute(t, second, "CREATE TABLE large (id int PRIMARY KEY, v longtext)")
	execute(t, second, "SET GLOBAL group_replication_transaction_size_limit = 1000000")
	defer run(second, "SET GLOBAL group_replication_transaction_size_limit = DEFAULT")
	execute(t, second, "START TRANSACTION")
	execute(t, second, "INSERT INTO large VALUES (1, repeat('x', 2000000))")
	return run(second, "COMMIT")
}

// A conflict of two optimistic transactions of TiDB is found at the commit of the second.
func optimisticConflict(t *testing.T) error {
	s := on(mysqlserver.TiDB)(t)
	first, second := pair(t, s, s)
	execute(t, first, "BEGIN OPTIMISTIC")
	execute(t, first, increment1)
	execute(t, second, increment1)
	return run(first, "COMMIT")
}

// The storage of the command tidb rolls a transaction back that writes this text.
func rolledBackByStorage(t *testing.T) error {
	s := on(mysqlserver.TiDB)(t)
	first, _ := pair(t, s, s)
	execute(t, first, "ALTER TABLE kept ADD note varchar(40)")
	execute(t, first, "BEGIN OPTIMISTIC")
	execute(t, first, "INSERT INTO kept VALUES (3, 0, 'rolled back by the storage')")
	return run(first, "COMMIT")
}

// Without its lock of metadata, TiDB changes a table that a transaction has written.
func changedSchema(t *testing.T) error {
	s := on(mysqlserver.TiDB)(t)
	first, second := pair(t, s, s)
	lock := func(setting string) {
		until(t, func() bool { // TiDB refuses it while others make tables
			return run(second, "SET GLOBAL tidb_enable_metadata_lock = "+setting) == nil
		})
	}
	lock("OFF")
	defer lock("ON")
	execute(t, first, "BEGIN OPTIMISTIC") // without a lock, for which the change would wait
	execute(t, first, increment1)
	execute(t, second, "ALTER TABLE kept ADD more int")
	return run(first, "COMMIT")
}

// recorded returns the error of a COMMIT that MySQL's driver reads from these bytes. An
// error is the byte 255, its number, a hash sign, the SQLSTATE and the text, as MySQL's
// documentation of the protocol says. The texts are those of its reference of errors.
func recorded(number uint16, state, text string) func(t *testing.T) error {
	return func(t *testing.T) error {
		config := mysql.NewConfig()
		config.User, config.Addr = "root", "recorded"
		config.DialFunc = func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go answer(server, append(binary.LittleEndian.AppendUint16([]byte{0xff}, number), "#"+state+text...))
			return client, nil
		}
		connector, err := mysql.NewConnector(config)
		if err != nil {
			t.Fatal(err)
		}
		db := sql.OpenDB(connector)
		t.Cleanup(func() { db.Close() })
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		return tx.Commit()
	}
}

// answer plays a MySQL on a connection. It answers COMMIT with the packet atCommit, and all
// else with OK.
func answer(conn net.Conn, atCommit []byte) {
	defer conn.Close()
	send := func(sequence byte, packet []byte) {
		header := binary.LittleEndian.AppendUint32(nil, uint32(len(packet)))
		header[3] = sequence
		conn.Write(append(header, packet...))
	}
	ok := []byte{0, 0, 0, 2, 0, 0, 0}
	hello := "\x0a" + "8.4.0\x00" + "\x01\x00\x00\x00" + "12345678\x00" + // version 10, connection 1
		"\x00\xa2" + "\x2d" + "\x02\x00" + "\x08\x00" + // capabilities, collation, status
		"\x15" + strings.Repeat("\x00", 10) + "123456789012\x00" + "mysql_native_password\x00"
	send(0, []byte(hello))
	in := bufio.NewReader(conn)
	for {
		var header [4]byte
		if _, err := io.ReadFull(in, header[:]); err != nil {
			return
		}
		packet := make([]byte, int(header[0])|int(header[1])<<8|int(header[2])<<16)
		if _, err := io.ReadFull(in, packet); err != nil {
			return
		}
		if strings.HasSuffix(string(packet), "COMMIT") {
			send(header[3]+1, atCommit)
		} else {
			send(header[3]+1, ok)
		}
	}
}

//go:build nightly

package sequence_test

import (
	"fmt"
	"testing"
	"time"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/internal/servers/wire"
)

// TestGroupWithOnePrimary has programs that follow the primary, which is killed.
func TestGroupWithOnePrimary(t *testing.T) {
	group := mysqlserver.StartGroup(t, 3, false)
	nodes := onGroup(t, group)
	p, w := nodes[0].through(t)
	suffersInAGroup(t, "one primary", nodes, []place{p}, func(int) error {
		killed, err := group.Primary()
		if err == nil {
			err = killed.Kill()
		}
		if err != nil {
			return err
		}
		next := (*mysqlserver.Server)(nil)
		for end := time.Now().Add(2 * time.Minute); next == nil; time.Sleep(50 * time.Millisecond) {
			if next, err = group.Primary(); err != nil && time.Now().After(end) {
				return err
			}
		}
		w.To(address(t, next))
		return group.Restart(killed)
	})
}

// TestGroupWithManyPrimaries has programs on each node, which move to another node while
// theirs is dead.
func TestGroupWithManyPrimaries(t *testing.T) {
	group := mysqlserver.StartGroup(t, 3, true)
	nodes := onGroup(t, group)
	var through []place
	var wires []*wire.Wire
	for _, node := range nodes {
		p, w := node.through(t)
		through, wires = append(through, p), append(wires, w)
	}
	suffersInAGroup(t, "three primaries", nodes, through, func(i int) error {
		n := i % len(nodes)
		killed, other := group.Nodes[n], group.Nodes[(n+1)%len(nodes)]
		if err := killed.Kill(); err != nil {
			return err
		}
		wires[n].To(address(t, other))
		if err := group.Restart(killed); err != nil {
			return err
		}
		wires[n].To(address(t, killed))
		return nil
	})
}

// onGroup returns the nodes of a group, which all have the tables.
func onGroup(t *testing.T, group *mysqlserver.Group) (nodes []place) {
	t.Helper()
	for _, node := range group.Nodes {
		nodes = append(nodes, place{Kind: "mysql", URI: node.DSN})
	}
	if err := nodes[0].store(t).migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	execute(t, nodes[0].db(t), ledgerTable)
	for _, node := range nodes {
		await(t, node.db(t), "SELECT count(*) DIV 2 FROM information_schema.tables WHERE table_schema = 'test' AND table_name IN ('sequences', 'ledger')")
	}
	return nodes
}

// suffersInAGroup has programs draw and write a ledger, first without faults, and then while
// kill happens. No number comes twice, and all nodes have a ledger without gaps. A node that
// loses each conflict starves: its callers lose patience, and their calls fail.
func suffersInAGroup(t *testing.T, group string, nodes, through []place, kill func(i int) error) {
	l := &ledger{place: nodes[0], nodes: through, programs: 3, callers: pick(2, 3)}
	h := &history{fault: group, place: nodes[0], nodes: through, programs: 3, callers: pick(4, 8)}
	begun := time.Now()
	h.start(t)
	kills := pick(3, 9)
	quiet := time.Duration(0)
	l.fill(t, 0, func(func() int) {
		h.suffer(t, 0, pick(2000, 30_000), nil)
		l.mu.Lock()
		quiet = l.wait
		l.mu.Unlock()
		h = h.then(t, group+", kill -9")
		h.suffer(t, kills, pick(500, 5000), kill)
	})
	t.Logf("without a fault, a caller waited at most %.1f s for a number, and %.1f s for a transaction", h.earlier.wait.Seconds(), quiet.Seconds())
	h.clean(t)
	for i, node := range nodes {
		node.URI += "&group_replication_consistency=%27BEFORE%27" // with all that was committed elsewhere
		l.place = node
		l.check(t, fmt.Sprintf("ledger: %s, kill -9, rollbacks, node %d", group, i+1), node.Kind, kills, begun)
	}
}

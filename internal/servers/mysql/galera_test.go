//go:build nightly

package mysql_test

import (
	"database/sql"
	"testing"

	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
)

// TestAClusterSurvivesItsFirstNode kills the node that made the cluster.
func TestAClusterSurvivesItsFirstNode(t *testing.T) {
	cluster := mysqlserver.StartCluster(t, 3)
	var dbs []*sql.DB
	for _, node := range cluster.Nodes {
		db, err := sql.Open("mysql", node.DSN)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		dbs = append(dbs, db)
	}
	for node, statement := range []string{"create table t (id int primary key)", "insert into t values (1)", "insert into t values (2)"} {
		if _, err := dbs[node].Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := cluster.Nodes[0].Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := dbs[1].Exec("insert into t values (3)"); err != nil {
		t.Error(err)
	}
	if err := cluster.Restart(cluster.Nodes[0]); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := dbs[0].QueryRow("select count(*) from t").Scan(&n); err != nil || n != 3 {
		t.Errorf("the node that came back has %d rows, %v; want 3", n, err)
	}
}

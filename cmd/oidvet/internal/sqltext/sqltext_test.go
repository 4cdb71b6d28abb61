package sqltext_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/cmd/oidvet/internal/sqltext"
)

// meetings returns what a text compares and stores: "table.column op param".
func meetings(text string, tables map[string]string) string {
	var list []string
	for _, m := range sqltext.Parse(text, tables).Meetings {
		list = append(list, strings.Join(strings.Fields(fmt.Sprintf("%s.%s %s %s", m.Table, m.Name, m.Op, m.Param)), " "))
	}
	return strings.Join(list, ", ")
}

func TestMeetings(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"SELECT * FROM orders WHERE id >= $1", "orders.id >= 1"},
		{"select count(*) from Shop.Orders where ID<? and `Total` > ?", "orders.id < 1, orders.total > 2"},
		{`DELETE FROM "Orders" WHERE "id" = $2 AND note = $1`, "orders.id = 2, orders.note = 1"},
		{"SELECT 1 FROM orders o JOIN users AS u ON u.id = o.user_id WHERE o.id > ? AND u.id <> ?", "orders.id > 1, users.id <> 2"},
		{"SELECT 1 FROM orders, ONLY users u WHERE orders.id = $1 AND u.id = $2 AND id = $3", "orders.id = 1, users.id = 2"},
		{"SELECT 1 FROM t WHERE $1 < id AND ? <= id AND $2 = t.id", "t.id > 1, t.id = 2"},
		{"SELECT 1 FROM t WHERE id IN ($1, $2,$3) AND id NOT IN ($4)", "t.id in 1, t.id in 2, t.id in 3, t.id in 4"},
		{"SELECT 1 FROM t WHERE id IN (?) OR id in ?", "t.id in 1, t.id in 2"},
		{"SELECT 1 FROM t WHERE id = ANY($1) OR id <> ALL ($2::bytea[])", "t.id in 1, t.id in 2"},
		{"SELECT 1 FROM t WHERE id BETWEEN $1 AND $2 AND n NOT BETWEEN $3 AND 1", "t.id between 1, t.id and 2, t.n between 3"},
		{"SELECT 1 FROM t WHERE (created, id) < ($1, $2) ORDER BY id LIMIT $3", "t.created < 1, t.id < 2"},
		{"SELECT 1 FROM t WHERE (a, b) IN (($1, $2))", ""},
		{"SELECT 1 FROM t WHERE (a) < ($1, $2)", "t.a < 1"},
		{"SELECT 1 FROM t WHERE row(a, b) < ($1, $2)", ""},
		{"SELECT 1 FROM t WHERE f($1, $2) AND id < f($3)", ""},
		{"INSERT INTO t (id, at, n) VALUES ($1, now(), $2), (:id, lower(@at), $5 + 1)", "t.id 1, t.n 2, t.id id"},
		{"INSERT INTO t (id) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET name = ?, at = ? WHERE t.id = ? RETURNING id", "t.id 1, t.name 3, t.at 4, t.id = 5"},
		{"INSERT INTO t (a) VALUES (?) ON DUPLICATE KEY UPDATE a = VALUES(a), b = ?", "t.a 1, t.b 2"},
		{"INSERT INTO t VALUES ($1)", ""},
		{"INSERT INTO t (id) SELECT id FROM u WHERE id = $1", ""},
		{"UPDATE t SET team_id = $1, n = n + 1, x = NULL, (a, b) = ($2, $3) WHERE id = $4", "t.team_id 1, t.a 2, t.b 3, t.id = 4"},
		{"UPDATE t SET a = CASE WHEN id = $1 THEN $2 END", "t.id = 1"},
		{"SELECT id FROM t WHERE id = $1 FOR UPDATE", "t.id = 1"},
		{"SELECT 1 FROM (SELECT id FROM t) x WHERE id = $1 AND x.id = $2", ""},
		{"SELECT 1 FROM LATERAL (SELECT 1) x JOIN t ON t.id = $1 WHERE id = $2", "t.id = 1"},
		{"WITH x AS (SELECT 1 FROM u) SELECT 1 FROM x WHERE id = $1", ""},
		{"SELECT 1 FROM t a JOIN u a ON a.id = $1", ""},
		{"SELECT 1 FROM t WHERE id IS DISTINCT FROM $1", ""},
		{"id = $1", ""},

		// Another expression than the column itself, or than the argument itself.
		{"SELECT 1 FROM t WHERE lower(id) = ? AND HEX(id) = ? AND id::text = ? AND a || id = ? AND id = ? || b", ""},
		{"SELECT 1 FROM t WHERE id = $1::text AND id = decode($2, 'hex') AND id = UNHEX(?) AND id - 1 < $3 AND $4 < id + 1", ""},
		{"SELECT 1 FROM t WHERE -$1 < id AND note = 'id = $2' -- id = $3\n AND /* id = $4 */ id=$5::objectid", "t.id = 5"},
		{"SELECT 1 FROM t WHERE js ? 'a' AND id = $1", "t.id = 1"},
		{"SELECT 1 FROM t WHERE ?TableAlias.id = ?", ""},
		{`SELECT 1 FROM t WHERE id = $1 AND a = E'\''`, ""},
		{"DO $$ BEGIN DELETE FROM t WHERE id = $1 END $$", ""},
		{"", ""},
	} {
		if got := meetings(tt.text, nil); got != tt.want {
			t.Errorf("Parse(%q) meets %q, want %q", tt.text, got, tt.want)
		}
	}
}

// A condition has no table of its own.
func TestMeetingsOfACondition(t *testing.T) {
	tables := map[string]string{"o": "orders", "orders": "orders"}
	for _, tt := range []struct{ text, want string }{
		{"id >= ?", "orders.id >= 1"},
		{"o.id IN (?) AND u.id = ?", "orders.id in 1"},
		{"orders.id = ? OR ? = id", "orders.id = 1, orders.id = 2"},
	} {
		if got := meetings(tt.text, tables); got != tt.want {
			t.Errorf("Parse(%q) meets %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestResults(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"SELECT id, t.name n, created AS at FROM t", "t.id t.name t.created"},
		{"SELECT DISTINCT id, count(*), max(id) AS id, id::text, id || 'x', 1, $1, f(a, b), n FROM t", "t.id . . . . . . . t.n"},
		{"SELECT id, * FROM t", "t.id t.*"},
		{"SELECT o.* FROM orders o, users", "orders.*"},
		{"INSERT INTO t (a) VALUES ($1) RETURNING id, a", "t.id t.a"},
		{"SELECT id, (SELECT n FROM u) FROM t", ". ."},
		{"SELECT id FROM t UNION SELECT id FROM u", ""},
		{"WITH x AS (SELECT 1) SELECT id FROM t", ""},
		{"DELETE FROM t", ""},
	} {
		var list []string
		for _, c := range sqltext.Parse(tt.text, nil).Results {
			list = append(list, c.Table+"."+c.Name)
		}
		if got := strings.Join(list, " "); got != tt.want {
			t.Errorf("Parse(%q) returns %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestParams(t *testing.T) {
	for text, want := range map[string]int{"a = ? AND b = ?": 2, "a = $2 AND b = $1": 0, "a = :name": 0, "a ? $1": 0} {
		if got := sqltext.Parse(text, nil).Params; got != want {
			t.Errorf("Parse(%q) has %d placeholders, want %d", text, got, want)
		}
	}
}

func TestTypes(t *testing.T) {
	text := "CREATE TABLE IF NOT EXISTS shop.Orders (\n\tid bytea PRIMARY KEY, -- the key\n\tnote varchar(20) NOT NULL,\n\tat timestamptz, CHECK (a, b), `n` INT);\n" +
		"create temp table x (id TEXT) WITHOUT ROWID; CREATE INDEX i ON y (id)"
	want := map[sqltext.Column]string{
		{Table: "orders", Name: "id"}: "bytea", {Table: "orders", Name: "note"}: "varchar", {Table: "orders", Name: "at"}: "timestamptz",
		{Table: "orders", Name: "check"}: "(", {Table: "orders", Name: "n"}: "int", {Table: "x", Name: "id"}: "text",
	}
	got := sqltext.Types(text)
	delete(want, sqltext.Column{Table: "orders", Name: "check"})
	delete(got, sqltext.Column{Table: "orders", Name: "check"})
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Types(%q) = %v, want %v", text, got, want)
	}
}

package query

import "testing"

func TestNamesAreQuoted(t *testing.T) {
	for _, tt := range []struct{ in, postgres, mysql string }{
		{"", "orders", "orders"}, // the default
		{"orders", `"orders"`, "`orders`"},
		{"order", `"order"`, "`order`"},
		{"Users", `"Users"`, "`Users`"},
		{"shop.order_2", `"shop"."order_2"`, "`shop`.`order_2`"},
		{`a"b`, `"a""b"`, "`a\"b`"},
		{"a`b", "\"a`b\"", "`a``b`"},
		{"it's; drop", `"it's; drop"`, "`it's; drop`"},
		{"größe", `"größe"`, "`größe`"},
	} {
		if got := postgres.name(tt.in, "orders"); got != tt.postgres || sqlite.name(tt.in, "orders") != got {
			t.Errorf("postgres and sqlite: name(%q) = %s and %s, want %s", tt.in, got, sqlite.name(tt.in, "orders"), tt.postgres)
		}
		if got := mysql.name(tt.in, "orders"); got != tt.mysql {
			t.Errorf("mysql: name(%q) = %s, want %s", tt.in, got, tt.mysql)
		}
	}
}

func TestNamesThatNoQueryCanHold(t *testing.T) {
	for name, ok := range map[string]bool{"": true, "a": true, "a.b": true, "é ;": true, ".": false, "a.": false, ".a": false, "a..b": false, "a\tb": false, "a\x1b": false} {
		for _, r := range []Range{{Table: name}, {Column: name}} {
			if err := r.Check(); (err == nil) != ok {
				t.Errorf("Check of %+v = %v, want an error: %v", r, err, !ok)
			}
		}
	}
}

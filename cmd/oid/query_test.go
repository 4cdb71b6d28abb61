package main

import (
	"slices"
	"strings"
	"testing"
)

func TestNamesAreSplitAtDotsOutsideQuotes(t *testing.T) {
	for _, test := range []struct{ in, want string }{ // split at |
		{"orders", "orders"},
		{"shop.orders", "shop|orders"},
		{`"shop.orders"`, "shop.orders"},
		{`shop."a.b".c`, "shop|a.b|c"},
		{`"a""b"`, `a"b`},
		{`"`, `"`},
		{`"a"b`, `"a"b`},
		{`a"b`, `a"b`},
		{`a"b.c"`, `a"b|c"`},
		{`""`, ""},
		{"a.", "a|"},
		{".a", "|a"},
		{"a..b", "a||b"},
		{"a\nb", "a\nb"},
	} {
		if got := splitName(test.in); !slices.Equal(got, strings.Split(test.want, "|")) {
			t.Errorf("splitName(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func TestNamesAreQuotedWhereTheyNeedIt(t *testing.T) {
	for _, test := range []struct{ in, postgres, mysql, sqlite string }{
		{"orders", "orders", "orders", "orders"},
		{"order", `"order"`, "`order`", `"order"`},
		{"Order", `"Order"`, "`Order`", `"Order"`},
		{"Users", `"Users"`, "Users", "Users"},
		{"shop.order_2", "shop.order_2", "shop.order_2", "shop.order_2"},
		{`"a.b".user`, `"a.b"."user"`, "`a.b`.`user`", `"a.b"."user"`},
		{`a"b`, `"a""b"`, "`a\"b`", `"a""b"`},
		{"a`b", "\"a`b\"", "`a``b`", "\"a`b\""},
		{"it's; drop", `"it's; drop"`, "`it's; drop`", `"it's; drop"`},
		{"2026", `"2026"`, "`2026`", `"2026"`},
		{"größe", `"größe"`, "`größe`", `"größe"`},
	} {
		for _, d := range []struct {
			dialect dialect
			want    string
		}{{postgres, test.postgres}, {mysql, test.mysql}, {sqlite, test.sqlite}} {
			if got := d.dialect.name(test.in); got != d.want {
				t.Errorf("%s: %s, want %s", test.in, got, d.want)
			}
		}
	}
	if !slices.IsSorted(reserved) {
		t.Error("the reserved words are not sorted")
	}
}

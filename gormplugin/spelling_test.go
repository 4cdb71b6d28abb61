package gormplugin_test

import (
	"strings"
	"testing"

	"github.com/oidkit/oidkit/gormplugin"
	"gorm.io/gorm"
)

// TestSpellingsThatAreLookedAt passes hex for each placeholder of conditions that are
// nothing but a column, an operator and placeholders. It is sent as bytes.
func TestSpellingsThatAreLookedAt(t *testing.T) {
	db := openDry(t, gormplugin.New())
	for _, text := range []string{
		"id = ?", "id=?", "id<>?", "id != ?", "id!=?", "id < ?", "id<?", "id > ?", "id>?", "id <= ?", "id >= ?", "id>=?", "id <=> ?",
		" id = ? ", "\tid\t=\t?", "id\r\n= ?", "id\n=?", "ID = ?", "Id = ?",
		"`id` = ?", `"id" = ?`, "`pets`.`id` = ?", "pets.id = ?", "PETS.ID = ?", "owner_id = ?", "OwnerID = ?",
		"(id = ?)", "( id = ? )", "(id) = ?", "((id) = ?)", "((`id` ) IN (?))", "id = (?)", "id = ( ? )", "id=(?)", "(id=(?))",
		"id IN ?", "id in ?", "id In (?)", "id IN (?, ?)", "id IN (?,?,?)", "id IN (\t?\r\n, ?)", "id NOT IN ?", "id not in (?)", "id NOT IN (?, ?)", "id  NOT \t IN (?)", "id\tIN\n(?)",
		"id BETWEEN ? AND ?", "id between ? and ?", "id NOT BETWEEN ? AND ?", "id NOT  BETWEEN\t? AND ?", "(id) BETWEEN ? AND ?", "id BETWEEN ? AND (?)", "id = ?)", "(id = ?", "id = (?",
		".id = ?", "id NOT  IN (?)", "(id) = (?)",
		"id is NOT IN ?", // no such operator: see below
	} {
		looked := text != "id is NOT IN ?"
		args := make([]any, strings.Count(text, "?"))
		for i := range args {
			args[i] = a.Hex()
		}
		got := sentBy(db.Where(text, args...).Find(&[]pet{}))
		if want := strings.Count(text, "?"); looked && strings.Count(got, "A") < want || strings.Contains(got, `"a"`) == looked {
			t.Errorf("%q: sent %s", text, got)
		}
		for i := range args {
			args[i] = b
			if i == len(args)-1 {
				args[i] = 7
			}
		}
		if got := sentBy(db.Where(text, args...).Find(&[]pet{})); strings.Contains(got, "int is not an ID") != looked {
			t.Errorf("%q of a number: %s", text, got)
		}
	}
}

// TestSpellingsThatArePassedOn passes numbers to conditions that the plugin doesn't look
// at. They are sent as GORM sends them without the plugin.
func TestSpellingsThatArePassedOn(t *testing.T) {
	db, plain := openDry(t, gormplugin.New()), must(gorm.Open(named{name: "dummy"}, &gorm.Config{DryRun: true}))
	for _, text := range []string{
		"name = ?", "id + 0 = ?", "id = ? + 0", "id = 0 + ?", "id = ? OR 1 = 1", "id = ? OR name = ?", "length(id) = ?", "NOT id = ?", "? = id", "?", "= ?", "id ?", "id",
		"id = -?", "id LIKE ?", "id IS ?", "id IN (?, 1)", "id IN (1, ?)", "id = (? OR 1)", "id IN (SELECT ?)", "id = (?, ?)", "id IN", "id IN ()", "id = ()", "id = (,)",
		"()= ?", "(id) ?", "(id)", "(id ?) = ?", "(id, name", "(id, ?) = (?, ?)", "(id, name)", "(id, name) IN", "(id, name) LIKE ?", "(name, weight) IN ?",
		"others.id = ?", ") = ?", "id) = ?", "xid, name) IN ?", "(id = ?;", "pets.id.id = ?", "a.pets.id = ?", "id = ? ?", "id BETWEEN ? AND", "id BETWEEN ?", "id AND ?", "(id, name) IN (1, 2)",
	} {
		args := make([]any, strings.Count(text, "?"))
		for i := range args {
			args[i] = 7
		}
		if strings.Contains(text, "(") && strings.Contains(text, "IN ?") {
			args[len(args)-1] = [][]any{{7, 7}}
		}
		got, want := sentBy(db.Where(text, args...).Find(&[]pet{})), sentBy(plain.Where(text, args...).Find(&[]pet{}))
		if got != want {
			t.Errorf("%q: sent %s, want %s", text, got, want)
		}
	}
}

// TestNamesThatAreLookedAt passes arguments by name, where the name ends as GORM has it.
func TestNamesThatAreLookedAt(t *testing.T) {
	db := openDry(t, gormplugin.New())
	type Base struct{ One any }
	type arguments struct{ Base }
	type pointing struct{ *Base }
	for _, tt := range []struct {
		text string
		args []any
		want bool
	}{
		{"id = @one", []any{map[string]any{"one": 7}}, true},
		{"id=@one", []any{map[string]any{"one": 7}}, true},
		{"id IN (@one)", []any{map[string]any{"one": 7}}, true},
		{"id IN (@one,@two)", []any{map[string]any{"one": a, "two": 7}}, true},
		{"id IN (@one\r\n, @two )", []any{map[string]any{"one": a, "two": 7}}, true},
		{"id BETWEEN @one AND @two", []any{map[string]any{"one": a, "two": 7}}, true},
		{"(id, name) = (@one, @two)", []any{map[string]any{"one": 7, "two": 7}}, true},
		{"id = @One", []any{arguments{Base{7}}}, true},
		{"id = @One", []any{&arguments{Base{7}}}, true},
		{"id = @One", []any{pointing{&Base{7}}}, true},
		{"id = @one", []any{map[string]any{"one": 7}, map[string]any{"two": a}}, true},
		{"id = @one", []any{map[string]any{"one": 7}, map[string]any{"one": a}}, false},
		{"name = @one", []any{map[string]any{"one": 7}}, false},
		{"id = @one + 0", []any{map[string]any{"one": 7}}, false},
		{"id + 0 = @one", []any{map[string]any{"one": 7}}, false},
		{"id = @one;", []any{map[string]any{"one": 7}}, false},
		{"id = @one", []any{map[string]any{"one": 7}, 5}, true},
		{"id = @one", []any{map[string]any{"one": 7}, struct{ Two any }{}}, true},
		{"id = @one", []any{map[string]any{"one": 7}, struct{ one any }{}}, true},
		{"id = @One", []any{map[string]any{"One": 7}, pointing{}}, true},
		{"id = @One", []any{pointing{}}, false},
	} {
		got := sentBy(db.Where(tt.text, tt.args...).Find(&[]pet{}))
		if strings.Contains(got, "is not an ID") != tt.want {
			t.Errorf("%q: %s", tt.text, got)
		}
	}
}

//go:build nightly

package generated_test

import (
	"path/filepath"
	"testing"

	"entgo.io/ent/dialect"
	"entgo.io/ent/entc/gen"
	"entgo.io/ent/entc/load"
	"entgo.io/ent/schema/field"
	"github.com/oidkit/oidkit/internal/itest/overlay"
	"github.com/oidkit/oidkit/internal/itest/sqltype/generated/entschema"
	mysqlserver "github.com/oidkit/oidkit/internal/servers/mysql"
	"github.com/oidkit/oidkit/internal/servers/postgres"
)

const here = "github.com/oidkit/oidkit/internal/itest/sqltype/generated"

func TestEnt(t *testing.T) {
	program := overlay.Build(t, "ent", entClient(t))
	for _, e := range mysqlserver.Engines() {
		t.Run(e.Name, func(t *testing.T) { run(t, program, dialect.MySQL, e.Database(t)) })
	}
	for name, dsn := range map[string]func(*testing.T) string{
		dialect.Postgres: func(t *testing.T) string { return postgres.Database(t) },
		dialect.SQLite:   func(t *testing.T) string { return "file:" + filepath.Join(t.TempDir(), "test.db") },
	} {
		t.Run(name, func(t *testing.T) { run(t, program, name, dsn(t)) })
	}
}

// entClient returns the folder of a client that ent has written, as its command does.
func entClient(t *testing.T) string {
	t.Helper()
	text, err := load.MarshalSchema(entschema.Person{})
	if err != nil {
		t.Fatal(err)
	}
	person, err := load.UnmarshalSchema(text)
	if err != nil {
		t.Fatal(err)
	}
	storage, err := gen.NewStorage("sql")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	graph, err := gen.NewGraph(&gen.Config{
		Schema:  here + "/entschema",
		Package: here + "/testdata/ent/client",
		Target:  filepath.Join(folder, "client"),
		IDType:  &field.TypeInfo{Type: field.TypeInt},
		Storage: storage,
	}, person)
	if err != nil {
		t.Fatal(err)
	}
	if err := graph.Gen(); err != nil {
		t.Fatal(err)
	}
	return folder
}

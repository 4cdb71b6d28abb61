package sqltype_test

import (
	"database/sql"
	"path/filepath"
	"slices"
	"testing"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/oidkit/oidkit/internal/itest/ent"
	entperson "github.com/oidkit/oidkit/internal/itest/ent/person"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
)

func TestEnt(t *testing.T) {
	for name, open := range map[string]func(testing.TB) *sql.DB{
		dialect.Postgres: pgxWith(pgx.QueryExecModeCacheStatement),
		dialect.MySQL:    mysqlWith(func(*mysql.Config) {}),
		dialect.SQLite: func(t testing.TB) *sql.DB {
			return open(t, "sqlite3", "file:"+filepath.Join(t.TempDir(), "test.db")+"?_fk=1")
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			client := ent.NewClient(ent.Driver(entsql.OpenDB(name, open(t))))
			if err := client.Schema.Create(ctx); err != nil {
				t.Fatal(err)
			}
			ada, err := client.Person.Create().SetName("Ada").Save(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if ada.ID.IsZero() || ada.ParentID != nil || !ada.MentorID.IsZero() || ada.Ref != nil {
				t.Errorf("created %+v", ada)
			}
			grace, err := client.Person.Create().SetName("Grace").SetParent(ada).SetMentorID(sqltype.ZeroNull(ada.ID)).SetRef(sqltype.Hex(ada.ID)).Save(ctx)
			if err != nil {
				t.Fatal(err)
			}
			got, err := client.Person.Get(ctx, grace.ID)
			if err != nil || got.ID != grace.ID || *got.ParentID != ada.ID || oid.ID(got.MentorID) != ada.ID || *got.Ref != sqltype.Hex(ada.ID) {
				t.Errorf("Get: %+v, %v", got, err)
			}
			again, err := client.Person.Get(ctx, ada.ID)
			if err != nil || again.ParentID != nil || !again.MentorID.IsZero() || again.Ref != nil {
				t.Errorf("Get with NULLs: %+v, %v", again, err)
			}
			lo, hi := oid.Range(lastHour())
			for what, query := range map[string]*ent.PersonQuery{
				"IDIn":            client.Person.Query().Where(entperson.IDIn(ada.ID, grace.ID)),
				"range":           client.Person.Query().Where(entperson.IDGTE(lo), entperson.IDLT(hi)),
				"the zero cursor": client.Person.Query().Where(entperson.IDGT(oid.ID{})),
			} {
				ids, err := query.Order(ent.Asc(entperson.FieldID)).IDs(ctx)
				if err != nil || !slices.Equal(ids, []oid.ID{ada.ID, grace.ID}) {
					t.Errorf("%s: %v, %v", what, ids, err)
				}
			}
			parent, err := client.Person.Query().Where(entperson.HasChildrenWith(entperson.ID(grace.ID))).WithChildren().Only(ctx)
			if err != nil || parent.ID != ada.ID || len(parent.Edges.Children) != 1 || parent.Edges.Children[0].ID != grace.ID {
				t.Errorf("edges: %+v, %v", parent, err)
			}
		})
	}
}

//go:build nightly

package sqltype_test

import (
	"database/sql"
	"slices"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/mysqldialect"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"github.com/uptrace/bun/schema"
)

func bunOf(db *sql.DB, d database) *bun.DB {
	dialect := map[string]func() schema.Dialect{
		"postgres": func() schema.Dialect { return pgdialect.New() },
		"mysql":    func() schema.Dialect { return mysqldialect.New() },
		"sqlite":   func() schema.Dialect { return sqlitedialect.New() },
	}[d.engine()]
	return bun.NewDB(db, dialect())
}

func TestBun(t *testing.T) {
	t.Parallel()
	forEachDatabase(t, func(t *testing.T, db *sql.DB, d database) {
		ctx := t.Context()
		b := bunOf(db, d)
		mustExec(t, db, d.sql(peopleTable))
		ada, grace := family()
		people := []person{ada, grace}
		if _, err := b.NewInsert().Model(&people).ModelTableExpr("people").Exec(ctx); err != nil {
			t.Fatal(err)
		}
		got := person{ID: grace.ID}
		if err := b.NewSelect().Model(&got).ModelTableExpr("people AS person").WherePK().Scan(ctx); err != nil || got != grace {
			t.Errorf("WherePK: %v, %v", got, err)
		}
		var all []person
		err := b.NewSelect().Model(&all).ModelTableExpr("people AS person").Where("id IN (?)", bun.List([]oid.ID{ada.ID, grace.ID})).Order("id").Scan(ctx)
		if err != nil || !slices.Equal(all, people) {
			t.Errorf("IN: %v, %v", all, err)
		}
		from, to := lastHour()
		lo, hi := oid.Range(from, to)
		err = b.NewSelect().Model(&got).ModelTableExpr("people AS person").Join("JOIN people AS c ON c.parent = person.id").Where("c.id >= ? AND c.id < ?", lo, hi).Scan(ctx)
		if err != nil || got != ada {
			t.Errorf("range and join: %v, %v", got, err)
		}
	})
}

func TestBunTouchesTheRowsThatAreNamed(t *testing.T) {
	t.Parallel()
	type people struct {
		bun.BaseModel `bun:"table:people"`
		ID            oid.ID `bun:",pk"`
		Name          string
	}
	forEachEngine(t, func(t *testing.T, db *sql.DB, d database) {
		ctx := t.Context()
		b := bunOf(db, d)
		ids := newCrowd(t, db, d)
		if _, err := b.NewUpdate().Model(&people{}).Set("name = 'new'").Where("id IN (?)", bun.List(ids[:2])).Exec(ctx); err != nil {
			t.Fatal(err)
		}
		wantRows(t, db, "UPDATE … IN", crowd, 2)
		if _, err := b.NewDelete().Model(&people{ID: ids[3]}).WherePK().Exec(ctx); err != nil {
			t.Fatal(err)
		}
		wantRows(t, db, "DELETE by WherePK", crowd-1, 2)
		if _, err := b.NewDelete().Model(&[]people{{ID: ids[0]}, {ID: ids[4]}}).WherePK().Exec(ctx); err != nil {
			t.Fatal(err)
		}
		wantRows(t, db, "DELETE of a list by WherePK", crowd-3, 1)
		if _, err := b.NewDelete().Model(&people{}).Where("id NOT IN (?)", bun.List([]userID{userID(ids[1]), userID(ids[5])})).Exec(ctx); err != nil {
			t.Fatal(err)
		}
		wantRows(t, db, "DELETE … NOT IN", 2, 1)
	})
}

// Keys of two columns, and arrays of PostgreSQL.
func TestBunTuplesAndArrays(t *testing.T) {
	t.Parallel()
	type membership struct {
		bun.BaseModel `bun:"table:memberships"`
		User          oid.ID `bun:",pk"`
		Team          userID `bun:",pk"`
	}
	forEachEngine(t, func(t *testing.T, db *sql.DB, d database) {
		ctx := t.Context()
		b := bunOf(db, d)
		user := map[string]string{"postgres": `"user"`, "mysql": "`user`", "sqlite": `"user"`}[d.engine()]
		mustExec(t, db, d.sql("create table memberships ("+user+" {id}, team {id})"))
		all := make([]membership, 5)
		for i := range all {
			all[i] = membership{User: oid.New(), Team: userID(oid.New())}
		}
		if _, err := b.NewInsert().Model(&all).Exec(ctx); err != nil {
			t.Fatal(err)
		}
		two := all[:2]
		result, err := b.NewDelete().Model(&two).WherePK().Exec(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := result.RowsAffected(); n != 2 || err != nil {
			t.Errorf("WherePK touched %d of 5 rows, want 2: %v", n, err)
		}
		result, err = b.NewDelete().Model((*membership)(nil)).Where("(?, team) = ?", bun.Ident("user"), bun.Tuple([]any{all[2].User, all[2].Team})).Exec(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := result.RowsAffected(); n != 1 || err != nil {
			t.Errorf("Tuple touched %d of 3 rows, want 1: %v", n, err)
		}
		result, err = b.NewUpdate().Model((*membership)(nil)).Set("team = team").Where("team IN ?", bun.Tuple([]userID{all[3].Team, all[0].Team})).Exec(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := result.RowsAffected(); n > 1 || err != nil || n == 0 && d.engine() != "mysql" { // which counts changed rows
			t.Errorf("IN Tuple touched %d of 2 rows, want 1: %v", n, err)
		}
		if d.engine() != "postgres" {
			return
		}
		ids := []oid.ID{all[3].User, all[4].User}
		var got []oid.ID
		err = b.NewRaw("select ?::bytea[]", pgdialect.Array(ids)).Scan(ctx, pgdialect.Array(&got))
		if err != nil || !slices.Equal(got, ids) {
			t.Errorf("pgdialect.Array: %v, want %v, %v", got, ids, err)
		}
	})
}

// Relations need the very same type on both sides, and no pointer. For keys that can
// be NULL that is a ZeroNull, also where it is the primary key.
func TestBunRelations(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, db *sql.DB, d database) {
		ids := newCrowd(t, db, d)
		mustExec(t, db, d.sql("update people set parent = null where id = ?"), ids[0])
		b := bunOf(db, d)
		t.Run("ZeroNull on both sides", func(t *testing.T) { bunFamily[sqltype.ZeroNull, sqltype.ZeroNull](t, b, ids[0], "") })
		t.Run("ID and a pointer", func(t *testing.T) {
			bunFamily[oid.ID, *oid.ID](t, b, ids[0], "does not have base")
		})
		t.Run("ID and ZeroNull", func(t *testing.T) {
			bunFamily[oid.ID, sqltype.ZeroNull](t, b, ids[0], "does not have base")
		})
		t.Run("ID and sql.Null", func(t *testing.T) {
			bunFamily[oid.ID, sql.Null[oid.ID]](t, b, ids[0], "does not have base")
		})
	})
}

func TestBunRelationsWithoutNULL(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, db *sql.DB, d database) {
		ids := newCrowd(t, db, d)
		b := bunOf(db, d)
		t.Run("ID on both sides", func(t *testing.T) { bunFamily[oid.ID, oid.ID](t, b, ids[0], "") })
		t.Run("For on both sides", func(t *testing.T) { bunFamily[userID, userID](t, b, ids[0], "") })
	})
}

// bunFamily reads parent with its children and the children with it. The keys are of
// type Base, the references to them of type Ref. If fails isn't empty, reading the
// children is an error that holds it.
func bunFamily[Base, Ref any](t *testing.T, b *bun.DB, parent oid.ID, fails string) {
	t.Helper()
	type child struct {
		bun.BaseModel `bun:"table:people,alias:child"`
		ID            Base `bun:",pk"`
		Parent        Ref
	}
	type mother struct {
		bun.BaseModel `bun:"table:people,alias:mother"`
		ID            Base `bun:",pk"`
		Parent        Ref
		Children      []*child `bun:"rel:has-many,join:id=parent"`
	}
	ctx := t.Context()
	var got mother
	err := b.NewSelect().Model(&got).Relation("Children").Where("mother.id = ?", parent).Scan(ctx)
	if fails != "" {
		if err == nil || !strings.Contains(err.Error(), fails) {
			t.Errorf("%v: change docs/libraries.md", err)
		}
		return
	}
	if err != nil || len(got.Children) < crowd-1 {
		t.Errorf("has-many: %d children, %v", len(got.Children), err)
	}
	type son struct {
		bun.BaseModel `bun:"table:people,alias:son"`
		ID            Base `bun:",pk"`
		Parent        Ref
		Mother        *child `bun:"rel:belongs-to,join:parent=id"`
	}
	var sons []son
	if err := b.NewSelect().Model(&sons).Relation("Mother").Scan(ctx); err != nil || len(sons) != crowd {
		t.Errorf("belongs-to: %d, %v", len(sons), err)
	}
	for _, s := range sons {
		if isNull := any(s.Parent) == any(sqltype.ZeroNull{}); isNull != (s.Mother == nil) {
			t.Errorf("belongs-to: %+v", s)
		}
	}
}

// With nullzero bun stores the rows and then fails to read the NULLs back, where the server
// has RETURNING, which MySQL lacks. ZeroNull does what nullzero is meant for.
func TestBunNullzero(t *testing.T) {
	t.Parallel()
	type tagged struct {
		bun.BaseModel `bun:"table:people"`
		ID            oid.ID `bun:",pk"`
		Parent        oid.ID `bun:",nullzero"`
	}
	type typed struct {
		bun.BaseModel `bun:"table:people"`
		ID            oid.ID `bun:",pk"`
		Parent        sqltype.ZeroNull
	}
	forEachEngine(t, func(t *testing.T, db *sql.DB, d database) {
		mustExec(t, db, d.sql(peopleTable))
		b := bunOf(db, d)
		if _, err := b.NewInsert().Model(&tagged{ID: oid.New()}).Exec(t.Context()); (err == nil) != (d.name == "mysql") {
			t.Errorf("with nullzero: %v: change docs/libraries.md", err)
		}
		if _, err := b.NewInsert().Model(&typed{ID: oid.New()}).Exec(t.Context()); err != nil {
			t.Errorf("ZeroNull: %v", err)
		}
		if n := queryOne[int](t, db, "select count(*) from people where parent is null"); n != 2 {
			t.Errorf("%d of 2 rows are stored with NULL", n)
		}
	})
}

// By default bun makes columns that don't fit: none at all on MySQL and
// SQLite, and BYTEA for hex digits on PostgreSQL. A type in the tag says it.
func TestBunMakesTheTableWithATypeInTheTag(t *testing.T) {
	t.Parallel()
	type mysqlRow struct {
		bun.BaseModel `bun:"table:people"`
		ID            oid.ID           `bun:"type:binary(12),pk"`
		Parent        sqltype.ZeroNull `bun:"type:binary(12)"`
		Ref           sqltype.Hex      `bun:"type:char(24)"`
	}
	type postgresRow struct {
		bun.BaseModel `bun:"table:people"`
		ID            oid.ID           `bun:"type:objectid,pk"`
		Parent        sqltype.ZeroNull `bun:"type:objectid"`
		Ref           sqltype.Hex      `bun:"type:char(24)"`
	}
	forEachEngine(t, func(t *testing.T, db *sql.DB, d database) {
		ctx := t.Context()
		b := bunOf(db, d)
		row, got := any(&mysqlRow{ID: sample, Ref: sqltype.Hex(sample)}), any(&mysqlRow{})
		if d.engine() == "postgres" {
			row, got = &postgresRow{ID: sample, Ref: sqltype.Hex(sample)}, &postgresRow{}
		}
		if _, err := b.NewCreateTable().Model(row).Exec(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := b.NewInsert().Model(row).Exec(ctx); err != nil {
			t.Fatal(err)
		}
		err := b.NewSelect().Model(got).Where("id = ? AND parent IS NULL AND ref = ?", sample, sqltype.Hex(sample)).Scan(ctx)
		if err != nil {
			t.Error(err)
		}
	})
}

func TestBunWithoutATypeInTheTag(t *testing.T) {
	t.Parallel()
	type row struct {
		bun.BaseModel `bun:"table:people"`
		ID            oid.ID `bun:",pk"`
		Null          sql.Null[oid.ID]
		Ref           sqltype.Hex
	}
	forEachEngine(t, func(t *testing.T, db *sql.DB, d database) {
		_, err := bunOf(db, d).NewCreateTable().Model((*row)(nil)).Exec(t.Context())
		if d.engine() == "mysql" && err == nil {
			t.Errorf("bun knows a type for ids now: change docs/libraries.md")
		}
		if d.engine() != "postgres" {
			return
		}
		for column, want := range map[string]string{"id": "bytea", "null": "jsonb", "ref": "bytea"} {
			if got := queryOne[string](t, db, "select data_type from information_schema.columns where table_name = 'people' and column_name = $1", column); got != want {
				t.Errorf("column %s is %s, want %s: change docs/libraries.md", column, got, want)
			}
		}
	})
}

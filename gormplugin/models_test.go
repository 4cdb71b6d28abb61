package gormplugin_test

import (
	"bytes"
	"context"
	"database/sql"
	"log"
	"reflect"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/gormplugin"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/schema"
	"gorm.io/gorm/utils/tests"
)

// schemaOf returns the schema that db has for a model.
func schemaOf(t *testing.T, db *gorm.DB, model any) *schema.Schema {
	t.Helper()
	stmt := &gorm.Statement{DB: db}
	if err := stmt.Parse(model); err != nil {
		t.Fatal(err)
	}
	return stmt.Schema
}

// TestSettersOfPreparedModels sets the ID fields of a prepared model, which hold an ID
// before, to what GORM reads from rows and copies between structs.
func TestSettersOfPreparedModels(t *testing.T) {
	type prepared struct {
		ID     oid.ID
		Pet    *oid.ID
		Typed  *oid.For[pet]
		Text   sqltype.Hex
		Option sqltype.ZeroNull
		Maybe  sql.Null[oid.ID]
	}
	db := openNamed(t, "dummy", gormplugin.New(gormplugin.WithModels(&prepared{})))
	s := schemaOf(t, db, &prepared{})
	var nilID *oid.ID
	var nilAny any
	pointer := &b
	for _, tt := range []struct {
		field string
		value any
		want  any // the field's value, or nil for an error
	}{
		{"ID", b, b}, {"ID", &b, b}, {"ID", &pointer, b}, {"ID", nil, oid.ID{}}, {"ID", nilID, oid.ID{}}, {"ID", &nilID, oid.ID{}},
		{"ID", b[:], b}, {"ID", b.Hex(), b}, {"ID", "x", nil}, {"ID", b[:11], nil},
		{"Pet", b, &b}, {"Pet", &b, &b}, {"Pet", &pointer, &b}, {"Pet", nil, nilID}, {"Pet", nilID, nilID}, {"Pet", &nilID, nilID}, {"Pet", nilAny, nilID},
		{"Pet", b[:], &b},
		{"Typed", oid.For[pet](b), (*oid.For[pet])(&b)}, {"Typed", nil, (*oid.For[pet])(nil)},
		{"Text", sqltype.Hex(b), sqltype.Hex(b)}, {"Text", nil, sqltype.Hex{}}, {"Text", b.Hex(), sqltype.Hex(b)},
		{"Option", sqltype.ZeroNull(b), sqltype.ZeroNull(b)}, {"Option", nil, sqltype.ZeroNull{}}, {"Option", b[:], sqltype.ZeroNull(b)},
		{"Maybe", sql.Null[oid.ID]{V: b, Valid: true}, sql.Null[oid.ID]{V: b, Valid: true}}, {"Maybe", nil, sql.Null[oid.ID]{}},
	} {
		held := a
		row := prepared{a, &held, (*oid.For[pet])(&held), sqltype.Hex(a), sqltype.ZeroNull(a), sql.Null[oid.ID]{V: a, Valid: true}}
		field := s.LookUpField(tt.field)
		err := field.Set(context.Background(), reflect.ValueOf(&row), tt.value)
		got := reflect.ValueOf(row).FieldByName(tt.field).Interface()
		if tt.want == nil {
			if err == nil {
				t.Errorf("%s = %T: got %v, want an error", tt.field, tt.value, got)
			}
		} else if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s = %T %v: got %v, %v, want %v", tt.field, tt.value, tt.value, got, err, tt.want)
		}
	}
}

// TestSettersOfPreparedModelsAllocateNothing copies IDs into rows without boxing them.
func TestSettersOfPreparedModelsAllocateNothing(t *testing.T) {
	s := schemaOf(t, openNamed(t, "dummy", gormplugin.New(gormplugin.WithModels(&pet{}))), &pet{})
	row, id, typed := pet{}, b, oid.For[person](b)
	pointer := &id
	for field, value := range map[string]any{"ID": &id, "Typed": &typed, "OwnerID": &pointer} {
		field, dest := s.LookUpField(field), reflect.ValueOf(&row)
		got := testing.AllocsPerRun(100, func() {
			if err := field.Set(context.Background(), dest, value); err != nil {
				t.Fatal(err)
			}
		})
		if got != 0 {
			t.Errorf("%s = %T: %v allocations", field.Name, value, got)
		}
	}
	if row.ID != b || row.OwnerID != pointer || row.Typed != typed {
		t.Errorf("set %v", row)
	}
}

// TestPrepareReportsBadModels shows the errors of models that can't be prepared, and that
// fields which hold no IDs stay as they are.
func TestPrepareReportsBadModels(t *testing.T) {
	for name, tt := range map[string]struct {
		model any
		want  string
	}{
		"number":  {7, "gormplugin.WithModels(int): unsupported data type: 7"},
		"bad tag": {&badTag{}, "gormplugin.Model(badTag): ID: the tag is oid:always, want oid:auto or oid:-"},
	} {
		db, err := gorm.Open(named{name: "dummy"}, &gorm.Config{DryRun: true, Logger: logger.Discard})
		if err != nil {
			t.Fatal(err)
		}
		err = db.Use(gormplugin.New(gormplugin.WithModels(tt.model)))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
	setter := func(plugins ...gorm.Plugin) uintptr {
		return reflect.ValueOf(schemaOf(t, openNamed(t, "mysql", plugins...), &pet{}).LookUpField("Name").Set).Pointer()
	}
	if setter() != setter(gormplugin.New(gormplugin.WithModels(&pet{}))) {
		t.Error("the setter of a name isn't GORM's own")
	}
}

// TestPreparedColumns shows what WithModels does to the columns of a model, and to those
// of the models that it is related to.
func TestPreparedColumns(t *testing.T) {
	for _, tt := range []struct {
		dialect string
		typ     schema.DataType
	}{{"mysql", "binary(12)"}, {"sqlserver", "binary(12)"}, {"sqlite", schema.Bytes}, {"postgres", schema.Bytes}} {
		db := openNamed(t, tt.dialect, gormplugin.New(gormplugin.WithModels(&pet{})))
		for _, model := range []any{&pet{}, &person{}, &tag{}} {
			key := schemaOf(t, db, model).LookUpField("ID")
			if key.DataType != tt.typ || !key.NotNull {
				t.Errorf("%s: the key of %T is %s, NOT NULL %v", tt.dialect, model, key.DataType, key.NotNull)
			}
		}
		s := schemaOf(t, db, &pet{})
		if owner := s.LookUpField("OwnerID"); owner.DataType != tt.typ || owner.NotNull {
			t.Errorf("%s: OwnerID is %s, NOT NULL %v", tt.dialect, owner.DataType, owner.NotNull)
		}
		if text := s.LookUpField("Text"); text.DataType == "binary(12)" || text.NotNull {
			t.Errorf("%s: Text is %s, NOT NULL %v", tt.dialect, text.DataType, text.NotNull)
		}
		join := s.Relationships.Relations["Tags"].JoinTable
		if field := join.LookUpField("tag_id"); field.DataType != tt.typ {
			t.Errorf("%s: pet_tags.tag_id is %s", tt.dialect, field.DataType)
		}
	}
	type sized struct {
		ID    oid.ID `gorm:"size:12"`
		Blob  oid.ID `gorm:"type:blob"`
		Label sqltype.Hex
	}
	s := schemaOf(t, openNamed(t, "mysql", gormplugin.New(gormplugin.WithModels(&sized{}))), &sized{})
	if id, blob := s.LookUpField("ID"), s.LookUpField("Blob"); id.DataType != schema.Bytes || blob.DataType != "blob" {
		t.Errorf("columns with tags are %s and %s", id.DataType, blob.DataType)
	}
	if key := schemaOf(t, openNamed(t, "mysql", gormplugin.New(gormplugin.WithModels(&label{}))), &label{}).LookUpField("ID"); key.NotNull {
		t.Error("a key of text is NOT NULL")
	}
}

// TestMapsHoldIDs reads rows into maps. GORM has put there what a driver gives.
func TestMapsHoldIDs(t *testing.T) {
	db := openDry(t, gormplugin.New())
	read := func(rows any) *gorm.DB { return db.Model(&pet{}).Find(rows) }
	row := map[string]any{"option": nil, "id": a[:], "text": b.Hex(), "Option": b[:], "name": a.Hex(), "owner_id": b[:11], "typed": 7, "maybe": nil, "other": a[:]}
	want := map[string]any{"option": nil, "id": a, "text": b, "Option": b, "name": a.Hex(), "owner_id": b[:11], "typed": 7, "maybe": nil, "other": a[:]}
	if tx := read(&row); tx.Error != nil || !reflect.DeepEqual(row, want) {
		t.Errorf("read %v, %v\nwant %v", row, tx.Error, want)
	}
	rows := []map[string]any{{"id": a[:]}, {"id": b[:]}}
	if tx := read(&rows); tx.Error != nil || rows[0]["id"] != a || rows[1]["id"] != b {
		t.Errorf("read %v, %v", rows, tx.Error)
	}
	row = map[string]any{"code": a[:]}
	if tx := db.Model(&coded{}).Find(&row); tx.Error != nil || !reflect.DeepEqual(row["code"], a[:]) {
		t.Errorf("a type without methods: %v, %v", row, tx.Error)
	}
	row = map[string]any{"id": a[:]}
	if tx := db.Table("pets").Find(&row); tx.Error != nil || !reflect.DeepEqual(row["id"], a[:]) {
		t.Errorf("without a model: %v, %v", row, tx.Error)
	}
	row = map[string]any{"id": a[:]}
	if tx := db.Model(&pet{}).Where("id = ?", 7).Find(&row); tx.Error == nil || !reflect.DeepEqual(row["id"], a[:]) {
		t.Errorf("after an error: %v, %v", row, tx.Error)
	}
}

// A filtering logger changes the parameters before the one around it sees them.
type filtering struct{ logger.Interface }

func (filtering) ParamsFilter(_ context.Context, sql string, params ...any) (string, []any) {
	return sql + " filtered", append([]any{a}, params...)
}

// TestLoggedParameters shows which parameters are printed as SQL, for placeholders with and
// without numbers.
func TestLoggedParameters(t *testing.T) {
	var out bytes.Buffer
	plain := logger.New(log.New(&out, "", 0), logger.Config{LogLevel: logger.Info})
	var nilID *oid.ID
	failing := valuer{nil, sql.ErrNoRows}
	others := []any{valuer{a[:], nil}, nilID, a[:], "x?", 7, nil, sqltype.Hex(a), wide(a), failing, sqltype.ZeroNull{}}
	params := append([]any{a, &b, oid.For[pet](b), sqltype.ZeroNull(a)}, others...)
	given := append([]any{}, params...)
	filter := gormplugin.Logger(plain).(gorm.ParamsFilter)
	query, got := filter.ParamsFilter(context.Background(), "? <> ?, ?, ?"+strings.Repeat(", ?", len(others))+"; ?", params...)
	want := "x'" + a.Hex() + "' <> x'" + b.Hex() + "', x'" + b.Hex() + "', x'" + a.Hex() + "'" + strings.Repeat(", ?", len(others)) + "; ?"
	if query != want || !reflect.DeepEqual(got, others) {
		t.Errorf("%s with %v\nwant %s with %v", query, got, want, others)
	}
	query, got = filter.ParamsFilter(context.Background(), "$1, $2", a, "x")
	if query != "$1, $2" || !reflect.DeepEqual(got, []any{`\x` + a.Hex(), "x"}) {
		t.Errorf("%s with %v", query, got)
	}
	query, got = filter.ParamsFilter(context.Background(), "no placeholder", a)
	if query != "no placeholder" || !reflect.DeepEqual(got, []any{a}) {
		t.Errorf("%s with %v", query, got)
	}
	if !reflect.DeepEqual(params, given) {
		t.Error("the parameters of the statement were changed")
	}
	query, got = gormplugin.Logger(filtering{plain}).(gorm.ParamsFilter).ParamsFilter(context.Background(), "?", b)
	if query != "x'"+a.Hex()+"' filtered" || !reflect.DeepEqual(got, []any{b}) {
		t.Errorf("with a filter: %s with %v", query, got)
	}
	gormplugin.Logger(plain).LogMode(logger.Silent).Info(context.Background(), "not logged")
	gormplugin.Logger(plain).Info(context.Background(), "logged")
	if got := out.String(); strings.Contains(got, "not logged") || !strings.Contains(got, "logged") {
		t.Errorf("logged %q", got)
	}
	gormplugin.Logger(nil).LogMode(logger.Silent).Info(context.Background(), "logged by GORM's own")
}

// TestExplainQuotes shows the literals of IDs, and text that looks like one.
func TestExplainQuotes(t *testing.T) {
	for dialect, want := range map[string]string{
		"sqlite": `SELECT * FROM pets WHERE id = x'` + a.Hex() + `' AND text = "` + a.Hex() + `" AND name = "` + a.Hex() + `"`,
	} {
		db := openNamed(t, dialect)
		build := func(tx *gorm.DB) *gorm.DB {
			return tx.Where("id = ?", a).Where("text = ?", a).Where("name = ?", a.Hex()).Find(&[]pet{})
		}
		if got := strings.ReplaceAll(gormplugin.ToSQL(db, build), "`", ""); got != want {
			t.Errorf("%s: %s, want %s", dialect, got, want)
		}
		if got := gormplugin.ToSQL(openScript(t, dialect), build); !strings.HasPrefix(got, "SELECT") { // which is not sent
			t.Errorf("%s: %s", dialect, got)
		}
		pool := sql.OpenDB(&script{t: t})
		defer pool.Close()
		transactions, err := gorm.Open(named{name: dialect}, &gorm.Config{ConnPool: pool, DisableAutomaticPing: true, Logger: logger.Discard})
		if err != nil {
			t.Fatal(err)
		}
		if got := gormplugin.ToSQL(transactions, func(tx *gorm.DB) *gorm.DB { return tx.Delete(&pet{}, a) }); !strings.HasPrefix(got, "DELETE") {
			t.Errorf("%s: without a transaction: %q", dialect, got)
		}
		tx := build(db)
		gormplugin.ToSQL(tx, func(tx *gorm.DB) *gorm.DB { return tx })
		if tx.Statement.Vars[0] != a {
			t.Errorf("%s: ToSQL changed the statement: %v", dialect, tx.Statement.Vars)
		}
	}
}

type (
	// A keeper has a number as its key, because gorm.Model was forgotten in it.
	keeper struct {
		gorm.Model
		Animals []animal
	}
	animal struct {
		ID       oid.ID
		KeeperID oid.ID
	}
	// A guest of a hotel with a number as its key refers to it by a number.
	hotel struct {
		gorm.Model
		Guests []guest
	}
	guest struct {
		ID      oid.ID
		HotelID uint
	}
)

// TestIDsThatReferToNumbersAreErrors finds models that still embed gorm.Model.
func TestIDsThatReferToNumbersAreErrors(t *testing.T) {
	const want = "gormplugin.Model(keeper): Animals: animal.KeeperID is oid.ID, but refers to keeper.ID, which is uint: make that key an oid.ID, for example by embedding gormplugin.Model instead of gorm.Model: invalid field"
	db := openDry(t, gormplugin.New())
	fresh := must(gorm.Open(tests.DummyDialector{}, &gorm.Config{DryRun: true}))
	for name, err := range map[string]error{
		"Create":     db.Create(&keeper{}).Error,
		"Preload":    db.Preload("Animals").Find(&[]keeper{}).Error,
		"WithModels": fresh.Use(gormplugin.New(gormplugin.WithModels(&keeper{}))),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if err := db.Create(&hotel{}).Error; err != nil {
		t.Errorf("a number that refers to a number: %v", err)
	}
}

package pgxoid_test

import (
	"context"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxtest"
	"github.com/oidkit/oidkit/internal/servers/postgres"
	"github.com/oidkit/oidkit/oid"
	"github.com/oidkit/oidkit/sqltype"
	"github.com/oidkit/oidkit/sqltype/pgxoid"
)

func equals[T comparable](want T) func(any) bool {
	return func(got any) bool { return got.(T) == want }
}

func equalSlices[T comparable](want []T) func(any) bool {
	return func(got any) bool { return slices.Equal(got.([]T), want) }
}

// pgx's own helper runs select $1::type, all tests and modes on one connection.
func TestRoundTripsOfPgxtest(t *testing.T) {
	t.Parallel()
	dsn := postgres.Database(t)
	setUp, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer setUp.Close(context.Background())
	mustExec(t, setUp, sqltype.PostgresSchema())

	var values []pgxtest.ValueRoundTripTest
	for _, id := range []oid.ID{sample, printable, oid.New(), {0: 0x5c, 1: 'x'}, oid.MaxAt(sample.Timestamp()), {11: 1}} {
		values = append(values,
			pgxtest.ValueRoundTripTest{Param: id, Result: new(oid.ID), Test: equals(id)},
			pgxtest.ValueRoundTripTest{Param: &id, Result: new(oid.ID), Test: equals(id)},
			pgxtest.ValueRoundTripTest{Param: userID(id), Result: new(userID), Test: equals(userID(id))},
			pgxtest.ValueRoundTripTest{Param: embedded{id}, Result: new(embedded), Test: equals(embedded{id})},
			pgxtest.ValueRoundTripTest{Param: sqltype.ZeroNull(id), Result: new(sqltype.ZeroNull), Test: equals(sqltype.ZeroNull(id))},
		)
	}
	values = append(values,
		pgxtest.ValueRoundTripTest{Param: (*oid.ID)(nil), Result: new(*oid.ID), Test: equals[*oid.ID](nil)},
		pgxtest.ValueRoundTripTest{Param: sqltype.ZeroNull{}, Result: &sqltype.ZeroNull{1}, Test: equals(sqltype.ZeroNull{})},
	)
	zero := pgxtest.ValueRoundTripTest{Param: oid.ID{}, Result: &oid.ID{1}, Test: equals(oid.ID{})}

	hex := []pgxtest.ValueRoundTripTest{
		{Param: sqltype.Hex(sample), Result: new(sqltype.Hex), Test: equals(sqltype.Hex(sample))},
		{Param: sqltype.Hex(printable), Result: new(oid.ID), Test: equals(printable)},
		{Param: sqltype.Hex(sample), Result: new(string), Test: equals(sample.Hex())},
		{Param: (*sqltype.Hex)(nil), Result: new(*sqltype.Hex), Test: equals[*sqltype.Hex](nil)},
	}

	ids := make([]oid.ID, 1000)
	oid.Fill(ids)
	slicesOf := []pgxtest.ValueRoundTripTest{
		{Param: ids, Result: new([]oid.ID), Test: equalSlices(ids)},
		{Param: []oid.ID{}, Result: &[]oid.ID{sample}, Test: equalSlices([]oid.ID{})},
		{Param: []oid.ID(nil), Result: &[]oid.ID{sample}, Test: func(got any) bool { return got.([]oid.ID) == nil }},
		{Param: []*oid.ID{&sample, nil}, Result: new([]*oid.ID), Test: func(got any) bool {
			p := got.([]*oid.ID)
			return len(p) == 2 && *p[0] == sample && p[1] == nil
		}},
		{Param: [][]oid.ID{ids[:3], ids[3:6]}, Result: new([][]oid.ID), Test: func(got any) bool {
			return slices.EqualFunc(got.([][]oid.ID), [][]oid.ID{ids[:3], ids[3:6]}, slices.Equal)
		}},
		{Param: []userID{userID(sample)}, Result: new([]userID), Test: equalSlices([]userID{userID(sample)})},
		{Param: []sqltype.ZeroNull{{}, sqltype.ZeroNull(sample)}, Result: new([]sqltype.ZeroNull), Test: equalSlices([]sqltype.ZeroNull{{}, sqltype.ZeroNull(sample)})},
		{Param: sqltype.Array[oid.ID](ids), Result: new(sqltype.Array[oid.ID]), Test: func(got any) bool { return slices.Equal(got.(sqltype.Array[oid.ID]), ids) }},
	}

	for _, registration := range registrations {
		runner := pgxtest.DefaultConnTestRunner()
		runner.CreateConfig = func(context.Context, testing.TB) *pgx.ConnConfig { return setUp.Config() }
		runner.AfterConnect = func(ctx context.Context, t testing.TB, conn *pgx.Conn) {
			if err := registration.setUp(ctx, conn); err != nil {
				t.Fatal(err)
			}
			if registration.registered {
				pgxoid.RegisterFor[userID](conn.TypeMap())
			}
		}
		run := func(pgType string, modes []pgx.QueryExecMode, tests []pgxtest.ValueRoundTripTest) {
			t.Run(registration.name+"/"+pgType, func(t *testing.T) {
				pgxtest.RunValueRoundTripTests(t.Context(), t, runner, modes, pgType, tests)
			})
		}
		run("bytea", nil, append(values, zero))
		run("objectid", nil, values)
		for _, pgType := range []string{"text", "varchar", "char(24)"} {
			run(pgType, nil, hex)
			if registration.registered {
				run(pgType, pgxtest.KnownOIDQueryExecModes, append(values, zero))
			}
		}
		if registration.registered {
			run("bytea[]", nil, slicesOf)
			run("objectid[]", nil, slicesOf)
			run("text[]", pgxtest.KnownOIDQueryExecModes, slicesOf[:len(slicesOf)-1])
		}
	}
}

package pgxoid_test

import "github.com/jackc/pgx/v5"

// modes are all of pgx's ways to run a query. The first three ask the server for
// the types of the parameters.
var modes = []pgx.QueryExecMode{
	pgx.QueryExecModeCacheStatement,
	pgx.QueryExecModeCacheDescribe,
	pgx.QueryExecModeDescribeExec,
	pgx.QueryExecModeExec,
	pgx.QueryExecModeSimpleProtocol,
}

// knowsTypes reports whether mode asks the server for the types of parameters.
func knowsTypes(mode pgx.QueryExecMode) bool {
	return mode != pgx.QueryExecModeExec && mode != pgx.QueryExecModeSimpleProtocol
}

func ptr[T any](v T) *T { return &v }

package sqltype

// Args returns ids as a list of arguments, one argument per ID. Pass the result to a
// query builder's variadic IN, such as sb.In("id", sqltype.Args(ids)...), or to a query
// with one placeholder per ID. Don't pass IDs to functions that flatten lists by reflection,
// such as Flatten of go-sqlbuilder. They expand each ID, also in the result of Args, into 12
// numbers.
func Args[T ~[12]byte](ids []T) []any {
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	return args
}

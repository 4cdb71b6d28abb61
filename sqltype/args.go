package sqltype

// Args returns one argument per ID. It is for a query builder's variadic IN, such
// as sb.In("id", sqltype.Args(ids)...), and for rows of several parameters. Some
// builders flatten slices by reflection. They would expand an ID, which is an array,
// into 12 numbers.
func Args[T ~[12]byte](ids []T) []any {
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	return args
}

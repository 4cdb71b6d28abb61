package sqltype

// Args returns the IDs as arguments: one each. It is for a query builder's variadic
// IN, such as sb.In("id", sqltype.Args(ids)...), and for rows of several parameters.
// Builders that flatten slices by reflection take an ID, which is an array, for 12
// numbers.
func Args[T ~[12]byte](ids []T) []any {
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	return args
}

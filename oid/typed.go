package oid

// For is an ID of a T, for programs that want the compiler to keep the ids of
// their tables apart:
//
//	type User struct {
//		ID   UserID
//		Name string
//	}
//	type UserID = oid.For[User]
//
// It has every method of ID, and is stored and written as one. The methods take
// and return IDs: a.Compare(b.ID). From an ID it is made as UserID{ID: id}, where
// the program says what the id is of. T is a mark only: it is never used.
type For[T any] struct{ ID }

// NewFor returns the next id of the process, as [New] does.
func NewFor[T any]() For[T] { return For[T]{New()} }

// ParseFor returns the id that s stands for, as [Parse] does.
func ParseFor[T any](s string) (For[T], error) {
	id, err := parseText("oid.ParseFor", s)
	return For[T]{id}, err
}

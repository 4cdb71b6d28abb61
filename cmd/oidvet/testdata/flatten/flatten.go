// Package flatten passes IDs to libraries that take them apart.
package flatten

import (
	"errors"

	"github.com/huandu/go-sqlbuilder"
	"github.com/oidkit/oidkit/oid"
	"xorm.io/xorm"
)

type post struct {
	ID    oid.ID `xorm:"pk"`
	Title string
}

type numbered struct {
	ID    int64
	Title string
}

func builder(ids []oid.ID, typed []oid.For[post], id oid.ID, numbers []int, anys []any, pointers []*oid.ID, two [2]oid.ID) {
	if len(ids) == 0 {
		return
	}
	b := sqlbuilder.NewDeleteBuilder()
	b.Where(
		b.In("id", sqlbuilder.Flatten(ids)...),   // want `sqlbuilder.Flatten turns each ID into 12 numbers`
		b.In("id", sqlbuilder.Flatten(typed)...), // want `sqlbuilder.Flatten turns each ID`
		b.In("id", sqlbuilder.Flatten(id)...),    // want `sqlbuilder.Flatten turns each ID`
		b.In("id", sqlbuilder.List(ids)),         // want `sqlbuilder.List turns each ID`
		b.In("id", sqlbuilder.Flatten(two)...),   // want `sqlbuilder.Flatten turns each ID`
		b.In("id", sqlbuilder.Flatten(numbers)...),
		b.In("id", sqlbuilder.Flatten(pointers)...),
		b.In("id", anys...),
		b.In("id", id),
		b.Equal("id", id),
		b.In("id", own{}.Flatten(ids)...),
		b.In("id", own{}.List(ids)),
		b.Var(sqlbuilder.Tuple(ids)),
	)
}

func orm(e *xorm.Engine, s *xorm.Session, i xorm.Interface, id oid.ID, anys []any) error {
	e.Update(&post{Title: "x"}, &post{ID: id}) // want `xorm drops the ID of a condition that is a struct`
	s.Update(&post{Title: "x"}, post{ID: id})  // want `xorm drops the ID`
	i.Update(&post{Title: "x"}, &post{ID: id}) // want `xorm drops the ID`

	e.Where("id = ?", id).Update(&post{Title: "x"})
	e.Insert(&post{Title: "x"}, &post{ID: id})
	e.Update(&post{ID: id})
	e.Update(&post{Title: "x"}, anys...)
	own{}.Update(&post{Title: "x"}, &post{ID: id})
	e.Update(&numbered{Title: "x"}, &numbered{ID: 7})
	e.Update(&post{Title: "x"}, map[string]any{"id": id})
	e.Update(&post{Title: "x"}, &post{ID: id}) //oidvet:ignore flatten
	return errors.New(errors.New("x").Error())
}

// own has methods with the names that the libraries use.
type own struct{}

func (own) Flatten(ids []oid.ID) (values []any)    { return nil }
func (own) List(ids []oid.ID) any                  { return nil }
func (own) Update(bean any, conditions ...any) any { return nil }

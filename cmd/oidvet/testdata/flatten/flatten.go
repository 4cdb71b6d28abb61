// Package flatten passes IDs to libraries that take them apart.
package flatten

import (
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

func builder(ids []oid.ID, typed []oid.For[post], id oid.ID, numbers []int, anys []any, pointers []*oid.ID) {
	b := sqlbuilder.NewDeleteBuilder()
	b.Where(
		b.In("id", sqlbuilder.Flatten(ids)...),   // want `sqlbuilder.Flatten turns each ID into 12 numbers`
		b.In("id", sqlbuilder.Flatten(typed)...), // want `sqlbuilder.Flatten turns each ID`
		b.In("id", sqlbuilder.Flatten(id)...),    // want `sqlbuilder.Flatten turns each ID`
		b.In("id", sqlbuilder.List(ids)),         // want `sqlbuilder.List turns each ID`
		b.In("id", sqlbuilder.Flatten(numbers)...),
		b.In("id", sqlbuilder.Flatten(pointers)...),
		b.In("id", anys...),
		b.In("id", id),
		b.Equal("id", id),
	)
}

func orm(e *xorm.Engine, s *xorm.Session, i xorm.Interface, id oid.ID) {
	e.Update(&post{Title: "x"}, &post{ID: id}) // want `xorm drops the ID of a condition that is a struct`
	s.Update(&post{Title: "x"}, post{ID: id})  // want `xorm drops the ID`
	i.Update(&post{Title: "x"}, &post{ID: id}) // want `xorm drops the ID`

	e.Where("id = ?", id).Update(&post{Title: "x"})
	e.Update(&numbered{Title: "x"}, &numbered{ID: 7})
	e.Update(&post{Title: "x"}, map[string]any{"id": id})
	e.Update(&post{Title: "x"}, &post{ID: id}) //oidvet:ignore flatten
}

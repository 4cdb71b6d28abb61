package plan

import (
	"go/ast"
	"slices"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/find"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// anys reads an any by AnyID where the driver may have put its own type into it: in type
// assertions and switches, and in results. What AnyID returns holds an oid.ID.
func (f *file) anys() {
	reads, lists := find.Results(f.File)
	for _, x := range find.Asserted(f.File, f.isOld) {
		switch {
		case slices.Contains(reads, ast.Unparen(x)):
		case names.IsEmpty(f.TypeOf(x)):
			reads = append(reads, x)
		default:
			f.leave(x, "an interface with methods may hold the driver's ObjectID", "convert it to any, and read that with "+f.codecName()+".AnyID")
		}
	}
	prints := find.Prints(f.File)
	for _, x := range reads {
		if prints[x] == "" {
			f.wrap(x, f.codec("AnyID")+"(", ")")
		}
	}
	for _, list := range lists {
		f.leave(list, "the elements of this list hold the driver's ObjectID", "read them with "+f.codecName()+".AnyID")
	}
}

// unwrapAll removes AnyID, and conversions from one type to the other: both are one soon.
func (f *file) unwrapAll() {
	for c := range f.Cursors((*ast.CallExpr)(nil)) {
		call := c.Node().(*ast.CallExpr)
		if find.CallOf(f.File, call, f.program.Driver.Codec, "AnyID") != nil {
			f.unwrap(call, call.Args[0])
			continue
		}
		arg := find.Conversion(f.File, call)
		if arg == nil {
			continue
		}
		from, to := names.Deref(f.TypeOf(arg)), names.Deref(f.TypeOf(call))
		if f.isOld(from) && f.isNew(to) || f.isNew(from) && f.isOld(to) {
			f.unwrap(call, arg)
		}
	}
}

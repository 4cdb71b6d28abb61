// Package plan decides what a move changes. A plan is data: it can be printed and tested
// without a disk. Most of what differs between the two directions is here.
package plan

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/edit"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/find"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// A Plan has the new texts of files, by their names, and what a person must decide.
type Plan struct {
	Texts   map[string][]byte // of the files that change; gofmt may change them again
	Remarks []Remark
	Broken  int // errors of the compiler in packages that compiled before
}

// A Remark is about a place in the new text of a file.
type Remark struct {
	File, Text string
	At         int
}

// Make plans the move of a program to oid.ID, or back. The types are checked twice: in the
// program as it is, and with the names replaced, where values meet libraries that have the
// other type.
func Make(p *load.Program, back bool) (*Plan, error) {
	first := newSheet(p, back)
	first.replaceNames()
	texts, err := first.apply()
	if err != nil {
		return nil, err
	}
	second := newSheet(p.Check(texts), back)
	for _, f := range second.files {
		f.border()
		f.dropImports()
	}
	broken := second.leaveErrors(p)
	if texts, err = second.apply(); err != nil {
		return nil, err
	}
	maps.DeleteFunc(texts, func(name string, text []byte) bool { return slices.Equal(text, p.Texts[name]) })
	return &Plan{texts, append(second.moved(first.moved(first.remarks)), second.moved(second.remarks)...), broken}, nil
}

// A sheet is what the files of one program note in common.
type sheet struct {
	program   *load.Program
	back      bool
	isOld     func(types.Type) bool // whether a type is the one that the project leaves
	isNew     func(types.Type) bool // whether it is the one that the project moves to
	libraries map[string]bool       // packages for programs of other modules, by their paths
	files     []*file
	remarks   []Remark
	made      map[string][]edit.Edit // by apply
	solved    map[token.Pos]bool     // places of errors that the conversions end
}

func newSheet(p *load.Program, back bool) *sheet {
	s := &sheet{program: p, back: back, isOld: p.Driver.IsNative, isNew: names.IsOurs, libraries: find.Libraries(p), made: map[string][]edit.Edit{}, solved: map[token.Pos]bool{}}
	if back {
		s.isOld, s.isNew = s.isNew, s.isOld
	}
	for _, f := range p.Files {
		if !f.Generated && !f.Broken {
			s.files = append(s.files, &file{File: f, sheet: s, adds: map[string]string{}, needs: map[string]bool{}})
		}
	}
	return s
}

// apply returns the texts of the program after what its files have noted.
func (s *sheet) apply() (map[string][]byte, error) {
	texts := maps.Clone(s.program.Texts)
	for _, f := range s.files {
		f.importAdds()
		s.made[f.Name] = f.noted
		text, err := edit.Apply(f.Text, f.noted)
		if err != nil {
			return nil, fmt.Errorf("oidmove: %s: %w", f.Name, err)
		}
		texts[f.Name] = text
	}
	return texts, nil
}

// moved returns remarks about the texts after apply, of remarks about those before.
func (s *sheet) moved(remarks []Remark) (after []Remark) {
	for _, r := range remarks {
		r.At = edit.Place(s.made[r.File], r.At)
		after = append(after, r)
	}
	return after
}

// replaceNames notes what can be decided in the program as it is.
func (s *sheet) replaceNames() {
	for _, f := range s.files {
		f.take()
		if s.back {
			f.unwrapAll()
			f.backClients()
			f.backNames()
		} else {
			f.names()
			f.anys()
			f.clients()
		}
	}
	if !s.back {
		s.codecs()
		s.leaveUses()
	}
	s.leaveFiles()
}

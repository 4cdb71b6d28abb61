package plan

import (
	"go/types"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/edit"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/find"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/names"
)

// A sheet is what the files of one program note in common.
type sheet struct {
	program   *load.Program
	back      bool
	libraries map[string]bool // packages for programs of other modules, by their paths
	files     []*file
	remarks   []Remark
}

// A Remark is about a place in a file.
type Remark struct {
	File    string
	At      int
	Why, Do string
}

func newSheet(p *load.Program, back bool) *sheet {
	s := &sheet{program: p, back: back, libraries: find.Libraries(p)}
	for _, f := range p.Files {
		if !f.Generated && !f.Broken {
			s.files = append(s.files, &file{File: f, sheet: s})
		}
	}
	return s
}

// edits returns the edits of all files.
func (s *sheet) edits() map[string][]edit.Edit {
	all := map[string][]edit.Edit{}
	for _, f := range s.files {
		if edits := f.edits(); len(edits) > 0 {
			all[f.Name] = edits
		}
	}
	return all
}

// isOld reports whether t is the type that the project leaves, and isNew whether it is the
// one that the project moves to.
func (s *sheet) isOld(t types.Type) bool {
	if s.back {
		return names.IsOurs(t)
	}
	return s.program.Driver.IsNative(t)
}

func (s *sheet) isNew(t types.Type) bool {
	if s.back {
		return s.program.Driver.IsNative(t)
	}
	return names.IsOurs(t)
}

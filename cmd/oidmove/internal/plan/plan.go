// Package plan decides what a move changes. A plan is data: it can be printed and tested
// without a disk. This is the only package that knows the two directions of a move.
package plan

import (
	"fmt"
	"maps"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/edit"
	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
)

// A Plan has the edits of files, by their names, and what a person must decide. All
// places are in the files as they were read.
type Plan struct {
	Edits   map[string][]edit.Edit
	Remarks []Remark
}

// Make plans the move of a program to oid.ID, or back. The types are checked twice: in the
// program as it is, and with the names replaced, where values meet libraries that have the
// other type.
func Make(p *load.Program, back bool) (*Plan, error) {
	first := newSheet(p, back)
	first.replaceNames()
	before := first.edits()
	renamed, err := apply(p.Texts, before)
	if err != nil {
		return nil, err
	}
	second := newSheet(p.Check(renamed), back)
	second.convert()
	second.dropImports(before)
	after := second.edits()
	plan := &Plan{Edits: map[string][]edit.Edit{}, Remarks: first.remarks}
	for name, text := range p.Texts {
		all, err := edit.Compose(len(text), before[name], after[name])
		if err != nil {
			return nil, fmt.Errorf("oidmove: %s: %w", name, err)
		}
		if len(all) > 0 {
			plan.Edits[name] = all
		}
	}
	return plan, nil
}

// apply returns the texts after the edits.
func apply(texts map[string][]byte, edits map[string][]edit.Edit) (map[string][]byte, error) {
	texts = maps.Clone(texts)
	for name, edits := range edits {
		text, err := edit.Apply(texts[name], edits)
		if err != nil {
			return nil, fmt.Errorf("oidmove: %s: %w", name, err)
		}
		texts[name] = text
	}
	return texts, nil
}

// replaceNames notes what can be decided in the program as it is.
func (s *sheet) replaceNames() {
	for _, f := range s.files {
		if s.back {
			f.unwrapAll()
			f.backAnys()
			f.backResults()
			f.backClients()
			f.backTimes()
			f.backNames()
		} else {
			f.names()
			f.anys()
			f.clients()
			f.results()
		}
		f.mockedTypes()
	}
	if !s.back {
		s.codecs()
	}
	s.leaveAll()
}

// dropImports notes the imports that are not used now, in the files that change.
func (s *sheet) dropImports(before map[string][]edit.Edit) {
	for _, f := range s.files {
		if s.back || len(before[f.Name]) > 0 || len(f.noted) > 0 {
			f.dropImports(s.back)
		}
	}
}

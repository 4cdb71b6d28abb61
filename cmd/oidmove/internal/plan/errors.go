package plan

import "github.com/oidkit/oidkit/cmd/oidmove/internal/load"

// leaveErrors lists the errors that the compiler finds after a move, in packages that have
// more of them than before. It returns how many there are in packages that had none.
func (s *sheet) leaveErrors(before *load.Program) (broken int) {
	known, had := map[string]bool{}, map[string]int{} // by the path of the package
	for _, f := range before.Files {
		for _, e := range f.Errors() {
			known[f.Name+e.Msg] = true
			had[f.Pkg.Path]++
		}
	}
	has, left := map[string]int{}, map[string][]Remark{}
	for _, f := range s.program.Files {
		for _, e := range f.Errors() {
			path := f.Pkg.Path
			if s.solved[e.Pos] {
				continue
			}
			has[path]++
			if !known[f.Name+e.Msg] {
				left[path] = append(left[path], Remark{f.Name, e.Msg + ": fix it by hand", s.program.Offset(e.Pos)})
			}
		}
	}
	for path, remarks := range left {
		if has[path] > had[path] {
			s.remarks = append(s.remarks, remarks...)
		}
		if had[path] == 0 {
			broken += len(remarks)
		}
	}
	return broken
}

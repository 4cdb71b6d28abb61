package main

import (
	"fmt"
	"strings"
)

// code returns the text of the file with all mutants that keep names, each behind
// a question to the function mutant__, which support holds.
func (s *source) code(keep func(*mutant) bool) string {
	code := s.render(s.clause, len(s.text), s.points, keep)
	var b strings.Builder
	b.Write(s.text[:s.clause])
	for name, path := range s.imports {
		if strings.Contains(code, name+".") {
			fmt.Fprintf(&b, "; import %s %q", name, path)
		}
	}
	b.WriteString(code)
	return b.String()
}

// render returns the range [lo, hi) of the text, which the points lie in.
func (s *source) render(lo, hi int, points []*point, keep func(*mutant) bool) string {
	var b strings.Builder
	for len(points) > 0 {
		p, n := points[0], 1
		for n < len(points) && points[n].start < p.end {
			n++
		}
		b.Write(s.text[lo:p.start])
		b.WriteString(p.wrap(s.render(p.start, p.end, points[1:n], keep), keep))
		lo, points = p.end, points[n:]
	}
	b.Write(s.text[lo:hi])
	return b.String()
}

// wrap returns the code of the point with its mutants. Each begins a line, because the
// compiler doesn't name the columns of very long lines.
func (p *point) wrap(code string, keep func(*mutant) bool) string {
	if p.form == end {
		return ";panic(\"unreachable\")\n"
	}
	var b strings.Builder
	var none []string
	for _, m := range p.mutants {
		if !keep(m) {
			continue
		}
		switch p.form {
		case condition:
			fmt.Fprintf(&b, "\nmutant__(%d) && (%s) || ", m.id, m.code)
			none = append(none, fmt.Sprintf("mutant__(%d)", m.id))
		case value:
			fmt.Fprintf(&b, "\nif mutant__(%d) { return %s }; ", m.id, m.code)
		case statement:
			fmt.Fprintf(&b, "\nif mutant__(%d) { %s } else ", m.id, m.code)
		}
	}
	if b.Len() == 0 {
		return code
	}
	switch p.form {
	case condition:
		return "(" + b.String() + "!(" + strings.Join(none, " || ") + ") && (" + code + "))"
	case value:
		return "(\nfunc() " + p.typ + " { " + b.String() + "return " + code + " }())"
	}
	return b.String() + "{ " + code + " }"
}

// support is a file of the instrumented package. It reads the number of the mutant
// that shall live from the environment. In OIDKIT_MUTANT_REACH it can get a file:
// byte n of that becomes 1 when the program comes to mutant n.
const support = `package %s

import (
	mutantOS__ "os"
	mutantStrconv__ "strconv"
	mutantAtomic__ "sync/atomic"
)

var (
	mutantID__, _ = mutantStrconv__.Atoi(mutantOS__.Getenv("OIDKIT_MUTANT"))
	mutantFile__  = func() *mutantOS__.File {
		name := mutantOS__.Getenv("OIDKIT_MUTANT_REACH")
		if name == "" {
			return nil
		}
		file, err := mutantOS__.OpenFile(name, mutantOS__.O_WRONLY, 0)
		if err != nil {
			panic(err)
		}
		return file
	}()
	mutantSeen__ [%d]mutantAtomic__.Bool
)

func mutant__(n int) bool {
	if n == mutantID__ {
		return true
	}
	if mutantFile__ != nil {
		mutantReach__(n)
	}
	return false
}

func mutantReach__(n int) {
	if !mutantSeen__[n].Swap(true) {
		mutantFile__.WriteAt([]byte{1}, int64(n))
	}
}
`

// supportOne is that file for a package with one living mutant. The compiler
// removes the question.
const supportOne = `package %s

func mutant__(int) bool { return true }
`

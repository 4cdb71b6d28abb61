package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A mutant is one small change of a function.
type mutant struct {
	id       int    // its number in the instrumented package, from 1
	file     string // below the root of the repository, with slashes
	line     int
	function string // such as Parse or ID.Scan
	before   string // the changed lines of the source, as one
	after    string
	code     string // what stands in place of the point's code
}

func (m *mutant) String() string {
	return fmt.Sprintf("%s:%d: %s", m.file, m.line, m.change())
}

func (m *mutant) change() string { return m.before + " → " + m.after }

// A form is how a point of the source takes its mutants.
type form int

const (
	condition form = iota // an expression of type bool
	value                 // an expression of another type
	statement             // a statement of a block
	end                   // the end of a function that returns something
)

// A point is a piece of the source that has mutants.
type point struct {
	start, end int // offsets in the file
	form       form
	typ        string // of a value
	mutants    []*mutant
}

// A source is a file with the points that it has mutants at.
type source struct {
	path   string // of the file system
	name   string // below the root of the repository, with slashes
	text   []byte
	clause int // the end of the package clause
	points []*point

	// Packages that the file doesn't import, by the names that mutants call them.
	imports map[string]string
}

// swaps are the operators that stand in for another one.
var swaps = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL}, token.REM: {token.MUL},
	token.AND: {token.OR}, token.OR: {token.AND}, token.XOR: {token.AND}, token.AND_NOT: {token.AND},
	token.SHL: {token.SHR}, token.SHR: {token.SHL},
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN}, token.MUL_ASSIGN: {token.QUO_ASSIGN},
	token.QUO_ASSIGN: {token.MUL_ASSIGN}, token.REM_ASSIGN: {token.MUL_ASSIGN}, token.AND_ASSIGN: {token.OR_ASSIGN},
	token.OR_ASSIGN: {token.AND_ASSIGN}, token.XOR_ASSIGN: {token.AND_ASSIGN}, token.AND_NOT_ASSIGN: {token.AND_ASSIGN},
	token.SHL_ASSIGN: {token.SHR_ASSIGN}, token.SHR_ASSIGN: {token.SHL_ASSIGN},
	token.INC: {token.DEC}, token.DEC: {token.INC},
}

// A collector finds the mutants of one file.
type collector struct {
	source
	fset     *token.FileSet
	pkg      *types.Package
	info     *types.Info
	file     *ast.File
	stack    []ast.Node // the nodes around the current one, the outermost first
	function string
	byRange  map[string]*point
	seen     map[string]int // how often a change stands in its function
}

// collect returns the files of a package with their mutants. The name of a file
// begins with folder.
func collect(pkg *packages.Package, folder string, read func(string) ([]byte, error)) ([]*source, error) {
	var all []*source
	for i, file := range pkg.Syntax {
		path := pkg.CompiledGoFiles[i]
		text, err := read(path)
		if err != nil {
			return nil, err
		}
		c := &collector{
			source: source{path: path, name: folder + path[strings.LastIndexAny(path, `/\`):], text: text, imports: map[string]string{}},
			fset:   pkg.Fset, pkg: pkg.Types, info: pkg.TypesInfo, file: file, byRange: map[string]*point{}, seen: map[string]int{},
		}
		c.name = strings.ReplaceAll(c.name, `\`, "/")
		c.clause = c.offset(file.Name.End())
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
				c.function = name(f)
				c.visit(f)
			}
		}
		slices.SortStableFunc(c.points, func(a, b *point) int {
			if a.start != b.start {
				return a.start - b.start
			}
			if a.end != b.end {
				return b.end - a.end
			}
			return int(b.form) - int(a.form)
		})
		all = append(all, &c.source)
	}
	n := 0
	for _, s := range all {
		for _, p := range s.points {
			for _, m := range p.mutants {
				n++
				m.id = n
			}
		}
	}
	return all, nil
}

// name returns the name of a function, with the type of a method before it.
func name(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	typ := f.Recv.List[0].Type
	for {
		switch t := typ.(type) {
		case *ast.StarExpr:
			typ = t.X
		case *ast.IndexExpr:
			typ = t.X
		case *ast.IndexListExpr:
			typ = t.X
		case *ast.Ident:
			return t.Name + "." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
}

func (c *collector) visit(root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			c.stack = c.stack[:len(c.stack)-1]
			return true
		}
		if !c.node(n) {
			return false
		}
		c.stack = append(c.stack, n)
		return true
	})
}

// parent returns the innermost node around the current one that isn't a
// parenthesis.
func (c *collector) parent() ast.Node {
	for i := len(c.stack) - 1; i >= 0; i-- {
		if _, ok := c.stack[i].(*ast.ParenExpr); !ok {
			return c.stack[i]
		}
	}
	return nil
}

// node adds the mutants of n, and reports whether to look into n.
func (c *collector) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case *ast.FuncType, *ast.FieldList:
		return false
	case *ast.FuncDecl:
		c.end(n.Type, n.Body)
	case *ast.FuncLit:
		c.end(n.Type, n.Body)
	case ast.Stmt:
		c.stmt(n)
	case ast.Expr:
		return c.expr(n)
	}
	return true
}

// end lets a function end with a panic: the compiler can't know that the statement
// before it, which now has mutants, never ends.
func (c *collector) end(typ *ast.FuncType, body *ast.BlockStmt) {
	if typ.Results == nil || len(body.List) == 0 {
		return
	}
	if _, ok := body.List[len(body.List)-1].(*ast.ReturnStmt); !ok {
		at := c.offset(body.Rbrace)
		c.points = append(c.points, &point{start: at, end: at, form: end})
	}
}

func (c *collector) stmt(n ast.Stmt) {
	if ret, ok := n.(*ast.ReturnStmt); ok && len(ret.Results) > 0 {
		c.results(ret)
		return
	}
	switch c.stack[len(c.stack)-1].(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
	default:
		return
	}
	if comm, ok := c.stack[len(c.stack)-1].(*ast.CommClause); ok && comm.Comm == n {
		return
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE || !slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return !isBlank(e) }) {
			return
		}
		for _, op := range swaps[n.Tok] {
			if !isString(c.info.TypeOf(n.Lhs[0])) {
				c.add(n, statement, "", c.text(n.Lhs[0])+" "+op.String()+" "+c.text(n.Rhs[0]))
			}
		}
	case *ast.IncDecStmt:
		c.add(n, statement, "", c.text(n.X)+swaps[n.Tok][0].String())
	case *ast.BranchStmt:
		if n.Tok != token.BREAK && n.Tok != token.CONTINUE {
			return
		}
	case *ast.ExprStmt, *ast.DeferStmt, *ast.GoStmt, *ast.SendStmt, *ast.ReturnStmt:
	default:
		return
	}
	c.add(n, statement, "", "")
}

// results adds the mutants that return zero values.
func (c *collector) results(ret *ast.ReturnStmt) {
	results := c.signature().Results()
	if len(ret.Results) != results.Len() {
		var zeros []string
		for i := range results.Len() {
			zeros = append(zeros, c.zero(results.At(i).Type()))
		}
		c.add(ret, statement, "", "return "+strings.Join(zeros, ", "))
		return
	}
	for i, e := range ret.Results {
		tv := c.info.Types[e]
		typ := results.At(i).Type()
		if tv.IsNil() || isBool(typ) {
			continue
		}
		if tv.Value != nil && (tv.Value.Kind() == constant.String && constant.StringVal(tv.Value) == "" || tv.Value.Kind() != constant.String && constant.Sign(tv.Value) == 0) {
			continue
		}
		if lit, ok := e.(*ast.CompositeLit); ok && len(lit.Elts) == 0 {
			continue
		}
		c.add(e, value, c.typeName(typ), c.zero(typ))
	}
}

// signature returns the type of the innermost function.
func (c *collector) signature() *types.Signature {
	for _, n := range slices.Backward(c.stack) {
		switch f := n.(type) {
		case *ast.FuncLit:
			return c.info.TypeOf(f).(*types.Signature)
		case *ast.FuncDecl:
			return c.info.Defs[f.Name].Type().(*types.Signature)
		}
	}
	panic("no function around a statement")
}

// zero returns the zero value of a type in Go.
func (c *collector) zero(typ types.Type) string {
	switch t := typ.Underlying().(type) {
	case *types.Basic:
		if _, ok := typ.(*types.TypeParam); !ok {
			switch {
			case t.Info()&types.IsBoolean != 0:
				return "false"
			case t.Info()&types.IsString != 0:
				return `""`
			case t.Info()&types.IsNumeric != 0:
				return "0"
			}
		}
	case *types.Interface:
		if _, ok := typ.(*types.TypeParam); !ok {
			return "nil"
		}
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature:
		return "nil"
	}
	return "*new(" + c.typeName(typ) + ")"
}

// typeName returns a type in Go, as the file calls it.
func (c *collector) typeName(typ types.Type) string {
	return types.TypeString(typ, func(p *types.Package) string {
		if p == c.pkg {
			return ""
		}
		for _, spec := range c.file.Imports {
			if strings.Trim(spec.Path.Value, "\"`") == p.Path() {
				if spec.Name != nil {
					return spec.Name.Name
				}
				return p.Name()
			}
		}
		if path := "/" + p.Path() + "/"; strings.Contains(path, "/internal/") || strings.Contains(path, "/vendor/") {
			return p.Name() // perhaps not for this package: doesn't compile, and doesn't count
		}
		name := fmt.Sprintf("%s%d__", p.Name(), len(c.imports))
		for known, path := range c.imports {
			if path == p.Path() {
				name = known
			}
		}
		c.imports[name] = p.Path()
		return name
	})
}

// expr adds the mutants of an expression, and reports whether to look into it.
func (c *collector) expr(n ast.Expr) bool {
	tv, ok := c.info.Types[n]
	if ok && tv.IsType() {
		return false
	}
	if c.isKey(n) || c.isCapacity(n) {
		return false
	}
	if _, ok := n.(*ast.ParenExpr); ok {
		return true
	}
	if ok && tv.Value != nil {
		c.constant(n, tv)
		return false
	}
	typ := c.info.TypeOf(n)
	if isBool(typ) {
		c.forced(n)
	}
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if isString(c.info.TypeOf(n.X)) && n.Op == token.ADD {
			break
		}
		for _, op := range swaps[n.Op] {
			if isBool(typ) {
				c.add(n, condition, c.boolName(typ), c.operand(n.X)+" "+op.String()+" "+c.operand(n.Y))
			} else {
				c.add(n, value, c.typeName(types.Default(typ)), c.operand(n.X)+" "+op.String()+" "+c.operand(n.Y))
			}
		}
	case *ast.UnaryExpr:
		switch n.Op {
		case token.NOT:
			c.add(n, condition, c.boolName(typ), c.text(n.X))
		case token.SUB, token.XOR:
			c.add(n, value, c.typeName(types.Default(typ)), c.text(n.X))
		}
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.Ident); ok && c.isBuiltin(f) && (f.Name == "min" || f.Name == "max") {
			other := map[string]string{"min": "max", "max": "min"}[f.Name]
			c.add(n, value, c.typeName(typ), other+c.text(n)[len(f.Name):])
		}
	}
	return true
}

// isKey reports whether n is the key of a composite literal.
func (c *collector) isKey(n ast.Expr) bool {
	kv, ok := c.stack[len(c.stack)-1].(*ast.KeyValueExpr)
	return ok && kv.Key == n
}

func (c *collector) isBuiltin(f *ast.Ident) bool {
	_, ok := c.info.Uses[f].(*types.Builtin)
	return ok
}

// forced adds the mutants in which a condition always holds, or never. An operand
// of && or || gets only the one that drops it.
func (c *collector) forced(n ast.Expr) {
	var always, never bool
	switch parent := c.parent().(type) {
	case *ast.IfStmt, *ast.ReturnStmt:
		always, never = true, true
	case *ast.ForStmt:
		never = true
	case *ast.CaseClause:
		if s, ok := c.stack[len(c.stack)-3].(*ast.SwitchStmt); ok && s.Tag == nil {
			always, never = true, true
		}
	case *ast.BinaryExpr:
		always, never = parent.Op == token.LAND, parent.Op == token.LOR
	}
	if always {
		c.add(n, condition, c.boolName(c.info.TypeOf(n)), "true")
	}
	if never {
		c.add(n, condition, c.boolName(c.info.TypeOf(n)), "false")
	}
}

// constant adds the mutants of a constant: one more, one less, the other bool.
func (c *collector) constant(n ast.Expr, tv types.TypeAndValue) {
	basic, ok := types.Default(tv.Type).Underlying().(*types.Basic)
	if !ok {
		return
	}
	if tv.Value.Kind() == constant.Bool {
		if _, ok := c.parent().(*ast.ForStmt); !ok {
			c.add(n, condition, c.boolName(tv.Type), map[bool]string{true: "false", false: "true"}[constant.BoolVal(tv.Value)])
		}
		return
	}
	if basic.Info()&types.IsInteger == 0 || tv.Value.Kind() != constant.Int {
		return
	}
	typ := types.Default(tv.Type)
	for _, d := range []int64{1, -1} {
		other := constant.BinaryOp(tv.Value, token.ADD, constant.MakeInt64(d))
		if !representable(other, basic) {
			continue
		}
		code := other.ExactString()
		if lit, ok := n.(*ast.BasicLit); !ok || lit.Kind == token.CHAR || strings.HasPrefix(lit.Value, "0x") {
			code = c.operand(n) + map[int64]string{1: " + 1", -1: " - 1"}[d]
		}
		c.add(n, value, c.typeName(typ), code)
	}
}

// isCapacity reports whether n only says how much memory to get at once.
func (c *collector) isCapacity(n ast.Expr) bool {
	call, ok := c.parent().(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := call.Fun.(*ast.Ident)
	if !ok || f.Name != "make" || !c.isBuiltin(f) {
		return false
	}
	i := slices.Index(call.Args, n)
	_, isMap := c.info.TypeOf(call).Underlying().(*types.Map)
	return i == 2 || i == 1 && isMap
}

func representable(v constant.Value, basic *types.Basic) bool {
	bits := map[types.BasicKind]int{
		types.Int8: 7, types.Int16: 15, types.Int32: 31, types.Int64: 63, types.Int: 63,
		types.Uint8: 8, types.Uint16: 16, types.Uint32: 32, types.Uint64: 64, types.Uint: 64, types.Uintptr: 64,
	}[basic.Kind()]
	if basic.Info()&types.IsUnsigned != 0 {
		return constant.Sign(v) >= 0 && constant.BitLen(v) <= bits
	}
	return constant.BitLen(v) <= bits
}

// add adds a mutant of n: code in place of it.
func (c *collector) add(n ast.Node, f form, typ, code string) {
	start, stop := c.offset(n.Pos()), c.offset(n.End())
	if f != statement && strings.Contains(string(c.code(start, stop)), "recover()") {
		return // it works only in the deferred function itself
	}
	if f == condition && typ != "" {
		f = value
	}
	if f == value && c.hidden(n, typ) {
		return
	}
	key := fmt.Sprint(start, stop, f == statement)
	p := c.byRange[key]
	if p == nil {
		p = &point{start: start, end: stop, form: f, typ: typ}
		c.byRange[key] = p
		c.points = append(c.points, p)
	}
	if f == value && typ != "" && p.form == value {
		if _, ok := c.parent().(*ast.ReturnStmt); ok {
			p.typ = c.resultType(n, p.typ)
		}
	}
	m := &mutant{file: c.name, line: c.fset.Position(n.Pos()).Line, function: c.function, code: code}
	from, to := c.lines(start, stop)
	m.before = oneLine(string(c.code(from, to)))
	shown := code
	if f == statement && code == "" {
		shown = "–"
	}
	m.after = oneLine(string(c.code(from, start)) + shown + string(c.code(stop, to)))
	key = c.function + "\n" + m.change()
	c.seen[key]++
	if c.seen[key] > 1 {
		m.after += fmt.Sprintf(" #%d", c.seen[key])
	}
	p.mutants = append(p.mutants, m)
}

// hidden reports whether the name of a type means something else at n, such as a local
// variable. The code can't name the type there.
func (c *collector) hidden(n ast.Node, typ string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(typ, "*[]"), ".")
	_, obj := c.pkg.Scope().Innermost(n.Pos()).LookupParent(name, n.Pos())
	switch obj.(type) {
	case nil, *types.TypeName, *types.PkgName:
		return false
	}
	return true
}

// resultType returns the type as which n is returned, or typ if n isn't a result.
func (c *collector) resultType(n ast.Node, typ string) string {
	ret := c.parent().(*ast.ReturnStmt)
	results := c.signature().Results()
	for i, e := range ret.Results {
		if e == n && len(ret.Results) == results.Len() {
			return c.typeName(results.At(i).Type())
		}
	}
	return typ
}

// lines returns the range of the source's code that is on the lines of [start, stop).
func (c *collector) lines(start, stop int) (from, to int) {
	for from = start; from > 0 && c.source.text[from-1] != '\n'; from-- {
	}
	for to = stop; to < len(c.source.text) && c.source.text[to] != '\n'; to++ {
	}
	for _, group := range c.file.Comments {
		if at := c.offset(group.Pos()); at >= stop && at < to {
			to = at
		}
	}
	return from, to
}

// oneLine returns code as one line of at most 200 letters.
func oneLine(code string) string {
	var kept []string
	for line := range strings.Lines(code) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "//") {
			kept = append(kept, line)
		}
	}
	code = strings.Join(strings.Fields(strings.Join(kept, " ")), " ")
	if letters := []rune(code); len(letters) > 200 {
		code = string(letters[:120]) + " … " + string(letters[len(letters)-75:])
	}
	return code
}

func (c *collector) offset(pos token.Pos) int { return c.fset.Position(pos).Offset }
func (c *collector) text(n ast.Node) string {
	return string(c.code(c.offset(n.Pos()), c.offset(n.End())))
}
func (c *collector) code(start, stop int) []byte { return c.source.text[start:stop] }
func isBlank(e ast.Expr) bool                    { id, ok := e.(*ast.Ident); return ok && id.Name == "_" }
func isString(t types.Type) bool                 { return hasInfo(t, types.IsString) }
func isBool(t types.Type) bool                   { return hasInfo(t, types.IsBoolean) }
func hasInfo(t types.Type, info types.BasicInfo) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&info != 0
}

// boolName returns the name of a type that isn't bool itself.
func (c *collector) boolName(t types.Type) string {
	if _, ok := types.Unalias(t).(*types.Basic); ok {
		return ""
	}
	return c.typeName(t)
}

// operand returns an operand in Go, in parentheses if it needs them.
func (c *collector) operand(e ast.Expr) string {
	if _, ok := e.(*ast.BinaryExpr); ok {
		return "(" + c.text(e) + ")"
	}
	return c.text(e)
}

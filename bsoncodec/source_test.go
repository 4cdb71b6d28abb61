package bsoncodec_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// These files may use these functions of package reflect. The first two look only at
// exported fields of the caller's documents, and the third at lists of the caller.
var allowed = map[string][]string{
	"assign.go":  {"Field"},
	"marshal.go": {"Field"},
	"shape.go":   {"Field"},
	"value.go":   {"NewAt", "SliceAt", "UnsafePointer"},
}

// The packages read no private field of a driver: they import no package unsafe, and use
// no function of package reflect that reads fields or memory but in the files above.
func TestNoPrivateFieldIsRead(t *testing.T) {
	names := []string{"Field", "FieldByIndex", "FieldByIndexErr", "FieldByName", "FieldByNameFunc", "NewAt", "SliceAt", "UnsafeAddr", "UnsafePointer"}
	n := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		n++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			if spec.Path.Value == `"unsafe"` {
				t.Errorf("%s imports unsafe", path)
			}
		}
		ast.Inspect(file, func(node ast.Node) bool {
			if sel, ok := node.(*ast.SelectorExpr); ok && slices.Contains(names, sel.Sel.Name) && !slices.Contains(allowed[filepath.Base(path)], sel.Sel.Name) {
				t.Errorf("%s: %s may read a private field", set.Position(sel.Pos()), sel.Sel.Name)
			}
			return true
		})
		return nil
	})
	if err != nil || n < 10 {
		t.Errorf("%d files, %v", n, err)
	}
}

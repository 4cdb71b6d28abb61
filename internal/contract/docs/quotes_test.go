package docs_test

import (
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oidkit/oidkit/internal/contract/tree"
)

// TestReadmeQuotesThePackageComment holds the README's promises to those that the package
// comment of oid makes.
func TestReadmeQuotesThePackageComment(t *testing.T) {
	root := tree.Root(t)
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	promises := listsOfPackage(t, filepath.Join(root, "oid", "oid.go"))
	for _, tt := range []struct{ readme, comment string }{{"Guaranteed", "Guarantees"}, {"Not guaranteed", "Not guaranteed"}} {
		want := promises[tt.comment]
		if len(want) < 4 {
			t.Fatalf("the package comment has only %d items under %q", len(want), tt.comment)
		}
		_, section, _ := strings.Cut(string(readme), "\n## "+tt.readme+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		section, _, _ = strings.Cut(section, "\n\n[") // the links behind the list
		var got []string
		for _, item := range strings.Split("\n"+strings.TrimSpace(section), "\n- ")[1:] {
			got = append(got, strings.Join(strings.Fields(item), " "))
		}
		if !slices.Equal(got, want) {
			t.Errorf("README.md, %s:\n%s\nwant, as in oid/oid.go:\n%s", tt.readme, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// listsOfPackage returns the items of the lists in the package comment of file, by the heading
// above them. Links to names of the package are written as in Markdown.
func listsOfPackage(t *testing.T, file string) map[string][]string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	text := parsed.Doc.Text()
	lists := map[string][]string{}
	heading := ""
	parse := comment.Parser{LookupSym: func(_, name string) bool { return ast.IsExported(name) }}
	for _, block := range parse.Parse(text).Content {
		switch block := block.(type) {
		case *comment.Heading:
			heading = plain(parsed.Name.Name, block.Text)
		case *comment.List:
			for _, item := range block.Items {
				for _, paragraph := range item.Content {
					lists[heading] = append(lists[heading], plain(parsed.Name.Name, paragraph.(*comment.Paragraph).Text))
				}
			}
		}
	}
	return lists
}

func plain(pkg string, text []comment.Text) string {
	var b strings.Builder
	for _, part := range text {
		switch part := part.(type) {
		case comment.Plain:
			b.WriteString(string(part))
		case *comment.DocLink:
			b.WriteString("`" + pkg + "." + part.Name + "`")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

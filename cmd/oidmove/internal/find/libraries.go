package find

import (
	"strings"

	"github.com/oidkit/oidkit/cmd/oidmove/internal/load"
)

// Libraries returns the packages that other modules may import, and that no program of
// this module needs, by their paths.
func Libraries(p *load.Program) map[string]bool {
	libraries := map[string]bool{}
	for _, pkg := range p.Packages {
		libraries[pkg.Path] = pkg.Types != nil && pkg.Name != "main" && !strings.HasSuffix(pkg.Name, "_test") && !strings.Contains(pkg.Path+"/", "/internal/")
	}
	for _, pkg := range p.Packages {
		if pkg.Name != "main" {
			continue
		}
		for path := range libraries {
			libraries[path] = libraries[path] && !Reaches(pkg.Types, map[string]bool{path: true})
		}
	}
	return libraries
}

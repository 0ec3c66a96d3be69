package main

import (
	"cmp"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/syntax"
)

type checkCmd struct {
	Files  []string `arg:"" type:"path" help:"Sources; files of one folder with the same package clause are one source."`
	Vet    bool     `help:"Warn about what is suspicious in sources without errors: certain races, loops that are serial by accident, and more."`
	Werror bool     `help:"Fail because of warnings too; implies -vet."`
}

// Run reports every error of the sources, and every warning, on standard error.
func (c *checkCmd) Run(io *stdio) error {
	sources, errs, err := readSources(c.Files)
	if err != nil {
		return err
	}
	for _, files := range sources {
		errs = append(errs, check.Mistakes(files)...)
	}
	if len(errs) > 0 {
		fmt.Fprintln(io.err, errs.Sort())
		return errReported
	}
	if !c.Vet && !c.Werror {
		return nil
	}
	warnings, skipped := syntax.ErrorList{}, false
	for _, files := range sources {
		list, err := vetSource(files)
		if err != nil {
			skipped = true
			fmt.Fprintf(io.err, "ti: %v\n", err)
		}
		warnings = append(warnings, list...)
	}
	if len(warnings) > 0 {
		fmt.Fprintln(io.err, warnings.Sort())
	}
	if skipped || c.Werror && len(warnings) > 0 {
		return errReported
	}
	return nil
}

// readSources reads and parses files, and groups them by folder and package, in
// the order in which they were given. Of a file that does not parse, what remains of it
// is among them; folders with a file of which nothing remains are left out, since the
// other files may need what it declares.
func readSources(names []string) (sources [][]*syntax.File, errs syntax.ErrorList, err error) {
	type group struct {
		dir, pkg string
		files    []*syntax.File
	}
	var groups []group
	lost := map[string]bool{} // folders
	for _, name := range names {
		text, err := readSource(name)
		if err != nil {
			return nil, nil, err
		}
		dir := filepath.Dir(name)
		file, list := syntax.Parse(display(name), string(text), token.Position{})
		errs = append(errs, list...)
		if file == nil {
			lost[dir] = true
			continue
		}
		pkg := file.Tree.Name.Name
		i := slices.IndexFunc(groups, func(g group) bool { return g.dir == dir && (g.pkg == pkg || !file.HasPackage()) })
		if i < 0 {
			groups = append(groups, group{dir: dir, pkg: pkg})
			i = len(groups) - 1
		}
		groups[i].files = append(groups[i].files, file)
	}
	for _, g := range groups {
		if lost[g.dir] {
			continue
		}
		slices.SortStableFunc(g.files, func(a, b *syntax.File) int { return cmp.Compare(a.Name, b.Name) })
		sources = append(sources, g.files)
	}
	return sources, errs, nil
}

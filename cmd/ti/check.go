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
		errs = append(errs, checkSource(files)...)
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

// checkSource checks the files of one package without binding them to a host.
func checkSource(files []*syntax.File) syntax.ErrorList {
	pkg, errs := check.Declare(files)
	if len(errs) > 0 {
		return errs
	}
	_, errs = pkg.Check(nil)
	return errs
}

// readSources reads and parses files, and groups them by folder and package, in
// the order in which they were given.
func readSources(names []string) (sources [][]*syntax.File, errs syntax.ErrorList, err error) {
	type group struct {
		key   string
		files []*syntax.File
	}
	var groups []group
	for _, name := range names {
		text, err := readSource(name)
		if err != nil {
			return nil, nil, err
		}
		file, list := syntax.Parse(display(name), string(text), token.Position{})
		errs = append(errs, list...)
		if file == nil || len(list) > 0 {
			continue
		}
		key := filepath.Dir(name) + "\x00" + file.Tree.Name.Name
		i := slices.IndexFunc(groups, func(g group) bool { return g.key == key })
		if i < 0 {
			groups = append(groups, group{key: key})
			i = len(groups) - 1
		}
		groups[i].files = append(groups[i].files, file)
	}
	for _, g := range groups {
		slices.SortStableFunc(g.files, func(a, b *syntax.File) int { return cmp.Compare(a.Name, b.Name) })
		sources = append(sources, g.files)
	}
	return sources, errs, nil
}

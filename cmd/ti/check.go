package main

import (
	"github.com/gotaichi/ti/internal/script"

	"cmp"
	"fmt"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/syntax"
)

type checkCmd struct {
	Files   []string         `arg:"" type:"path" help:"Sources; files of one folder with the same package clause are one source. A folder is a library."`
	Library script.Libraries `embed:""`
	Vet     bool             `help:"Warn about what is suspicious in sources without errors: certain races, loops that are serial by accident, and more."`
	Werror  bool             `help:"Fail because of warnings too; implies -vet."`
	Tree    []string         `sep:"none" placeholder:"TREE" help:"Check the source with its fields in this tree, as ti run -tree has it; then everything is bound."`
	Bind    []string         `sep:"none" placeholder:"NAME=WHAT" help:"Check the source with this bound, as ti run -bind has it; then everything is bound."`
}

// Run reports every error of the sources, and every warning, on standard error.
func (c *checkCmd) Run(std *stdio) error {
	bound := len(c.Tree)+len(c.Bind) > 0
	c.Library.Folders = true
	sources, errs, err := readSources(c.Files, &c.Library)
	if err != nil {
		return err
	}
	if bound && len(sources) > 1 {
		return fmt.Errorf("-tree and -bind: %w", severalSources(len(sources)))
	}
	for _, files := range sources {
		errs = append(errs, check.Mistakes(files)...)
	}
	if len(errs) > 0 {
		fmt.Fprintln(std.err, errs.Sort())
		return errReported
	}
	host, err := c.host()
	if err != nil {
		return sourceError(std, err)
	}
	if !c.Vet && !c.Werror {
		return nil
	}
	return c.vet(std, sources, host)
}

// vetCmd is ti check -werror by the name that Go's tools have for it.
type vetCmd struct {
	Files   []string         `arg:"" type:"path" help:"Sources; files of one folder with the same package clause are one source."`
	Library script.Libraries `embed:""`
	Tree    []string         `sep:"none" placeholder:"TREE" help:"Look at the source with its fields in this tree, as ti run -tree has it; then everything is bound."`
	Bind    []string         `sep:"none" placeholder:"NAME=WHAT" help:"Look at the source with this bound, as ti run -bind has it; then everything is bound."`
}

// Run reports errors and warnings on standard error, and fails if there are any.
func (c *vetCmd) Run(std *stdio) error {
	return (&checkCmd{Files: c.Files, Library: c.Library, Werror: true, Tree: c.Tree, Bind: c.Bind}).Run(std)
}

// severalSources is the error of files that are not of one source.
func severalSources(n int) error {
	return fmt.Errorf("the files are %d sources, and one is needed: files of one folder with the same package clause", n)
}

// host checks the source with what the command line binds, and returns that as a host; nil
// if it binds nothing.
func (c *checkCmd) host() (*check.Host, error) {
	if len(c.Tree)+len(c.Bind) == 0 {
		return nil, nil
	}
	s, err := script.Open(script.Options{Config: ti.Config{Arch: ti.Oracle, Stdout: io.Discard}, Files: c.Files, Libraries: c.Library, Trees: c.Tree, Binds: c.Bind})
	if err != nil {
		return nil, err
	}
	trees, err := script.ParseTrees(c.Tree)
	if err == nil {
		err = s.Runtime.Close()
	}
	return describeHost(s, trees), err
}

// vet reports what is suspicious in sources without errors.
func (c *checkCmd) vet(std *stdio, sources [][]*syntax.File, host *check.Host) error {
	warnings, skipped := syntax.ErrorList{}, false
	for _, files := range sources {
		list, err := vetSource(files, host)
		if err != nil {
			skipped = true
			fmt.Fprintf(std.err, "ti: %v\n", err)
		}
		warnings = append(warnings, list...)
	}
	if len(warnings) > 0 {
		fmt.Fprintln(std.err, warnings.Sort())
	}
	if skipped || c.Werror && len(warnings) > 0 {
		return errReported
	}
	return nil
}

// readSources reads and parses files, and groups them by folder and package, in
// the order in which they were given. Of a file that does not parse, they have the parts
// that do. If a file has no such part, its whole folder is left out, since the other files
// may need its declarations. Behind the files of a source are those of the libraries that it imports.
func readSources(names []string, libraries *script.Libraries) (sources [][]*syntax.File, errs syntax.ErrorList, err error) {
	type group struct {
		dir, pkg string
		files    []*syntax.File
	}
	var groups []group
	lost := map[string]bool{} // folders that are left out
	for _, name := range names {
		if info, err := os.Stat(name); libraries.Folders && err == nil && info.IsDir() {
			files, list, err := libraries.Folder(name)
			if err != nil {
				return nil, nil, err
			}
			sources, errs = append(sources, files), append(errs, list...)
			continue
		}
		text, err := script.ReadSource(name)
		if err != nil {
			return nil, nil, err
		}
		dir := filepath.Dir(name)
		file, list := syntax.Parse(script.Display(name), string(text), token.Position{})
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
		_, more, list, err := libraries.Read(g.files, g.dir)
		if err != nil {
			return nil, nil, err
		}
		errs = append(errs, list...)
		sources = append(sources, append(g.files, more...))
	}
	return sources, errs, nil
}

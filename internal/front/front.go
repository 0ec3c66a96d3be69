//go:build !ti_ahead

package front

import (
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/tally"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/typed"
)

// This file is the way from sessions to the compiler: sources to typed trees, and these to code. Programs
// that come with their code (tag ti_ahead) have front_ahead.go in its place.

// Linked says that the program has the compiler of kernels in it.
const Linked = true

// A Parsed is a source whose text has been read.
type Parsed struct {
	files []*syntax.File
	pkg   *check.Package
}

// Parse parses the files of a source, and those of the libraries that it imports.
func Parse(texts []bind.File) (*Parsed, diag.ErrorList) {
	var errs diag.ErrorList
	p := &Parsed{}
	lost := false
	filesOf := func(path string) (files []*syntax.File) {
		for _, t := range texts {
			if t.Library != path {
				continue
			}
			file, more := syntax.Parse(t.Name, t.Text, t.Base)
			if errs = append(errs, more...); file == nil {
				lost = true
				continue
			}
			file.Library = path
			files = append(files, file)
		}
		return files
	}
	p.files = filesOf("")
	p.files = append(p.files, syntax.Libraries(p.files, filesOf)...)
	if len(errs) > 0 && !lost { // else the other files may need declarations of one that is missing altogether
		errs = append(errs, check.Mistakes(p.files)...)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return p, nil
}

// Own are the files of the source without those of its libraries: its coverage is that of them.
func (p *Parsed) Own() (files []*syntax.File) {
	for _, f := range p.files {
		if f.Library == "" {
			files = append(files, f)
		}
	}
	return files
}

// declare returns the declarations, for these default widths, also beside errors.
func (p *Parsed) declare(w typed.Widths) (*outline.Package, diag.ErrorList) {
	pkg, errs := check.DeclareWith(p.files, w)
	p.pkg = pkg
	return &pkg.Package, errs
}

// Check checks the source against a host.
func (p *Parsed) Check(host *outline.Host) (*Tree, diag.ErrorList) {
	checked, errs := p.pkg.Check(host)
	if len(errs) > 0 {
		return nil, errs
	}
	return &Tree{checked, p}, nil
}

// A Tree is a checked source, or an instance of one of its kernels.
type Tree struct {
	*check.Program
	from *Parsed
}

// outline is what sessions know of the tree.
func (t *Tree) outline() *outline.Program { return outline.Of(&t.Program.Program, t.Prints) }

// BehindDeactivation returns what reports whether a kernel comes to a place only when it has deactivated all the cells
// that it does.
func (t *Tree) BehindDeactivation(kernel string) func(at token.Position) bool {
	return typed.BehindDeactivation(t.Kernel(kernel))
}

// instantiate checks a kernel with compile-time parameters.
func (t *Tree) instantiate(kernel string, args []outline.TemplateArg) (*Tree, diag.ErrorList) {
	checked, errs := t.Instantiate(kernel, args)
	if len(errs) > 0 {
		return nil, errs
	}
	return &Tree{checked, t.from}, nil
}

// A Unit is a kernel that has been lowered.
type Unit = driver.Unit

// Driver are the options as the compiler has them.
func (o *Options) Driver() driver.Options {
	d := driver.Options{
		Options: o.Options, Compiler: o.Compiler, Slots: o.Slots, Stop: o.Stop, Launch: o.Late, Accesses: o.Accesses, Gradient: o.Gradient, Derivative: o.Derivative, Measure: o.Measure, Flows: o.Flows, Followers: o.Followers,
	}
	if o.Time {
		d.Timing = new(driver.Timing)
	}
	return d
}

// Lower prepares a kernel to be compiled.
func (t *Tree) Lower(kernel string, lay job.Layout, o *Options) (*Unit, error) {
	return driver.Prepare(&t.Program.Program, kernel, driver.Layout(lay), o.Driver())
}

// A LinkPart is the launch of a kernel that is to be linked with others.
type LinkPart struct {
	Tree    *Tree
	Kernel  string
	Layout  job.Layout
	Options *Options
	Same    []job.SameArg

	Of any // parts of which this is equal, and not nil, have the same kernel, layout and options
}

// LinkedKernels says how kernels were linked.
type LinkedKernels = driver.Linked

// Link lowers the kernels of launches that follow each other, as one kernel.
func Link(parts []LinkPart) (*Unit, *LinkedKernels, error) {
	all := make([]driver.LinkPart, len(parts))
	for i, p := range parts {
		all[i] = driver.LinkPart{Program: &p.Tree.Program.Program, Kernel: p.Kernel, Layout: driver.Layout(p.Layout), Options: p.Options.Driver(), Same: p.Same, Of: p.Of}
	}
	return driver.Link(all)
}

// StoreSites returns the places at which a kernel stores in fields that are counted.
func (t *Tree) StoreSites(kernel string, lay job.Layout, o *Options) (sites []StoreSite, l tally.Layout, err error) {
	d := o.Driver()
	d.Layout = driver.Layout(lay)
	k, err := driver.Lower(&t.Program.Program, kernel, d)
	if err != nil {
		return nil, l, err
	}
	for _, s := range k.Measure.Sites {
		sites = append(sites, StoreSite{s.Field.Name, Position(k, s.Pos)})
	}
	return sites, k.Measure.Layout, nil
}

// Position is a place in the source of a kernel.
func Position(k *ir.Kernel, p ir.Pos) token.Position {
	if !p.IsKnown() || int(p.File) >= len(k.Files) {
		return token.Position{}
	}
	return token.Position{Filename: k.Files[p.File], Line: int(p.Line), Column: int(p.Col)}
}

// Explain writes what the compiler makes of a kernel.
func (t *Tree) Explain(w io.Writer, kernel string, lay job.Layout, o *Options) (compiled, written error) {
	r, err := driver.Explain(&t.Program.Program, kernel, driver.Layout(lay), o.Driver())
	if err != nil {
		return err, nil
	}
	return nil, r.Write(w, t.from.files)
}

// Dump returns a kernel as it stands after a stage.
func (t *Tree) Dump(kernel string, lay job.Layout, o *Options, stage string) (string, error) {
	return driver.Dump(&t.Program.Program, kernel, driver.Layout(lay), o.Driver(), stage)
}

// Compile makes code of a unit.
func Compile(u *Unit) (*job.Compiled, error) { return u.Compile() }

// CompileFor makes code for the machines of another compiler.
func CompileFor(u *Unit, c target.Compiler) (*job.Compiled, error) { return u.For(c).Compile() }

// Locate finds the file that a source without a name comes from: a raw string in the Go file
// of the caller, or a .go or .ti file beside it. The names are as short as
// possible. It finds nothing in a program that runs far from its sources.
func Locate(text string) (name string, base token.Position) {
	caller := diag.UserFrame().File
	if caller == "" || strings.TrimSpace(text) == "" {
		return "", base
	}
	dir := filepath.Dir(caller)
	candidates := []string{caller}
	for _, pattern := range []string{"*.ti", "*.go"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err == nil && len(found) < 200 {
			candidates = append(candidates, found...)
		}
	}
	for _, path := range candidates {
		data, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(data), text) {
			continue
		}
		short := diag.ShortPath(path)
		if len(data) == len(text) {
			return short, base
		}
		if base, ok := syntax.FindRaw(short, string(data), text); ok {
			return short, base
		}
	}
	return "", base
}

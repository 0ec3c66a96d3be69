//go:build !ti_ahead

package session

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
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/tally"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/typed"
)

// This file is the way from sessions to the compiler: sources to typed trees, and these to code. Programs
// that come with their code (tag ti_ahead) have front_ahead.go in its place.

// compilerLinked says that the program has the compiler of kernels in it.
const compilerLinked = true

// A parsed is a source whose text has been read.
type parsed struct {
	files []*syntax.File
	pkg   *check.Package
}

// parse parses the files of a source, and those of the libraries that it imports.
func parse(texts []bind.File) (*parsed, SourceErrors) {
	var errs SourceErrors
	p := &parsed{}
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

// declare returns the declarations, for these default widths, also beside errors.
func (p *parsed) declare(w typed.Widths) (*outline.Package, SourceErrors) {
	pkg, errs := check.DeclareWith(p.files, w)
	p.pkg = pkg
	return &pkg.Package, errs
}

// check checks the source against a host.
func (p *parsed) check(host *outline.Host) (*tree, SourceErrors) {
	checked, errs := p.pkg.Check(host)
	if len(errs) > 0 {
		return nil, errs
	}
	return &tree{checked, p}, nil
}

// A tree is a checked source, or an instance of one of its kernels.
type tree struct {
	*check.Program
	from *parsed
}

// outline is what sessions know of the tree.
func (t *tree) outline() *outline.Program { return outline.Of(&t.Program.Program, t.Prints) }

// behindDeactivation returns what reports whether a kernel comes to a place only when it has deactivated all the cells that it does.
func (t *tree) behindDeactivation(kernel string) func(at token.Position) bool {
	return typed.BehindDeactivation(t.Kernel(kernel))
}

// instantiate checks a kernel with compile-time parameters.
func (t *tree) instantiate(kernel string, args []outline.TemplateArg) (*tree, SourceErrors) {
	checked, errs := t.Instantiate(kernel, args)
	if len(errs) > 0 {
		return nil, errs
	}
	return &tree{checked, t.from}, nil
}

// A unit is a kernel that has been lowered.
type unit = driver.Unit

// driver are the options as the compiler has them.
func (o *jobOptions) driver() driver.Options {
	d := driver.Options{
		Options: o.Options, Compiler: o.compiler, Slots: o.slots, Stop: o.stop, Launch: o.late, Accesses: o.accesses, Gradient: o.gradient, Derivative: o.derivative, Measure: o.measure, Flows: o.flows, Followers: o.followers,
	}
	if o.time {
		d.Timing = new(driver.Timing)
	}
	return d
}

// lower prepares a kernel to be compiled.
func (t *tree) lower(kernel string, lay job.Layout, o *jobOptions) (*unit, error) {
	return driver.Prepare(&t.Program.Program, kernel, driver.Layout(lay), o.driver())
}

// storeSites returns the places at which a kernel stores in fields that are counted.
func (t *tree) storeSites(kernel string, lay job.Layout, o *jobOptions) (sites []storeSite, l tally.Layout, err error) {
	d := o.driver()
	d.Layout = driver.Layout(lay)
	k, err := driver.Lower(&t.Program.Program, kernel, d)
	if err != nil {
		return nil, l, err
	}
	for _, s := range k.Measure.Sites {
		sites = append(sites, storeSite{s.Field.Name, position(k, s.Pos)})
	}
	return sites, k.Measure.Layout, nil
}

// explain writes what the compiler makes of a kernel.
func (t *tree) explain(w io.Writer, kernel string, lay job.Layout, o *jobOptions) (compiled, written error) {
	r, err := driver.Explain(&t.Program.Program, kernel, driver.Layout(lay), o.driver())
	if err != nil {
		return err, nil
	}
	return nil, r.Write(w, t.from.files)
}

// dump returns a kernel as it stands after a stage.
func (t *tree) dump(kernel string, lay job.Layout, o *jobOptions, stage string) (string, error) {
	return driver.Dump(&t.Program.Program, kernel, driver.Layout(lay), o.driver(), stage)
}

// compile makes code of a unit.
func compile(u *unit) (*job.Compiled, error) { return u.Compile() }

// compileFor makes code for the machines of another compiler.
func compileFor(u *unit, c target.Compiler) (*job.Compiled, error) { return u.For(c).Compile() }

// locate finds the file that a source without a name comes from: a raw string in the Go file
// of the caller, or a .go or .ti file beside it. The names are as short as
// possible. It finds nothing in a program that runs far from its sources.
func locate(text string) (name string, base token.Position) {
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

//go:build ti_ahead

package front

import (
	"errors"
	"go/token"
	"io"

	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/tally"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/typed"
)

// This file stands for the compiler in programs that come with their code; see front.go.

const Linked = false

// ErrNoCompiler is why sources are not looked at here.
var ErrNoCompiler = errors.New("this program was built with the tag ti_ahead, and so without the compiler of kernels")

// noCompiler says so as the mistake of a source.
func noCompiler() diag.ErrorList {
	return diag.ErrorList{{Msg: ErrNoCompiler.Error(), Cause: ErrNoCompiler}}
}

type Parsed struct{}

func Parse([]bind.File) (*Parsed, diag.ErrorList) { return nil, noCompiler() }

func (*Parsed) declare(typed.Widths) (*outline.Package, diag.ErrorList) { return nil, noCompiler() }

func (*Parsed) Check(*outline.Host) (*Tree, diag.ErrorList) { return nil, noCompiler() }

type Tree struct{}

func (*Tree) outline() *outline.Program { return nil }

func (*Tree) instantiate(string, []outline.TemplateArg) (*Tree, diag.ErrorList) {
	return nil, noCompiler()
}

func (*Tree) BehindDeactivation(string) func(token.Position) bool {
	return func(token.Position) bool { return false }
}

type Unit struct {
	Key     target.Key
	Regions []job.Region
}

func (*Unit) CodeKey() (key target.Key, err error) { return key, ErrNoCompiler }

func (*Unit) WhyApart() ([]string, error) { return nil, ErrNoCompiler }
func (*Unit) Saves() (bool, error)        { return false, ErrNoCompiler }

func (*Unit) Describe() (*launch.Kernel, error) { return nil, ErrNoCompiler }

func (*Unit) FieldNames() []string { return nil }

func (*Unit) WriteTiming(io.Writer) error { return nil }

func (*Tree) Lower(string, job.Layout, *Options) (*Unit, error) { return nil, ErrNoCompiler }

type LinkPart struct {
	Tree    *Tree
	Kernel  string
	Layout  job.Layout
	Options *Options
	Same    []job.SameArg

	Of any // parts of which this is equal, and not nil, have the same kernel, layout and options
}

type LinkedKernels struct {
	Layout job.Layout
	Fields []job.LinkedField
	Parts  []struct{ Names map[string]string }
}

func Link([]LinkPart) (*Unit, *LinkedKernels, error) { return nil, nil, ErrNoCompiler }

func (*Tree) StoreSites(string, job.Layout, *Options) ([]StoreSite, tally.Layout, error) {
	return nil, tally.Layout{}, ErrNoCompiler
}

func (*Tree) Explain(io.Writer, string, job.Layout, *Options) (compiled, written error) {
	return ErrNoCompiler, nil
}

func (*Tree) Dump(string, job.Layout, *Options, string) (string, error) { return "", ErrNoCompiler }

func Compile(*Unit) (*job.Compiled, error) { return nil, ErrNoCompiler }

func CompileFor(*Unit, target.Compiler) (*job.Compiled, error) { return nil, ErrNoCompiler }

func Locate(string) (name string, base token.Position) { return "", base }

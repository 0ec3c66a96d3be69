//go:build ti_ahead

package session

import (
	"errors"
	"fmt"
	"go/token"
	"io"

	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/tally"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/typed"
)

// This file stands for the compiler in programs that come with their code; see front.go.

const compilerLinked = false

// errNoCompiler is why sources are not looked at here.
var errNoCompiler = errors.New("this program was built with the tag ti_ahead, and so without the compiler of kernels")

// noCompiler says so as the mistake of a source.
func noCompiler() SourceErrors {
	return SourceErrors{{Msg: errNoCompiler.Error(), Cause: errNoCompiler}}
}

type parsed struct{}

func parse([]bind.File) (*parsed, SourceErrors) { return nil, noCompiler() }

func (*parsed) declare(typed.Widths) (*outline.Package, SourceErrors) { return nil, noCompiler() }

func (*parsed) check(*outline.Host) (*tree, SourceErrors) { return nil, noCompiler() }

type tree struct{}

func (*tree) outline() *outline.Program { return nil }

func (*tree) instantiate(string, []outline.TemplateArg) (*tree, SourceErrors) {
	return nil, noCompiler()
}

func (*tree) behindDeactivation(string) func(token.Position) bool {
	return func(token.Position) bool { return false }
}

type unit struct {
	Key     target.Key
	Regions []job.Region
}

func (*unit) CodeKey() (key target.Key, err error) { return key, errNoCompiler }

func (*unit) FieldNames() []string { return nil }

func (*unit) WriteTiming(io.Writer) error { return nil }

func (*tree) lower(string, job.Layout, *jobOptions) (*unit, error) { return nil, errNoCompiler }

func (*tree) storeSites(string, job.Layout, *jobOptions) ([]storeSite, tally.Layout, error) {
	return nil, tally.Layout{}, errNoCompiler
}

func (*tree) explain(io.Writer, string, job.Layout, *jobOptions) (compiled, written error) {
	return errNoCompiler, nil
}

func (*tree) dump(string, job.Layout, *jobOptions, string) (string, error) { return "", errNoCompiler }

func compile(*unit) (*job.Compiled, error) { return nil, errNoCompiler }

func compileFor(*unit, target.Compiler) (*job.Compiled, error) { return nil, errNoCompiler }

func locate(string) (name string, base token.Position) { return "", base }

// newInterpreting stands for the executor that runs kernels on the oracle.
func newInterpreting(*Runtime) (executor, error) {
	return nil, diag.Errorf(diag.ErrArch, "the reference interpreter: %w", errNoCompiler)
}

// A Judge stands for what records launches on the oracle.
type Judge struct{}

// coverage stands for the counters of Config.Cover, which are put into kernels by their compiler.
type coverage struct{}

func (p *Program) startCoverage(string) error {
	if p.rt.opt.Cover == "" {
		return nil
	}
	return fmt.Errorf("ti: Config.Cover counts what is compiled with it: %w", errNoCompiler)
}

func (*coverage) instrument(*tree) {}

func (*Runtime) saveCoverage([]*Program) error { return nil }

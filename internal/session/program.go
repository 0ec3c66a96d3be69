package session

import (
	"context"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/flow"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/typed"
	"github.com/gotaichi/ti/internal/variant"
)

// A Program is a source bound to a host.
type Program struct {
	_ noCopy

	rt      *Runtime
	of      *variant.Program
	kernels []*Kernel
	cover   *coverage // nil without Config.Cover
}

// Kernel returns the kernel of that name, or nil if there is none.
func (p *Program) Kernel(name string) *Kernel {
	if p == nil {
		return nil
	}
	for _, k := range p.kernels {
		if k.of.Name == name {
			return k
		}
	}
	return nil
}

// Kernels returns all kernels in the order of the source.
func (p *Program) Kernels() []*Kernel {
	if p == nil {
		return nil
	}
	return slices.Clone(p.kernels)
}

// newProgram binds a source and checks it.
func (rt *Runtime) newProgram(texts []bind.File, aside bool, host any, pos token.Position) (*Program, error) {
	of, funcs, errs, err := rt.maker.Load(texts, aside, host, pos)
	if err != nil {
		return nil, err
	}
	if of == nil {
		return nil, errs.Sort()
	}
	p := &Program{rt: rt, of: of}
	for _, k := range of.Kernels {
		p.kernels = append(p.kernels, &Kernel{rt: rt, of: k, call: &flow.Caller{Way: &rt.way, Of: k}})
	}
	errs = append(errs, p.setFuncs(funcs, pos, len(errs) == 0)...)
	if len(errs) > 0 {
		return nil, errs.Sort()
	}
	rt.maker.Recorder.Program(of)
	return p, nil
}

// setFuncs fills in the kernel functions if all is well so far and their types
// are right, and else reports those whose types are wrong.
func (p *Program) setFuncs(funcs []bind.Func, pos token.Position, well bool) (errs variant.SourceErrors) {
	sigs := make([]hostabi.Signature, len(funcs))
	for i, f := range funcs {
		t, d := f.Value.Type(), p.of.DeclOf(f.Kernel)
		var ok bool
		if sigs[i], ok = p.of.SignatureOf(t, d); !ok {
			errs = append(errs, &variant.SourceError{
				Code: diag.FuncSignature, Pos: pos, Cause: diag.ErrArgs,
				Msg:  fmt.Sprintf("%s is a %v, which does not fit %s", f.What, t, p.of.DeclarationOf(f.Kernel)),
				Help: p.signatureHelp(d),
			})
		}
	}
	if !well || len(errs) > 0 {
		return errs
	}
	for i, f := range funcs {
		k, t := p.Kernel(f.Kernel), f.Value.Type()
		call := *k.call
		call.Panics = !sigs[i].Err
		if own := k.of.Template; own != nil {
			own.Own = &sigs[i]
			f.Value.Set(call.MakeFunc(&sigs[i], t))
			continue
		}
		k.of.Boxed = hostabi.NewBoxed(p.of.Checked.Kernel(f.Kernel), &sigs[i], p.rt.maker.Rules())
		f.Value.Set(hostabi.MakeFunc(&call, sigs[i], t))
	}
	return nil
}

// signatureHelp says how to write the kernel function for a kernel.
func (p *Program) signatureHelp(d *outline.KernelDecl) string {
	for _, v := range d.Params {
		if _, ok := v.Type.(typed.FuncType); ok {
			return fmt.Sprintf("leave it out: %s takes a function, so only a kernel of the source can use it", d.Name)
		}
	}
	return "write it as " + p.goSignature(d.Name)
}

// compileAhead compiles all kernels in the background.
func (p *Program) compileAhead() {
	for _, k := range p.kernels {
		if k.of.Template != nil {
			continue // known when it is launched
		}
		v, err := k.of.Find()
		if err != nil {
			continue // the launch reports it
		}
		p.rt.inBackground(func() {
			select {
			case p.rt.compiling <- struct{}{}:
				if !p.rt.maker.Closed.Load() {
					_ = v.Compile(context.Background()) // the launch reports its error
				}
				<-p.rt.compiling
			case <-p.rt.maker.Stop:
			}
		})
	}
}

// goSignature writes the kernel function that a kernel wants.
func (p *Program) goSignature(kernel string) string {
	d := p.of.DeclOf(kernel)
	var in, out []string
	for _, v := range d.Params {
		in = append(in, strings.TrimSpace(v.Name+" "+hostabi.GoType(v.Type)))
	}
	for _, v := range d.Results {
		out = append(out, hostabi.GoType(v.Type))
	}
	out = append(out, "error")
	result := strings.Join(out, ", ")
	if len(out) > 1 {
		result = "(" + result + ")"
	}
	return fmt.Sprintf("%s func(%s) %s", kernel, strings.Join(in, ", "), result)
}

// Declaration returns the declaration of a kernel that the source has, with complete types.
func (p *Program) Declaration(kernel string) *outline.KernelDecl { return p.of.DeclOf(kernel) }

// Ahead compiles the kernels of p for other machines. The extents of the fields that group names are read at launch;
// those of one group are equal, whatever the host gives. Kernels that have compile-time parameters are left out: what
// they are launched with is not known.
func (p *Program) Ahead(to []variant.AheadTarget, group func(field string) string) error {
	return p.of.Ahead(to, group)
}

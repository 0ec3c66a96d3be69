package session

import (
	"context"
	"fmt"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/gotaichi/ti/internal/front"

	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/typed"
)

// A Program is a source bound to a host.
type Program struct {
	_ noCopy

	source *front.Source

	rt      *Runtime
	pkg     *outline.Package
	host    any // what it is bound to
	kernels []*Kernel
	cover   *coverage // nil without Config.Cover

	mu      sync.Mutex // guards what follows, and the lists of instances
	bound   bind.Bound
	checked *front.Checking // against what is bound
	// checked with extents that are read at launch; nil until it is needed
	atLaunch *front.Checking
	freed    bool // the runtime has been closed, and no instances may be made
}

// Kernel returns the kernel of that name, or nil if there is none.
func (p *Program) Kernel(name string) *Kernel {
	if p == nil {
		return nil
	}
	for _, k := range p.kernels {
		if k.name == name {
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
func (rt *Runtime) newProgram(texts []bind.File, host any, pos token.Position) (*Program, error) {
	p := &Program{rt: rt, source: rt.maker.NewSource(texts, pos), host: host}
	pkg, errs := p.source.Declare()
	switch {
	case pkg == nil && !front.Linked:
		return nil, rt.maker.Shipped.Unknown(p.pkg, &p.bound, errs)
	case pkg == nil:
		return nil, errs.Sort()
	}
	p.pkg = pkg
	b := p.newBinder()
	b.Collect(host)
	b.Bind()
	p.bound = b.Bound
	checked, more := p.checkBound(b, errs)
	if checked == nil && !front.Linked && len(b.Errs) == 0 {
		return nil, rt.maker.Shipped.Unknown(p.pkg, &p.bound, more)
	}
	errs = append(append(errs, more...), b.Errs...)
	errs = append(errs, rt.maker.store.Mistakes()...)
	errs = p.withoutEchoes(errs, b.Faulty)
	if len(errs) == 0 {
		p.checked = checked
		rt.printStatic(checked.Prints, nil)
		for _, d := range p.pkg.Kernels {
			p.kernels = append(p.kernels, newKernel(p, d, checked.Kernel(d.Name)))
		}
	}
	errs = append(errs, p.setFuncs(b.Funcs, pos, len(errs) == 0)...)
	if len(errs) > 0 {
		return nil, errs.Sort()
	}
	rt.maker.recorder.program(p)
	return p, nil
}

// checkBound checks the source against what b has bound. If there are mistakes already, the source itself is
// checked, for those in it.
func (p *Program) checkBound(b *bind.Binder, errs SourceErrors) (*front.Checking, SourceErrors) {
	if len(errs)+len(b.Errs) == 0 {
		if unbound := b.Unbound(); !front.Linked && len(unbound) > 0 {
			b.Errs = unbound
			return nil, nil
		}
		return p.source.Check(&p.bound.Host, false)
	}
	if !front.Linked {
		return nil, b.Unbound()
	}
	source, _ := p.source.Parsed()
	if source == nil {
		return nil, nil
	}
	p.pkg, _ = p.source.Read()
	_, more := source.Check(&p.bound.Host)
	return nil, more
}

// withoutEchoes drops what the checker says about vars that binding has reported.
func (p *Program) withoutEchoes(errs SourceErrors, faulty map[string]bool) SourceErrors {
	return slices.DeleteFunc(errs, func(e *SourceError) bool {
		if e.Code != diag.NotBound {
			return false
		}
		for _, v := range p.pkg.Vars {
			if faulty[v.Name] && v.Pos == e.Pos {
				return true
			}
		}
		return false
	})
}

// setFuncs fills in the kernel functions if all is well so far and their types
// are right, and else reports those whose types are wrong.
func (p *Program) setFuncs(funcs []bind.Func, pos token.Position, well bool) (errs SourceErrors) {
	sigs := make([]hostabi.Signature, len(funcs))
	for i, f := range funcs {
		t, d := f.Value.Type(), p.declOf(f.Kernel)
		var ok bool
		if sigs[i], ok = p.signatureOf(t, d); !ok {
			errs = append(errs, &SourceError{
				Code: diag.FuncSignature, Pos: pos, Cause: diag.ErrArgs,
				Msg:  fmt.Sprintf("%s is a %v, which does not fit %s", f.What, t, p.declarationOf(f.Kernel)),
				Help: p.signatureHelp(d),
			})
		}
	}
	if !well || len(errs) > 0 {
		return errs
	}
	for i, f := range funcs {
		k, t := p.Kernel(f.Kernel), f.Value.Type()
		if k.template != nil {
			k.template.own = &sigs[i]
			f.Value.Set(k.template.makeFunc(&sigs[i], t))
			continue
		}
		k.boxed = hostabi.NewBoxed(p.checked.Kernel(k.name), &sigs[i], p.rt.maker.rules())
		f.Value.Set(hostabi.MakeFunc(k, sigs[i], t))
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

// Declaration returns the declaration of a kernel that the source has, with complete types.
func (p *Program) Declaration(kernel string) *outline.KernelDecl { return p.declOf(kernel) }

// declOf returns the declaration of a kernel that the source has.
func (p *Program) declOf(kernel string) *outline.KernelDecl {
	i := slices.IndexFunc(p.pkg.Kernels, func(d *outline.KernelDecl) bool { return d.Name == kernel })
	return p.declared(p.pkg.Kernels[i])
}

// declared is a kernel's declaration with the types that checking has found.
func (p *Program) declared(d *outline.KernelDecl) *outline.KernelDecl {
	if p.checked == nil || p.checked.Kernel(d.Name) == nil { // or a template
		return d
	}
	k := p.checked.Kernel(d.Name)
	full := &outline.KernelDecl{Name: d.Name, Pos: d.Pos, Text: d.Text}
	for _, v := range k.Params {
		full.Params = append(full.Params, outline.ParamDecl{Name: v.Name, Type: v.Type})
	}
	for _, v := range k.Results {
		full.Results = append(full.Results, outline.ParamDecl{Name: v.Name, Type: v.Type})
	}
	return full
}

// newBinder returns what binds the source to fields of the runtime.
func (p *Program) newBinder() *bind.Binder {
	return bind.New(p.rt.maker.store, p.pkg, p.rt.maker.Opt.Widths(), p.source.Pos)
}

// current checks the source against the constants as they are now, if they have
// changed since it was done last. It needs p.mu.
func (p *Program) current() (*front.Checking, error) {
	var err error
	if p.bound, err = p.newBinder().Again(&p.bound, p.host); err != nil {
		return nil, err
	}
	if !p.bound.IsStale() {
		return p.checked, nil
	}
	now := p.bound.Read()
	checked, errs := p.source.Check(&now.Host, false)
	switch {
	case len(errs) > 0 && !front.Linked:
		return nil, p.rt.maker.Shipped.Unknown(p.pkg, &p.bound, errs)
	case len(errs) > 0:
		return nil, errs
	}
	p.rt.printStatic(checked.Prints, p.checked.Prints)
	p.checked, p.bound, p.atLaunch = checked, now, nil
	p.rt.maker.recorder.program(p)
	return checked, nil
}

// compileAhead compiles all kernels in the background.
func (p *Program) compileAhead() {
	for _, k := range p.kernels {
		if k.template != nil {
			continue // known when it is launched
		}
		inst, err := k.instance()
		if err != nil {
			continue // the launch reports it
		}
		p.rt.inBackground(func() {
			select {
			case p.rt.compiling <- struct{}{}:
				if !p.rt.maker.closed.Load() {
					_ = inst.compile(context.Background()) // the launch reports its error
				}
				<-p.rt.compiling
			case <-p.rt.maker.stop:
			}
		})
	}
}

// free gives back the machine code of all kernels. The caller holds the launch lock.
func (p *Program) free() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.freed = true
	for _, k := range p.kernels {
		for _, inst := range k.instances {
			inst.freeAll()
		}
	}
}

// alive returns an error once the program's runtime has been closed. It needs p.mu.
func (p *Program) alive(k *Kernel) error {
	if p.freed {
		return diag.Errorf(diag.ErrClosed, "%s: the runtime of its program has been closed", k.name)
	}
	return nil
}

// forget drops the instances that use a tree which has been closed, with their machine
// code. It does so only where a later launch may want another instance: for templates,
// and where the host holds fields by pointers. The caller holds the launch lock.
func (p *Program) forget(t *store.Tree) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range p.kernels {
		k.instances = slices.DeleteFunc(k.instances, func(inst *instance) bool {
			if k.template == nil && len(inst.refs) == 0 || !slices.Contains(inst.trees, t) {
				return false
			}
			inst.freeAll()
			k.latest.CompareAndSwap(inst, nil)
			return true
		})
	}
}

// goSignature writes the kernel function that a kernel wants.
func (p *Program) goSignature(kernel string) string {
	d := p.declOf(kernel)
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

// signatureOf matches a func type with a kernel.
func (p *Program) signatureOf(t reflect.Type, d *outline.KernelDecl) (hostabi.Signature, bool) {
	var params []hostabi.Param
	for _, q := range d.Params {
		params = append(params, hostabi.Param{Want: q.Type, Static: isStatic(q.Type), Takes: func(t reflect.Type) bool { return takes(q.Type, t) }})
	}
	var results []typed.Type
	for _, r := range d.Results {
		results = append(results, r.Type)
	}
	return hostabi.SignatureOf(t, params, results, p.rt.maker.Opt.Widths())
}

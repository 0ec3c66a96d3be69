package session

import (
	"go/token"
	"reflect"
	"slices"
	"sync"

	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/typed"
)

// A program is a source with what a host has bound to its declarations.
type program struct {
	source  *front.Source
	maker   *maker
	pkg     *outline.Package
	host    any // what it is bound to
	kernels []*kernel

	instrument func(*front.Tree) // puts counters into what was checked; nil without Config.Cover

	mu      sync.Mutex // guards what follows, and the lists of instances
	bound   bind.Bound
	checked *front.Checking // against what is bound
	// checked with extents that are read at launch; nil until it is needed
	atLaunch *front.Checking
	freed    bool // the runtime has been closed, and no instances may be made
}

// load binds a source and checks it. It returns the kernel functions of the host, too, and all mistakes, beside which the
// program is as complete as it can be; err is for what is no mistake of the source.
func (m *maker) load(texts []bind.File, host any, pos token.Position) (p *program, funcs []bind.Func, errs SourceErrors, err error) {
	p = &program{maker: m, source: m.NewSource(texts, pos), host: host}
	pkg, errs := p.source.Declare()
	switch {
	case pkg == nil && !front.Linked:
		return nil, nil, nil, m.Shipped.Unknown(p.pkg, &p.bound, errs)
	case pkg == nil:
		return nil, nil, errs, nil
	}
	p.pkg = pkg
	b := p.newBinder()
	b.Collect(host)
	b.Bind()
	p.bound = b.Bound
	checked, more := p.checkBound(b, errs)
	if checked == nil && !front.Linked && len(b.Errs) == 0 {
		return nil, nil, nil, m.Shipped.Unknown(p.pkg, &p.bound, more)
	}
	errs = append(append(errs, more...), b.Errs...)
	errs = append(errs, m.store.Mistakes()...)
	errs = p.withoutEchoes(errs, b.Faulty)
	if len(errs) == 0 {
		p.checked = checked
		m.printStatic(checked.Prints, nil)
		for _, d := range p.pkg.Kernels {
			p.kernels = append(p.kernels, newKernel(p, d, checked.Kernel(d.Name)))
		}
	}
	return p, b.Funcs, errs, nil
}

// checkBound checks the source against what b has bound. If there are mistakes already, the source itself is
// checked, for those in it.
func (p *program) checkBound(b *bind.Binder, errs SourceErrors) (*front.Checking, SourceErrors) {
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
func (p *program) withoutEchoes(errs SourceErrors, faulty map[string]bool) SourceErrors {
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

// declOf returns the declaration of a kernel that the source has.
func (p *program) declOf(kernel string) *outline.KernelDecl {
	i := slices.IndexFunc(p.pkg.Kernels, func(d *outline.KernelDecl) bool { return d.Name == kernel })
	return p.declared(p.pkg.Kernels[i])
}

// declared is a kernel's declaration with the types that checking has found.
func (p *program) declared(d *outline.KernelDecl) *outline.KernelDecl {
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
func (p *program) newBinder() *bind.Binder {
	return bind.New(p.maker.store, p.pkg, p.maker.Opt.Widths(), p.source.Pos)
}

// current checks the source against the constants as they are now, if they have
// changed since it was done last. It needs p.mu.
func (p *program) current() (*front.Checking, error) {
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
		return nil, p.maker.Shipped.Unknown(p.pkg, &p.bound, errs)
	case len(errs) > 0:
		return nil, errs
	}
	p.maker.printStatic(checked.Prints, p.checked.Prints)
	p.checked, p.bound, p.atLaunch = checked, now, nil
	p.maker.recorder.program(p)
	return checked, nil
}

// free gives back the machine code of all kernels. The caller holds the launch lock.
func (p *program) free() {
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
func (p *program) alive(k *kernel) error {
	if p.freed {
		return diag.Errorf(diag.ErrClosed, "%s: the runtime of its program has been closed", k.name)
	}
	return nil
}

// forget drops the instances that use a tree which has been closed, with their machine
// code. It does so only where a later launch may want another instance: for templates,
// and where the host holds fields by pointers. The caller holds the launch lock.
func (p *program) forget(t *store.Tree) {
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

// signatureOf matches a func type with a kernel.
func (p *program) signatureOf(t reflect.Type, d *outline.KernelDecl) (hostabi.Signature, bool) {
	var params []hostabi.Param
	for _, q := range d.Params {
		params = append(params, hostabi.Param{Want: q.Type, Static: isStatic(q.Type), Takes: func(t reflect.Type) bool { return takes(q.Type, t) }})
	}
	var results []typed.Type
	for _, r := range d.Results {
		results = append(results, r.Type)
	}
	return hostabi.SignatureOf(t, params, results, p.maker.Opt.Widths())
}

package variant

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

// A Program is a source with what a host has bound to its declarations.
type Program struct {
	Source  *front.Source
	Maker   *Maker
	pkg     *outline.Package
	host    any // what it is bound to
	Kernels []*Kernel

	Aside bool // it works for other programs, which draw the same random numbers without it

	Instrument func(*front.Tree) // puts counters into what was checked; nil without Config.Cover

	mu      sync.Mutex // guards what follows, and the lists of variants
	Bound   bind.Bound
	Checked *front.Checking // against what is bound
	// checked with extents that are read at launch; nil until it is needed
	atLaunch *front.Checking
	freed    bool // the runtime has been closed, and no variants may be made
}

// Load binds a source and checks it. It returns the kernel functions of the host, too, and all mistakes, beside which
// the program is as complete as it can be; err is for what is no mistake of the source.
func (m *Maker) Load(texts []bind.File, aside bool, host any, pos token.Position) (p *Program, funcs []bind.Func, errs SourceErrors, err error) {
	p = &Program{Maker: m, Aside: aside, Source: m.NewSource(texts, pos), host: host}
	pkg, errs := p.Source.Declare()
	switch {
	case pkg == nil && !front.Linked:
		return nil, nil, nil, m.Shipped.Unknown(p.pkg, &p.Bound, errs)
	case pkg == nil:
		return nil, nil, errs, nil
	}
	p.pkg = pkg
	b := p.newBinder()
	b.Collect(host)
	b.Bind()
	p.Bound = b.Bound
	checked, more := p.checkBound(b, errs)
	if checked == nil && !front.Linked && len(b.Errs) == 0 {
		return nil, nil, nil, m.Shipped.Unknown(p.pkg, &p.Bound, more)
	}
	errs = append(append(errs, more...), b.Errs...)
	errs = append(errs, m.Store.Mistakes()...)
	errs = p.withoutEchoes(errs, b.Faulty)
	if len(errs) == 0 {
		p.Checked = checked
		m.printStatic(checked.Prints, nil)
		for _, d := range p.pkg.Kernels {
			p.Kernels = append(p.Kernels, newKernel(p, d, checked.Kernel(d.Name)))
		}
	}
	return p, b.Funcs, errs, nil
}

// checkBound checks the source against what b has bound. If there are mistakes already, the source itself is
// checked, for those in it.
func (p *Program) checkBound(b *bind.Binder, errs SourceErrors) (*front.Checking, SourceErrors) {
	if len(errs)+len(b.Errs) == 0 {
		if unbound := b.Unbound(); !front.Linked && len(unbound) > 0 {
			b.Errs = unbound
			return nil, nil
		}
		return p.Source.Check(&p.Bound.Host, false)
	}
	if !front.Linked {
		return nil, b.Unbound()
	}
	source, _ := p.Source.Parsed()
	if source == nil {
		return nil, nil
	}
	p.pkg, _ = p.Source.Read()
	_, more := source.Check(&p.Bound.Host)
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

// DeclOf returns the declaration of a kernel that the source has.
func (p *Program) DeclOf(kernel string) *outline.KernelDecl {
	i := slices.IndexFunc(p.pkg.Kernels, func(d *outline.KernelDecl) bool { return d.Name == kernel })
	return p.declared(p.pkg.Kernels[i])
}

// declared is a kernel's declaration with the types that checking has found.
func (p *Program) declared(d *outline.KernelDecl) *outline.KernelDecl {
	if p.Checked == nil || p.Checked.Kernel(d.Name) == nil { // or a template
		return d
	}
	k := p.Checked.Kernel(d.Name)
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
	return bind.New(p.Maker.Store, p.pkg, p.Maker.Opt.Widths(), p.Source.Pos)
}

// current checks the source against the constants as they are now, if they have
// changed since it was done last. It needs p.mu.
func (p *Program) current() (*front.Checking, error) {
	var err error
	if p.Bound, err = p.newBinder().Again(&p.Bound, p.host); err != nil {
		return nil, err
	}
	if !p.Bound.IsStale() {
		return p.Checked, nil
	}
	now := p.Bound.Read()
	checked, errs := p.Source.Check(&now.Host, false)
	switch {
	case len(errs) > 0 && !front.Linked:
		return nil, p.Maker.Shipped.Unknown(p.pkg, &p.Bound, errs)
	case len(errs) > 0:
		return nil, errs
	}
	p.Maker.printStatic(checked.Prints, p.Checked.Prints)
	p.Checked, p.Bound, p.atLaunch = checked, now, nil
	p.Maker.Recorder.Program(p)
	return checked, nil
}

// Free gives back the machine code of all kernels. The caller holds the launch lock.
func (p *Program) Free() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.freed = true
	for _, k := range p.Kernels {
		for _, v := range k.variants {
			v.freeAll()
		}
	}
}

// alive returns an error once the program's runtime has been closed. It needs p.mu.
func (p *Program) alive(k *Kernel) error {
	if p.freed {
		return diag.Errorf(diag.ErrClosed, "%s: the runtime of its program has been closed", k.Name)
	}
	return nil
}

// Forget drops the variants that use a tree which has been closed, with their machine
// code. It does so only where a later launch may want another variant: for templates,
// and where the host holds fields by pointers. The caller holds the launch lock.
func (p *Program) Forget(t *store.Tree) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range p.Kernels {
		k.variants = slices.DeleteFunc(k.variants, func(v *Variant) bool {
			if k.Template == nil && len(v.refs) == 0 || !slices.Contains(v.trees, t) {
				return false
			}
			v.freeAll()
			k.latest.CompareAndSwap(v, nil)
			return true
		})
	}
}

// SignatureOf matches a func type with a kernel.
func (p *Program) SignatureOf(t reflect.Type, d *outline.KernelDecl) (hostabi.Signature, bool) {
	var params []hostabi.Param
	for _, q := range d.Params {
		params = append(params, hostabi.Param{Want: q.Type, Static: isStatic(q.Type), Takes: func(t reflect.Type) bool { return takes(q.Type, t) }})
	}
	var results []typed.Type
	for _, r := range d.Results {
		results = append(results, r.Type)
	}
	return hostabi.SignatureOf(t, params, results, p.Maker.Opt.Widths())
}

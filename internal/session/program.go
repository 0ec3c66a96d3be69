package session

import (
	"context"
	"fmt"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// A Program is a source bound to a host.
type Program struct {
	_ noCopy

	rt      *Runtime
	files   []*syntax.File
	pkg     *check.Package
	bound   any            // the host
	pos     token.Position // of the call that loaded the source
	fields  []boundField
	layout  driver.Layout
	consts  []*hostConst
	kernels []*Kernel
	cover   *coverage // nil without Config.Cover

	source     sync.Once
	sourceHash ahead.Key // see sourceKey

	mu      sync.Mutex // guards what follows, and the lists of instances
	host    check.Host
	checked *check.Program // against the values of constants in host
	values  []snapshot     // those values
	// checked with extents that are read at launch; nil until it is needed
	atLaunch *check.Program
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

// newProgram binds and checks parsed files.
func (rt *Runtime) newProgram(files []*syntax.File, host any, pos token.Position) (*Program, SourceErrors) {
	pkg, errs := check.Declare(files)
	b := newBinder(rt, pkg, pos)
	b.collect(host)
	b.bind()
	p := &Program{rt: rt, files: files, pkg: pkg, bound: host, pos: pos, fields: b.fields, layout: b.layout, consts: b.consts, host: b.host}
	p.values = p.snapshots(p.constNames())
	checked, more := pkg.Check(&b.host)
	errs = append(append(errs, more...), b.errs...)
	errs = p.withoutEchoes(errs, b.faulty)
	if len(errs) == 0 {
		p.checked = checked
		rt.printStatic(checked.Prints, nil)
		for _, d := range pkg.Kernels {
			p.kernels = append(p.kernels, newKernel(p, d, checked.Kernel(d.Name)))
		}
	}
	errs = append(errs, p.setFuncs(b.funcs, pos, len(errs) == 0)...)
	return p, errs
}

// withoutEchoes drops what the checker says about vars that binding has reported.
func (p *Program) withoutEchoes(errs SourceErrors, faulty map[string]bool) SourceErrors {
	return slices.DeleteFunc(errs, func(e *SourceError) bool {
		if e.Code != syntax.NotBound {
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
func (p *Program) setFuncs(funcs []boundFunc, pos token.Position, well bool) (errs SourceErrors) {
	sigs := make([]hostabi.Signature, len(funcs))
	for i, f := range funcs {
		t, d := f.entry.value.Type(), p.declOf(f.kernel)
		var ok bool
		if sigs[i], ok = p.signatureOf(t, d); !ok {
			errs = append(errs, &SourceError{
				Code: syntax.FuncSignature, Pos: pos, Cause: ErrArgs,
				Msg:  fmt.Sprintf("%s is a %v, which does not fit %s", f.entry.what, t, p.declarationOf(f.kernel)),
				Help: p.signatureHelp(d),
			})
		}
	}
	if !well || len(errs) > 0 {
		return errs
	}
	for i, f := range funcs {
		k, t := p.Kernel(f.kernel), f.entry.value.Type()
		if k.template != nil {
			k.template.own = &sigs[i]
			f.entry.value.Set(k.template.makeFunc(&sigs[i], t))
			continue
		}
		k.boxed = hostabi.NewBoxed(p.checked.Kernel(k.name), &sigs[i], p.rt.rules())
		f.entry.value.Set(hostabi.MakeFunc(k, sigs[i], t))
	}
	return nil
}

// signatureHelp says how to write the kernel function for a kernel.
func (p *Program) signatureHelp(d *check.KernelDecl) string {
	for _, v := range d.Params {
		if _, ok := v.Type.(typed.FuncType); ok {
			return fmt.Sprintf("leave it out: %s takes a function, so only a kernel of the source can use it", d.Name)
		}
	}
	return "write it as " + p.goSignature(d.Name)
}

// Declaration returns the declaration of a kernel that the source has, with complete types.
func (p *Program) Declaration(kernel string) *check.KernelDecl { return p.declOf(kernel) }

// declOf returns the declaration of a kernel that the source has.
func (p *Program) declOf(kernel string) *check.KernelDecl {
	i := slices.IndexFunc(p.pkg.Kernels, func(d *check.KernelDecl) bool { return d.Name == kernel })
	return p.declared(p.pkg.Kernels[i])
}

// declared is a kernel's declaration with the types that checking has found.
func (p *Program) declared(d *check.KernelDecl) *check.KernelDecl {
	if p.checked == nil || p.checked.Kernel(d.Name) == nil { // or a template
		return d
	}
	k := p.checked.Kernel(d.Name)
	full := &check.KernelDecl{Name: d.Name, Pos: d.Pos}
	for _, v := range k.Params {
		full.Params = append(full.Params, check.ParamDecl{Name: v.Name, Type: v.Type})
	}
	for _, v := range k.Results {
		full.Results = append(full.Results, check.ParamDecl{Name: v.Name, Type: v.Type})
	}
	return full
}

func (p *Program) constNames() []string {
	var names []string
	for _, c := range p.consts {
		names = append(names, c.name)
	}
	return names
}

// current checks the source against the constants as they are now, if they have
// changed since it was done last. It needs p.mu.
func (p *Program) current() (*check.Program, error) {
	if err := p.rebind(); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(p.values, func(s snapshot) bool { return !s.same() }) {
		return p.checked, nil
	}
	values := p.snapshots(p.constNames())
	host := p.host
	host.Consts = map[string]check.HostConst{}
	for _, c := range p.consts {
		host.Consts[c.name] = c.read()
	}
	checked, errs := p.pkg.Check(&host)
	if len(errs) > 0 {
		return nil, errs
	}
	p.rt.printStatic(checked.Prints, p.checked.Prints)
	p.checked, p.values, p.host, p.atLaunch = checked, values, host, nil
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
				if !p.rt.closed.Load() {
					_ = inst.compile(context.Background()) // the launch reports its error
				}
				<-p.rt.compiling
			case <-p.rt.stop:
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
		return Errorf(ErrClosed, "%s: the runtime of its program has been closed", k.name)
	}
	return nil
}

// forget drops the instances that use a tree which has been closed, with their machine
// code. It does so only where a later launch may want another instance: for templates,
// and where the host holds fields by pointers. The caller holds the launch lock.
func (p *Program) forget(t *Tree) {
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

// rules are what the types of launches depend on.
func (rt *Runtime) rules() hostabi.Rules {
	return hostabi.Rules{Widths: rt.opt.widths(), Half: rt.api.Half}
}

// widths are the kernel language's default widths.
func (o *options) widths() typed.Widths {
	w := typed.Widths{Int: typed.I32, Float: typed.F32}
	if o.Int == 64 {
		w.Int = typed.I64
	}
	if o.Float == 64 {
		w.Float = typed.F64
	}
	return w
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
func (p *Program) signatureOf(t reflect.Type, d *check.KernelDecl) (hostabi.Signature, bool) {
	var params []hostabi.Param
	for _, q := range d.Params {
		params = append(params, hostabi.Param{Want: q.Type, Static: isStatic(q.Type), Takes: func(t reflect.Type) bool { return takes(q.Type, t) }})
	}
	var results []typed.Type
	for _, r := range d.Results {
		results = append(results, r.Type)
	}
	return hostabi.SignatureOf(t, params, results, p.rt.opt.widths())
}

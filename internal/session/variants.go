package session

import (
	"sync"
	"sync/atomic"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/outline"
)

// A kernel is an exported function of a program, with its variants.
type kernel struct {
	p        *program
	name     string
	boxed    hostabi.Boxed // of Launch
	template *template     // of a kernel with compile-time parameters, whose instances have the codecs

	told      sync.Once // that the compiler failed in the kernel
	latest    atomic.Pointer[instance]
	instances []*instance // guarded by p.mu
}

// newKernel makes a kernel out of a declaration and a checked function, nil for a
// template.
func newKernel(p *program, d *outline.KernelDecl, f *outline.Kernel) *kernel {
	k := &kernel{p: p, name: d.Name}
	if f == nil {
		k.template = newTemplate(k, d)
		return k
	}
	k.boxed = hostabi.NewBoxed(f, nil, p.maker.rules())
	return k
}

// String returns the function's declaration as the source has it, on one line.
func (k *kernel) String() string { return k.p.declarationOf(k.name) }

func (p *program) declarationOf(name string) string {
	if d := p.pkg.Kernel(name); d != nil {
		return d.Text
	}
	return name
}

// count returns how many instances there are.
func (k *kernel) count() int {
	k.p.mu.Lock()
	defer k.p.mu.Unlock()
	return len(k.instances)
}

// toDump returns the instance whose code is shown: of a template, the one that was launched last.
func (k *kernel) toDump() (*instance, error) {
	if k.template == nil {
		return k.instance()
	}
	if inst := k.latest.Load(); inst != nil {
		return inst, nil
	}
	return nil, diag.Errorf(diag.ErrArgs, "%s has compile-time parameters, so there is no code of it before it is launched", k)
}

// now returns the instance for the constants and pointers as they are now.
func (k *kernel) now() (*instance, error) {
	inst := k.latest.Load()
	if inst == nil || !inst.current() {
		return k.another(inst)
	}
	return inst, nil
}

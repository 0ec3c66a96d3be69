package variant

import (
	"sync"
	"sync/atomic"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/threadblock"
)

// A Kernel is an exported function of a program, with its variants.
type Kernel struct {
	Program  *Program
	Name     string
	Boxed    hostabi.Boxed // of Launch
	Template *Template     // of a kernel with compile-time parameters, whose variants have the codecs

	block    atomic.Pointer[threadblock.Block] // of SetBlock; nil without it
	told     sync.Once                         // that the compiler failed in the kernel
	latest   atomic.Pointer[Variant]
	variants []*Variant // guarded by p.mu
}

// newKernel makes a kernel out of a declaration and a checked function, nil for a
// template.
func newKernel(p *Program, d *outline.KernelDecl, f *outline.Kernel) *Kernel {
	k := &Kernel{Program: p, Name: d.Name}
	if f == nil {
		k.Template = newTemplate(k, d)
		return k
	}
	k.Boxed = hostabi.NewBoxed(f, nil, p.Maker.Rules())
	return k
}

// String returns the function's declaration as the source has it, on one line.
func (k *Kernel) String() string { return k.Program.DeclarationOf(k.Name) }

func (p *Program) DeclarationOf(name string) string {
	if d := p.pkg.Kernel(name); d != nil {
		return d.Text
	}
	return name
}

// Count returns how many variants there are.
func (k *Kernel) Count() int {
	k.Program.mu.Lock()
	defer k.Program.mu.Unlock()
	return len(k.variants)
}

// ToDump returns the variant whose code is shown: of a template, the one that was launched last.
func (k *Kernel) ToDump() (*Variant, error) {
	if k.Template == nil {
		return k.Find()
	}
	if v := k.latest.Load(); v != nil {
		return v, nil
	}
	return nil, diag.Errorf(diag.ErrArgs, "%s has compile-time parameters, so there is no code of it before it is launched", k)
}

// Now returns the variant for the constants and pointers as they are now.
func (k *Kernel) Now() (*Variant, error) {
	v := k.latest.Load()
	if v == nil || !v.current() {
		return k.another(v)
	}
	return v, nil
}

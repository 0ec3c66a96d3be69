package aside

import (
	"context"
	"errors"

	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/variant"
)

// A Kernel is one that the product launches for the host.
type Kernel struct {
	maker   *variant.Maker
	variant *variant.Variant
}

// errNone is why there are no such kernels.
var errNone = errors.New("kernels are not compiled here")

// New makes a kernel of a source, which is written in the language of programs, and compiles it. bindTo binds the
// declarations of the source. Indices are not checked. There is none where kernels are not compiled, in debug mode,
// and while a test checks launches: then the caller does the work in Go.
func New(m *variant.Maker, text bind.File, name string, bindTo func(*bind.Bound)) (*Kernel, error) {
	if !m.Compiles() || m.Opt.Debug || m.Judged() {
		return nil, errNone
	}
	v, err := m.Aside(text, name, bindTo)
	if err != nil {
		return nil, err
	}
	if err := v.Compile(context.Background()); err != nil {
		return nil, err
	}
	return &Kernel{maker: m, variant: v}, nil
}

// TryLaunch launches the kernel if no other launch is under way. fill fills the slots of the arguments with the launch
// lock held; it reports false if nothing is to be launched. No random number of the program shifts, and nothing counts
// or measures the launch.
func (k *Kernel) TryLaunch(fill func(args []uint64) bool) bool {
	if !k.maker.Turn.TryLock() {
		return false
	}
	defer k.maker.Turn.Unlock()
	if !k.variant.Ready.Load() || !fill(k.variant.Frame.Args) {
		return false
	}
	return k.variant.Exe.RunAs(context.Background(), 0) == nil
}

// Free gives the code back. The caller holds the launch lock.
func (k *Kernel) Free() { k.variant.Free() }

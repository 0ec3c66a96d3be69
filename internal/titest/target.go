package titest

import (
	"fmt"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/session"
	"github.com/gotaichi/ti/internal/target"
)

// newFor is ti.New for a target that differs from the one that programs get.
func newFor(cfg ti.Config, change func(*target.Target)) (*ti.Runtime, error) {
	plain, err := ti.New(cfg)
	if err != nil {
		return nil, err
	}
	arch := plain.Device().Arch
	rt, err := (*session.Runtime)(plain).Again(func(api *session.API) {
		all := api.Targets
		api.Targets = func(env *front.Env) (*target.Registry, error) {
			r, err := all(env)
			if err != nil {
				return nil, err
			}
			t := r.Default()
			if arch != ti.Oracle {
				if t, err = r.Find(arch.String()); err != nil {
					return nil, err
				}
			}
			change(&t)
			return target.NewRegistry(t)
		}
	})
	if failed := plain.Close(); err == nil {
		err = failed
	}
	return (*ti.Runtime)(rt), err
}

// hasty is the compiler of a target whose code LLVM leaves as it is written, which takes a fraction of the time. Unlike
// with TI_OPT=0, all passes before LLVM run.
type hasty struct{ target.Compiler }

func (c hasty) Identity(o target.Options) (string, error) {
	o.Level = 0
	return c.Compiler.Identity(o)
}

func (c hasty) Translate(k *ir.Kernel, o target.Options) (target.Translation, error) {
	o.Level = 0
	return c.Compiler.Translate(k, o)
}

// NewHasty is ti.New for a target whose compiler is [hasty]. Arch may be Oracle, too.
func NewHasty(cfg ti.Config) (*ti.Runtime, error) {
	return newFor(cfg, func(t *target.Target) {
		of := t.Compiler
		t.Compiler = func() (target.Compiler, error) {
			c, err := of()
			return hasty{c}, err
		}
	})
}

// lone is a compiler of which nothing but the passes makes vectors. LLVM's vectorisers are off.
type lone struct {
	target.Compiler
	vectorBits int
}

// Traits are those of the compiler, with vectors of a given length. Short ones have no masks, and loads from several places are made one
// by one, as on a target that has 128 bits alone.
func (c lone) Traits() target.Traits {
	t := c.Compiler.Traits()
	t.Has |= target.Alone
	if c.vectorBits > 0 {
		t.VectorBits = c.vectorBits
	}
	if c.vectorBits == 128 {
		t.Has &^= target.Masks | target.Scales | target.Estimates | target.Streams | target.Prefetch
		t.GatherCost = 2
	}
	return t
}

func (c lone) Identity(o target.Options) (string, error) {
	o.Without |= option.Vectors
	id, err := c.Compiler.Identity(o)
	return fmt.Sprint(id, "alone", c.vectorBits), err
}

func (c lone) Translate(k *ir.Kernel, o target.Options) (target.Translation, error) {
	o.Without |= option.Vectors
	return c.Compiler.Translate(k, o)
}

// NewLone is ti.New for a target that has nothing behind the passes which makes vectors ([target.Alone]). The length of its vectors is that
// of this machine's if vectorBits is 0.
func NewLone(cfg ti.Config, vectorBits int) (*ti.Runtime, error) {
	return newFor(cfg, func(t *target.Target) {
		of := t.Compiler
		t.Compiler = func() (target.Compiler, error) {
			c, err := of()
			return lone{c, vectorBits}, err
		}
	})
}

// reread is the machine of a second target: it has what a kernel is from descriptors and
// pieces in their binary form, as a program has that comes with its code.
type reread struct{ launch.Machine }

func (m reread) Load(k *launch.Kernel, pieces []launch.Piece) (launch.Loaded, error) {
	k, err := launch.Read(k.Append(nil))
	if err != nil {
		return nil, fmt.Errorf("the descriptor: %w", err)
	}
	if pieces, err = launch.ReadPieces(launch.AppendPieces(nil, pieces)); err != nil {
		return nil, fmt.Errorf("the pieces: %w", err)
	}
	return m.Machine.Load(k, pieces)
}

// NewReread is ti.New for a target whose machine is a [reread].
func NewReread(cfg ti.Config) (*ti.Runtime, error) {
	return newFor(cfg, func(t *target.Target) {
		of := t.Machine
		t.Machine = func(processors launch.Machine, device int) (launch.Machine, error) {
			m, err := of(processors, device)
			return reread{m}, err
		}
	})
}

// watched is a compiler that shows the code of each kernel.
type watched struct {
	target.Compiler
	show func(pieces []launch.Piece)
}

func (c watched) Translate(k *ir.Kernel, o target.Options) (target.Translation, error) {
	t, err := c.Compiler.Translate(k, o)
	if err != nil {
		return nil, err
	}
	pieces, err := t.Pieces()
	if err != nil {
		return nil, err
	}
	c.show(pieces)
	return t, nil
}

// NewWatched is ti.New for a target whose compiler shows the code of each kernel that it makes.
func NewWatched(cfg ti.Config, show func(pieces []launch.Piece)) (*ti.Runtime, error) {
	return newFor(cfg, func(t *target.Target) {
		of := t.Compiler
		t.Compiler = func() (target.Compiler, error) {
			c, err := of()
			return watched{c, show}, err
		}
	})
}

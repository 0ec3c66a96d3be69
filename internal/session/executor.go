package session

import (
	"context"

	"github.com/gotaichi/ti/internal/target"
)

// An executor makes kernels ready to be launched. A runtime has one, which [newExecutor]
// chooses; nothing else asks which.
type executor interface {
	// build prepares the kernel of an instance. It may take long, and others may run
	// meanwhile. The caller of ready holds no lock; the instance is not launched before.
	build(inst *instance) (ready func() executable, err error)
	device() Device
	compiler() target.Compiler // also for dumps, which need no library up to a stage
}

// An executable is a kernel that is ready. Its methods need the launch lock.
type executable interface {
	// slots are where a launch finds its arguments and leaves its results.
	slots() (args, results []uint64)
	Run(ctx context.Context) error
	free()
}

// newExecutor returns the executor for an architecture, and the one that it stands for.
// Compiled code is for the target of a name.
func newExecutor(rt *Runtime, arch Arch, of *target.Registry, name string) (executor, Arch, error) {
	if arch == Oracle {
		return interpreting{rt}, Oracle, nil
	}
	t, err := of.Find(name)
	if err != nil {
		return nil, arch, Errorf(ErrArch, "%w", err)
	}
	c, err := t.Compiler()
	if err != nil {
		return nil, arch, Errorf(ErrArch, "%w", err)
	}
	m, err := t.Machine(rt.eng)
	if err != nil {
		return nil, arch, Errorf(ErrArch, "%w", err)
	}
	rt.machine = m
	return &compiling{rt: rt, maker: c, machine: m}, LLVM, nil
}

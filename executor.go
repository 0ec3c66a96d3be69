package ti

import (
	"context"

	"github.com/gotaichi/ti/internal/llvm"
)

// An executor makes kernels ready to be launched. A runtime has one, which [newExecutor]
// chooses; nothing else asks which.
type executor interface {
	// build prepares the kernel of an instance. It may take long, and others may run
	// meanwhile. The caller of ready holds no lock; the instance is not launched before.
	build(inst *instance) (ready func() executable, err error)
	device() Device
	driver() *llvm.Lib // of the compiler, also for dumps; nil for none
}

// An executable is a kernel that is ready. Its methods need the launch lock.
type executable interface {
	// slots are where a launch finds its arguments and leaves its results.
	slots() (args, results []uint64)
	run(ctx context.Context) error
	free()
}

// newExecutor returns the executor for an architecture, and the one that it stands for.
func newExecutor(rt *Runtime, arch Arch) (executor, Arch, error) {
	if arch == Oracle {
		return interpreting{rt}, Oracle, nil
	}
	lib, err := llvm.Default()
	if err != nil {
		return nil, arch, errorOf(ErrArch, "%w", err)
	}
	return &compiling{rt: rt, lib: lib}, LLVM, nil
}

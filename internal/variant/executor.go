package variant

import "github.com/gotaichi/ti/internal/target"

// An executor makes kernels ready to be launched. A runtime has one, which [NewExecutor]
// chooses; nothing else asks which.
type executor interface {
	// build prepares the kernel of a variant. It may take long, and others may run
	// meanwhile. The caller of ready holds no lock; the variant is not launched before. One that has been freed meanwhile gets no executable: what was made is given back.
	build(v *Variant) (ready func(freed bool) executable, err error)
	Device() Device
	compiler() target.Compiler // also for dumps, which need no library up to a stage
}

package ti

import (
	"context"
	"reflect"
	"time"

	"github.com/gotaichi/ti/internal/flow"
	"github.com/gotaichi/ti/internal/session"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/targets"
	"github.com/gotaichi/ti/internal/variant"
)

// A Runtime owns one device: its compiler, memory and threads. Programs have one
// as a rule; several may exist side by side and share nothing. Use [New]; the
// zero value is not a runtime.
type Runtime session.Runtime

// New starts a runtime. It fails with [ErrArch] if cfg asks for an architecture or
// device that this machine does not offer (the error says what is missing): only [CPU] stands for
// another one where that is all there is. It fails with an ordinary error if a field of cfg, or the
// environment variable that stands for it, has an impossible value.
func New(cfg Config) (*Runtime, error) {
	behind := func(f any) *store.Field { return f.(AnyField).field() }
	rt, err := session.New(cfg.session(), session.API{Targets: targets.Of, Level: targets.ForLevel, Half: reflect.TypeFor[Float16](), Field: behind})
	return (*Runtime)(rt), err
}

// Close runs what [Config.Batch] has collected, ends the launches under way, gives up compilations, closes every tree and stops the
// threads. It returns the failure of a launch that no call has reported yet. Launches that it ends, that wait or that come later fail with [ErrClosed]. To
// let other goroutines finish their launches first, call [Runtime.Sync]. Closing again
// does nothing and returns nil.
func (rt *Runtime) Close() error { return (*session.Runtime)(rt).Close() }

// Sync waits for the launches under way and those that [Config.Batch] has collected, and returns the failure of a launch that no call
// has reported yet. Without Batch a launch has finished when its call returns, so this waits for other goroutines only.
func (rt *Runtime) Sync() error { return (*session.Runtime)(rt).Sync() }

// Flush has the launches run that [Config.Batch] has collected, and does not wait for them, so that the threads start while the
// program does something else. Without Batch it does nothing.
func (rt *Runtime) Flush() { (*session.Runtime)(rt).Flush() }

// Plan calls f once, optimises together the launches that it makes, and keeps them as a plan instead of running them: see [Config.Batch], whose
// value does not matter. Set and Fill in f are launches, too. It fails if f does what would have to wait: if it launches a kernel with results, that
// prints, or that takes a slice or array, reads or writes an element that one of these launches touches, or makes a plan itself. Launches that other
// goroutines make meanwhile are taken for its own: let them wait.
func (rt *Runtime) Plan(f func()) (*Plan, error) {
	p, err := (*session.Runtime)(rt).Plan(f)
	if err != nil {
		return nil, err
	}
	return &Plan{of: p}, nil
}

// A Plan is a sequence of launches that was optimised as a whole. It has the arguments of the time at which it was made, and what host constants and
// pointers to fields are when it runs.
type Plan struct {
	_  noCopy
	of *flow.Plan
}

// Run runs the plan n times, as if its launches had been made n times; random numbers go on. It ends early, with the error, if a launch fails
// or ctx is done. A plan of a field whose tree has been closed gives [ErrClosed].
func (p *Plan) Run(ctx context.Context, n int) error {
	if p == nil {
		return (*flow.Plan)(nil).Run(ctx, n)
	}
	return p.of.Run(ctx, n)
}

// Prepare compiles, in parallel, the kernels of all sources loaded so far whose
// types are known (all but those with compile-time parameters), and returns when
// they are ready or ctx is done. Without it a kernel is compiled in the background
// from Load on, and its first launch waits.
func (rt *Runtime) Prepare(ctx context.Context) error { return (*session.Runtime)(rt).Prepare(ctx) }

// Stats returns what rt has done since it was started. Launches that other goroutines make at the same time
// may be missing in it until they are over.
func (rt *Runtime) Stats() Stats { return Stats((*session.Runtime)(rt).Stats()) }

// Stats counts the work of a runtime.
type Stats struct {
	Launches  int64 // launches made by the host
	Tasks     int64 // tasks (parallel or serial loops, parts between them) run for them
	Removed   int64 // tasks that launches did not need to run since they ran together; see [Config.Batch]
	Compiled  int64 // kernels compiled; those that share code count once
	CacheHits int64 // kernels taken from the cache on disk instead
	Bytes     int64 // memory of trees, and of the copies and sums that launches keep of them

	CompileTime time.Duration // summed over threads
}

// Device describes the device that rt runs on.
func (rt *Runtime) Device() Device { return deviceOf((*session.Runtime)(rt).Device()) }

// A Device is something that kernels can run on.
type Device struct {
	Arch    Arch   // never [CPU]: the back end itself
	Index   int    // for [Config.Device]
	Name    string // as the maker calls it
	Target  string // what code is generated for, such as "znver5"
	Memory  int64  // bytes
	Threads int    // processors; 0 for GPUs, whose drivers do not say how many threads they hold

	// GPUs only.
	Warp            int    // threads in a warp
	MaxBlockThreads int    // threads in a block
	MaxBlock        [3]int // extent of a block
	MaxGrid         [3]int // extent of a grid, in blocks
}

// Devices returns what this machine offers: its processors, then graphics processors, devices in software, and the
// oracle. An architecture whose library or driver is missing is absent.
func Devices() []Device {
	var ds []Device
	if all, err := targets.Of(nil); err == nil {
		for _, t := range all.Offered() {
			for _, d := range variant.DevicesOf(&t) {
				ds = append(ds, deviceOf(d))
			}
		}
	}
	return append(ds, deviceOf(variant.OracleDevice()))
}

func deviceOf(d variant.Device) Device {
	return Device{
		Arch: Arch(d.Arch), Index: d.Index, Name: d.Name, Target: d.Target, Memory: d.Memory, Threads: d.Threads,
		Warp: d.Blocks.Warp, MaxBlockThreads: d.Blocks.Threads, MaxBlock: d.Blocks.Block, MaxGrid: d.Blocks.Grid,
	}
}

package ti

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gotaichi/ti/internal/engine"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/sparse"
	"github.com/gotaichi/ti/internal/target"
	"github.com/klauspost/cpuid/v2"
)

// A Runtime owns one device: its compiler, memory and threads. Programs have one
// as a rule; several may exist side by side and share nothing. Use [New]; the
// zero value is not a runtime.
type Runtime struct {
	_ noCopy

	opt  options
	exec executor
	eng  *engine.Engine // the processors of this machine, and the launch lock

	machine launch.Machine // that has the memory of dense trees

	mu       sync.Mutex // guards what follows
	trees    []*Tree    // by number; gone for those that have been closed
	gone     *Tree      // a closed tree of nothing
	programs []*Program
	budget   *sparse.Budget // of all trees

	closed     atomic.Bool    // set under mu
	retired    atomic.Bool    // a dense tree has been closed
	stop       chan struct{}  // closed by Close
	background sync.WaitGroup // compilations and the progress watcher
	compiling  chan struct{}  // a token for each compilation that may run in the background
	slots      target.Slots   // shared by all compilations
	codes      sharedCode
	disk       diskCache
	families   families

	compiled    atomic.Int64
	cacheHits   atomic.Int64
	compileTime atomic.Int64
	building    atomic.Pointer[buildStatus]
}

// New starts a runtime. It fails with [ErrArch] if cfg asks for an architecture
// that this machine does not offer (the error says what is missing), and never
// falls back to another; and with an ordinary error if a field of cfg, or the
// environment variable that stands for it, has an impossible value.
func New(cfg Config) (*Runtime, error) {
	return newRuntime(cfg, targets, hostTarget)
}

// newRuntime starts a runtime whose compiled code is for the target of a name.
func newRuntime(cfg Config, of func(*Runtime) (*target.Registry, error), name string) (*Runtime, error) {
	o, err := resolve(cfg, environment)
	if err != nil {
		return nil, err
	}
	o.Deterministic = o.Deterministic && !o.Debug // loops run in order then anyway
	rt := &Runtime{opt: o, stop: make(chan struct{}), compiling: make(chan struct{}, runtime.GOMAXPROCS(0)), slots: target.NewSlots(), budget: sparse.NewBudget(o.MemoryLimit)}
	rt.gone = &Tree{rt: rt, lay: layout.NewTree(-1)}
	rt.gone.closed.Store(true)
	rt.opt.Stdout = shared(o.Stdout)
	if o.Arch == Oracle {
		rt.opt.Threads = 1
	}
	rt.eng = engine.New(rt.opt.Threads, o.Seed)
	rt.eng.RecordLimit, rt.eng.InOrder = int64(o.printBuffer), o.Debug
	rt.machine = rt.eng
	all, err := of(rt)
	if err == nil {
		rt.exec, rt.opt.Arch, err = newExecutor(rt, o.Arch, all, name)
	}
	if err != nil {
		rt.eng.Close()
		return nil, err
	}
	if o.Progress != nil {
		rt.eng.Watch()
		rt.inBackground(rt.watch)
	}
	return rt, nil
}

// Close ends the launches under way, gives up compilations, closes every tree and stops the
// threads. Launches that it ends, that wait or that come later fail with [ErrClosed]. To
// let other goroutines finish their launches first, call [Runtime.Sync]. Closing again
// does nothing and returns nil.
func (rt *Runtime) Close() error {
	if !rt.made() {
		return rt.usable("Close")
	}
	rt.mu.Lock()
	closed := rt.closed.Swap(true)
	rt.mu.Unlock()
	if closed {
		return nil
	}
	close(rt.stop)
	rt.eng.Stop()
	rt.background.Wait()
	rt.mu.Lock()
	trees, programs := rt.trees, rt.programs
	rt.mu.Unlock()
	errs := []error{rt.saveCoverage(programs)}
	for _, t := range trees {
		errs = append(errs, t.Close())
	}
	rt.eng.Lock()
	for _, p := range programs {
		p.free()
	}
	rt.eng.Unlock()
	rt.eng.Close()
	rt.mu.Lock()
	rt.programs = nil // so that they, and their hosts, can be collected
	rt.mu.Unlock()
	return errors.Join(errs...)
}

// Sync waits for the launches under way. A launch has finished when its call
// returns, so this waits for other goroutines only.
func (rt *Runtime) Sync() error {
	if err := rt.usable("Sync"); err != nil {
		return err
	}
	rt.eng.Lock()
	defer rt.eng.Unlock()
	return rt.usable("Sync")
}

// Prepare compiles, in parallel, the kernels of all sources loaded so far whose
// types are known (all but those with compile-time parameters), and returns when
// they are ready or ctx is done. Without it a kernel is compiled in the background
// from Load on, and its first launch waits.
func (rt *Runtime) Prepare(ctx context.Context) error {
	if err := rt.usable("Prepare"); err != nil {
		return err
	}
	if ctx == nil {
		return errorOf(ErrArgs, "Prepare with a nil context; use context.Background()")
	}
	var kernels []*Kernel
	rt.mu.Lock()
	for _, p := range rt.programs {
		for _, k := range p.kernels {
			if k.template == nil {
				kernels = append(kernels, k)
			}
		}
	}
	rt.mu.Unlock()
	errs := make([]error, len(kernels))
	var wg sync.WaitGroup
	for i, k := range kernels {
		wg.Go(func() {
			select {
			case rt.compiling <- struct{}{}:
				errs[i] = k.prepare(ctx)
				<-rt.compiling
			case <-ctx.Done():
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return errors.Join(errs...)
}

// prepare compiles the instance for the constants as they are now.
func (k *Kernel) prepare(ctx context.Context) error {
	inst, err := k.instance()
	if err != nil {
		return err
	}
	return inst.compile(ctx)
}

// Stats returns what rt has done since it was started.
func (rt *Runtime) Stats() Stats {
	if !rt.made() {
		return Stats{}
	}
	rt.mu.Lock()
	defer rt.mu.Unlock()
	return Stats{
		Launches: rt.eng.Launches(), Tasks: rt.eng.Tasks(), Compiled: rt.compiled.Load(), CacheHits: rt.cacheHits.Load(), Bytes: rt.budget.Used(),
		CompileTime: time.Duration(rt.compileTime.Load()),
	}
}

// Stats counts the work of a runtime.
type Stats struct {
	Launches  int64 // launches made by the host
	Tasks     int64 // tasks (parallel or serial loops, parts between them) run for them
	Compiled  int64 // kernels compiled; those that share code count once
	CacheHits int64 // kernels taken from the cache on disk instead
	Bytes     int64 // memory of trees

	CompileTime time.Duration // summed over threads
}

// Device describes the device that rt runs on.
func (rt *Runtime) Device() Device {
	rt.mustBeMade("Device")
	return rt.exec.device()
}

// A Device is something that kernels can run on.
type Device struct {
	Arch    Arch   // never [CPU]: the back end itself
	Name    string // as the maker calls it
	Target  string // what code is generated for, such as "znver5"
	Memory  int64  // bytes
	Threads int    // processors
}

// Devices returns what this machine offers, the fastest first. An architecture
// whose library is missing is absent.
func Devices() []Device {
	var ds []Device
	if c, _, err := openCompiler(); err == nil {
		ds = append(ds, compiledDevice(c))
	}
	return append(ds, oracleDevice())
}

func compiledDevice(c target.Compiler) Device {
	return Device{Arch: LLVM, Name: processor(), Target: c.Traits().Processor, Memory: memory.PhysicalMemory(), Threads: runtime.GOMAXPROCS(0)}
}

func oracleDevice() Device {
	return Device{Arch: Oracle, Name: "reference interpreter", Target: runtime.GOARCH, Memory: memory.PhysicalMemory(), Threads: 1}
}

func processor() string {
	if n := cpuid.CPU.BrandName; n != "" {
		return n
	}
	return runtime.GOARCH
}

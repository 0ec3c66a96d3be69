package config

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/threadblock"
	"github.com/gotaichi/ti/internal/typed"
)

// Config says how a [Runtime] works: package ti documents its fields, which this one has
// in the same order.
type Config struct {
	Arch                                                  Arch
	Device                                                int
	Threads                                               int
	Int, Float                                            int
	Unchecked, Debug, CheckNaN, StrictMath, Deterministic bool
	Seed                                                  uint64
	Batch                                                 int
	Block                                                 threadblock.Block
	MemoryLimit                                           int64
	Cache                                                 Cache
	Code                                                  []string // files of package ahead
	Cover                                                 string
	Stdout                                                io.Writer
	Progress                                              func(Progress)
}

// Progress says how far a long compilation or launch has come.
type Progress struct {
	Kernel  string
	Compile bool // compiling; else running
	Task    int  // the task under way, from 0, of Tasks
	Tasks   int
	Done    int64 // iterations of the task finished, of Total; 0 of 0 where unknown
	Total   int64
	Elapsed time.Duration
}

// Arch names a kind of device together with the back end that generates code for it.
type Arch uint8

// The architectures. CPU stands for the fastest back end. Apart is for tests: package apart says what it is.
const (
	CPU Arch = iota
	LLVM
	Wasm
	Vulkan
	Oracle

	Apart Arch = 255
)

var archNames = [...]string{CPU: "cpu", LLVM: "llvm", Wasm: "wasm", Vulkan: "vulkan", Oracle: "oracle"}

// apart is the name of the architecture that messages do not offer.
const apart = "apart"

// String returns the name in lower case.
func (a Arch) String() string {
	switch {
	case a.listed():
		return archNames[a]
	case a == Apart:
		return apart
	}
	return fmt.Sprintf("arch(%d)", uint8(a))
}

// listed reports whether programs are to know a.
func (a Arch) listed() bool { return int(a) < len(archNames) }

// known reports whether there is such an architecture.
func (a Arch) known() bool { return a.listed() || a == Apart }

// severalDevices reports whether a machine may have several devices of a, among which programs choose.
func (a Arch) severalDevices() bool { return a == Vulkan }

// MarshalText returns the name of a.
func (a Arch) MarshalText() ([]byte, error) {
	if !a.known() {
		return nil, fmt.Errorf("ti: %v is no architecture", a)
	}
	return []byte(a.String()), nil
}

// UnmarshalText sets a from its name in either case.
func (a *Arch) UnmarshalText(text []byte) error {
	for i, n := range archNames {
		if strings.EqualFold(n, string(text)) {
			*a = Arch(i)
			return nil
		}
	}
	if string(text) == apart {
		*a = Apart
		return nil
	}
	return fmt.Errorf("ti: unknown architecture %q; the known ones are %s", text, strings.Join(archNames[:], ", "))
}

// options is a Config with all gaps filled.
type Resolved struct {
	Config
	Compile         option.Options // without what Config says; see compiler
	ExtentsAtLaunch bool           // read extents at launch from the first size on
	Time            bool           // print how long the steps of each compilation take
	Spread          bool           // threads share each loop
	LinkAlways      bool           // batches wait until their launches are linked, and none is measured
	TileRows        int            // rows of a time tile: launches that can be run tile by tile always are; 0 leaves both to the queue
	Concurrent      bool           // launches that can run concurrently always do, and none is measured
	Faults          bool           // an error of the compiler is one of the launch

	CopyFrom    int // numbers from which on the host's copies are made by kernels at once; 0 leaves the choice to newCopier
	PrintBuffer int // bytes of records for each thread; 0 for as much as there is
}

// Compiler returns how kernels are compiled.
func (o *Resolved) Compiler() option.Options {
	c := o.Compile
	c.Unchecked, c.Strict, c.Threads = o.Unchecked && !o.Debug, o.StrictMath, o.Threads
	c.Deterministic, c.Debug, c.CheckNaN = o.Deterministic, o.Debug, o.CheckNaN
	return c
}

// Widths are the kernel language's default widths.
func (o *Resolved) Widths() typed.Widths { return typed.WidthsOf(o.Int, o.Float) }

// Resolve fills the gaps of cfg from the environment and then by defaults.
func Resolve(cfg Config, env func(string) string) (Resolved, error) {
	o := Resolved{Config: cfg, Compile: option.Options{Level: 3}}
	if v := env("TI_ARCH"); v != "" && cfg.Arch == CPU {
		if err := o.Arch.UnmarshalText([]byte(v)); err != nil {
			return o, fmt.Errorf("in the environment variable TI_ARCH: %w", err)
		}
	}
	if v := env("TI_INSTEAD"); v != "" && o.Arch == LLVM {
		if err := o.Arch.UnmarshalText([]byte(v)); err != nil {
			return o, fmt.Errorf("in the environment variable TI_INSTEAD: %w", err)
		}
	}
	for _, n := range []struct {
		name string
		to   *int
		set  bool
		max  int
	}{{"TI_THREADS", &o.Threads, cfg.Threads != 0, maxThreads}, {"TI_BATCH", &o.Batch, cfg.Batch != 0, maxBatch}, {"TI_OPT", &o.Compile.Level, false, 3}, {"TI_PRINT_BUFFER", &o.PrintBuffer, false, math.MaxInt},
		{"TI_FORCE_VECTORS", &o.Compile.ForceVectors, false, 64}, {"TI_MAX_UNROLLED", &o.Compile.MaxUnrolled, false, math.MaxInt},
		{"TI_DEVICE", &o.Device, cfg.Device != 0, math.MaxInt32},
		{"TI_STREAM_FROM", &o.Compile.StreamFrom, false, math.MaxInt}, {"TI_COPY_FROM", &o.CopyFrom, false, math.MaxInt}, {"TI_TILE_ROWS", &o.TileRows, false, math.MaxInt}} {
		v := env(n.name)
		if v == "" || n.set {
			continue
		}
		i, err := strconv.Atoi(v)
		if err != nil || i < 0 || i > n.max {
			return o, fmt.Errorf("ti: environment variable %s=%q is not a number from 0 to %d", n.name, v, n.max)
		}
		*n.to = i
	}
	if !o.Arch.severalDevices() {
		o.Device = cfg.Device // a program may have a runtime on the processors beside the one that TI_DEVICE is for
	}
	for _, b := range []struct {
		name string
		to   *bool
	}{{"TI_UNCHECKED", &o.Unchecked}, {"TI_STRICT_MATH", &o.StrictMath}, {"TI_DETERMINISTIC", &o.Deterministic},
		{"TI_DEBUG", &o.Debug}, {"TI_CHECK_NAN", &o.CheckNaN},
		{"TI_VERIFY", &o.Compile.Verify}, {"TI_VERIFY_TASKS", &o.Compile.VerifyTasks}, {"TI_EXTENTS_AT_LAUNCH", &o.ExtentsAtLaunch}, {"TI_TIME", &o.Time}, {"TI_SPREAD", &o.Spread}, {"TI_LINK_ALWAYS", &o.LinkAlways}, {"TI_CONCURRENT", &o.Concurrent}} {
		if v := env(b.name); v != "" && !*b.to {
			on, err := strconv.ParseBool(v)
			if err != nil {
				return o, fmt.Errorf("ti: environment variable %s=%q is neither 1 nor 0", b.name, v)
			}
			*b.to = on
		}
	}
	if o.Cover == "" {
		o.Cover = env("TI_COVER")
	}
	err := o.readCode(env("TI_CODE"))
	if err != nil {
		return o, err
	}
	err = o.Cache.resolve(env)
	if err != nil {
		return o, err
	}
	if v := env("TI_MEMORY_LIMIT"); v != "" && cfg.MemoryLimit == 0 {
		if o.MemoryLimit, err = memory.ParseSize(v); err != nil {
			return o, fmt.Errorf("ti: in the environment variable TI_MEMORY_LIMIT: %w", err)
		}
	}
	o.Compile.FailIn, o.Faults = env("TI_FAIL_IN"), env("TI_INTERNAL_ERRORS") == "fail"
	if o.Compile.Without, err = option.ParseSwitches(env("TI_WITHOUT")); err != nil {
		return o, fmt.Errorf("ti: in the environment variable TI_WITHOUT: %w", err)
	}
	return o, o.check()
}

// readCode reads the files that TI_CODE names, if the program has no code itself.
func (o *Resolved) readCode(list string) error {
	if len(o.Code) > 0 {
		return nil
	}
	for _, name := range filepath.SplitList(list) {
		data, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("ti: in the environment variable TI_CODE: %w", err)
		}
		o.Code = append(o.Code, string(data))
	}
	return nil
}

// maxThreads is beyond any machine's processors.
const maxThreads = 1 << 16

// maxBatch is the largest number of tasks of a batch: beyond it a plan takes longer than what it saves.
const maxBatch = 1 << 16

// usefulThreads is how many threads are made at most: more of them, on the processors that there are, wait for one
// another alone.
func usefulThreads() int { return max(256, 4*runtime.GOMAXPROCS(0)) }

// check reports impossible values and puts in the defaults.
func (o *Resolved) check() error {
	switch {
	case !o.Arch.known():
		return diag.Errorf(diag.ErrArch, "%v; the known ones are %s", o.Arch, strings.Join(archNames[:], ", "))
	case o.Device < 0:
		return fmt.Errorf("ti: Config.Device is %d; devices are counted from 0", o.Device)
	case o.Threads < 0 || o.Threads > maxThreads:
		return fmt.Errorf("ti: Config.Threads is %d; it is a number from 0 to %d", o.Threads, maxThreads)
	case o.Batch < 0 || o.Batch > maxBatch:
		return fmt.Errorf("ti: Config.Batch is %d; it is a number of tasks from 0 to %d", o.Batch, maxBatch)
	case o.MemoryLimit < 0:
		return fmt.Errorf("ti: Config.MemoryLimit is %d; it is a number of bytes, or 0 for what the machine has", o.MemoryLimit)
	}
	if err := o.Block.Check(); err != nil {
		return fmt.Errorf("ti: Config.Block: %w", err)
	}
	for _, w := range []struct {
		name string
		bits *int
	}{{"Int", &o.Int}, {"Float", &o.Float}} {
		switch *w.bits {
		case 0:
			*w.bits = 32
		case 32, 64:
		default:
			return fmt.Errorf("ti: Config.%s is %d; widths are 32 and 64", w.name, *w.bits)
		}
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	o.Threads = min(o.Threads, usefulThreads())
	return nil
}

// Environment is the environment of the process.
func Environment(name string) string { return os.Getenv(name) }

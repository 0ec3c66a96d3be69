//go:build !ti_ahead

package runtest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/titest"
	"github.com/gotaichi/ti/internal/vulkan/simulator"
)

// A Layout is a way to lay out the fields of a case.
type Layout uint8

const (
	Flat            Layout = iota // each field a dense array of its own
	Blocked                       // all fields side by side in blocks within a dense tree
	SOA                           // each component of each field an array of its own
	AtLaunch                      // as SOA, with extents that are read at launch
	BlockedAtLaunch               // as Blocked, with extents that are read at launch
	Packed                        // as SOA, each component in the form of all its bits, in a word of its own

	Pointers       // all fields side by side in blocks behind pointers
	Bitmasked      // each field in cells with a bit each
	NestedPointers // pointers to pointers to blocks, each component in a tree of its own
	Hashed         // blocks found through a table
)

// Sparse reports whether cells are made when they are first written.
func (l Layout) Sparse() bool {
	switch l {
	case Pointers, Bitmasked, NestedPointers, Hashed:
		return true
	}
	return false
}

// A Variant is a way to run a case.
type Variant struct {
	Label     string // tells it from other variants
	Arch      ti.Arch
	Opt       string
	Threads   int
	Unchecked bool
	Debug     bool
	Layout    Layout
	Wide      bool // int and float have 64 bits

	Deterministic bool
	Without       string // parts of the compiler that are left out
	Force         int    // iterations in a vector of each loop that can be made of vectors; 0 leaves it to LLVM
	Stream        int    // bytes from which loops store past the caches; 0 for the rule
	Alone         int    // bits of vectors of a target of which nothing but the passes makes them; 0 for this machine's
	Unrolled      int    // components up to which values are taken apart; 0 for the rule
	Kept          Kept   // where code comes from, and goes to
	Processor     string // whose instructions code has, as TI_PROCESSOR has it; "" for this machine's
	Library       string // the file of the libLLVM that makes it; "" for the usual one

	Unverified bool // the IR is not verified after passes, for speed

	Simulated *simulator.Driver // on whose device it runs; nil for another one
}

// Subtest is the name of a subtest in the variant: its label, with the processor if one was chosen.
func (v Variant) Subtest() string {
	if v.Processor == "" {
		return v.Label
	}
	return v.Label + "/" + v.Processor
}

// Kept is where the code of a variant comes from, and goes to: each a folder, or "".
type Kept struct {
	Cache  string // read and written
	Record string // written: code for this machine's level
	Code   string // read
}

var everyVariant = randtest.Long("variants", "run programs in each combination of level, threads, checks and layout")

// AllVariants reports whether all combinations of the choices are asked for.
func AllVariants() bool { return *everyVariant }

// Variants lists the ways to run a case: with -variants all combinations of the
// choices, else so many that each pair of choices occurs, in short mode fewer, that
// cover each choice.
func Variants() []Variant {
	layouts := []string{"flat", "blocked", "soa", "launch"}
	var all, pairs []Variant
	for l, layout := range layouts {
		all = append(all, Variant{Label: "oracle/" + layout, Arch: ti.Oracle, Threads: 1, Layout: Layout(l)})
	}
	all = append(all, Variant{Label: "llvm-O3/3/launch in blocks", Arch: ti.LLVM, Opt: "3", Threads: 3, Layout: BlockedAtLaunch})
	pairs = slices.Clone(all)
	for o, opt := range []string{"0", "3"} {
		for t, threads := range []int{1, 3} {
			for u, unchecked := range []bool{false, true} {
				for l, layout := range layouts {
					v := Variant{Arch: ti.LLVM, Opt: opt, Threads: threads, Unchecked: unchecked, Layout: Layout(l)}
					v.Label = fmt.Sprintf("llvm-O%s/%d/%s", opt, threads, layout)
					if unchecked {
						v.Label += "/unchecked"
					}
					if v.Layout == SOA {
						v.Label, v.Stream = v.Label+"/stream", 1
					}
					all = append(all, v)
					if l == t+2*u && o == 0 || l == 3-t-2*u && o == 1 {
						pairs = append(pairs, v)
					}
				}
			}
		}
	}
	sparse := sparseVariants()
	debug := []Variant{
		{Label: "oracle/debug", Arch: ti.Oracle, Threads: 1, Debug: true},
		{Label: "llvm-O3/debug", Arch: ti.LLVM, Opt: "3", Threads: 3, Layout: Blocked, Debug: true},
		{Label: "llvm-O1/debug", Arch: ti.LLVM, Opt: "1", Threads: 3, Layout: Blocked, Debug: true},
	}
	switch {
	case AllVariants():
		return slices.Concat(all, sparse, debug)
	case !testing.Short():
		return slices.Concat(pairs, fewSparse(), debug)
	}
	some := append(debug[1:2:2], sparse[len(sparse)-2:]...)
	for i, v := range all {
		if i == 0 || i == 3 || i == 4 || i == 8 || i == 15 || i == 21 || i == 32 || i == 34 {
			some = append(some, v)
		}
	}
	return some
}

// TakeTurns leaves case i those of the variants whose turn it is. Each case has the oracle on flat
// fields and in one of the other layouts, debug mode on the oracle and on code that LLVM optimises
// little or much, and optimised code for one thread and for several, once checked and once unchecked: one
// half of the layouts or the other. Of the variants without optimisation every second case has
// one, and of those with sparse layouts each case has a fifth. In short mode, which has few of
// them, all dense ones stay, and with -variants all.
//
// What LLVM optimises is made for the processors that [Processors] lists, one after the other, so that each case has
// two of them or more.
func TakeTurns(all []Variant, i int) []Variant {
	if AllVariants() {
		return all
	}
	left := leaveTurns(all, i)
	optimised := i
	for k := range left {
		if v := &left[k]; v.Arch == ti.LLVM && v.Opt == "3" {
			v.Processor = ProcessorOf(optimised)
			optimised++
		}
	}
	return left
}

// leaveTurns is TakeTurns, but for the processors.
func leaveTurns(all []Variant, i int) []Variant {
	sparse, plain, blocked, oracle, debug := 0, 0, 0, 0, 0
	return slices.DeleteFunc(slices.Clone(all), func(v Variant) bool {
		switch {
		case v.Layout.Sparse():
			sparse++
			return (sparse+i)%5 != 0
		case testing.Short():
			return false
		case v.Debug && v.Arch == ti.LLVM: // more to optimise than in all other modes
			debug++
			return (i/2+debug)%2 == 0
		case v.Debug:
			return false
		case v.Arch == ti.Oracle:
			oracle++
			return v.Layout != Flat && (i+oracle)%3 != 0
		case v.Opt == "0":
			plain++
			return (i+2*plain)%8 != 0
		case (v.Threads > 1) == v.Unchecked:
			return i%2 == 1
		case v.Threads > 1: // two of them share the turns of one
			blocked++
			return (i+2*blocked)%4 != 1
		}
		return i%2 == 0
	})
}

// OracleVariant is the way to run a kernel that is right, whatever it does.
var OracleVariant = Variant{Label: "oracle", Arch: ti.Oracle, Threads: 1}

// KernelVariants are a few ways to run a kernel by machine code. A random kernel is run in two
// of them.
var KernelVariants = []Variant{
	{Label: "O0", Arch: ti.LLVM, Opt: "0", Threads: 1, Layout: SOA},
	{Label: "O3/3 threads", Arch: ti.LLVM, Opt: "3", Threads: 3, Layout: Blocked},
	{Label: "O3/flat", Arch: ti.LLVM, Opt: "3", Threads: 1},
	{Label: "O3/extents at launch", Arch: ti.LLVM, Opt: "3", Threads: 3, Layout: AtLaunch},
	{Label: "O3/blocks at launch", Arch: ti.LLVM, Opt: "3", Threads: 3, Layout: BlockedAtLaunch},
}

// PackedVariants have fields in quantised forms that keep all numbers but infinities, NaNs, subnormal ones and -0.
var PackedVariants = []Variant{
	{Label: "oracle/packed", Arch: ti.Oracle, Threads: 1, Layout: Packed},
	{Label: "O0/packed", Arch: ti.LLVM, Opt: "0", Threads: 3, Layout: Packed},
	{Label: "O3/packed", Arch: ti.LLVM, Opt: "3", Threads: 3, Layout: Packed},
	{Label: "O3/packed/unchecked", Arch: ti.LLVM, Opt: "3", Threads: 1, Unchecked: true, Layout: Packed},
}

// WideVariants have an int and a float of 64 bits.
var WideVariants = []Variant{
	{Label: "oracle", Arch: ti.Oracle, Threads: 1, Wide: true},
	{Label: "llvm-O0", Arch: ti.LLVM, Opt: "0", Threads: 1, Layout: SOA, Wide: true},
	{Label: "llvm-O3", Arch: ti.LLVM, Opt: "3", Threads: 3, Wide: true},
	{Label: "llvm-O3/unchecked", Arch: ti.LLVM, Opt: "3", Threads: 1, Layout: Blocked, Unchecked: true, Wide: true},
}

// AloneVariants have a target of which nothing but the passes makes vectors: as on WebAssembly, and on processors with long vectors. Some have
// vectors of all loops that allow them, also if they do not pay.
var AloneVariants = []Variant{
	{Label: "alone/128", Arch: ti.LLVM, Opt: "3", Threads: 1, Alone: 128},
	{Label: "alone/128/all", Arch: ti.LLVM, Opt: "3", Threads: 3, Alone: 128, Force: 4, Layout: SOA},
	{Label: "alone/512/all", Arch: ti.LLVM, Opt: "3", Threads: 1, Alone: 512, Force: 4},
	{Label: "alone/512/launch/unchecked", Arch: ti.LLVM, Opt: "3", Threads: 3, Alone: 512, Layout: AtLaunch, Unchecked: true},
	{Label: "alone/256/blocks/all", Arch: ti.LLVM, Opt: "3", Threads: 3, Alone: 256, Force: 4, Layout: Blocked, Unchecked: true},
}

// NewRuntime starts the runtime of a variant.
func (v Variant) NewRuntime(t testing.TB) (*ti.Runtime, *bytes.Buffer) {
	t.Helper()
	if v.Processor != "" && os.Getenv(llvm.EnvProcessor) == "" {
		defer Setenv(llvm.EnvProcessor, v.Processor)()
	}
	if v.Library != "" && os.Getenv(llvm.EnvPath) == "" {
		defer Setenv(llvm.EnvPath, v.Library)()
	}
	kept := v.Kept
	if kept.Cache == "" && !v.Unverified {
		defer Setenv("TI_VERIFY", "1")() // with which there is no cache
	}
	if here := CodeLevels(); kept.Record != "" && len(here) > 0 {
		defer Setenv("TI_RECORD", kept.Record)()
		defer Setenv("TI_RECORD_FOR", here[0].String())()
	}
	if here := CodeLevels(); kept.Code != "" && len(here) > 0 {
		defer Setenv("TI_CODE", filepath.Join(kept.Code, here[0].String()+ahead.Ending))()
	}
	if v.Opt != "" {
		defer Setenv("TI_OPT", v.Opt)()
	}
	if v.Without != "" {
		defer Setenv("TI_WITHOUT", v.Without)()
	}
	if v.Force > 0 {
		defer Setenv("TI_FORCE_VECTORS", fmt.Sprint(v.Force))()
	}
	if v.Threads > 1 {
		defer Setenv("TI_SPREAD", "1")() // loops of tests are short, and one thread alone would run them
	}
	if v.Stream > 0 {
		defer Setenv("TI_STREAM_FROM", fmt.Sprint(v.Stream))()
	}
	if v.Unrolled > 0 {
		defer Setenv("TI_MAX_UNROLLED", fmt.Sprint(v.Unrolled))()
	}
	if v.Layout == AtLaunch || v.Layout == BlockedAtLaunch {
		defer Setenv("TI_EXTENTS_AT_LAUNCH", "1")()
	}
	out := new(bytes.Buffer)
	cfg := ti.Config{Arch: v.Arch, Threads: v.Threads, Unchecked: v.Unchecked, Seed: 7, Stdout: out, Debug: v.Debug, Deterministic: v.Deterministic, Cache: ti.Cache{Policy: ti.CacheOff}}
	if kept.Cache != "" {
		defer Setenv("TI_CACHE", "lru")()
		cfg.Cache = ti.Cache{Dir: kept.Cache}
	}
	if v.Wide {
		cfg.Int, cfg.Float = 64, 64
	}
	if v.Simulated != nil {
		return titest.NewSimulated(t, cfg, v.Simulated), out
	}
	start := ti.New
	if v.Alone > 0 {
		cfg = titest.OnProcessors(t, cfg)
		start = func(cfg ti.Config) (*ti.Runtime, error) { return titest.NewLone(cfg, v.Alone) }
	}
	rt, err := start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if rt.Device().Arch == ti.Oracle {
		titest.JudgeTrees(rt)
	}
	return rt, out
}

// StrictRuntime starts a runtime whose float arithmetic is IEEE's.
func (v Variant) StrictRuntime(t testing.TB) (*ti.Runtime, *bytes.Buffer) {
	t.Helper()
	defer Setenv("TI_STRICT_MATH", "1")()
	return v.NewRuntime(t)
}

// Setenv sets an environment variable and returns what sets it back.
func Setenv(name, value string) func() {
	old, had := os.LookupEnv(name)
	_ = os.Setenv(name, value)
	return func() {
		if had {
			_ = os.Setenv(name, old)
		} else {
			_ = os.Unsetenv(name)
		}
	}
}

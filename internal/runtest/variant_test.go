package runtest

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
)

// A layoutKind is a way to lay out the fields of a case.
type layoutKind uint8

const (
	flat    layoutKind = iota // each field a dense array of its own
	blocked                   // all fields side by side in blocks within a dense tree
	soa                       // each component of each field an array of its own
	launch                    // as soa, with extents that are read at launch

	pointers       // all fields side by side in blocks behind pointers
	bitmasked      // each field in cells with a bit each
	nestedPointers // pointers to pointers to blocks, each component in a tree of its own
	hashed         // blocks found through a table
)

// sparse reports whether cells are made when they are first written.
func (l layoutKind) sparse() bool {
	switch l {
	case pointers, bitmasked, nestedPointers, hashed:
		return true
	}
	return false
}

// A variant is a way to run a case.
type variant struct {
	name      string
	arch      ti.Arch
	opt       string
	threads   int
	unchecked bool
	debug     bool
	layout    layoutKind
	wide      bool // int and float have 64 bits

	deterministic bool
	without       string // parts of the compiler that are left out
	force         int    // iterations in a vector of each loop that can be made of vectors; 0 leaves it to LLVM
	unrolled      int    // components up to which values are taken apart; 0 for the rule
}

var everyVariant = randtest.Long("variants", "run programs in each combination of level, threads, checks and layout")

// allVariants reports whether all combinations of the choices are asked for.
func allVariants() bool { return *everyVariant }

// variants lists the ways to run a case: with -variants all combinations of the
// choices, else so many that each pair of choices occurs, in short mode fewer, that
// cover each choice.
func variants() []variant {
	layouts := []string{"flat", "blocked", "soa", "launch"}
	var all, pairs []variant
	for l, layout := range layouts {
		all = append(all, variant{name: "oracle/" + layout, arch: ti.Oracle, threads: 1, layout: layoutKind(l)})
	}
	pairs = slices.Clone(all)
	for o, opt := range []string{"0", "3"} {
		for t, threads := range []int{1, 3} {
			for u, unchecked := range []bool{false, true} {
				for l, layout := range layouts {
					v := variant{arch: ti.LLVM, opt: opt, threads: threads, unchecked: unchecked, layout: layoutKind(l)}
					v.name = fmt.Sprintf("llvm-O%s/%d/%s", opt, threads, layout)
					if unchecked {
						v.name += "/unchecked"
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
	debug := []variant{
		{name: "oracle/debug", arch: ti.Oracle, threads: 1, debug: true},
		{name: "llvm-O3/debug", arch: ti.LLVM, opt: "3", threads: 3, layout: blocked, debug: true},
	}
	switch {
	case allVariants():
		return slices.Concat(all, sparse, debug)
	case !testing.Short():
		return slices.Concat(pairs, fewSparse(), debug)
	}
	some := append(debug[1:], sparse[len(sparse)-2:]...)
	for i, v := range all {
		if i == 0 || i == 3 || i == 7 || i == 14 || i == 20 || i == 31 || i == 33 {
			some = append(some, v)
		}
	}
	return some
}

// oracleVariant is the way to run a random kernel that is right, whatever it does.
var oracleVariant = variant{name: "oracle", arch: ti.Oracle, threads: 1}

// kernelVariants are the ways to run a random kernel; each is run in two of them.
var kernelVariants = []variant{
	{name: "O0", arch: ti.LLVM, opt: "0", threads: 1, layout: soa},
	{name: "O3/3 threads", arch: ti.LLVM, opt: "3", threads: 3, layout: blocked},
	{name: "O3/flat", arch: ti.LLVM, opt: "3", threads: 1},
	{name: "O3/extents at launch", arch: ti.LLVM, opt: "3", threads: 3, layout: launch},
}

// wideVariants have an int and a float of 64 bits.
var wideVariants = []variant{
	{name: "oracle", arch: ti.Oracle, threads: 1, wide: true},
	{name: "llvm-O0", arch: ti.LLVM, opt: "0", threads: 1, layout: soa, wide: true},
	{name: "llvm-O3", arch: ti.LLVM, opt: "3", threads: 3, wide: true},
	{name: "llvm-O3/unchecked", arch: ti.LLVM, opt: "3", threads: 1, layout: blocked, unchecked: true, wide: true},
}

// newRuntime starts the runtime of a variant.
func (v variant) newRuntime(t testing.TB) (*ti.Runtime, *bytes.Buffer) {
	t.Helper()
	defer setenv("TI_VERIFY", "1")()
	if v.opt != "" {
		defer setenv("TI_OPT", v.opt)()
	}
	if v.without != "" {
		defer setenv("TI_WITHOUT", v.without)()
	}
	if v.force > 0 {
		defer setenv("TI_FORCE_VECTORS", fmt.Sprint(v.force))()
	}
	if v.unrolled > 0 {
		defer setenv("TI_MAX_UNROLLED", fmt.Sprint(v.unrolled))()
	}
	if v.layout == launch {
		defer setenv("TI_EXTENTS_AT_LAUNCH", "1")()
	}
	out := new(bytes.Buffer)
	cfg := ti.Config{Arch: v.arch, Threads: v.threads, Unchecked: v.unchecked, Seed: 7, Stdout: out, Debug: v.debug, Deterministic: v.deterministic}
	if v.wide {
		cfg.Int, cfg.Float = 64, 64
	}
	rt, err := ti.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return rt, out
}

// strictRuntime starts a runtime whose float arithmetic is IEEE's.
func (v variant) strictRuntime(t testing.TB) (*ti.Runtime, *bytes.Buffer) {
	t.Helper()
	defer setenv("TI_STRICT_MATH", "1")()
	return v.newRuntime(t)
}

// setenv sets an environment variable and returns what sets it back.
func setenv(name, value string) func() {
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

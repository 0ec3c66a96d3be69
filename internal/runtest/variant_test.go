package runtest

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
)

// A layoutKind is a way to lay out the fields of a case.
type layoutKind uint8

const (
	flat          layoutKind = iota // each field a dense array of its own
	blocked                         // all fields side by side in blocks within a dense tree
	soa                             // each component of each field an array of its own
	launch                          // as soa, with extents that are read at launch
	launchBlocked                   // as blocked, with extents that are read at launch

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

var allVariants = randtest.Long("variants", "run programs in each combination of level, threads, checks and layout")

// variants lists the ways to run a case: with -variants all combinations of the
// choices, else so many that each pair of choices occurs, in short mode fewer, that
// cover each choice.
func variants() []variant {
	layouts := []string{"flat", "blocked", "soa", "launch"}
	var all, pairs []variant
	for l, layout := range layouts {
		all = append(all, variant{name: "oracle/" + layout, arch: ti.Oracle, threads: 1, layout: layoutKind(l)})
	}
	all = append(all, variant{name: "llvm-O3/3/launch in blocks", arch: ti.LLVM, opt: "3", threads: 3, layout: launchBlocked})
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
	case *allVariants:
		return slices.Concat(all, sparse, debug)
	case !testing.Short():
		return slices.Concat(pairs, fewSparse(), debug)
	}
	some := append(debug[1:], sparse[len(sparse)-2:]...)
	for i, v := range all {
		if i == 0 || i == 3 || i == 4 || i == 8 || i == 15 || i == 21 || i == 32 || i == 34 {
			some = append(some, v)
		}
	}
	return some
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
	if v.layout == launch || v.layout == launchBlocked {
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

// A run is one case in one variant.
type run struct {
	testing.TB
	variant
	rt    *ti.Runtime
	out   *bytes.Buffer // what kernels print
	trees []*ti.Tree

	asleep []ti.AnyField // sparse ones that have inactive elements

	loaded func(*ti.Program) // called with each program loaded, if not nil
}

// runAll runs f in the variants, each with a runtime that r keeps for the next. Of those that
// go through LLVM and are not in debug mode it takes half, another half for each test.
func runAll(t *testing.T, rts *runtimes, f func(r *run)) {
	all := variants()
	if !testing.Short() && !*allVariants {
		all = slices.DeleteFunc(all, func(v variant) bool {
			return v.arch != ti.Oracle && !v.debug && !randtest.Share(t.Name()+v.name)
		})
	}
	runIn(t, rts, all, f)
}

// runIn runs f in the given variants.
func runIn(t *testing.T, rts *runtimes, variants []variant, f func(r *run)) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			rt, out := rts.of(t, v)
			out.Reset()
			r := &run{TB: t, variant: v, rt: rt, out: out}
			defer r.close()
			f(r)
		})
	}
}

// runtimes keeps a runtime for each variant.
type runtimes struct {
	m   map[string]*ti.Runtime
	out map[string]*bytes.Buffer
}

func (rs *runtimes) of(t testing.TB, v variant) (*ti.Runtime, *bytes.Buffer) {
	if rs.m == nil {
		rs.m, rs.out = map[string]*ti.Runtime{}, map[string]*bytes.Buffer{}
	}
	if rs.m[v.name] == nil {
		rs.m[v.name], rs.out[v.name] = v.newRuntime(t)
	}
	return rs.m[v.name], rs.out[v.name]
}

func (rs *runtimes) close(t testing.TB) {
	for name, rt := range rs.m {
		if err := rt.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func (r *run) close() {
	for _, tree := range r.trees {
		if err := tree.Close(); err != nil {
			r.Error(err)
		}
	}
}

// axes returns the first n axes.
func axes(n int) ti.Axes { return ti.Axes("ijklmnop"[:n]) }

// place lays out fields of one shape as the variant says.
func (r *run) place(shape ti.Shape, fields ...ti.AnyField) {
	r.placeAt(nil, shape, fields...)
}

// placeAt is place with the lowest index along each axis.
func (r *run) placeAt(origin []int, shape ti.Shape, fields ...ti.AnyField) {
	r.Helper()
	tree := func() *ti.Tree {
		t := r.rt.NewTree()
		if len(shape) > 0 && origin != nil {
			t.Origin(axes(len(shape)), origin...)
		}
		r.trees = append(r.trees, t)
		return t
	}
	dense := func(n *ti.Node, sizes []int) *ti.Node {
		if len(sizes) == 0 {
			return n
		}
		return n.Dense(axes(len(sizes)), sizes...)
	}
	if r.layout.sparse() {
		r.placeSparse(tree, origin, shape, fields)
		return
	}
	switch r.layout {
	case flat:
		for _, f := range fields {
			dense(&tree().Node, shape).Place(f)
		}
	case blocked, launchBlocked:
		outer, inner := make([]int, len(shape)), make([]int, len(shape))
		for i, n := range shape {
			inner[i] = block(n)
			outer[i] = n / inner[i]
		}
		dense(dense(&tree().Node, outer), inner).Place(fields...)
	case soa, launch:
		t := tree()
		for _, f := range fields {
			if k := f.Elem().Kind(); k != reflect.Array && k != reflect.Struct {
				dense(&t.Node, shape).Place(f)
				continue
			}
			for _, m := range ti.Members(f) {
				dense(&t.Node, shape).Place(m)
			}
		}
	}
}

// block returns the size of blocks along an axis of extent n.
func block(n int) int {
	for _, b := range []int{4, 3, 2, 5} {
		if n%b == 0 && n > b {
			return b
		}
	}
	return 1
}

// load binds src to host.
func (r *run) load(src string, host any) *ti.Program {
	r.Helper()
	for _, f := range r.asleep {
		r.wake(f)
	}
	r.asleep = nil
	p, err := r.rt.Compile(ti.Text("case.ti", src), host)
	if err != nil {
		r.Fatalf("%v\n%s", err, src)
	}
	if r.loaded != nil {
		r.loaded(p)
	}
	return p
}

package option

import (
	"fmt"
	"slices"
	"strings"
)

// Switches is a set of parts of the compiler, and of the runtime below it, that can be
// left out: programs compute the same without them, more slowly. A part that establishes
// the form of the IR for later passes has no switch.
type Switches uint64

// The parts. The table of the pipeline names the part of each pass; the code of the other
// parts tests for them.
const (
	Simplify Switches = 1 << iota
	CSE
	DCE
	PreAccess
	PostAccess
	Races
	NonAtomic
	Unroll
	Promote
	Forward
	IfConvert
	Ranges
	Predication
	Reduce
	Private
	Partition
	Lookups
	Ancestors
	Proof
	Border
	Masks
	Scratch
	RowTest
	EmptySpace
	Collapse
	Prefetch
	Strided
	Packets
	Estimate
	Vectors
	Hoist
	Lists
	Share
	Inspector
	Interior
	StoreMerge
	NonAtomicWords
	Gather
	MinCut
	DynamicMinCut
	TBR
	AdjointBCE
	Activity
	Sink
	BitVectors
	Stream
	Distribute
	LoopFusion
	Planes
	Superwords
	Accumulators
	DeadStores
)

// All is every part that can be left out.
const All = DeadStores<<1 - 1

// switches names the parts, in the order of the constants.
var switches = []struct{ name, does string }{
	{"simplify", "simplification of arithmetic, conditions and loops"},
	{"cse", "elimination of common subexpressions"},
	{"dce", "removal of dead code"},
	{"preaccess", "before access lowering: simplification, values in registers, store-to-load forwarding, and selections instead of branches"},
	{"postaccess", "after access lowering: simplification of addresses and of the code that uses them"},
	{"races", "in debug mode: no records of accesses that cannot be part of a race"},
	{"nonatomic", "plain updates instead of atomic ones, where an element belongs to one iteration"},
	{"unroll", "unrolling of short inner loops"},
	{"promote", "local variables and arrays in registers"},
	{"forward", "store-to-load forwarding: values passed on without memory"},
	{"ifconv", "selections instead of short branches"},
	{"ranges", "analysis of the ranges of integers, which removes index checks and simplifies addresses"},
	{"predication", "one test before a loop instead of the index checks of its iterations, which selects a version of the loop without them"},
	{"reduce", "reductions accumulated by each thread and merged after the loop"},
	{"private", "private copies of a small field for the threads that add to it"},
	{"partition", "appends to lists by one thread for each list, where finding the list is most of a loop's work"},
	{"lookups", "one look-up shared by all accesses to a block of a sparse tree"},
	{"ancestors", "look-ups in sparse trees that begin at the lowest common ancestor of two accesses"},
	{"proof", "loops over cells for which their own cell is known to be active, at a known place"},
	{"border", "separate code for the cells at the border of a block, so that the interior needs no look-up"},
	{"masks", "loops over bitmasked cells that read a row of the mask at a time, and treat a full row as dense"},
	{"scratch", "copies, in local arrays, of the elements that a loop over the cells of a block reads around them"},
	{"rowtest", "tests of whole rows of a domain for iterations that make blocks of a sparse tree"},
	{"emptyspace", "serial loops over a sparse field that pass over many inactive cells at a time"},
	{"collapse", "one loop over the cells of a small block instead of a nest"},
	{"prefetch", "prefetching of a block that lies in several pieces of memory, and of long rows with much to compute"},
	{"strided", "vectors within an element, where neighbouring iterations access memory with a large stride"},
	{"packets", "packets of iterations for loops with loops and conditions inside"},
	{"estimate", "without strict maths: reciprocal square roots in packets from the machine's estimate, a pow of f32 with less precise intermediate results, and logarithms of f32 with a branch for special values"},
	{"vectors", "all vectors: packets, and LLVM's vectorisers"},
	{"licm", "hoisting of loop-invariant code"},
	{"lists", "lists of active cells reused until the topology changes"},
	{"share", "shared code for loops over sparse trees that differ only in integer constants"},
	{"inspector", "inspector and executor: a loop that tests the indices of a few iterations, and a version of these iterations without index checks"},
	{"interior", "index-set splitting: a separate loop for the interior of stencils that wrap around or test for borders"},
	{"storemerge", "store merging: a single store for several quantised numbers in one word"},
	{"nonatomicwords", "plain stores instead of atomic ones to words of quantised numbers, where a word belongs to one iteration"},
	{"gather", "gathering loops over elements, without atomics, for the backward pass of stencils"},
	{"mincut", "a minimum cut that selects the values that loops of known length store for their backward pass, instead of recomputing or reloading them"},
	{"dynamicmincut", "a minimum cut that selects values that loops of unknown length store for their backward pass, in addition to the state of an iteration"},
	{"tbr", "to-be-recorded analysis: loops store for their backward pass only values that it reads"},
	{"adjointbce", "elimination of the bounds checks of a backward pass, for accesses that the forward pass is proved to have made"},
	{"activity", "a backward pass only through values that affect fields with adjoints"},
	{"sink", "the backward pass of values that only one branch uses, in that branch"},
	{"bits", "whole words at a time in loops over arrays of single bits"},
	{"stream", "stores that bypass the caches, in loops that write more memory than these hold"},
	{"distribute", "loop distribution: data-dependent accesses in loops of their own, so that the arithmetic can be vectorised"},
	{"loopfusion", "fusion of the two loops of a stencil's backward pass, and of loops of launches that are optimised together"},
	{"planes", "vectors of the iterations over two or three axes of a small block, whose rows are no longer than a vector"},
	{"superwords", "vectors of equal operations of one iteration on adjacent numbers, where neighbouring iterations use other numbers"},
	{"accumulators", "separate accumulators of 64 bits for quantised numbers with a word each"},
	{"deadstores", "removal of stores that a later one of the launches optimised together overwrites"},
}

// groups are sets of parts that are left out together, by one name.
var groups = []struct {
	name, does string
	parts      Switches
}{
	{"adjoints", "all optimisations of adjoints", Gather | MinCut | DynamicMinCut | TBR | AdjointBCE | Activity | Sink | LoopFusion},
	{"access", "all optimisations of accesses to sparse trees by the loop or by other accesses, so that each access descends from the root", Ranges | Lookups | Ancestors | Proof | Border | Scratch},
}

// Has reports whether some part of w is in s.
func (s Switches) Has(w Switches) bool { return s&w != 0 }

// String lists the names, with commas.
func (s Switches) String() string {
	var names []string
	for i, w := range switches {
		if s.Has(1 << i) {
			names = append(names, w.name)
		}
	}
	return strings.Join(names, ",")
}

// SwitchNames returns the names of all parts.
func SwitchNames() []string {
	var names []string
	for _, w := range switches {
		names = append(names, w.name)
	}
	return names
}

// DescribeSwitches returns a line about each part, and about each group of parts.
func DescribeSwitches() string {
	var b strings.Builder
	for _, w := range switches {
		fmt.Fprintf(&b, "%-14s %s\n", w.name, w.does)
	}
	for _, g := range groups {
		fmt.Fprintf(&b, "%-14s %s (%v)\n", g.name, g.does, g.parts)
	}
	return b.String()
}

// parts returns what a name stands for.
func parts(name string) (Switches, bool) {
	if i := slices.Index(SwitchNames(), name); i >= 0 {
		return 1 << i, true
	}
	for _, g := range groups {
		if g.name == name {
			return g.parts, true
		}
	}
	return 0, false
}

// ParseSwitches reads names of parts and groups with commas between them; "" names none.
func ParseSwitches(list string) (Switches, error) {
	var s Switches
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		p, ok := parts(name)
		if !ok {
			names := SwitchNames()
			for _, g := range groups {
				names = append(names, g.name)
			}
			return 0, fmt.Errorf("%q cannot be left out; these parts can: %s", name, strings.Join(names, ", "))
		}
		s |= p
	}
	return s, nil
}

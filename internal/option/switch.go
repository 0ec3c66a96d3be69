package option

import (
	"fmt"
	"slices"
	"strings"
)

// Switches is a set of parts of the compiler, and of the runtime below it, that can be
// left out: programs compute the same without them, more slowly. What later forms of
// the IR need has no switch.
type Switches uint64

// The parts. A pass tells its own in the table of the pipeline; the others are asked
// for where they work.
const (
	Simplify Switches = 1 << iota
	CSE
	DCE
	Early
	Late
	Races
	NonAtomic
	Unroll
	Promote
	Forward
	IfConvert
	Ranges
	Predicate
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
	Corners
	Interior
	Fuse
	OwnWords
	Gather
	KeepCut
	KeepInside
	KeepRead
	Certain
	Activity
	Sink
	BitVectors
	Stream
	Distribute
	Join
	Planes
	Superwords
	Apart
)

// All is every part that can be left out.
const All = Apart<<1 - 1

// switches names the parts, in the order of the constants.
var switches = []struct{ name, does string }{
	{"simplify", "simplification of arithmetic, conditions and loops"},
	{"cse", "what is computed twice is computed once"},
	{"dce", "removal of what nothing uses"},
	{"early", "simplification, values in registers and past memory, and conditions without branches, before addresses are made"},
	{"late", "simplification of addresses, and of all that comes behind them"},
	{"races", "no records, in debug mode, of accesses that cannot be part of a race"},
	{"nonatomic", "plain updates in the place of atomic ones, where an element belongs to one iteration"},
	{"unroll", "short inner loops taken apart"},
	{"promote", "local variables and arrays in registers"},
	{"forward", "values passed on past memory"},
	{"ifconv", "short branches as selections"},
	{"ranges", "analysis of the values of integers, by which index checks go and addresses become simple"},
	{"predicate", "index checks made once for all iterations, where their ends tell"},
	{"reduce", "reductions gathered by each thread for itself"},
	{"private", "a copy of a small field for each thread that adds to it"},
	{"partition", "appends to lists by one thread for each list, where finding the list is most of a loop's work"},
	{"lookups", "one look-up for all accesses to a block of a sparse tree"},
	{"ancestors", "look-ups in sparse trees that begin at the last block that two of them have in common"},
	{"proof", "the loop over cells proves that its own cell is active, and says where it lies"},
	{"border", "loops over the cells of a block with the cells at its border apart, so that the interior needs no look-up"},
	{"masks", "loops over bitmasked cells that read a row of the mask at a time, and take a full row as a dense one"},
	{"scratch", "loops over the cells of a block copy what they read around them into local arrays"},
	{"rowtest", "rows of a domain looked at as a whole for iterations that make blocks of a sparse tree"},
	{"emptyspace", "serial loops over a sparse field that pass over inactive cells many at a time"},
	{"collapse", "one loop over the cells of a small block, in the place of a nest"},
	{"prefetch", "the memory of a block asked for before the loop over its cells, where they lie in several pieces of it, and that of long rows with much to compute"},
	{"strided", "vectors within an element where neighbouring iterations access memory far apart"},
	{"packets", "packets of iterations for loops with loops and conditions inside"},
	{"estimate", "where maths is not strict: reciprocal square roots of packets from the machine's estimate, a pow of f32 with fewer digits in between, and logarithms of f32 with a branch to what is special"},
	{"vectors", "all vectors: packets, and LLVM's vectorisers"},
	{"licm", "what does not change in a loop computed before it"},
	{"lists", "lists of active cells kept until the topology changes"},
	{"share", "one code for loops over sparse trees that differ in whole numbers alone"},
	{"corners", "one question in the place of the index checks of an iteration, where their indices are known at its start"},
	{"interior", "iterations that no border concerns in a loop of their own, in stencils that wrap around or ask for borders"},
	{"fuse", "stores to several quantised numbers in one word as one"},
	{"demote", "plain stores to words of quantised numbers, where a word belongs to one iteration"},
	{"gather", "loops over elements, without atomics, for the backward pass through stencils"},
	{"keepcut", "a minimum cut that chooses what loops keep for their backward pass, or load or compute again"},
	{"keepinside", "loops of unknown length that keep values of their iterations, by a minimum cut, beside the state at their beginning"},
	{"keepread", "loops that keep for their backward pass only what it reads"},
	{"certain", "accesses of the backward pass without index checks, where the launch has made them for certain"},
	{"activity", "a backward pass through that alone which fields with adjoints change with"},
	{"sink", "the backward pass through what one branch uses alone, in that branch"},
	{"bits", "whole words at a time in loops over arrays of single bits"},
	{"stream", "memory that a loop fills, and that is more than caches hold, written past them"},
	{"distribute", "loops that access memory at places that are data taken apart, so that what they compute becomes vectors"},
	{"join", "one loop in the place of the two that go back through a stencil"},
	{"planes", "vectors of the iterations over two or three axes of a small block, of which a row is no more than a vector"},
	{"superwords", "vectors of numbers side by side that one iteration computes alike, where its neighbours use others"},
	{"apart", "sums of quantised numbers with a word each in 64 bits beside them"},
}

// groups are sets of parts that are left out together, by one name.
var groups = []struct {
	name, does string
	parts      Switches
}{
	{"adjoints", "all that makes adjoints of kernels cheaper, by itself: they keep, check and add up whatever is there", Gather | KeepCut | KeepInside | KeepRead | Certain | Activity | Sink | Join},
	{"access", "all that an access to a sparse tree knows of the loop and of others: each walks from the root", Ranges | Lookups | Ancestors | Proof | Border | Scratch},
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

// DescribeSwitches is a line about each part, and about each group of parts.
func DescribeSwitches() string {
	var b strings.Builder
	for _, w := range switches {
		fmt.Fprintf(&b, "%-10s %s\n", w.name, w.does)
	}
	for _, g := range groups {
		fmt.Fprintf(&b, "%-10s %s (%v)\n", g.name, g.does, g.parts)
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
			return 0, fmt.Errorf("%q cannot be left out; what can is %s", name, strings.Join(names, ", "))
		}
		s |= p
	}
	return s, nil
}

package packet

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/target"
)

// Make vectorises a task by packets of iterations (Hu, Taichi, chapter 2, section 5.3; Pharr and Mark: ispc, 2012).
//
// Input: a task with addresses whose innermost dim has constant bounds and whose body has a loop, with conditions or trip counts that
// usually differ between iterations, so that LLVM's vectoriser fails. Output: the same task whose innermost dim counts packets of W
// iterations. Values that differ between the iterations of a packet (varying ones) have W lanes; a varying condition becomes a mask; a
// loop that iterations leave at different times runs until its last lane has left. Values that are the same for all lanes (uniform)
// stay scalar.
//
// In loops that lanes leave at different times, an access at a data-dependent place is a gather or scatter. Random numbers are
// arithmetic, see call.go; sums have a number for each lane, see sum.go, and local arrays an element for each, see array.go. An update of
// an element that all lanes share adds up the lanes, see total.go. Updates of elements that some lanes may share are executed one after
// the other, see lane.go. Store-to-load forwarding between several updates of one element is undone before, see separate.go. The
// tallies of lanes are counted as vectors, see tally.go. The end of the packet reports failed checks, see fail.go. A task is left alone
// if its body has anything else, such as a look-up in a sparse tree, or if most of its work would be done lane by lane, see cost.go.
//
// Tasks without loops are vectorised, too, if they access elements of many components; see element.go. Make returns the remaining
// iterations, which do not fill a packet, as a task of their own.
func Make(t *ir.Task, machine target.Traits, opts option.Options, notes *note.Notes) (tail *ir.Task) {
	if machine.Provides(target.Alone) || !isCountable(t, machine.VectorBits) {
		return nil
	}
	body := t.Body
	if hasLoop(body) {
		t.Body = separated(t)
	}
	a := analysePacket(t, machine.VectorBits, opts, notes)
	if a == nil || !a.make(machine, opts, notes, &tail) {
		t.Body = body
	}
	return tail
}

// isCountable reports whether the innermost dim of t has a known trip count.
func isCountable(t *ir.Task, vectorBits int) bool {
	last := len(t.Dims) - 1
	if last < 0 || vectorBits < 128 {
		return false
	}
	d := t.Dims[last]
	return d.Lo.From == ir.FromConst && d.Hi.From == ir.FromConst && d.Kind == ir.I32
}

// make writes the task for packets, and one for the remaining iterations, if any. It reports whether packets pay.
func (a *packetInfo) make(machine target.Traits, opts option.Options, notes *note.Notes, tail **ir.Task) bool {
	t, vectorBits := a.t, machine.VectorBits
	d := t.Dims[len(t.Dims)-1]
	lanes := int64(vectorBits / 8 / a.widest)
	trips := d.Hi.Const - d.Lo.Const
	if a.divergent {
		lanes *= a.sideBySide(t.Body, vectorBits, trips, lanes)
	}
	arrays, stacks := a.arrayBytes()
	for lanes > 1 && (lanes*arrays > maxArrays || lanes*(arrays+stacks) > int64(machine.Locals)*7/8) {
		lanes /= 2
	}
	if lanes < int64(vectorBits/8/a.widest) {
		notes.Say(t.Pos, note.NoPackets, note.ArrayInMemory.With())
		return false
	}
	if len(a.totals) > 0 { // LLVM cannot vectorise these, so short packets pay, too
		for lanes/2 >= trips && lanes > leastTotal {
			lanes /= 2
		}
	} else if trips < lanes {
		return false
	}
	if trips < min(lanes, leastTotal) || lanes > 64 {
		return false
	}
	if a.divergent && countOps(t.Body, longestBody+1) > longestBody {
		notes.Say(t.Pos, note.NoPackets, note.LongBody.With())
		return false
	}
	if opts.ForceVectors == 0 && !a.pays(vectorBits) {
		notes.Say(t.Pos, note.NoPackets, note.LaneByLane.With())
		return false
	}
	if a.element != nil {
		*tail = cutTail(t, trips, lanes)
		trips -= trips % lanes
	}
	notes.Say(t.Pos, note.Packets, lanes)
	p := &packer{packetInfo: a, lanes: int(lanes), to: map[*ir.Value]*ir.Value{}}
	p.task(trips, d.Lo.Const)
	if a.element == nil {
		for _, s := range a.kept {
			p.widen(s)
		}
	}
	return true
}

// longestBody is the largest number of ops in a body whose lanes diverge. Masked code is many times longer, and libLLVM takes more than
// linear time for it: eig of 3×3 matrices, 3934 ops, takes 9.7 s to compile in packets and 1 s without, and runs twice as fast; that of
// 2×2, 2939 ops, takes forty times as long to compile and runs three times as fast.
const longestBody = 2500

// sideBySide returns the number of registers for each value of a packet whose lanes leave a loop at different times. With several, the
// work on one hides the latency of the others. Four are better than two if there are enough registers, as with AVX-512, and if they leave
// no more lanes of a row's last packet idle. In a long body, where a packet takes many branches for only some of its lanes, they cost
// more than they gain.
func (a *packetInfo) sideBySide(body *ir.Block, vectorBits int, trips, lanes int64) int64 {
	const longBody = 1500 // ops
	padded := func(n int64) int64 { return (trips + n - 1) / n * n }
	if vectorBits < 512 || trips < 4*lanes || padded(4*lanes) > padded(2*lanes) || countOps(body, longBody) >= longBody {
		return 2
	}
	return 4
}

// countOps returns the number of ops in b and its regions, but at most most.
func countOps(b *ir.Block, most int) int {
	n := 0
	ir.Visit(b, func(*ir.Op) bool {
		n++
		return n < most
	})
	return min(n, most)
}

// packetInfo has the results of analysePacket.
type packetInfo struct {
	t         *ir.Task
	r         *analysis.RangeInfo
	index     *ir.Value // parameter of the innermost dim
	varying   map[*ir.Value]bool
	leaves    map[*ir.Op]bool // loops and blocks whose lanes leave at different times
	strides   map[*ir.Op]int64
	gathers   map[*ir.Op]bool      // accesses with a place for each lane
	arrays    map[*ir.Value]*ir.Op // arrays of an iteration, by their addresses
	updates   map[*ir.Op]*update   // of private copies, by their ops
	totals    map[*ir.Op]bool      // ops of updates that add up the lanes in one place
	byLane    map[*ir.Op]bool      // ops that are executed lane by lane
	users     map[*ir.Value][]*ir.Op
	scatters  bool                   // the target has instructions for scatters
	ordered   bool                   // sums must be in the order of iterations
	strict    bool                   // and so must minimums of floats
	alone     bool                   // nothing but packets makes vectors
	masks     bool                   // instructions have masks; known of loops only
	grouped   map[*ir.Op]*components // accesses to components of small elements that become one; of loops only
	needed    map[*ir.Value]bool     // values that become vectors; known of loops only
	parent    map[*ir.Op]*ir.Op      // the ops whose regions yields end; for reductions
	kept      []*sum                 // the sums of iterations
	sums      map[*ir.Op]*sum        // the same by their loads and stores
	element   map[*ir.Op]*element    // the element that an access is a component of; nil in tasks with loops
	widest    int                    // bytes of the widest varying number
	divergent bool                   // some loop is in leaves
	checked   bool                   // there is no loop, but an index check
	loop      *ir.Op                 // the innermost loop around the ops that fits visits; nil for none
	why       *note.Cause            // why fits returned false
}

// analysePacket returns nil if t cannot become packets.
func analysePacket(t *ir.Task, vectorBits int, opts option.Options, notes *note.Notes) *packetInfo {
	a := surveyPacket(t, vectorBits, opts)
	var own []*ir.Op
	if loops := a.own(); len(loops) > 0 {
		var body *ir.Block
		if body, own = untied(t.Body, loops); body == nil {
			notes.Say(t.Pos, note.NoPackets, note.LimitsDiffer.With().At(loops[0].Pos))
			return nil
		}
		t.Body = body
		a = surveyPacket(t, vectorBits, opts)
	}
	if !a.fitsTask() {
		if a.why != nil {
			notes.Say(t.Pos, note.NoPackets, *a.why)
		}
		return nil
	}
	if opts.ForceVectors > 0 {
		return a
	}
	for _, o := range own {
		if !a.computesEnough(o.Regions[0], vectorBits) || a.sideBySideWithin(o) && !a.computesMuch(o.Regions[0]) {
			notes.Say(t.Pos, note.NoPackets, note.LimitsDiffer.With().At(o.Pos))
			return nil
		}
	}
	return a
}

// surveyPacket finds the values that vary between the lanes of a packet.
func surveyPacket(t *ir.Task, vectorBits int, opts option.Options) *packetInfo {
	a := &packetInfo{t: t, r: analysis.RangesOf(t, opts.Without), index: t.Body.Params[len(t.Dims)-1], users: usersOf(t),
		varying: map[*ir.Value]bool{}, leaves: map[*ir.Op]bool{}, strides: map[*ir.Op]int64{}, gathers: map[*ir.Op]bool{}, byLane: map[*ir.Op]bool{}, totals: map[*ir.Op]bool{},
		scatters: vectorBits >= 512, ordered: opts.Strict || opts.Deterministic, widest: 4}
	ir.NumberBlock(t.Body, ir.NumberBlock(t.Prologue, 0))
	a.varying[a.index] = true
	a.findSums()
	a.findArrays()
	a.findUpdates()
	// A carried value may be found to vary only at the end of a loop.
	for n := -1; n != len(a.varying)+len(a.leaves); {
		n = len(a.varying) + len(a.leaves)
		a.spread(t.Body, false)
	}
	return a
}

// fitsTask reports whether the whole task can be vectorised.
func (a *packetInfo) fitsTask() bool {
	if hasLoop(a.t.Body) {
		return a.fits(a.t.Body, nil, false)
	}
	return a.t.Strided && a.elements()
}

// hasLoop reports whether there is a loop in b.
func hasLoop(b *ir.Block) bool {
	found := false
	ir.Visit(b, func(o *ir.Op) bool {
		found = found || o.Code.Is(ir.Loop)
		return !found
	})
	return found
}

// refuse records why o prevents packets.
func (a *packetInfo) refuse(o *ir.Op, why note.Reason) bool {
	c := why.With().At(o.Pos)
	a.why = &c
	return false
}

// fits reports whether everything in b can be vectorised. Inside is the innermost loop or block around b, masked as in spread.
func (a *packetInfo) fits(b *ir.Block, inside *ir.Op, masked bool) bool {
	for i, o := range b.Ops {
		a.measure(o)
		last := i == len(b.Ops)-1
		switch o.Code {
		case ir.OpIf:
			m := masked || a.varying[o.Args[0]]
			if !a.fits(o.Regions[0], inside, m) || !a.fits(o.Regions[1], inside, m) {
				return false
			}
		case ir.OpFor, ir.OpLoop, ir.OpBlock:
			a.divergent = a.divergent || a.leaves[o] && o.Code != ir.OpBlock
			if o.Code == ir.OpFor && (a.varying[o.Args[0]] || a.varying[o.Args[1]]) {
				return a.refuse(o, note.LimitsDiffer)
			}
			outer := a.loop
			if o.Code != ir.OpBlock {
				a.loop = o
			}
			fits := a.fits(o.Regions[0], o, false)
			if a.loop = outer; !fits {
				return false
			}
		case ir.OpContinue:
			// A jump in the middle of a body is possible only if all lanes take it together.
			if o.Target != inside || masked || o.Target == nil && b != a.t.Body || !last ||
				o.Target != nil && b != o.Target.Regions[0] {
				return a.refuse(o, note.MiddleOfBody)
			}
		case ir.OpBreak:
			if o.Target != inside {
				return a.refuse(o, note.LeavesSeveral)
			}
		case ir.OpLoad, ir.OpStore:
			if a.alone {
				if why, ok := a.accessAlone(o); !ok {
					return a.refuse(o, why)
				}
			} else if !a.access(o, inside != nil) {
				return a.refuse(o, note.FarApart)
			}
		case ir.OpYield:
		case ir.OpAlloc:
			if a.arrays[o.Results[0]] == nil {
				return a.refuse(o, note.ArrayInMemory)
			}
		case ir.OpFail:
			if !a.diverges() && !a.checked && len(a.arrays) == 0 {
				return a.refuse(o, note.CheckMayFail)
			}
		case ir.OpAtomic:
			if why, ok := a.atomic(o); !ok {
				return a.refuse(o, why)
			}
		case ir.OpTally:
			if !a.diverges() || o.Tally != ir.TallyAll { // parts are counted by loops that pass distribute has made
				return a.refuse(o, note.Atomic)
			}
		case ir.OpCall:
			if a.any(o.Args) && !isStraight(o.Func) {
				return a.refuse(o, note.CallOrTable)
			}
		case ir.OpFollow:
			if !a.alone || a.any(o.Args) { // all lanes need one block
				return a.refuse(o, note.SparseLookup)
			}
		case ir.OpLookup, ir.OpSplat, ir.OpAny, ir.OpAll, ir.OpIota:
			if !a.alone || o.Code != ir.OpLookup || a.any(o.Args) {
				return a.refuse(o, note.CallOrTable)
			}
		default:
			if !o.Code.Is(ir.Pure) {
				return a.refuse(o, note.Obstacles[o.Code])
			}
		}
	}
	return true
}

// measure records the widest varying number. Addresses do not count, since a packet has only one.
func (a *packetInfo) measure(o *ir.Op) {
	for _, v := range o.Results {
		k := v.Type.Kind
		if a.varying[v] && (k == ir.F64 || k == ir.I64 || k == ir.U64) && !addressOnly(o) {
			a.widest = 8
		}
	}
}

// addressOnly reports whether o is one of the ops that access lowering makes.
func addressOnly(o *ir.Op) bool {
	switch o.Code {
	case ir.OpConvert:
		return o.Results[0].Type.Kind == ir.I64 && o.Args[0].Type.Kind.IsInt()
	case ir.OpMul, ir.OpAdd:
		return o.Flags.Has(ir.NoWrap) && o.Results[0].Type.Kind == ir.I64
	}
	return false
}

// atomic reports whether an atomic may be executed lane by lane, or why not.
func (a *packetInfo) atomic(o *ir.Op) (why note.Reason, ok bool) {
	if !a.diverges() {
		return note.Atomic, false
	}
	if a.ordered && (len(a.users[o.Results[0]]) > 0 || o.Results[0].Type.Kind.IsFloat() || !commutes(o.Atomic)) {
		return note.AtomicInOrder, false
	}
	a.byLane[o] = true
	return 0, true
}

// commutes reports whether updates of a kind give the same integers in any order.
func commutes(kind ir.AtomicKind) bool {
	return kind != ir.AtomicXchg && kind != ir.AtomicCAS && kind != ir.AtomicDiv && kind != ir.AtomicLoad
}

// access finds the stride between the places of neighbouring lanes.
func (a *packetInfo) access(o *ir.Op, inLoop bool) bool {
	if a.sums[o] != nil {
		return true
	}
	if a.arrays[rootOf(o.Args[0])] != nil {
		a.byLane[o] = a.any(distances(o.Args[0])) && (accessKind(o).Size() < 4 || o.Code == ir.OpStore && !a.scatters)
		return true
	}
	if isCopy(a.t, o.Args[0]) && a.updates[o] == nil { // several lanes may access the same element of it
		return false
	}
	stride, linear := a.r.Stride(o.Args[0], a.index, a.varying)
	kind := accessKind(o)
	a.strides[o] = stride
	if linear && stride != 0 && (!inLoop || stride == int64(kind.Size())) {
		return true
	}
	if u := a.updates[o]; u != nil {
		if linear && stride == 0 && a.addsUp(u) {
			for _, part := range u.ops {
				a.totals[part] = true
			}
			return true
		}
		a.byLane[o] = true
		return a.diverges()
	}
	if linear && stride == 0 {
		if o.Code == ir.OpLoad {
			delete(a.varying, o.Results[0])
		}
		return o.Code == ir.OpLoad // all lanes access one place
	}
	if !a.mayGather() {
		return false
	}
	a.gathers[o] = kind.Size() >= 4 && (o.Code == ir.OpLoad || a.scatters)
	a.byLane[o] = !a.gathers[o]
	return true
}

// mayGather reports whether an access in the current loop, or outside of all loops, may have a place for each lane: if lanes leave that
// loop, or some loop, at different times, or store to elements of arrays at varying indices. LLVM vectorises the iterations of other
// loops, whose accesses are more often contiguous.
func (a *packetInfo) mayGather() bool {
	if a.loop != nil {
		return a.leaves[a.loop] || a.choosesIn(a.loop)
	}
	return a.checked || a.diverges()
}

// choosesIn reports whether iterations store to elements of arrays at varying indices in a loop.
func (a *packetInfo) choosesIn(loop *ir.Op) bool {
	found := false
	ir.Visit(loop.Regions[0], func(o *ir.Op) bool {
		found = found || o.Code == ir.OpStore && a.arrays[rootOf(o.Args[0])] != nil && a.any(distances(o.Args[0]))
		return !found
	})
	return found
}

// diverges reports whether lanes leave some loop at different times.
func (a *packetInfo) diverges() bool {
	if a.alone { // it does not matter
		return true
	}
	for o := range a.leaves {
		if o.Code != ir.OpBlock {
			return true
		}
	}
	return false
}

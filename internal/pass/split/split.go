package split

import (
	"fmt"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/states"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// Kernel cuts the body of a kernel into tasks: each outermost loop is a range task, and the code between two loops a serial one (Hu,
// Taichi, chapter 2, section 5).
//
// Input: a kernel with a body. Output: the same with tasks and a frame.
//
//   - Values of earlier tasks are recomputed in the prologue of a task if that is cheap (constants, parameters, a few ops on these);
//     otherwise they go through an 8-byte slot of the frame. Arrays of the kernel that several tasks use are in the frame, too.
//   - Results are at the start of the frame. A return that is not the last op of the kernel, or of a part of a linked one, sets a done slot
//     in the frame, and later tasks of the kernel or the part do not run.
//   - A loop over a field becomes a nest in the field's memory order.
//   - All loops are planned before the first is rewritten (strategy.go).
//
// PlaneBits is the length in bits of the vectors that planes fill; 0 for no planes. Blocks says that the target runs loops in blocks of threads, of which each
// has an iteration: then loops are not cut, and those over the cells of a sparse tree have an iteration for each cell of each entry of their list.
//
// Report, if not nil, is called with a description of the plans, before anything is changed.
func Kernel(k *ir.Kernel, lay unit.Layout, o option.Options, planeBits int, blocks bool, notes *note.Notes, report func(string)) {
	ir.NumberBlock(k.Body, 0) // linear forms are ordered by number
	s := &splitter{
		k: k, lay: lay, notes: notes, planeBits: planeBits, blocks: blocks, ordered: o.Deterministic,
		whole: o.Without.Has(option.Border) || blocks, scratchless: o.Without.Has(option.Scratch) || o.Level == 0, cellwise: o.Without.Has(option.Masks) || blocks, unproven: o.Without.Has(option.Proof),
		home: map[*ir.Value]int{}, slot: map[*ir.Value]int64{}, origin: map[*ir.Value]*ir.Value{},
	}
	s.segment()
	s.frame()
	plans := s.plan()
	if report != nil {
		report(writeStrategy(s, plans))
	}
	parts := make([]states.Segment, len(s.segs))
	for i, seg := range s.segs {
		parts[i].Loop = seg.loop
	}
	for _, p := range plans {
		n := len(k.Tasks)
		s.task(p)
		parts[p.seg].Tasks = append(parts[p.seg].Tasks, k.Tasks[n:]...)
	}
	states.Take(k, parts)
	k.Body = nil
	k.FrameSize = s.size
}

// A segment is the ops that become one task.
type segment struct {
	ops  []*ir.Op
	loop *ir.Op // the loop of a range task
	part int    // of a linked kernel
}

type splitter struct {
	k           *ir.Kernel
	lay         unit.Layout
	notes       *note.Notes
	whole       bool // the border of blocks is not split off
	scratchless bool // neighbours are read from their blocks
	cellwise    bool // masks are read cell by cell
	unproven    bool // the loop's own cells are not assumed to be active
	ordered     bool // iterations that append run in the order of the source
	planeBits   int  // of the vectors that planes fill; 0 for no planes
	blocks      bool // the target runs loops in blocks of threads, each of which has an iteration
	segs        []segment
	home        map[*ir.Value]int   // segment of values defined in the kernel's body itself
	slot        map[*ir.Value]int64 // frame offset of values and arrays that cross tasks
	// origin maps an imported value to the value of the kernel's body.
	origin map[*ir.Value]*ir.Value
	size   int64
}

// segment cuts the body. Serial code of several parts of a linked kernel is several segments, whose failures are told apart.
func (s *splitter) segment() {
	var cur segment
	flush := func() {
		if len(cur.ops) > 0 {
			s.segs = append(s.segs, cur)
			cur.ops = nil
		}
	}
	for _, o := range s.k.Body.Ops {
		switch {
		case o.Code == ir.OpPart:
			flush()
			cur.part = int(o.Aux)
		case o.IsParallel():
			flush()
			s.segs = append(s.segs, segment{ops: []*ir.Op{o}, loop: o, part: cur.part})
		default:
			cur.ops = append(cur.ops, o)
		}
	}
	flush()
	for i, seg := range s.segs {
		for _, o := range seg.ops {
			for _, r := range o.Results {
				s.home[r] = i
			}
		}
	}
}

// frame allocates slots for all values that cross tasks.
func (s *splitter) frame() {
	s.size = 8 * int64(len(s.k.Results))
	s.k.DoneSlot = -1
	for i := range s.k.Parts {
		s.k.Parts[i].DoneSlot = -1
	}
	for i, seg := range s.segs {
		for _, o := range seg.ops {
			s.returns(i, o)
		}
		analysis.VisitOps(seg.ops, func(o *ir.Op) {
			for _, a := range o.Args {
				s.cross(i, o, a)
			}
		})
	}
}

// returns notes whether a return skips later segments.
func (s *splitter) returns(seg int, o *ir.Op) {
	done := s.done(seg)
	if s.isLast(seg) || *done >= 0 || s.segs[seg].loop != nil {
		return
	}
	if unit.HasOp(ir.OpReturn, o) {
		*done = s.size
		s.size += 8
	}
}

// done is the done slot of the kernel, or of the part that a segment is of.
func (s *splitter) done(seg int) *int64 {
	if p := s.k.PartOf(s.segs[seg].part); p != nil {
		return &p.DoneSlot
	}
	return &s.k.DoneSlot
}

// isLast reports whether a segment is the last one of its part.
func (s *splitter) isLast(seg int) bool {
	return seg == len(s.segs)-1 || s.segs[seg+1].part != s.segs[seg].part
}

// cross gives v a slot if another segment defines it.
func (s *splitter) cross(seg int, user *ir.Op, v *ir.Value) {
	home, ok := s.home[v]
	if !ok || home == seg && s.segs[seg].loop == nil {
		return
	}
	if _, done := s.slot[v]; done {
		return
	}
	if user == s.segs[seg].loop {
		if simpleBound(v) || v.Type.Kind == ir.Ptr {
			return
		}
	} else if cheap(v, new(int)) {
		return
	}
	if v.Def.Code == ir.OpAlloc {
		s.size = (s.size + 63) &^ 63
		s.slot[v] = s.size
		s.size += (v.Def.Aux*int64(v.Def.Kind.Size()) + 7) &^ 7
		return
	}
	if v.Type.Kind == ir.Ptr {
		// A place in an array of the kernel is recomputed by its users.
		for _, a := range v.Def.Args {
			s.cross(seg, user, a)
		}
		return
	}
	s.slot[v] = s.size
	s.size += 8
}

// cheap reports whether recomputing v from constants and parameters takes at most eight ops.
func cheap(v *ir.Value, cost *int) bool {
	if *cost++; *cost > 8 || v.Def == nil {
		return false
	}
	switch v.Def.Code {
	case ir.OpConst, ir.OpParam, ir.OpLen, ir.OpKey:
		return true
	case ir.OpCall, ir.OpLookup, ir.OpPtr, ir.OpElem, ir.OpCell:
		return false
	}
	if !v.Def.Code.Is(ir.Pure) || v.Def.Code.Is(ir.Math) {
		return false
	}
	for _, a := range v.Def.Args {
		if !cheap(a, cost) {
			return false
		}
	}
	return true
}

// task makes the task of a plan, or several for a loop that is strip-mined by blocks.
func (s *splitter) task(p *taskPlan) {
	seg := s.segs[p.seg]
	if seg.loop == nil {
		t := &ir.Task{Pos: seg.ops[0].Pos, Name: p.name, Part: seg.part, First: seg.part, Body: &ir.Block{}}
		s.serial(p.seg, t)
		s.add(t)
		return
	}
	begin := func() *ir.Task {
		first := seg.part
		if phase := seg.loop.Phase; phase > 0 && int(phase) <= len(s.k.Phases) && s.k.Phases[phase-1].Name != "" {
			first = s.k.Phases[phase-1].First
		}
		t := &ir.Task{Pos: seg.loop.Pos, Name: p.name, Loop: seg.loop.Aux, Part: seg.part, First: first, Threads: int(seg.loop.Bits)}
		if h := seg.loop.Hints; h != nil {
			t.BlockDim = h.BlockDim
		}
		return t
	}
	if p.cells != nil {
		t := begin()
		s.cellTask(p.seg, t, p.cells)
		s.add(t)
		return
	}
	body := seg.loop.Regions[0]
	if f := seg.loop.Field; f != nil && f.Extents != nil {
		visited(f, body)
	}
	for i, n := range p.nests {
		t, part := begin(), body // the original body becomes the last part, which has most of the work
		if i < len(p.nests)-1 {
			part = ir.CloneBlock(body, map[*ir.Value]*ir.Value{})
		}
		s.parallel(p.seg, t, n, part)
		s.add(t)
	}
}

func (s *splitter) add(t *ir.Task) {
	t.Index = len(s.k.Tasks)
	s.k.Tasks = append(s.k.Tasks, t)
}

// idle reports whether segment i only computes values that have no users.
func (s *splitter) idle(i int) bool {
	idle := s.segs[i].loop == nil
	analysis.VisitOps(s.segs[i].ops, func(o *ir.Op) {
		switch {
		case o.Code == ir.OpReturn:
			idle = idle && len(o.Args) == 0 && i == len(s.segs)-1
		case o.Code == ir.OpLoop, o.Code.Effects().Writes&^ir.Local != 0:
			idle = false
		}
		for _, r := range o.Results {
			if _, ok := s.slot[r]; ok {
				idle = false
			}
		}
	})
	return idle
}

// serial fills a serial task: imports, then the ops. A value that other tasks need is stored right after its op.
func (s *splitter) serial(i int, t *ir.Task) {
	in := s.importer(i, t.Body)
	body := &ir.Block{}
	b := ir.NewBuilder(body)
	for _, o := range s.segs[i].ops {
		b.Pos = o.Pos
		if o.Code == ir.OpAlloc {
			if off, ok := s.slot[o.Results[0]]; ok {
				array := frameArray(b, o, off)
				in.stands(array, o.Results[0])
				if !o.Flags.Has(ir.Unset) {
					zeroArray(b, array, o)
				}
				continue
			}
		}
		s.departures(o, b, i)
		b.Emit(o)
		for _, r := range o.Results {
			if off, ok := s.slot[r]; ok {
				s.spill(b, r, off)
			}
		}
	}
	if body.Terminator() == nil {
		b.Return()
	}
	in.block(body)
	t.Body.Ops = append(t.Body.Ops, body.Ops...)
}

// spill stores v in its slot; integers as i64, so that the engine can read loop bounds.
func (s *splitter) spill(b *ir.Builder, v *ir.Value, off int64) {
	w := v
	if v.Type.Kind.IsInt() {
		w = b.Convert(v, ir.I64)
	}
	b.Store(unit.FrameAt(b, off, w.Type.Kind, 1), w)
}

// frameArray appends the address in the frame of the array that alloc made.
func frameArray(b *ir.Builder, alloc *ir.Op, off int64) *ir.Value {
	v := unit.FrameAt(b, off, alloc.Kind, alloc.Aux)
	v.Name = alloc.Results[0].Name
	return v
}

// zeroArray appends the stores that an alloc implies.
func zeroArray(b *ir.Builder, array *ir.Value, alloc *ir.Op) {
	t, i32 := ir.Scalar(alloc.Kind), ir.Scalar(ir.I32)
	zero := b.Const(t, 0)
	if alloc.Aux <= 16 {
		for i := range alloc.Aux {
			b.Store(b.Op(ir.OpCell, array, b.Int(i32, i)), zero)
		}
		return
	}
	loop := ir.NewOp(ir.OpFor, b.Pos, nil, b.Int(i32, 0), b.Int(i32, alloc.Aux))
	b.Emit(loop)
	i := loop.Regions[0].AddParam(i32, "")
	b.In(loop.Regions[0], func() {
		b.Store(b.Op(ir.OpCell, array, i), zero)
		b.Jump(ir.OpContinue, loop)
	})
}

// departures puts the stores of results, and of the done flag, before each return in o.
func (s *splitter) departures(o *ir.Op, b *ir.Builder, seg int) {
	before := func(ret *ir.Op, b *ir.Builder) {
		b.Pos = ret.Pos
		for i, v := range ret.Args {
			w := v
			if v.Type.Kind.IsInt() {
				w = b.Convert(v, ir.I64)
			}
			b.Store(unit.FrameAt(b, 8*int64(i), w.Type.Kind, 1), w)
		}
		ret.Args = nil
		if !s.isLast(seg) {
			i32 := ir.Scalar(ir.I32)
			b.Store(unit.FrameAt(b, *s.done(seg), ir.I32, 1), b.Int(i32, 1))
		}
	}
	if o.Code == ir.OpReturn {
		before(o, b)
		return
	}
	var nested func(block *ir.Block)
	nested = func(block *ir.Block) {
		for _, o := range block.Ops {
			for _, r := range o.Regions {
				nested(r)
			}
		}
		if ret := block.Terminator(); ret != nil && ret.Code == ir.OpReturn {
			block.Ops = block.Ops[:len(block.Ops)-1]
			before(ret, ir.NewBuilder(block))
			block.Ops = append(block.Ops, ret)
		}
	}
	for _, r := range o.Regions {
		nested(r)
	}
}

// parallel fills the range task of a loop, or of a part of it, with the body of the loop.
func (s *splitter) parallel(i int, t *ir.Task, n nest, body *ir.Block) {
	t.Prologue, t.Epilogue = &ir.Block{}, &ir.Block{}
	t.Body = &ir.Block{}
	in := s.importer(i, t.Prologue)
	s.nest(t, n, body, in)
	t.Body.Ops = append(t.Body.Ops, body.Ops...)
	ir.Visit(t.Body, func(o *ir.Op) bool {
		if o.Target == s.segs[i].loop {
			o.Target = nil // the task itself
		}
		return true
	})
	in.block(t.Body)
	for _, b := range []*ir.Block{t.Prologue, t.Epilogue} {
		ir.NewBuilder(b).Yield()
	}
}

// nest sets the dims of t to those of n, and computes the indices of the source from the new parameters for axes with several dims.
func (s *splitter) nest(t *ir.Task, n nest, body *ir.Block, in *importer) {
	b := ir.NewBuilder(t.Body)
	b.Pos = t.Pos
	sum := make([]*ir.Value, len(n.low))
	for _, d := range n.dims {
		old := body.Params[d.axis]
		param := t.Body.AddParam(old.Type, old.Name)
		t.Dims = append(t.Dims, ir.Dim{Kind: old.Type.Kind, Lo: d.lo, Hi: d.hi})
		t.Nest = append(t.Nest, ir.NestDim{Axis: d.axis, Mul: d.mul})
		part := param
		if d.mul != 1 {
			part = b.NoWrap(ir.OpMul, part, b.Int(old.Type, d.mul))
		}
		if sum[d.axis] != nil {
			part = b.NoWrap(ir.OpAdd, sum[d.axis], part)
		} else if n.low[d.axis] != 0 {
			part = b.NoWrap(ir.OpAdd, part, b.Int(old.Type, n.low[d.axis]))
		}
		sum[d.axis] = part
	}
	t.Low = n.low
	if len(n.dims) > 0 && n.dims[0].axis == 0 {
		t.Rows = ir.Rows{Low: n.low[0], Step: n.dims[0].mul}
	}
	for axis, v := range sum {
		if v == nil { // the axis has one index
			v = b.Int(body.Params[axis].Type, n.low[axis])
		}
		in.subst[body.Params[axis]] = v
	}
}

// simpleBound reports whether a loop bound needs no slot in the frame.
func simpleBound(v *ir.Value) bool {
	if _, _, ok := lessThanLength(v); ok {
		return true
	}
	d := v.Def
	return d != nil && (d.Code == ir.OpConst || d.Code == ir.OpParam || d.Code == ir.OpLen)
}

// lessThanLength recognises a length minus a constant, which cannot wrap.
func lessThanLength(v *ir.Value) (p *ir.Param, add int64, ok bool) {
	d := v.Def
	if d == nil || d.Code != ir.OpAdd && d.Code != ir.OpSub {
		return nil, 0, false
	}
	c, ok := ir.IntOf(d.Args[1])
	if d.Code == ir.OpSub {
		c = -c
	}
	from := d.Args[0].Def
	if !ok || c > 0 || c < -1<<31 || from == nil || from.Code != ir.OpLen {
		return nil, 0, false
	}
	return from.Param, c, true
}

func (s *splitter) bound(v *ir.Value) ir.Bound {
	if c, ok := ir.IntOf(v); ok {
		return ir.Bound{Const: c}
	}
	if p, c, ok := lessThanLength(v); ok {
		return ir.Bound{From: ir.FromLen, Param: p, Const: c}
	}
	switch v.Def.Code {
	case ir.OpParam:
		return ir.Bound{From: ir.FromArg, Slot: v.Def.Aux}
	case ir.OpLen:
		return ir.Bound{From: ir.FromLen, Param: v.Def.Param}
	}
	return ir.Bound{From: ir.FromFrame, Slot: s.slot[v]}
}

// taskName describes a segment for users.
func (s *splitter) taskName(seg *segment) string {
	switch loop := seg.loop; {
	case loop == nil && s.k.Parts != nil:
		return s.k.Parts[seg.part].Name + ": serial code"
	case loop == nil:
		return "serial code"
	case loop.Phase > 0 && int(loop.Phase) <= len(s.k.Phases) && s.k.Phases[loop.Phase-1].Name != "":
		return s.k.Phases[loop.Phase-1].Name
	default:
		return LoopName(s.k, loop, seg.part)
	}
}

// LoopName describes a loop for users: "for i, j := range X", in a part of a linked kernel "Smooth: for i, j := range X".
func LoopName(k *ir.Kernel, loop *ir.Op, part int) string {
	var names []string
	for i, p := range loop.Regions[0].Params {
		name := p.Name
		if name == "" {
			name = fmt.Sprintf("i%d", i)
		}
		if i > 0 && name == names[0] {
			continue // the components of a grouped index share its name
		}
		names = append(names, name)
	}
	over := "…" // the source shows it
	switch {
	case loop.Code == ir.OpFieldFor:
		over = k.NameIn(part, loop.Field)
	case len(loop.Regions[0].Params) > 1:
		over = "ndrange(…)"
	}
	name := fmt.Sprintf("for %s := range %s", strings.Join(names, ", "), over)
	if k.Parts != nil {
		name = k.Parts[part].Name + ": " + name
	}
	return name
}

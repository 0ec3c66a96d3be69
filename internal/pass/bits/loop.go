package bits

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// An Obstacle is a reason why a loop cannot run on words, with its position in the source.
type Obstacle struct {
	Pos    ir.Pos
	Reason note.Reason
	Args   []any
}

// Cause is the obstacle as the cause of a note.
func (o *Obstacle) Cause() note.Cause { return o.Reason.With(o.Args...) }

// stop ends [Vectorise] with an obstacle.
func stop(pos ir.Pos, r note.Reason, args ...any) { panic(&Obstacle{pos, r, args}) }

// An Env has the queries of the package about fields.
type Env struct {
	Layout unit.Layout
	// Words returns the field of the words of a bit array.
	Words func(f *ir.Field, comp int, w *layout.Word) *ir.Field

	anyBits bool // arrays may have elements of several bits
}

// mostWords is the number of words of a row in one iteration of the new loop: enough for vectors, and few enough that threads share a
// long row.
const mostWords = 1024

// Touches reports whether a loop accesses arrays of single bits, tiles of them among them.
func Touches(loop *ir.Op, e Env) bool {
	found := false
	ir.Visit(loop.Regions[0], func(o *ir.Op) bool {
		found = found || isAccess(o) && (e.arrayOf(o.Args[0].Def) != nil || e.isTile(o.Args[0].Def))
		return !found
	})
	return found
}

// Vectorise returns the ops that replace a parallel loop. If the loop cannot run on words, it returns the obstacle, and leaves the loop as
// it is. In both cases lanes is the number of elements of a word.
func Vectorise(loop *ir.Op, e Env) (ops []*ir.Op, lanes int64, why *Obstacle) {
	defer func() {
		if p := recover(); p != nil {
			o, is := p.(*Obstacle)
			if !is {
				panic(p)
			}
			ops, why = nil, o
		}
	}()
	v := &vectoriser{Env: e, loop: loop, body: loop.Regions[0], arrays: map[*layout.Word]*array{}}
	v.survey()
	return v.rewritten(), v.lanes, nil
}

// rewritten returns the ops that replace the loop.
func (v *vectoriser) rewritten() []*ir.Op {
	before := &ir.Block{}
	v.kernel.Builder = ir.NewBuilder(before)
	v.kernel.Pos = v.loop.Pos
	if v.domain(); v.cells {
		v.overCells()
	} else {
		v.overRows()
	}
	return before.Ops
}

// A vectoriser rewrites one loop.
type vectoriser struct {
	Env
	loop *ir.Op
	body *ir.Block

	arrays map[*layout.Word]*array
	lane   int     // the index of the loop that the lanes count
	lanes  int64   // elements of a word
	word   ir.Kind // of words
	first  int64   // the index of lane 0 of word 0
	cells  bool    // the new loop is over the cells that have words

	kernel  logic          // appends before and after the loop
	head    logic          // appends to the start of an iteration of the new loop
	index   []*ir.Value    // replacements of the loop's indices; nil for that of the lanes
	params  []*ir.Value    // of the new loop, by those of the old
	lo, hi  *ir.Value      // i64, limits of the lanes' index
	uniform unit.Subst     // replacements of uniform values
	reached map[reach]bool // the words that an iteration accesses, relative to its own
	order   []reach        // the keys of reached
	written writes

	elementwise bool     // the elements of a word are visited one by one
	cutting     *Cutting // of such a loop
}

// An array is a bit array.
type array struct {
	field *ir.Field
	comp  int
	word  *layout.Word
	words *ir.Field
	axis  int // along which the elements of a word follow each other
	lanes int64
}

// isAccess reports whether o is a load, store or atomic of a field.
func isAccess(o *ir.Op) bool {
	if o.Code != ir.OpLoad && o.Code != ir.OpStore && o.Code != ir.OpAtomic {
		return false
	}
	place := o.Args[0].Def
	return place != nil && place.Code == ir.OpPtr
}

// arrayOf returns the array of single bits that a place is in, nil for another place.
func (e Env) arrayOf(place *ir.Op) *array {
	w := e.wordOf(place)
	if w == nil {
		return nil
	}
	a := &array{field: place.Field, comp: int(place.Aux), word: w, axis: -1}
	for axis, n := range w.Cells() {
		if n > 1 && a.axis >= 0 {
			return nil // rows and columns of a tile in one word
		} else if n > 1 {
			a.axis, a.lanes = axis, n
		}
	}
	if a.axis < 0 {
		return nil
	}
	return a
}

// wordOf returns the word with the bit at a place; nil if the place is no such bit.
func (e Env) wordOf(place *ir.Op) *layout.Word {
	if place.Flags.Has(ir.Dynamic) {
		return nil
	}
	f, c := place.Field, int(place.Aux)
	s := f.StoredAs(c)
	if s == nil || !e.anyBits && (s.Coder.Bits != 1 || !s.Coder.Unsigned || f.Comps[c].IsFloat()) {
		return nil
	}
	return e.Layout.Access(f, c).Packed.Word
}

// isTile reports whether the word of the bit at a place has rows and columns of a tile.
func (e Env) isTile(place *ir.Op) bool {
	w := e.wordOf(place)
	return w != nil && w.Array() && e.arrayOf(place) == nil && slices.ContainsFunc(w.Cells(), func(n int64) bool { return n > 1 })
}

// stopPlain stops at an access to memory other than arrays of single bits.
func (e Env) stopPlain(o *ir.Op) {
	reason, place := note.BitsPlain, o.Args[0].Def
	if isAccess(o) && e.isTile(place) {
		reason = note.BitsTile
	}
	stop(o.Pos, reason, objectOf(place))
}

// array returns the array that a place is in, nil for another place.
func (v *vectoriser) array(place *ir.Op) *array {
	a := v.arrayOf(place)
	if a == nil {
		return nil
	}
	if known := v.arrays[a.word]; known != nil {
		return known
	}
	v.arrays[a.word] = a
	return a
}

// survey finds the lanes: those of the arrays to which the loop stores, or else of those from which it loads.
func (v *vectoriser) survey() {
	v.written = writesOf(v.body)
	var all []*ir.Op
	for _, stores := range []bool{true, false} {
		ir.Visit(v.body, func(o *ir.Op) bool {
			if isAccess(o) && (o.Code != ir.OpLoad) == stores {
				all = append(all, o)
			}
			return true
		})
	}
	for _, o := range all {
		place := o.Args[0].Def
		a := v.array(place)
		if a == nil {
			continue
		}
		at := analysis.LoopIndex(v.body, place.Args[a.axis])
		if at.Param == nil {
			continue
		}
		if v.lanes == 0 {
			v.lane, v.lanes, v.word, v.first = at.Param.Index, a.lanes, a.word.Kind, a.field.Low(a.axis)-at.Add
		}
	}
	if v.lanes == 0 {
		if i := slices.IndexFunc(all, func(o *ir.Op) bool { return v.isTile(o.Args[0].Def) }); i >= 0 {
			v.stopPlain(all[i])
		}
		o := all[0]
		for _, p := range all {
			if v.array(p.Args[0].Def) != nil {
				o = p
				break
			}
		}
		stop(o.Pos, note.BitsElsewhere, o.Args[0].Def.Field.Name)
	}
}

// domain decides whether the new loop is over cells or over rows.
func (v *vectoriser) domain() {
	if v.loop.Code != ir.OpFieldFor {
		return
	}
	f := v.loop.Field
	own := v.fieldArray()
	// Words are cells of the node above, which must have all axes.
	aligned := own != nil && len(own.word.Home().PathAxes()) == f.Rank() && own.axis == v.lane && own.lanes == v.lanes && own.field.Low(own.axis) == v.first
	if f.Sparse && !aligned {
		stop(v.loop.Pos, note.BitsSparse, f.Name)
	}
	v.cells = aligned && (f.Sparse || !rowMajor(v.Layout, f))
}

// fieldArray returns the array over which the loop runs; nil if it is over something else.
func (v *vectoriser) fieldArray() *array {
	f := v.loop.Field
	if len(f.Comps) == 0 {
		return nil
	}
	return v.array(&ir.Op{Code: ir.OpPtr, Field: f})
}

// rowMajor reports whether the elements of f lie in the order of their indices.
func rowMajor(lay unit.Layout, f *ir.Field) bool {
	last := -1
	for _, d := range lay.Nest(f) {
		if d.Axis <= last {
			return false
		}
		last = d.Axis
	}
	return true
}

// limits returns the limits of the loop's index d, as values of the kernel.
func (v *vectoriser) limits(d int) (lo, hi *ir.Value) {
	k := &v.kernel
	if v.loop.Code == ir.OpParFor {
		return v.loop.Args[2*d], v.loop.Args[2*d+1]
	}
	f, t := v.loop.Field, v.body.Params[d].Type
	n, at := f.Extent(d)
	if at == nil {
		return k.Int(t, f.Low(d)), k.Int(t, f.Low(d)+n)
	}
	hi = k.Length(at, t.Kind)
	if f.Low(d) != 0 {
		hi = k.Op(ir.OpAdd, hi, k.Int(t, f.Low(d)))
	}
	return k.Int(t, f.Low(d)), hi
}

// begin starts the new loop.
func (v *vectoriser) begin(loop *ir.Op) {
	loop.Flags, loop.Aux, loop.Phase, loop.Bits, loop.Hints = v.loop.Flags, v.loop.Aux, v.loop.Phase, v.loop.Bits, v.loop.Hints
	v.kernel.Emit(loop)
	v.head = logic{Builder: ir.NewBuilder(loop.Regions[0]), kind: v.word}
	v.head.Pos = v.loop.Pos
	v.uniform, v.reached = unit.Subst{}, map[reach]bool{}
	v.index, v.params = make([]*ir.Value, len(v.body.Params)), make([]*ir.Value, len(v.body.Params))
}

// overCells makes a loop over the cells that have words of a field, in the order of its memory.
func (v *vectoriser) overCells() {
	own := v.fieldArray()
	lo, hi := v.limits(v.lane)
	v.lo, v.hi = v.kernel.Convert(lo, ir.I64), v.kernel.Convert(hi, ir.I64)
	loop := ir.NewOp(ir.OpFieldFor, v.loop.Pos, nil)
	loop.Field = v.wordsOf(own)
	v.begin(loop)
	var w *ir.Value
	for d, p := range v.body.Params {
		n := loop.Regions[0].AddParam(p.Type, p.Name)
		if v.params[d] = n; d == v.lane {
			w = n
			continue
		}
		if low := v.loop.Field.Low(d); low != 0 { // words are counted from 0 along all axes
			n = v.head.NoWrap(ir.OpAdd, n, v.head.Int(n.Type, low))
		}
		v.index[d], v.uniform[p] = n, n
	}
	wide := v.head.Convert(w, ir.I64)
	careful := v.iteration(&ir.Block{}, w, true)
	plain := v.iteration(&ir.Block{}, w, false)
	inside := v.rowInside()
	for _, r := range v.order {
		least, end := r.span()
		if least > 0 {
			inside = v.both(inside, v.head.Op(ir.OpGe, wide, v.head.Int(wide.Type, least)))
		}
		if end < v.words(own) {
			inside = v.both(inside, v.head.Op(ir.OpLt, wide, v.head.Int(wide.Type, end)))
		}
	}
	if inside == nil {
		v.head.Block.Ops = append(v.head.Block.Ops, plain.Ops...)
	} else {
		v.head.If(inside, nil, func() {
			v.head.Block.Ops = append(v.head.Block.Ops, plain.Ops...)
			v.head.Yield()
		}, func() {
			v.head.Block.Ops = append(v.head.Block.Ops, careful.Ops...)
			v.head.Yield()
		})
	}
	v.head.Jump(ir.OpContinue, loop)
}

// both returns the conjunction of two conditions, of which the first may be nil.
func (v *vectoriser) both(x, y *ir.Value) *ir.Value {
	if x == nil {
		return y
	}
	return v.head.Op(ir.OpAnd, x, y)
}

// words returns the number of words in a row of an array.
func (v *vectoriser) words(a *array) int64 { return a.field.Shape[a.axis] / a.lanes }

// overRows makes a loop over rows of words, or parts of rows:
//
//	for the words at an end of it, whose accesses may be out of range { careful }
//	for the other words { plain }
func (v *vectoriser) overRows() {
	k := &v.kernel
	var args []*ir.Value
	for d := range v.body.Params {
		lo, hi := v.limits(d)
		if d == v.lane {
			v.lo, v.hi = k.Convert(lo, ir.I64), k.Convert(hi, ir.I64)
		} else {
			args = append(args, lo, hi)
		}
	}
	v.lo, v.hi = k.fold(ir.OpAdd, v.lo, k.i64(0)), k.fold(ir.OpAdd, v.hi, k.i64(0))
	start := k.fold(ir.OpFloorDiv, k.fold(ir.OpSub, v.lo, k.i64(v.first)), k.i64(v.lanes))
	end := k.fold(ir.OpFloorDiv, k.fold(ir.OpSub, v.hi, k.i64(v.first-v.lanes+1)), k.i64(v.lanes))
	end = v.unlessEmpty(start, end)
	count := k.fold(ir.OpSub, end, start)
	n, known := ir.IntOf(count)
	parts := !known || n > mostWords || n == 0 || len(args) == 0 // no iteration for a row without words
	switch {
	case v.elementwise:
		args = append(args, start, end)
	case parts:
		args = append(args, k.i64(0), k.fold(ir.OpFloorDiv, k.fold(ir.OpAdd, count, k.i64(mostWords-1)), k.i64(mostWords)))
	}
	loop := ir.NewOp(ir.OpParFor, v.loop.Pos, nil, args...)
	v.begin(loop)
	for d, p := range v.body.Params {
		if d != v.lane {
			n := loop.Regions[0].AddParam(p.Type, p.Name)
			v.params[d], v.index[d], v.uniform[p] = n, n, n
		}
	}
	if v.elementwise {
		w := loop.Regions[0].AddParam(ir.Scalar(ir.I64), v.body.Params[v.lane].Name)
		v.iteration(loop.Regions[0], w, true)
		v.head.Jump(ir.OpContinue, loop)
		return
	}
	if parts {
		part := loop.Regions[0].AddParam(ir.Scalar(ir.I64), v.body.Params[v.lane].Name)
		start = v.head.NoWrap(ir.OpAdd, start, v.head.NoWrap(ir.OpMul, part, v.head.i64(mostWords)))
		end = v.head.Op(ir.OpMin, end, v.head.NoWrap(ir.OpAdd, start, v.head.i64(mostWords)))
	}
	v.row(start, end)
	v.head.Jump(ir.OpContinue, loop)
}

// unlessEmpty returns the end of the words from start on: start itself if the loop has no iteration.
func (v *vectoriser) unlessEmpty(start, end *ir.Value) *ir.Value {
	lo, ok := constOf(v.lo)
	hi, ok2 := constOf(v.hi)
	switch {
	case !ok || !ok2:
		return v.kernel.Op(ir.OpSelect, v.kernel.Op(ir.OpLt, v.lo, v.hi), end, start)
	case lo < hi:
		return end
	}
	return start
}

// row appends the loops over the words from start to end.
func (v *vectoriser) row(start, end *ir.Value) {
	i64 := ir.Scalar(ir.I64)
	h := &v.head
	edges, inner := &ir.Block{}, &ir.Block{}
	turn, w := edges.AddParam(i64, ""), inner.AddParam(i64, "")
	// One loop runs over the words of both ends.
	e := logic{Builder: ir.NewBuilder(edges), kind: v.word}
	e.Pos = v.loop.Pos
	from, to, left := &ir.Value{Type: i64}, &ir.Value{Type: i64}, &ir.Value{Type: i64}
	at := e.Op(ir.OpSelect, e.Op(ir.OpLt, turn, left), e.NoWrap(ir.OpAdd, start, turn), e.NoWrap(ir.OpAdd, to, e.NoWrap(ir.OpSub, turn, left)))
	v.iteration(edges, at, true)
	v.iteration(inner, w, false)

	a, b := start, end
	for _, r := range v.order {
		least, most := r.span()
		a, b = h.fold(ir.OpMax, a, h.i64(least)), h.fold(ir.OpMin, b, h.i64(most))
	}
	// The words whose lanes are all in the range of the loop.
	a = h.fold(ir.OpMax, a, h.fold(ir.OpFloorDiv, h.fold(ir.OpSub, v.lo, h.i64(v.first-v.lanes+1)), h.i64(v.lanes)))
	b = h.fold(ir.OpMin, b, h.fold(ir.OpFloorDiv, h.fold(ir.OpSub, v.hi, h.i64(v.first)), h.i64(v.lanes)))
	a = h.fold(ir.OpMin, a, end)
	if inside := v.rowInside(); inside != nil {
		a = h.Op(ir.OpSelect, inside, a, end)
	}
	b = h.fold(ir.OpMax, a, b)
	n := h.fold(ir.OpSub, a, start)
	all := h.fold(ir.OpAdd, n, h.fold(ir.OpSub, end, b))
	ir.Substitute(edges, map[*ir.Value]*ir.Value{from: a, to: b, left: n})
	for _, l := range []struct {
		lo, hi *ir.Value
		body   *ir.Block
		flags  ir.Flags
	}{{h.i64(0), all, edges, ir.Rolled}, {a, b, inner, ir.Independent}} {
		o := ir.NewOp(ir.OpFor, v.loop.Pos, nil, l.lo, l.hi)
		o.Flags |= l.flags
		o.Regions[0].Params, o.Regions[0].Ops = l.body.Params, l.body.Ops
		for _, p := range l.body.Params {
			p.Block = o.Regions[0]
		}
		c := ir.NewOp(ir.OpContinue, v.loop.Pos, nil)
		c.Target = o
		o.Regions[0].Ops = append(o.Regions[0].Ops, c)
		h.Emit(o)
	}
}

func (l *logic) i64(n int64) *ir.Value { return l.Int(ir.Scalar(ir.I64), n) }

// fold appends an operation on two i64, or computes it.
func (l *logic) fold(code ir.Code, x, y *ir.Value) *ir.Value {
	a, ok := constOf(x)
	b, ok2 := constOf(y)
	if !ok || !ok2 {
		return l.Op(code, x, y)
	}
	switch code {
	case ir.OpAdd:
		a += b
	case ir.OpSub:
		a -= b
	case ir.OpMin:
		a = min(a, b)
	case ir.OpMax:
		a = max(a, b)
	case ir.OpFloorDiv:
		a = analysis.FloorDiv(a, b)
	}
	return l.i64(a)
}

// constOf returns the constant that a value is, up to conversions.
func constOf(v *ir.Value) (int64, bool) {
	for v.Def != nil && v.Def.Code == ir.OpConvert && v.Def.Args[0].Type.Kind.IsInt() {
		v = v.Def.Args[0]
	}
	return ir.IntOf(v)
}

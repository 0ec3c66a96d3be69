package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// emptySpace lets a serial loop over all cells of a sparse tree pass over many inactive cells at a time.
//
// Input: a task with places made by ptr. A serial loop over a sparse field inside other code is a nest over the whole shape that
// tests each cell. Output: the same, but the innermost loop of such a nest is a loop over spans of cells that lie in one cell of a
// node above. It tests that cell, and runs the loop over the span only if it is active:
//
//	for 0, 32 { (%q: i32)
//		%a = isactive first 1 @X %i, %j, %q*8
//		if %a { for 0, 8 { (%l: i32) … the body, at %q*8 + %l … } }
//	}
//
// The order stays. Each cell is tested right before its iteration, and a node above right before its span. That is the same:
// while the node is inactive, no body runs that could activate a cell in it, and deactivation takes effect after the task.
func emptySpace(t *ir.Task, opts *Options) {
	s := &skipper{lay: opts.Layout, notes: opts.Notes}
	for _, b := range t.Blocks() {
		s.block(b)
	}
}

// A skipper splits the loop over a row of cells.
type skipper struct {
	lay    unit.Layout
	notes  *note.Notes
	loop   *ir.Op
	test   *ir.Op       // the isactive in it
	levels []emptyLevel // outermost first
	all    bool         // the test of the last level replaces the test of a cell
}

// An emptyLevel is a node above the cells of a row, or the node of the cells.
type emptyLevel struct {
	steps int   // number of nodes on the path to its cells
	span  int64 // the cells of the row in one of its cells
}

// block rewrites the loops in b.
func (s *skipper) block(b *ir.Block) {
	var ops []*ir.Op
	for _, o := range b.Ops {
		for _, r := range o.Regions {
			s.block(r)
		}
		if o.Code == ir.OpFor && s.find(o) {
			out := ir.NewBuilder(&ir.Block{})
			out.Pos = o.Pos
			s.rewrite(out)
			ops = append(ops, out.Block.Ops...)
			continue
		}
		ops = append(ops, o)
	}
	b.Ops = ops
}

// find reports whether loop runs over a whole row of a field and does nothing for inactive cells. It sets the levels, at least one.
func (s *skipper) find(loop *ir.Op) bool {
	s.loop = loop
	body := loop.Regions[0]
	n := len(body.Ops)
	if n < 3 || body.Ops[n-2].Code != ir.OpIf || body.Ops[n-1].Code != ir.OpContinue || body.Ops[n-1].Target != loop {
		return false
	}
	under := body.Ops[n-2]
	s.test = under.Args[0].Def
	inside := map[*ir.Value]bool{}
	for _, p := range body.Params {
		inside[p] = true
	}
	found := false
	for _, o := range body.Ops[:n-2] {
		if found = found || o == s.test; o.Code.Effects().Writes != 0 || len(o.Regions) > 0 {
			return false
		}
		for _, r := range o.Results {
			inside[r] = true
		}
	}
	if !found || s.test.Code != ir.OpIsActive || !s.overRow(inside) || !s.unchanged(under, body.Ops[n-1]) {
		return false
	}
	s.setLevels()
	return len(s.levels) > 0
}

// overRow reports whether the test is for the cell of the current iteration.
func (s *skipper) overRow(inside map[*ir.Value]bool) bool {
	f, last := s.test.Field, len(s.test.Args)-1
	if !f.Sparse || f.List || last < 0 || s.test.Args[last] != s.loop.Regions[0].Params[0] {
		return false
	}
	for _, v := range s.test.Args[:last] {
		if inside[v] {
			return false
		}
	}
	lo, ok1 := ir.IntOf(s.loop.Args[0])
	hi, ok2 := ir.IntOf(s.loop.Args[1])
	return ok1 && ok2 && lo == f.Low(last) && hi-lo == f.Shape[last] && hi > lo
}

// unchanged reports whether an iteration with an inactive cell passes the carried values on.
func (s *skipper) unchanged(under, next *ir.Op) bool {
	other := under.Regions[1]
	if len(other.Ops) != 1 || other.Ops[0].Code != ir.OpYield {
		return false
	}
	for i, v := range next.Args {
		if v.Def == under {
			v = other.Ops[0].Args[v.Index]
		}
		if v != s.loop.Regions[0].Params[1+i] {
			return false
		}
	}
	return true
}

// setLevels finds the nodes above that have one cell for several cells of the row.
func (s *skipper) setLevels() {
	s.levels = nil
	steps := s.lay.Cells(s.test.Field).Steps
	axis := len(s.test.Args) - 1
	span := s.test.Field.Shape[axis]
	for i := range steps {
		for _, terms := range [][]layout.Term{steps[i].Terms, steps[i].Cells} {
			for _, t := range terms {
				if t.Axis == axis {
					span = gcd(span, max(t.Div, 1))
				}
			}
		}
		if span == 1 {
			break
		}
		if last := len(s.levels) - 1; last >= 0 && s.levels[last].span == span {
			s.levels = s.levels[:last] // a deeper node makes this test unnecessary
		}
		s.levels = append(s.levels, emptyLevel{i + 1, span})
	}
	s.all = span > 1
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// rewrite appends the loops that replace the loop, which becomes the innermost one.
func (s *skipper) rewrite(b *ir.Builder) {
	results := s.loop.Results
	s.loop.Results = nil
	for _, r := range results {
		s.loop.Results = append(s.loop.Results, &ir.Value{Type: r.Type, Def: s.loop, Index: r.Index, Name: r.Name})
	}
	field, args := s.test.Field, s.test.Args
	outer := args[:len(args)-1]
	if s.all { // the test of the last level is enough
		s.test.Code, s.test.Args, s.test.Field, s.test.Bits = ir.OpConst, nil, nil, 1
	}
	s.notes.Say(b.Pos, note.RowTest, s.levels[len(s.levels)-1].span)
	first := s.level(b, 0, field, outer, s.loop.Args[0], s.loop.Args[2:])
	for i, r := range results {
		r.Def = first
		first.Results[i] = r
	}
}

// level appends the loop over the cells of a level from base on. The innermost level is the loop over the cells of the field.
func (s *skipper) level(b *ir.Builder, i int, f *ir.Field, outer []*ir.Value, base *ir.Value, carried []*ir.Value) *ir.Op {
	it := base.Type
	extent := f.Shape[len(outer)]
	if i > 0 {
		extent = s.levels[i-1].span
	}
	if i == len(s.levels) {
		return s.cells(b, base, extent, carried)
	}
	var types []ir.Type
	for _, v := range carried {
		types = append(types, v.Type)
	}
	l := s.levels[i]
	loop := ir.NewOp(ir.OpFor, b.Pos, types, append([]*ir.Value{b.Int(it, 0), b.Int(it, extent/l.span)}, carried...)...)
	body := loop.Regions[0]
	q := body.AddParam(it, "")
	var kept []*ir.Value
	for _, v := range carried {
		kept = append(kept, body.AddParam(v.Type, v.Name))
	}
	b.Emit(loop)
	b.In(body, func() {
		at := b.NoWrap(ir.OpAdd, base, b.NoWrap(ir.OpMul, q, b.Int(it, l.span)))
		test := ir.NewOp(ir.OpIsActive, b.Pos, []ir.Type{ir.Scalar(ir.Bool)}, append(append([]*ir.Value{}, outer...), at)...)
		test.Field = f
		if i < len(s.levels)-1 || !s.all {
			test.Aux = int64(l.steps)
		}
		next := b.If(b.Emit(test), types, func() {
			b.Yield(s.level(b, i+1, f, outer, at, kept).Results...)
		}, func() { b.Yield(kept...) })
		b.Jump(ir.OpContinue, loop, next...)
	})
	if i == 0 { // a break leaves all levels
		ir.Visit(s.loop.Regions[0], func(o *ir.Op) bool {
			if o.Code == ir.OpBreak && o.Target == s.loop {
				o.Target = loop
			}
			return true
		})
	}
	return loop
}

// cells appends the loop itself, over the cells from base on.
func (s *skipper) cells(b *ir.Builder, base *ir.Value, extent int64, carried []*ir.Value) *ir.Op {
	it, body := base.Type, s.loop.Regions[0]
	s.loop.Args = append([]*ir.Value{b.Int(it, 0), b.Int(it, extent)}, carried...)
	count := body.Params[0]
	head := ir.NewBuilder(&ir.Block{})
	head.Pos = b.Pos
	index := head.NoWrap(ir.OpAdd, base, count)
	index.Name = count.Name
	ir.Substitute(body, map[*ir.Value]*ir.Value{count: index})
	body.Ops = append(head.Block.Ops, body.Ops...)
	b.Emit(s.loop)
	return s.loop
}

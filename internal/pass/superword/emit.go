package superword

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/note"
)

// write carries out the jobs. The ops that they replace, other than stores, are dead afterwards.
func (w *worker) write() {
	out := ir.NewBuilder(&ir.Block{Ops: slices.Clone(w.fresh)})
	gone := map[*ir.Op]bool{}
	for _, j := range w.jobs {
		for _, o := range j.stores {
			gone[o] = true
		}
	}
	jobs := w.jobs
	for i, o := range w.b.Ops {
		for ; len(jobs) > 0 && jobs[0].at == i; jobs = jobs[1:] {
			out.Pos = o.Pos
			w.do(out, jobs[0])
		}
		if !gone[o] {
			out.Block.Ops = append(out.Block.Ops, o)
		}
	}
	w.b.Ops = out.Block.Ops
	ir.Substitute(w.b, w.values)
}

// do appends the ops of a job.
func (w *worker) do(b *ir.Builder, j *job) {
	if j.value != nil {
		first := j.stores[0]
		b.Pos = first.Pos
		v := w.emit(b, j.value)
		b.Pos = first.Pos
		b.Store(first.Args[0], v)
		last := b.Block.Ops[len(b.Block.Ops)-1]
		last.Alias, last.Flags = first.Alias, first.Flags
		w.notes.Say(first.Pos, note.ContiguousVector, len(j.stores))
	}
	for _, s := range w.addUp(b, j.sums) {
		w.notes.Say(s.root.Def.Pos, note.ContiguousSums, len(s.loads))
	}
}

// emit appends the computation of p, unless it exists.
func (w *worker) emit(b *ir.Builder, p *pack) *ir.Value {
	if p.value != nil {
		return p.value
	}
	var args []*ir.Value
	for _, a := range p.args {
		args = append(args, w.emit(b, a))
	}
	t := ir.Vec(p.lanes[0].Type.Kind, len(p.lanes))
	switch p.how {
	case alike:
		if bits, ok := ir.ConstOf(p.lanes[0]); ok {
			p.value = b.Const(t, bits)
		} else {
			p.value = b.OpOf(ir.OpSplat, t, p.lanes[0])
		}
	case loaded:
		first := p.lanes[0].Def
		b.Pos = first.Pos
		p.value = b.Load(t, first.Args[0])
		p.value.Def.Alias, p.value.Def.Flags = first.Alias, first.Flags
	case applied:
		b.Pos = p.of.Pos
		p.value = b.OpOf(p.of.Code, t, args...)
		p.value.Def.Flags = p.of.Flags
	default:
		p.value = collected(b, t, p.lanes)
	}
	return p.value
}

// collected returns a vector of these numbers; each distinct number is inserted once.
func collected(b *ir.Builder, t ir.Type, lanes []*ir.Value) *ir.Value {
	values := distinct(lanes)
	if len(values) == len(lanes) || !slices.ContainsFunc(values, func(v *ir.Value) bool { return !isConstant(v) }) {
		return b.OpOf(ir.OpPack, t, lanes...)
	}
	each := b.OpOf(ir.OpPack, ir.Vec(t.Kind, len(values)), values...)
	var from []int
	for _, v := range lanes {
		from = append(from, slices.Index(values, v))
	}
	return picked(b, each, from)
}

// picked returns a vector of these lanes of v.
func picked(b *ir.Builder, v *ir.Value, from []int) *ir.Value {
	var lanes []*ir.Value
	for _, i := range from {
		lanes = append(lanes, lane(b, v, i))
	}
	if len(lanes) == 1 {
		return lanes[0]
	}
	return b.OpOf(ir.OpPack, ir.Vec(v.Type.Kind, len(from)), lanes...)
}

// lane is lane i of v.
func lane(b *ir.Builder, v *ir.Value, i int) *ir.Value {
	l := b.OpOf(ir.OpLane, v.Type.Elem(), v)
	l.Def.Aux = int64(i)
	return l
}

// A partial is the sum of all rows of a group whose lanes belong to the same sums.
type partial struct {
	of    []int
	value *ir.Value
}

// addUp appends the sums of groups, row by row, and returns the replacements of the old sums.
func (w *worker) addUp(b *ir.Builder, groups []*group) []*sum {
	partials := make([][]*partial, len(groups))
	for n := 0; ; n++ {
		found := false
		for i, g := range groups {
			if n < len(g.rows) {
				found = true
				w.addRow(b, &partials[i], g.rows[n])
			}
		}
		if !found {
			break
		}
	}
	var all []*sum
	for i, g := range groups {
		totals := make([][]*ir.Value, len(g.sums))
		for _, p := range partials[i] {
			p.total(b, totals)
		}
		for k, s := range g.sums {
			b.Pos = s.root.Def.Pos
			v := append(totals[k], s.rest...)
			sum := v[0]
			for _, term := range v[1:] {
				sum = b.Op(ir.OpAdd, sum, term)
			}
			w.values[s.root] = sum
		}
		all = append(all, g.sums...)
	}
	return all
}

// addRow adds a row to the partial sum that it belongs to.
func (w *worker) addRow(b *ir.Builder, partials *[]*partial, r *row) {
	v := w.emit(b, r.value)
	for _, p := range *partials {
		if slices.Equal(p.of, r.of) {
			p.value = b.Op(ir.OpAdd, p.value, v)
			return
		}
	}
	*partials = append(*partials, &partial{r.of, v})
}

// total appends for each sum the total of its lanes: it adds halves while the number is even, then the remaining parts.
func (p *partial) total(b *ir.Builder, totals [][]*ir.Value) {
	n, m := p.period(), len(p.of)
	v := p.value
	for m > n && m/n%2 == 0 {
		m /= 2
		v = b.Op(ir.OpAdd, part(b, v, 0, m), part(b, v, m, m))
	}
	if whole := v; n < m {
		v = part(b, whole, 0, n)
		for i := n; i < m; i += n {
			v = b.Op(ir.OpAdd, v, part(b, whole, i, n))
		}
	}
	for i, k := range p.of[:n] {
		one := v
		if v.Type.Lanes > 1 {
			one = lane(b, v, i)
		}
		totals[k] = append(totals[k], one)
	}
}

// part returns n lanes of v.
func part(b *ir.Builder, v *ir.Value, from, n int) *ir.Value {
	var lanes []int
	for i := range n {
		lanes = append(lanes, from+i)
	}
	return picked(b, v, lanes)
}

// period returns the number of lanes after which the sums repeat; all lanes if they never do.
func (p *partial) period() int {
	m := len(p.of)
	for n := 1; n < m; n++ {
		if m%n == 0 && slices.Equal(p.of[:m-n], p.of[n:]) {
			return n
		}
	}
	return m
}

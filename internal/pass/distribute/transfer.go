package distribute

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// A transfer holds the values that loops transfer to later loops.
type transfer struct {
	arrays   []*transferred
	slot     map[*ir.Value]slot // of the values that are transferred
	unstored *transferred       // 0 for rows that are counted, all bits set for others; nil if all are counted
}

// A transferred is a local array of values that one loop computes for another. The values of an iteration are contiguous, in the order of the
// accesses that load or store them.
type transferred struct {
	kind   ir.Kind
	values []*ir.Value
	array  *ir.Value
}

// A slot identifies a value in an array.
type slot struct {
	of *transferred
	at int
}

func newTransfer() transfer { return transfer{slot: map[*ir.Value]slot{}} }

// bytes returns the size of the arrays for this number of iterations.
func (t *transfer) bytes(trips int64) (n int64) {
	for _, a := range t.arrays {
		n += trips * int64(len(a.values)) * int64(a.kind.Size())
	}
	return n
}

// mostRead and mostWritten are the largest numbers of values of an iteration in one array. LLVM splits pairs with few shuffles, and
// combines four values. The last loop gains more from vectors within an iteration than the first loop, which only copies.
const mostRead, mostWritten = 2, 4

// hand finds the values that loops transfer, and makes their arrays. It reports whether all of them can be transferred.
func (d *distribution) hand() bool {
	from := func(v *ir.Value) (w work, here bool) {
		if _, in := d.at[v.Def]; v.Def == nil || !in || d.again[v] {
			return 0, false
		}
		return d.work[v.Def], true
	}
	var needed []*ir.Value
	ok := true
	need := func(v *ir.Value, by work) {
		w, here := from(v)
		if !here || w == by || slices.Contains(needed, v) {
			return
		}
		ok = ok && w != scatters && by != collects && v.Type.Kind != ir.Ptr && v.Type.Kind != ir.Bool
		needed = append(needed, v)
	}
	for _, o := range d.ops {
		if d.again[o.Result()] || d.moved[o] {
			continue
		}
		for _, v := range operands(o) {
			need(v, d.work[o])
		}
	}
	if !ok {
		return false
	}
	for _, t := range d.tallied {
		d.handTally(t)
	}
	for _, h := range d.counted {
		if h.array == nil && h.tally != nil {
			d.arrays = append(d.arrays, h.bytes())
		}
	}
	for _, h := range d.counted {
		if h.array == nil {
			h.array = d.bucketsOf(h)
		}
	}
	d.interleave(needed)
	needed = append(append(needed, d.firstIndices...), slices.DeleteFunc(slices.Clone(d.vectorIndices), func(v *ir.Value) bool {
		return slices.ContainsFunc(d.counted, func(h *histogram) bool { return h.bucket == v })
	})...)
	for _, v := range needed {
		if _, placed := d.slot[v]; !placed {
			d.put(v.Type.Kind, []*ir.Value{v})
		}
	}
	return true
}

// bucketsOf returns the array of the buckets of a histogram. It makes the array if there is none.
func (d *distribution) bucketsOf(h *histogram) *transferred {
	if s, placed := d.slot[h.bucket]; placed {
		return s.of
	}
	d.put(h.transferredKind(), []*ir.Value{h.bucket})
	return d.slot[h.bucket].of
}

// bytes makes the array of the buckets of a tally. They are no values of the loop.
func (h *histogram) bytes() *transferred {
	h.array = &transferred{kind: h.transferredKind(), values: []*ir.Value{nil}}
	return h.array
}

// put makes an array of values.
func (t *transfer) put(kind ir.Kind, values []*ir.Value) {
	a := &transferred{kind: kind, values: values}
	for i, v := range values {
		t.slot[v] = slot{a, i}
	}
	t.arrays = append(t.arrays, a)
}

// A neighbour is a value that is transferred, with the access that loads or stores it.
type neighbour struct {
	v    *ir.Value
	of   analysis.Reference
	read bool
}

// interleave puts values into one array if the accesses that load or store them are adjacent.
func (d *distribution) interleave(needed []*ir.Value) {
	deps := analysis.ReferencesOf(d.r)
	var list []neighbour
	for _, o := range d.ops {
		v := d.carriedBy(o)
		_, placed := d.slot[v]
		if v == nil || placed || !slices.Contains(needed, v) || slices.ContainsFunc(list, func(n neighbour) bool { return n.v == v }) {
			continue
		}
		list = append(list, neighbour{v, deps.Of(o, v.Type, false), o.Code == ir.OpLoad})
	}
	for len(list) > 0 {
		run, rest, most := list[:1:1], []neighbour(nil), mostWritten
		if list[0].read {
			most = mostRead
		}
		for _, n := range list[1:] {
			if last := run[len(run)-1]; len(run) < most && n.read == last.read && n.v.Type == last.v.Type && last.of.EndsAt(&n.of) {
				run = append(run, n)
			} else {
				rest = append(rest, n)
			}
		}
		var values []*ir.Value
		for _, n := range run {
			values = append(values, n.v)
		}
		d.put(values[0].Type.Kind, values)
		list = rest
	}
}

// carriedBy returns the value that access o of the first or last loop transfers: the result of a load, the value that is stored, or the
// value that is added to memory.
func (d *division) carriedBy(o *ir.Op) *ir.Value {
	switch {
	case o.Code == ir.OpLoad && d.work[o] == collects:
		return o.Results[0]
	case o.Code == ir.OpStore && d.work[o] == scatters:
		v := o.Args[1]
		if _, here := d.at[v.Def]; v.Def != nil && here && d.work[v.Def] == scatters && len(v.Def.Args) == 2 {
			if v = v.Def.Args[1]; v.Def != nil && d.work[v.Def] == scatters {
				v = o.Args[1].Def.Args[0]
			}
		}
		return v
	}
	return nil
}

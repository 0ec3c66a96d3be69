package pass

import "github.com/gotaichi/ti/internal/ir"

// widenSums accumulates f32 variables of the kernel in f64, if chunks of loops add their sums to them.
//
// Input: tasks after reductions. Output: the same, but the loads and stores of such a variable in the frame convert. The variable is
// one to which the epilogue of a task adds the sum of a chunk, or the task that merges chunks in order. On a busy machine chunks are
// small, and each addition to a large f32 would round to its last place. The frame need not change, since the slot of a variable has
// 8 bytes. Variables with other uses stay as they are. Where very many threads run few iterations each, f64 may be slow or missing, and
// what is added are the results of whole blocks of threads, so the pass is one for processors.
func widenSums(k *ir.Kernel) {
	vars := widened{}
	merges := map[int]bool{}
	for _, t := range k.Tasks {
		if t.Partial != nil {
			merges[t.Partial.Merge] = true
		}
	}
	for _, t := range k.Tasks {
		used := usedValues(t)
		for _, b := range t.Blocks() {
			ir.Visit(b, func(o *ir.Op) bool {
				vars.look(o, used, b == t.Epilogue || merges[t.Index])
				return true
			})
		}
	}
	any := false
	for _, v := range vars {
		any = any || v.wide()
	}
	if !any {
		return
	}
	for _, t := range k.Tasks {
		for _, b := range t.Blocks() {
			vars.convert(b)
		}
	}
}

// A frameVariable describes the use of the variable at an offset of the frame.
type frameVariable struct {
	summed bool // chunks add sums to it
	other  bool // is not f32, or has a use that requires its type
}

func (v *frameVariable) wide() bool { return v != nil && v.summed && !v.other }

// widened maps offsets to variables.
type widened map[int64]*frameVariable

// variable returns the variable with address v, or whose only cell is at v.
func (w widened) variable(v *ir.Value) *frameVariable {
	o := v.Def
	if o != nil && o.Code == ir.OpCell {
		o = o.Args[0].Def
	}
	if o == nil || o.Code != ir.OpFrame {
		return nil
	}
	if w[o.Aux] == nil {
		w[o.Aux] = &frameVariable{}
	}
	return w[o.Aux]
}

// look notes how an op uses variables; merging means that its atomics add sums of chunks.
func (w widened) look(o *ir.Op, used map[*ir.Value]bool, merging bool) {
	if o.Code == ir.OpFrame {
		v := w.variable(o.Results[0])
		v.other = v.other || o.Kind != ir.F32 || o.Bits != 1
		return
	}
	for i, a := range o.Args {
		v := w.variable(a)
		if v == nil {
			continue
		}
		ok := false
		switch cell := a.Def.Code == ir.OpCell; {
		case i > 0:
		case o.Code == ir.OpCell:
			n, constant := ir.IntOf(o.Args[1])
			ok = !cell && constant && n == 0
		case o.Code == ir.OpLoad || o.Code == ir.OpStore:
			ok = cell
		case o.Code == ir.OpAtomic:
			ok = cell && (o.Atomic == ir.AtomicAdd || o.Atomic == ir.AtomicSub) && !used[o.Results[0]]
			v.summed = v.summed || ok && merging
		}
		v.other = v.other || !ok
	}
}

// convert turns the accesses of a block to wide variables into those of f64.
func (w widened) convert(b *ir.Block) {
	ops := b.Ops
	b.Ops = make([]*ir.Op, 0, len(ops))
	build := ir.NewBuilder(b)
	for _, o := range ops {
		for _, region := range o.Regions {
			w.convert(region)
		}
		build.Pos = o.Pos
		access := o.Code == ir.OpLoad || o.Code == ir.OpStore || o.Code == ir.OpAtomic
		switch {
		case o.Code == ir.OpFrame && w[o.Aux].wide():
			o.Kind = ir.F64
		case !access || !w.variable(o.Args[0]).wide():
		case o.Code == ir.OpLoad:
			wide := build.Load(ir.Scalar(ir.F64), o.Args[0])
			o.Code, o.Args, o.Flags = ir.OpConvert, []*ir.Value{wide}, 0
		case o.Code == ir.OpStore:
			o.Args = []*ir.Value{o.Args[0], build.Convert(o.Args[1], ir.F64)}
		default:
			build.Atomic(o.Atomic, o.Args[0], build.Convert(o.Args[1], ir.F64))
			continue
		}
		b.Ops = append(b.Ops, o)
	}
}

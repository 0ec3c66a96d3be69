package pass

import "github.com/gotaichi/ti/internal/ir"

// widenSums keeps variables of the kernel that chunks of loops add their sums to as f64, if they are f32.
//
// Input: tasks after reductions. Output: the same; a variable in the frame that takes the sum of a chunk, in the
// epilogue of a task or in the task that merges chunks in order, is converted where it is loaded and stored. A busy
// machine hands out small chunks, and each sum added to a large f32 rounds that to its last place. The slot of a variable
// has 8 bytes, so that the frame stays as it is. Variables that are used in any other way stay, too.
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

// A frameVariable is what is known of the variable at an offset of the frame.
type frameVariable struct {
	summed bool // takes sums of chunks
	other  bool // is no f32, or used in a way that does not allow for another kind
}

func (v *frameVariable) wide() bool { return v != nil && v.summed && !v.other }

// widened has the variables by their offsets.
type widened map[int64]*frameVariable

// variable returns the variable whose address v is, or that v is the only cell of.
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

// look notes how an op uses variables; merging says that its atomics add sums of chunks.
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

// convert makes the accesses of a block to variables that are wide those of f64.
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

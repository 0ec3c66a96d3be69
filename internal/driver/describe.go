package driver

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/site"
)

// heavySize is from how many ops on an iteration is worth a call of its own.
const heavySize = 500

// Describe returns what the engine must know of a kernel that the passes have left.
func Describe(k *ir.Kernel) *launch.Kernel {
	d := &launch.Kernel{Name: k.Name, Results: len(k.Results), Frame: k.FrameSize, Done: k.DoneSlot, Bases: slices.Clone(k.Bases), Fields: Fields(k), Sites: Sites(k), Repeats: k.Repeats}
	for i, tree := range d.Bases {
		for _, s := range k.Sums {
			if s.Tree == tree {
				d.Bases[i] = -1
				d.Sums = append(d.Sums, launch.Sums{Base: i, Bytes: s.Bytes})
			}
		}
	}
	for _, p := range k.Params {
		d.Args = max(d.Args, p.Slot+p.Slots())
		if p.Content == ir.ParamNumber {
			d.Numbers = append(d.Numbers, launch.Number{Slot: p.Slot, Value: p.Value})
		}
	}
	d.Memory = memoryOf(k)
	for _, b := range k.Blocks() {
		ir.Visit(b, func(o *ir.Op) bool {
			if o.Code == ir.OpRecord {
				d.Records = true
				d.Prints = d.Prints || int(o.Aux) < len(k.Sites) && k.Sites[o.Aux].Kind == site.Print
			}
			return true
		})
	}
	for _, t := range k.Tasks {
		d.Tasks = append(d.Tasks, describeTask(t))
		d.Names = append(d.Names, launch.Name{Task: t.Name, Place: placeOf(k, t.Pos)})
	}
	describeParts(d, k)
	return d
}

// describeParts describes the parts of a linked kernel, and has its sites say what the sources of their parts call the fields.
func describeParts(d *launch.Kernel, k *ir.Kernel) {
	for _, p := range k.Parts {
		d.Parts = append(d.Parts, launch.Part{Name: p.Name, Args: p.Args, Key: p.Key, Done: p.DoneSlot})
	}
	if k.Parts == nil {
		return
	}
	for i := range d.Tasks {
		for _, n := range d.Tasks[i].Sites {
			if f := fieldNamed(k, k.Sites[n].What); f != nil {
				d.Sites[n].What = k.NameIn(d.Tasks[i].Part, f)
			}
		}
	}
}

// describe is Describe; to verify it, what is returned went through the binary form.
func (u *build) describe() (*launch.Kernel, error) {
	k, d := u.k, Describe(u.k)
	d.Deterministic, d.Ranges = u.o.Deterministic, rangeSlots(u.Unit.k)
	if !u.o.Verify {
		return d, nil
	}
	data := d.Append(nil)
	read, err := launch.Read(data)
	if err == nil && !bytes.Equal(read.Append(nil), data) {
		err = fmt.Errorf("the descriptor of %s is another one after it was written and read", k.Name)
	}
	return read, err
}

// rangeSlots returns the argument slots of integers from which the ranges of the loops of a lowered kernel follow.
func rangeSlots(k *ir.Kernel) (slots []int) {
	known := map[*ir.Value]bool{}
	var follow func(v *ir.Value)
	follow = func(v *ir.Value) {
		if v.Def == nil || known[v] || !v.Def.Code.Is(ir.Pure) {
			return
		}
		known[v] = true
		if v.Def.Code == ir.OpParam && v.Type.Kind.IsInt() {
			slots = append(slots, int(v.Def.Aux))
		}
		for _, a := range v.Def.Args {
			follow(a)
		}
	}
	for _, o := range k.Body.Ops {
		if o.Code == ir.OpParFor {
			for _, v := range o.Args {
				follow(v)
			}
		}
	}
	slices.Sort(slots)
	return slices.Compact(slots)
}

// Fields describes the fields of a kernel.
func Fields(k *ir.Kernel) []launch.Field {
	var all []launch.Field
	for _, f := range k.Fields {
		all = append(all, describeField(f))
	}
	return all
}

func describeField(f *ir.Field) launch.Field {
	d := launch.Field{Name: f.Name, Memory: f.View != nil || f.Word != nil}
	if f.Extents == nil || f.Word != nil {
		return d
	}
	for _, at := range f.Extents {
		d.Extents = append(d.Extents, lengthSlot(at))
	}
	return d
}

// lengthSlot is the argument slot of a length; -1 without one.
func lengthSlot(p *ir.Param) int {
	if p == nil {
		return -1
	}
	return p.LengthSlot()
}

// Sites describes the sites of a kernel.
func Sites(k *ir.Kernel) []launch.Site {
	var all []launch.Site
	for _, s := range k.Sites {
		d := launch.Site{Site: s.Site, Place: placeOf(k, s.Pos), Axes: min(1, len(s.Shape)), Field: -1}
		f := fieldNamed(k, s.What)
		if f != nil && len(s.Shape) > 0 {
			d.Axes = min(f.Rank(), len(s.Shape))
		}
		if f != nil && s.Kind == site.Deactivate {
			d.Field = f.Index
		}
		if s.Kind == site.Index {
			d.Lengths = lengthsOf(k, s, f)
		}
		all = append(all, d)
	}
	return all
}

// lengthsOf finds the argument slots of the limits of an index that are known at launch.
func lengthsOf(k *ir.Kernel, s *ir.Site, f *ir.Field) []int {
	if !slices.Contains(s.Shape, -1) {
		return nil
	}
	slots := make([]int, len(s.Shape))
	for axis, n := range s.Shape {
		slots[axis] = -1
		if n >= 0 {
			continue
		}
		for _, p := range k.Params {
			if p.HasLength() && p.Name == s.What {
				slots[axis] = p.LengthSlot()
				break
			}
		}
		if slots[axis] < 0 && f != nil && f.Extents != nil {
			slots[axis] = lengthSlot(f.Extents[axis])
		}
	}
	return slots
}

// fieldNamed finds a field by its name; nil if there is none.
func fieldNamed(k *ir.Kernel, name string) *ir.Field {
	for _, f := range k.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// placeOf is a position in the sources of k.
func placeOf(k *ir.Kernel, p ir.Pos) launch.Place {
	place := launch.Place{Line: int(p.Line), Column: int(p.Col)}
	if int(p.File) < len(k.Files) {
		place.File = k.Files[p.File]
	}
	return place
}

func describeTask(t *ir.Task) launch.Task {
	d := launch.Task{Loop: t.Loop, Part: t.Part, First: t.First, Parts: t.Parts, Threads: t.Threads, BlockDim: t.BlockDim, Steps: t.Steps, Helper: t.Helper, Heavy: len(t.Dims) > 0 && heavy(t), Uneven: t.Uneven, Rows: launch.Rows(t.Rows)}
	_, d.Local = ir.LargeLocals(t, launch.LocalMost)
	s := ir.SignatureOf(t)
	for _, slot := range s.Slots {
		d.Slots = append(d.Slots, launch.Slot{From: launch.SlotSource(slot.From), At: slot.At})
	}
	d.Sites = s.Sites
	for _, dim := range t.Dims {
		d.Dims = append(d.Dims, launch.Dim{Lo: boundOf(dim.Kind, dim.Lo), Hi: boundOf(dim.Kind, dim.Hi), Unsigned: dim.Kind == ir.U64})
	}
	for _, l := range t.Lists {
		f := l.Field
		if f.Word != nil { // its blocks are those of the elements
			f = f.Word.Field
		}
		d.Lists = append(d.Lists, launch.List{Base: l.Base, Node: f.Index, Outer: l.Outer, Masks: l.Masks > 0})
	}
	for i := range t.States {
		d.States = append(d.States, describeState(&t.States[i]))
	}
	for _, p := range t.Private {
		d.Private = append(d.Private, launch.Private{Base: p.Base, Scratch: p.Scratch, Size: p.Kind.Size(), Identity: p.Op.Identity(p.Kind), Merge: p.Merge})
	}
	if p := t.Partial; p != nil {
		d.Partial = &launch.Partial{Scratch: p.Scratch, Words: p.Words, Merge: p.Merge}
	}
	return d
}

// describeState describes what a task does to a field, with the components as the host counts them.
func describeState(s *ir.State) launch.State {
	d := launch.State{Field: s.Field.Index, Mask: launch.Use(s.Mask), List: launch.Use(s.List), Allocation: launch.Use(s.Allocation), Clears: s.Clears}
	runs := s.Values
	if s.Field.Host != nil {
		values := make([]ir.Values, slices.Max(append(s.Field.Host, -1))+1)
		for _, v := range s.Values {
			for c := v.First; c < v.First+v.Comps; c++ {
				values[s.Field.Host[c]] = v
			}
		}
		runs = ir.Runs(values)
	}
	for _, v := range runs {
		d.Values = append(d.Values, launch.Values{First: v.First, Comps: v.Comps, Use: launch.Use(v.Use), Whole: v.Whole, Own: v.Own, Reach: launch.Reach(v.Reach), Index: launch.Reach(v.Index), Ring: launch.Reach(v.Ring), Sum: sums[v.Sum]})
	}
	return d
}

var sums = map[ir.AtomicKind]launch.Sum{
	ir.AtomicAdd: launch.Add, ir.AtomicMin: launch.Min, ir.AtomicMax: launch.Max, ir.AtomicAnd: launch.And, ir.AtomicOr: launch.Or, ir.AtomicXor: launch.Xor,
}

func boundOf(k ir.Kind, b ir.Bound) launch.Bound {
	d := launch.Bound{Const: b.Const, At: b.Slot}
	switch b.From {
	case ir.FromConst:
		d.At = 0
	case ir.FromFrame:
		d.From = launch.Frame
	case ir.FromArg:
		d.From, d.Bits, d.Signed = launch.Arg, k.Bits(), k.IsSigned()
	case ir.FromLen:
		d.From, d.At, d.Bits, d.Div = launch.Arg, int64(b.Param.LengthSlot()), 64, b.Div
	case ir.FromList:
		d.From, d.Const = launch.Entries, 0
	}
	return d
}

// heavy reports whether an iteration of t is worth a call of its own.
func heavy(t *ir.Task) bool {
	n, loops := 0, false
	ir.Visit(t.Body, func(o *ir.Op) bool {
		n++
		loops = loops || o.Code.Is(ir.Loop)
		return true
	})
	return loops || n > heavySize
}

package driver

import (
	"fmt"
	"reflect"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
)

// heavySize is from how many ops on an iteration is worth a call of its own.
const heavySize = 500

// Describe returns what the engine must know of a kernel that the passes have left.
func Describe(k *ir.Kernel) *launch.Kernel {
	d := &launch.Kernel{Name: k.Name, Results: len(k.Results), Frame: k.FrameSize, Done: k.DoneSlot, Bases: len(k.Bases)}
	for _, p := range k.Params {
		d.Args = max(d.Args, p.Slot+p.Slots())
	}
	for _, b := range k.Blocks() {
		ir.Walk(b, func(o *ir.Op) bool {
			if o.Code == ir.OpRecord {
				d.Records = true
				d.Prints = d.Prints || int(o.Aux) < len(k.Sites) && k.Sites[o.Aux].Kind == ir.SitePrint
			}
			return true
		})
	}
	for _, t := range k.Tasks {
		d.Tasks = append(d.Tasks, describeTask(t))
		d.Names = append(d.Names, launch.Name{Task: t.Name, Place: placeOf(k, t.Pos)})
	}
	return d
}

// describe is Describe; to verify it, what is returned went through the binary form.
func describe(k *ir.Kernel, verify bool) (*launch.Kernel, error) {
	d := Describe(k)
	if !verify {
		return d, nil
	}
	read, err := launch.Read(d.Append(nil))
	if err == nil && !reflect.DeepEqual(read, d) {
		err = fmt.Errorf("the descriptor of %s is another one after it was written and read: %+v; %+v", k.Name, d, read)
	}
	return read, err
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
	d := launch.Task{Loop: t.Loop, Parts: t.Parts, Threads: t.Threads, Helper: t.Helper, Heavy: len(t.Dims) > 0 && heavy(t), Uneven: t.Uneven}
	for _, dim := range t.Dims {
		d.Dims = append(d.Dims, launch.Dim{Lo: boundOf(dim.Kind, dim.Lo), Hi: boundOf(dim.Kind, dim.Hi), Unsigned: dim.Kind == ir.U64})
	}
	for _, l := range t.Lists {
		d.Lists = append(d.Lists, launch.List{Base: l.Base, Node: l.Field.Index, Outer: l.Outer, Masks: l.Masks > 0})
	}
	for _, p := range t.Private {
		d.Private = append(d.Private, launch.Private{Base: p.Base, Scratch: p.Scratch, Size: p.Kind.Size(), Identity: p.Op.Identity(p.Kind), Merge: p.Merge})
	}
	if p := t.Partial; p != nil {
		d.Partial = &launch.Partial{Scratch: p.Scratch, Words: p.Words, Merge: p.Merge}
	}
	return d
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
		d.From, d.At, d.Bits = launch.Arg, int64(b.Param.LengthSlot()), 64
	case ir.FromList:
		d.From, d.Const = launch.Entries, 0
	}
	return d
}

// heavy reports whether an iteration of t is worth a call of its own.
func heavy(t *ir.Task) bool {
	n, loops := 0, false
	ir.Walk(t.Body, func(o *ir.Op) bool {
		n++
		loops = loops || o.Code.Is(ir.Loop)
		return true
	})
	return loops || n > heavySize
}

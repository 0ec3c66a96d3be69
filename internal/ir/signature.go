package ir

import "slices"

// A Signature is what a task asks for when it is called: an address or an argument for
// each of its slots, and a number for each of its sites. Code knows both by its own
// numbers, in the order in which the task uses them first, so that it does not depend on
// what else is in the kernel.
type Signature struct {
	Slots []Slot
	Sites []int // numbers in Kernel.Sites
}

// A Slot is a word that a task is given.
type Slot struct {
	From SlotSource
	At   int64
}

// A SlotSource says what is in a slot.
type SlotSource uint8

const (
	SlotArg   SlotSource = iota // argument slot At of the kernel
	SlotBase                    // entry At of the base table
	SlotFrame                   // the address of offset At in the frame
	SlotRoot                    // the root block of the tree of entry At of the base table, as slots of its tree refer to blocks
)

// Index returns the number of a slot, -1 if the task has none such.
func (s *Signature) Index(from SlotSource, at int64) int {
	return slices.Index(s.Slots, Slot{from, at})
}

// Site returns the task's own number of a site of the kernel, -1 if it has none such.
func (s *Signature) Site(n int64) int { return slices.Index(s.Sites, int(n)) }

func (s *Signature) slot(from SlotSource, at int64) {
	if s.Index(from, at) < 0 {
		s.Slots = append(s.Slots, Slot{from, at})
	}
}

// SignatureOf returns the signature of a task that has no places any more (see pass access).
func SignatureOf(t *Task) *Signature {
	s := &Signature{}
	for _, d := range t.Dims {
		s.bound(d.Lo)
		s.bound(d.Hi)
	}
	for _, b := range t.Blocks() {
		Visit(b, func(o *Op) bool {
			s.op(t, o)
			return true
		})
	}
	return s
}

func (s *Signature) bound(b Bound) {
	switch b.From {
	case FromFrame:
		s.slot(SlotFrame, b.Slot)
	case FromArg:
		s.slot(SlotArg, b.Slot)
	case FromLen:
		s.slot(SlotArg, int64(b.Param.LengthSlot()))
	}
}

func (s *Signature) op(t *Task, o *Op) {
	switch o.Code {
	case OpParam, OpArgPtr:
		s.slot(SlotArg, o.Aux)
	case OpLen:
		s.slot(SlotArg, int64(o.Param.LengthSlot()))
	case OpBase:
		s.slot(SlotBase, o.Aux)
	case OpFrame:
		s.slot(SlotFrame, o.Aux)
	case OpRoot:
		s.slot(SlotRoot, o.Args[0].Def.Aux)
	case OpEntry, OpListMask:
		s.slot(SlotBase, int64(t.Lists[o.Stride].Base))
	case OpFail, OpRecord:
		if s.Site(o.Aux) < 0 {
			s.Sites = append(s.Sites, int(o.Aux))
		}
	}
}

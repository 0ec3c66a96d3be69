package launch

import (
	"fmt"

	"github.com/gotaichi/ti/internal/binform"
)

// A Use is what a task may do to the values of a component, or to something else that a field has.
type Use uint8

// The bits of a Use.
const (
	Reads Use = 1 << iota
	Writes
)

// A State says what a task does to one field of the host, or to a node. A task does nothing to fields without a
// State, and nothing to components without Values. It may do less than states say. What it does through private
// copies and helper tasks is said of the task that they belong to. Package pass/states says what each part promises,
// and what is left to the layout.
type State struct {
	Field  int      // number in Kernel.Fields
	Values []Values // of its elements, by component

	// Mask is which cells are active, List their lists and the lengths of lists of elements, Allocation the
	// allocator of the tree. Clears says that elements of all fields in cells of the node may become zero.
	Mask, List, Allocation Use
	Clears                 bool
}

// Values are components of a field, Comps of them from First on, to which the same is done. They are counted as the
// host does in what the field's name is bound to.
type Values struct {
	First, Comps int
	Use          Use
	Whole        bool // every element is written, if the task runs to its end
	Own          bool // the indices of an iteration are the first ones of all elements that it touches
	Reach        Reach
	Index        Reach // bounds the first indices themselves, where it is narrower than Reach
	Ring         Reach // is a Reach modulo the extent of the first axis, where it is narrower than Reach
	Sum          Sum   // all uses are updates of one kind, whose old values nothing uses
}

// A Sum is an operation that may be done in any order, but for rounding.
type Sum uint8

// The sums; None is that of other uses.
const (
	None Sum = iota
	Add
	Min
	Max
	And
	Or
	Xor
)

var sumNames = [...]string{None: "none", Add: "add", Min: "min", Max: "max", And: "and", Or: "or", Xor: "xor"}

// String returns the name.
func (s Sum) String() string {
	if !s.known() {
		return fmt.Sprintf("sum %d", uint8(s))
	}
	return sumNames[s]
}

func (s Sum) known() bool { return int(s) < len(sumNames) }

// A Reach bounds how far from its iteration a loop touches elements: their first index minus the first index of the loop is in Lo … Hi. The
// zero Reach knows no bounds.
type Reach struct {
	Lo, Hi int64
	Known  bool
}

func (k *Kernel) checkStates(t *Task) error {
	last := -1
	for _, s := range t.States {
		if s.Field <= last || s.Field >= len(k.Fields) || k.Fields[s.Field].Memory || (s.Mask|s.List|s.Allocation)&^(Reads|Writes) != 0 {
			return fmt.Errorf("the state %+v is of no field of the host, or out of order", s)
		}
		last = s.Field
		next := 0
		for _, v := range s.Values {
			if v.First < next || v.Comps < 1 || v.Comps > 1<<30 || v.First > 1<<30 || v.Use == 0 || v.Use&^(Reads|Writes) != 0 || v.Whole && v.Use&Writes == 0 {
				return fmt.Errorf("the values %+v of a state are of no component, or out of order", v)
			}
			if v.Reach.Lo > v.Reach.Hi || v.Own && v.Reach != (Reach{Known: true}) || !v.Reach.Known && v.Reach != (Reach{}) {
				return fmt.Errorf("the values %+v of a state have an impossible reach", v)
			}
			if v.Index.Lo > v.Index.Hi || !v.Index.Known && v.Index != (Reach{}) || v.Ring.Lo > v.Ring.Hi || !v.Ring.Known && v.Ring != (Reach{}) || !v.Sum.known() || v.Sum != None && v.Use != Reads|Writes {
				return fmt.Errorf("the values %+v of a state have impossible indices or sums", v)
			}
			next = v.First + v.Comps
		}
	}
	return nil
}

func codeState(c *binform.Codec, s *State) {
	binform.Number(c, &s.Field)
	binform.List(c, &s.Values, codeValues)
	binform.Number(c, &s.Mask)
	binform.Number(c, &s.List)
	binform.Number(c, &s.Allocation)
	c.Flags(&s.Clears)
}

func codeValues(c *binform.Codec, v *Values) {
	binform.Number(c, &v.First)
	binform.Number(c, &v.Comps)
	binform.Number(c, &v.Use)
	c.Flags(&v.Whole, &v.Own, &v.Reach.Known, &v.Index.Known, &v.Ring.Known)
	for _, r := range []*Reach{&v.Reach, &v.Index, &v.Ring} {
		binform.Number(c, &r.Lo)
		binform.Number(c, &r.Hi)
	}
	binform.Number(c, &v.Sum)
}

package graph

import (
	"fmt"

	"github.com/gotaichi/ti/internal/launch"
)

// A Kind says what a resource is.
type Kind uint8

// The kinds of resources.
const (
	Values     Kind = iota // a component of a field
	Shared                 // the exponent that numbers share
	Cells                  // the elements of all fields in the cells of a node
	Mask                   // which cells of a node are active
	Lists                  // the lists of active cells of a tree, and the lengths of its lists of elements
	Allocation             // the allocator of a tree
	Frame                  // a value in the frame of a launch
	Everything             // all memory, of launches that may touch any
)

// A Resource is what segments read and write. Resources with equal Kind, Of and At are one.
type Resource struct {
	Kind Kind
	Of   any   // *Memory, *Exponent, *Node or *Tree; of a Frame the *Launch
	At   int64 // component, or offset in the frame
}

// String is how people call the resource.
func (r Resource) String() string {
	switch of := r.Of.(type) {
	case *Memory:
		if of.Comps == 1 {
			return of.Name
		}
		return fmt.Sprintf("%s.%d", of.Name, r.At)
	case *Exponent:
		return "exponent of " + of.Name
	case *Node:
		if r.Kind == Mask {
			return "mask of " + of.Name
		}
		return "cells of " + of.Name
	case *Tree:
		if r.Kind == Lists {
			return "lists of " + of.Name
		}
		return "allocator of " + of.Name
	case *Launch:
		return fmt.Sprintf("frame %d", r.At)
	}
	return "everything"
}

// A Use is what a segment does to a resource.
type Use struct {
	Resource int // number in Graph.Resources
	Use      launch.Use
	Whole    bool // all of it is written, if the segment runs to its end
	Own      bool // each iteration of the segment's loop touches elements at its own index alone
}

// reads reports whether something of the old value is left or used.
func (u *Use) reads() bool { return u.Use&launch.Reads != 0 || u.Use&launch.Writes != 0 && !u.Whole }

// writes reports whether there is a new value.
func (u *Use) writes() bool { return u.Use&launch.Writes != 0 }

// names numbers resources.
type names struct {
	all     []Resource
	memory  map[*Memory]int32 // number of component 0; the others follow it
	others  map[Resource]int32
	frame   []int32 // numbers of the frame of the launch at hand
	barrier int32   // number of Everything
}

func (n *names) init() {
	n.memory, n.others = map[*Memory]int32{}, map[Resource]int32{}
	n.barrier = n.of(Resource{Kind: Everything})
}

// component returns the number of a component; ok is false if the memory has no such component.
func (n *names) component(m *Memory, comp int) (number int32, ok bool) {
	if comp < 0 || comp >= m.Comps {
		return 0, false
	}
	first, known := n.memory[m]
	if !known {
		first = int32(len(n.all))
		n.memory[m] = first
		for c := range m.Comps {
			n.all = append(n.all, Resource{Kind: Values, Of: m, At: int64(c)})
		}
	}
	return first + int32(comp), true
}

// of returns the number of a resource that is no component, nor in a frame.
func (n *names) of(r Resource) int32 {
	number, known := n.others[r]
	if !known {
		number = int32(len(n.all))
		n.others[r] = number
		n.all = append(n.all, r)
	}
	return number
}

// inFrame returns the number of a value in the frame of a launch. Launches follow each other.
func (n *names) inFrame(l *Launch, at int64) int32 {
	for _, number := range n.frame {
		if n.all[number].Of == l && n.all[number].At == at {
			return number
		}
	}
	if len(n.frame) > 0 && n.all[n.frame[0]].Of != l {
		n.frame = n.frame[:0]
	}
	number := int32(len(n.all))
	n.frame = append(n.frame, number)
	n.all = append(n.all, Resource{Kind: Frame, Of: l, At: at})
	return number
}

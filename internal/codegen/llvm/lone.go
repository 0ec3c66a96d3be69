package llvm

import "github.com/gotaichi/ti/internal/ir"

// loneLoads returns the loads of a task that LLVM is to leave alone. In a strided task it looks for vectors within an element
// (pass/strided.go), and begins with what is stored side by side. Where that is computed from numbers that lie apart, as
// in a lattice Boltzmann method each comes from another cell, it would gather these into vectors: two cells take as long as
// three do with single loads. It takes a load that is atomic, if only so far that no half of it is seen, for one that is
// part of no vector, and the processor has no other instruction for it than for any load.
func loneLoads(t *ir.Task) map[*ir.Op]bool {
	if !t.Strided {
		return nil
	}
	loaded, stored, beside := map[place]bool{}, map[place]bool{}, false
	for _, o := range t.Body.Ops {
		switch o.Code {
		case ir.OpLoad:
			loaded[placeOf(o)] = true
		case ir.OpStore:
			p := placeOf(o)
			stored[p] = true
			beside = beside || stored[p.beside(o.Args[1].Type, -1)] || stored[p.beside(o.Args[1].Type, 1)]
		}
	}
	if !beside {
		return nil
	}
	lone := map[*ir.Op]bool{}
	for _, o := range t.Body.Ops {
		if o.Code != ir.OpLoad || len(o.Args) > 1 || o.Results[0].Type.Lanes > 1 || o.Args[0].Type.Lanes > 1 || o.Results[0].Type.Kind == ir.Bool {
			continue
		}
		if p, t := placeOf(o), o.Results[0].Type; !loaded[p.beside(t, -1)] && !loaded[p.beside(t, 1)] {
			lone[o] = true
		}
	}
	return lone
}

// A place is where a task accesses memory, so many bytes behind what a value says.
type place struct {
	root *ir.Value
	off  int64
}

// placeOf returns the place of a load or store.
func placeOf(o *ir.Op) place {
	root, off := ir.FixedOffset(o.Args[0])
	return place{root, off}
}

// beside is the place so many numbers of a type from p.
func (p place) beside(t ir.Type, n int64) place { return place{p.root, p.off + n*int64(t.Kind.Size())} }

package sparsert

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
)

// A Function is one that back ends call.
type Function struct {
	Does Purpose
	Rank int // the number of coordinates of Find and Enter; 0 for Grow
}

// A Purpose is what a function does.
type Purpose uint8

// The purposes, and the parameters and results of the functions.
const (
	Grow  Purpose = iota // (base ptr, control, bytes, changed i64, place ptr) ptr: makes a block
	Find                 // (base ptr, table i64, coordinates i32) ptr: finds a block; null if there is none
	Enter                // (base ptr, table, control, bytes, changed i64, coordinates i32) ptr: finds a block, or makes it
)

// MaxRank is the largest number of coordinates.
const MaxRank = layout.MaxRank

// Name returns the name of the function.
func (f Function) Name() string {
	switch f.Does {
	case Grow:
		return "ti.grow"
	case Find:
		return fmt.Sprint("ti.find.", f.Rank)
	}
	return fmt.Sprint("ti.enter.", f.Rank)
}

// IR returns the functions that f is made of, callees before callers. The last is f itself;
// the others belong to it alone.
func (f Function) IR() []*ir.Func {
	switch f.Does {
	case Grow:
		z := zero()
		t := take(z)
		return []*ir.Func{z, t, grow(t)}
	case Find:
		return []*ir.Func{find(f.Rank)}
	}
	z, fn := zero(), find(f.Rank)
	t := take(z)
	return []*ir.Func{z, t, fn, enter(f.Rank, t, fn)}
}

package sparsert

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
)

// Names of the functions.
const (
	Take = "ti.take" // (control ptr, bytes i64) i64
	Grow = "ti.grow" // (base ptr, control, bytes, changed i64, place ptr) ptr
)

// Find returns the name of the function that finds blocks by a number of coordinates:
// (base ptr, table i64, coordinates i32) ptr.
func Find(rank int) string { return fmt.Sprintf("ti.find.%d", rank) }

// Enter returns the name of the function that finds blocks or makes them:
// (base ptr, table, control, bytes, changed i64, coordinates i32) ptr.
func Enter(rank int) string { return fmt.Sprintf("ti.enter.%d", rank) }

// Blocks returns the functions that take slots and make blocks, callees before callers.
func Blocks() []*ir.Func {
	t := take()
	return []*ir.Func{t, grow(t)}
}

// Tables returns the functions that find and make blocks by a number of coordinates, callees
// before callers. Take is the function of that name.
func Tables(rank int, take *ir.Func) []*ir.Func {
	f := find(rank)
	return []*ir.Func{f, enter(rank, take, f)}
}

// MaxRank is the largest number of coordinates.
const MaxRank = layout.MaxRank

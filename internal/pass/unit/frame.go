package unit

import "github.com/gotaichi/ti/internal/ir"

// FrameAt appends the address of n numbers of a kind in the frame.
func FrameAt(b *ir.Builder, off int64, kind ir.Kind, n int64) *ir.Value {
	o := ir.NewOp(ir.OpFrame, b.Pos, []ir.Type{ir.Scalar(ir.Ptr)})
	o.Aux, o.Kind, o.Bits = off, kind, uint64(n)
	return b.Emit(o)
}

package wasm

import "github.com/gotaichi/ti/internal/ir"

func vectorTypes(t ir.Type) []valType { return nil }

func (f *function) vectorParam(v *ir.Value)  {}
func (f *function) defineVector(v *ir.Value) {}
func (f *function) pushVector(v *ir.Value)   {}
func (f *function) storeVector(o *ir.Op)     { f.unsupported(o, "vectors of several iterations") }
func (f *function) atomicVector(o *ir.Op)    { f.unsupported(o, "vectors of several iterations") }

package llvm

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
)

// Offsets in the context that a task is called with. Each slot has 8 bytes.
const (
	CtxArgs   = 0  // pointer to the argument slots
	CtxBases  = 8  // pointer to the table of base addresses
	CtxFrame  = 16 // pointer to the kernel's frame
	CtxErrs   = 24 // pointer to the error record
	CtxKey    = 32 // the launch's random key
	CtxWorker = 40 // index of the worker thread
	CtxSize   = 48
)

// Offsets in the error record.
const (
	ErrCount = 0  // number of failures
	ErrSite  = 8  // site+1 of the failure that is described, 0 for none
	ErrIndex = 16 // ErrMax × i64: the index that failed
	ErrLoop  = 80 // ErrMax × i64: the loop indices
	ErrMax   = 8
	ErrSize  = 144
)

// BaseAlign is what the address of every tree is a multiple of.
const BaseAlign = 64

// MaxLocal is how many bytes of local arrays a task or function may have. They
// lie on the stack of whatever thread runs it.
const MaxLocal = 256 << 10

// TaskName is the name of a task's function.
func TaskName(t *ir.Task) string { return fmt.Sprintf("task%d", t.Index) }

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
	CtxText   = 48 // pointer to the thread's buffer of records
	CtxStop   = 56 // pointer to the stop word, an i32, which is set to stop the launch
	CtxSize   = 64
)

// Offsets in the error record.
const (
	ErrCount  = 0   // number of failures
	ErrSite   = 8   // site+1 of the failure that is described, 0 for none
	ErrIndex  = 16  // ErrValues × i64: the index that failed, or the values of the site
	ErrLoop   = 528 // ErrMax × i64: the loop indices
	ErrRank   = 592 // how many of them there are; none in serial code
	ErrMax    = 8
	ErrValues = 64
	ErrSize   = 600
)

// Offsets in a buffer of records, and what a record is: a word site | values<<32,
// and the values.
const (
	TextNext = 0  // pointer to where the next record goes
	TextEnd  = 8  // pointer to the end of the room
	TextLost = 16 // number of records, other than those of printing, that found no room

	// Records of printing have a limit of their own, since they may be dropped.
	TextStop  = 24 // pointer to the end of the room for them; 0 once one was dropped
	TextDrops = 32 // number of records that were dropped
	TextFirst = 40 // lowest number of an iteration with a dropped record
)

// BaseAlign is what the address of every tree is a multiple of.
const BaseAlign = 64

// MaxLocal is the limit for the local arrays of a task or function, in bytes. MaxFrame is
// the limit for its whole stack frame, spilled values included; LLVM reports a function
// that exceeds it. The stack of an engine thread has 16 MiB, enough for a task and the
// functions that it calls.
const (
	MaxLocal = 4 << 20
	MaxFrame = 6 << 20
)

// TaskName is the name of a task's function.
func TaskName(t *ir.Task) string { return fmt.Sprintf("task%d", t.Index) }

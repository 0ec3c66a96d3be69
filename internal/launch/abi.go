package launch

import "unsafe"

// A Context is what a task is called with: the address of each area, and numbers.
type Context struct {
	Slots, Errs, Key, Worker, Text, Stop, Loop uint64
}

// Offsets in a [Context], for generated code.
const (
	CtxSlots  = int64(unsafe.Offsetof(Context{}.Slots))
	CtxErrs   = int64(unsafe.Offsetof(Context{}.Errs))
	CtxKey    = int64(unsafe.Offsetof(Context{}.Key))
	CtxWorker = int64(unsafe.Offsetof(Context{}.Worker))
	CtxText   = int64(unsafe.Offsetof(Context{}.Text))
	CtxStop   = int64(unsafe.Offsetof(Context{}.Stop))
	CtxLoop   = int64(unsafe.Offsetof(Context{}.Loop))
	CtxSize   = int64(unsafe.Sizeof(Context{}))
)

// MaxRank is the number of indices of a loop that an error record holds, and
// MaxValues that of the values of the site.
const (
	MaxRank   = 8
	MaxValues = 64
)

// An ErrorRecord is where tasks write failures.
type ErrorRecord struct {
	Count  uint64           // failures
	Site   uint64           // of the one that is described, plus 1; 0 for none
	Values [MaxValues]int64 // the index that failed, or the values of the site
	Loop   [MaxRank]int64   // the index of the iteration
	Rank   uint64           // how many numbers of Loop count, none in serial code
}

// Offsets in an [ErrorRecord].
const (
	ErrCount  = int64(unsafe.Offsetof(ErrorRecord{}.Count))
	ErrSite   = int64(unsafe.Offsetof(ErrorRecord{}.Site))
	ErrValues = int64(unsafe.Offsetof(ErrorRecord{}.Values))
	ErrLoop   = int64(unsafe.Offsetof(ErrorRecord{}.Loop))
	ErrRank   = int64(unsafe.Offsetof(ErrorRecord{}.Rank))
	ErrSize   = int64(unsafe.Sizeof(ErrorRecord{}))
)

// A Buffer is where a task of one thread puts records.
type Buffer struct {
	Next, End uint64 // addresses: of the next record, and of the end of the room
	Lost      uint64 // records, those of printing excepted, that found no room

	// Records of printing have a limit of their own, since they may be dropped.
	Stop  uint64 // address of the end of the room for them; 0 once one was dropped
	Drops uint64 // how many were dropped
	First uint64 // lowest number of an iteration that lost one
}

// Offsets in a [Buffer].
const (
	TextNext  = int64(unsafe.Offsetof(Buffer{}.Next))
	TextEnd   = int64(unsafe.Offsetof(Buffer{}.End))
	TextLost  = int64(unsafe.Offsetof(Buffer{}.Lost))
	TextStop  = int64(unsafe.Offsetof(Buffer{}.Stop))
	TextDrops = int64(unsafe.Offsetof(Buffer{}.Drops))
	TextFirst = int64(unsafe.Offsetof(Buffer{}.First))
)

// StackAlign is what the stack is aligned to where a task is called, in bytes.
// A vector that a task keeps on its stack then lies in one line of the cache.
const StackAlign = 64

// BaseAlign is what the address of every tree is a multiple of.
const BaseAlign = 64

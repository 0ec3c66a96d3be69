package launch

import "unsafe"

// DispatchThreads is how many threads a workgroup has, where a task is the code of one thread of a dispatch.
const DispatchThreads = 64

// What such code is given with each dispatch: words of 64 bits, in push constants. The addresses are those of the device.
const (
	PushSlots = iota // address of the words for the slots of the task
	PushErrs         // address of its [ErrorRecord]
	PushStop         // address of a word of 32 bits that is not 0 if the launch is to end
	PushLimit        // address of a word of 32 bits that becomes 1 where the driver would end a loop
	PushKey          // the launch's random key
	PushBegin        // the first iteration
	PushEnd          // the one behind the last
	PushZero         // 0, which compilers do not know
	PushText         // address of a [DispatchText], where the task has records
	PushChunk        // iterations of a thread, where partial results are kept in order
	PushSpace        // address of the entry for the host's address 0 in the table of [SpaceShift]
	PushWords
)

// PushBytes is their size.
const PushBytes = 8 * PushWords

// RoundLimit is the number of the specialisation constant that says after how many rounds of all loops a subgroup gives up; 0 for none.
const RoundLimit = 0

// A DispatchText is the head of the room for the records of all threads of a dispatch. Words of 64 bits follow it: records as in a [Buffer], and gaps, whose
// site is TextGap. Next and the limits count words.
type DispatchText struct {
	Next        uint32 // words that were asked for so far
	End, Stop   uint32 // limits of records, and of those of printing
	Lost, Drops uint32 // as in a [Buffer]
	_           uint32
	First       uint64
	_           [32]byte
}

// SpaceShift says how the host's addresses of blocks become the device's: entry address>>SpaceShift of a table of words of 64 bits is added to one.
const SpaceShift = 32

// TextGap is the site of words that have no record.
const TextGap = 1<<32 - 1

// Offsets in a [DispatchText].
const (
	DispatchNext  = int64(unsafe.Offsetof(DispatchText{}.Next))
	DispatchEnd   = int64(unsafe.Offsetof(DispatchText{}.End))
	DispatchStop  = int64(unsafe.Offsetof(DispatchText{}.Stop))
	DispatchLost  = int64(unsafe.Offsetof(DispatchText{}.Lost))
	DispatchDrops = int64(unsafe.Offsetof(DispatchText{}.Drops))
	DispatchFirst = int64(unsafe.Offsetof(DispatchText{}.First))
	DispatchWords = int64(unsafe.Sizeof(DispatchText{}))
)

// Package sparsert is the sparse runtime in the IR: the functions that take memory for the
// blocks of sparse trees, make blocks, and find or make those of hash nodes.
//
// In: a [Function]. Out: its parts as [ir.Func], which any back end
// can translate. The functions work on the control words that package layout places in the root
// block of a tree. Offsets and sizes of a tree are arguments, so one copy of
// each function serves all kernels. Back ends call them for the ops find and enter, and on the slow
// path of grow, whose fast path is inline. A function is self-contained: functions
// that share a part have copies of it, so that the code of one does not depend on another.
//
// # Taking a slot
//
// Blocks of a kind lie in slots of one region. take looks for a free slot where it costs
// least: the reserve slot of the thread, the thread's own batch of slots that were never
// used, its own part of the stack of free slots. If there is none, it claims a part of the stack or a
// batch at the end of the region, for this call and later ones. Blocks on the stack are
// zero. Blocks of a batch may hold old data below a slot that the cache names: take zeroes
// them, so that they are in the cache of the processor that fills them next. Threads share two
// counters, top and count, which they change by atomic adds, and the word that says that an
// allocation has failed. All three are relaxed: they hand out numbers and publish no data.
// The stack and the words of the caches are plain memory, since the host writes the stack
// between tasks and a cache belongs to one thread.
//
// After the first failed allocation every thread fails, even one with slots in its cache:
// otherwise a list could grow past a chunk that was never allocated.
//
// # Growing
//
// grow takes a slot and puts the address of its block into an empty place by compare and
// swap, acquire and release: a thread that loads the address by acquire sees the block as take has
// returned it, which is zero. The thread that comes second keeps its slot in reserve
// and returns the block of the first. If no memory is left, the result is the
// dump block, where stores do no harm.
//
// # Tables
//
// The blocks of a hash node stand in a table of levels, each twice as large as the one
// before. An entry has a tag and the address of a block; within a level the search probes
// from the place that the tag gives to the first entry that was never used. New blocks go to
// the highest level.
//
// find reads tags and addresses by acquire, and so sees the coordinates that enter has
// stored into a block before it published the address by release. An entry with a tag
// but without an address belongs to a block that is being made: its coordinates are
// not known yet, so the search goes on.
//
// enter makes a block under one of 64 locks, chosen by the tag, so that two threads cannot
// make the same block. A lock is taken by an acquiring exchange and left by a releasing
// store. Each new entry takes a number. Level l takes the numbers below three quarters of the
// entries of all levels up to l, so that it never gets full: a thread with a larger number
// adds a level, unless another thread has done so. The numbers continue from level to level,
// since a count that restarted could lose entries that were added in between.
//
// # Where no thread may wait
//
// [Function.LockFree] has the functions in a form for very many threads (lockfree.go). Nobody has a cache. Who comes second to a place gives its slot
// back to a list, from which others take first: when many threads come to a few places, nearly all slots that they take are given back. So a task needs few more slots than it
// fills, and a thread that finds none looks again many times before the allocation has failed. Who has taken a slot uses it in the same round of that loop: threads of a subgroup
// that have left a loop wait for the others of theirs. The word at the beginning of the list counts its changes. Blocks of a table are put by their addresses, into the first entry without a block that all
// threads come to in the same order, so that two threads cannot put the same coordinates. A search looks at 64 entries of a level, or in the lowest one as far as the host has put any, and
// then at the next level.
package sparsert

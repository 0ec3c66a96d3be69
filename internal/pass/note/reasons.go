package note

import (
	"fmt"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
)

// A Reason is something that is said to people: a row of the table of reasons. Some are notes by
// themselves, others stand in a note as the cause of what it says.
type Reason uint8

// The reasons, in the order of the passes that give them.
const (
	// Of derivatives.
	LoopKeeps Reason = iota
	LoopKeepsSome
	LoopKeepsNothing
	LoopReadsAgain
	LoopComputesAgain
	LoopComputesAlone
	ArrayCopied
	AdjointGathered
	AdjointNotGathered
	LoopUnrolled
	OldValueStored
	OldValuesStored
	ExtremumFound
	Joined

	// Causes of adjoints that are not gathered.
	DataDecides
	LoopWithin
	ManyIterations
	WrittenToo

	// Of atomics.
	SerialCode
	OwnElement
	UniqueUnused
	OwnWord
	WholeWord
	SingleAtomic
	CutAtWords
	NotCutAtWords
	FusedStores
	SummedApart
	SharedWord
	SharedArray
	OwnList
	InOrderPlain
	OwnLists
	PrivateCopy
	Reduction
	AtomicRemains

	// Causes of promises that change nothing.
	NoUpdateThere
	PartUnique
	WrittenElsewhere
	WordShared
	MemoryShared

	// Causes of atomics that remain.
	AnyIteration
	SliceNotCopied
	OldValueUsed
	UsedOtherwise
	OtherNumbers
	TreeTooLarge
	TripsUnknown
	TooFewIterations
	StrictOrder

	// Of loops over arrays of single bits.
	BitVectors
	NoBitVectors

	// Causes of loops that take a bit at a time.
	BitsElsewhere
	BitsAcross
	BitsOtherWords
	BitsOfOther
	BitsPlain
	BitsTile
	BitsSparse
	BitsCondition
	BitsRandom
	BitsLoop
	BitsFloat
	BitsLarge
	BitsIndex
	BitsOther

	// Of deterministic mode.
	AppendsInOrder
	UpdateInOrder

	// Of index checks.
	CheckedBeyond
	CheckedAnything
	CheckedAbove
	CheckedBelow
	CheckedRange
	CheckedOnce
	CheckedTogether
	InteriorApart

	// Of packets and loops.
	Packets
	NoPackets
	Unrolled
	Scattered
	Distributed
	ComputedFirst
	SideBySide
	SummedSideBySide
	Gathered
	Strided
	InMemory
	Streamed

	// Of planes of small blocks.
	Planes
	NoPlanes

	// Causes of no planes.
	PlanesOtherBlocks
	PlanesIndex
	PlanesEdge
	PlanesWritten
	PlanesLarge
	PlanesOther

	// Causes of no packets.
	LimitsDiffer
	MiddleOfBody
	LeavesSeveral
	FarApart
	CallOrTable
	SparseLookup
	Atomic
	AtomicInOrder
	OneByOne
	MuchApart
	CheckMayFail
	Printed
	ArrayInMemory
	LongBody

	// Of sparse trees: how loops visit cells.
	ListKept
	CellsOne
	CellsOfChunk
	CellsByRows
	RowsBlended
	CellsByBit
	CellsDense
	Border
	RowTest
	Scratch
	BlockLocalIdle
	CacheReadOnlyIdle
	BlockDimIdle
	CellNoted

	// And how accesses find their blocks.
	Read
	Written
	Activated
	Appended
	ActiveAsked
	LengthRead
	ListEmptied

	// Causes of whether a write activates.
	VisitedCell
	ProvenCell
	BlockOfLoop
	NotVisited
	NoLoopSays

	// Causes of no scratch, and of hints that change nothing.
	NoBlocks
	LeftOut
	LargeBlocks
	ManyArrays
	NoBounds
	MaskMoves
	OneCell
	Serial
	OfList
	NothingNear
	TooMuch
	AllAtEdge
	Slower

	// Causes of loops that LLVM does not run on vectors.
	AnAtomic
	AnIndexCheck
	AnAssertion
	ADebugCheck
	APrint
	ACall
	ALoopByCondition
	ALoopInside
	AnArray
	ElementsApart
)

// A row is what a reason says: a format with its arguments, and a remedy with the same ones.
type row struct {
	text   string
	advice string // "" if nothing is evident
	topic  topic
}

// A topic is what several reasons are about.
type topic uint8

const (
	other  topic = iota
	check        // an index is checked
	lookup       // an access finds its block
)

const (
	edge    = "an index of %[1]s leaves its limits only at an edge; run the loop over the elements that have such a neighbour, range span(lo, hi), or treat the edge in an if or with clamp, and no check remains"
	oneSide = "an index of %[1]s is limited on one side only; clamp(…, lo, hi) limits it on both, and no check remains"
)

var reasons = [...]row{
	LoopKeeps:         {text: "the backward pass keeps %d bytes of each of the %d iterations: %s"},
	LoopKeepsSome:     {text: "the backward pass keeps %d bytes of an iteration: %s; of up to %d iterations, %d bytes a thread, or a lane in packets; where there are more, it keeps every second, fourth, … and runs those behind it again"},
	LoopKeepsNothing:  {text: "the backward pass keeps nothing of the iterations: what it needs is read or computed again"},
	LoopReadsAgain:    {text: "the backward pass reads again in each iteration, as that costs less than to keep it: %s"},
	LoopComputesAgain: {text: "the backward pass computes again in each iteration, as that costs no more than to keep it: %s"},
	LoopComputesAlone: {text: "the backward pass computes again in each iteration, as nothing else wants the sweep over the iterations that would keep it: %s"},
	ArrayCopied:       {text: "the backward pass keeps a copy of array %s, %d bytes, as later code changes it"},
	AdjointGathered:   {text: "gathered: each element of %s computes the iterations that it takes part in again, as it lies at %d places of theirs, and no atomic adds to its adjoint"},

	AdjointNotGathered: {text: "the adjoint of %s is not gathered, because %s: iterations add to it"},
	LoopUnrolled:       {text: "unrolled on the backward pass, %d iterations, as each then loads a neighbour at a constant distance, which is gathered"},
	OldValueStored:     {text: "the backward pass needs the old value: a launch under a tape stores 8 bytes of it for each iteration"},
	OldValuesStored:    {text: "the backward pass needs the old values: a launch under a tape stores 16 bytes of each"},
	Joined:             {text: "joined: the loops that go back through this one have one range, and are one loop"},
	ExtremumFound:      {text: "the backward pass finds the iteration that attained the extremum, by a number of 8 bytes for each element of %s"},

	DataDecides:    {text: "an index is no loop index plus a constant", advice: "where an index of %s is a loop index plus a constant, its adjoint needs no atomic"},
	LoopWithin:     {text: "the loop has loops that are not short and of constant length, arrays or calls inside", advice: "put what loops over %s into a loop of its own, and its adjoint may need no atomic"},
	WrittenToo:     {text: "the loop writes to the field as well"},
	ManyIterations: {text: "an element takes part in many iterations, and computing these again would cost more than atomics"},

	SerialCode:    {text: "no atomic: this code is serial"},
	OwnElement:    {text: "no atomic: the element belongs to one iteration"},
	UniqueUnused:  {text: "loopUnique changes nothing: %s"},
	OwnWord:       {text: "no atomic: the word with the number belongs to one iteration, and is loaded, changed and stored"},
	WholeWord:     {text: "no atomic: the store sets all numbers of its word"},
	NotCutAtWords: {text: "not cut at the borders of words, so that threads share words, because %s", advice: "draw the numbers into a field that is not packed, in a loop of its own"},
	CutAtWords:    {text: "cut at the borders of words: an iteration stores to all elements of a word, one after the other"},
	SingleAtomic:  {text: "atomic: one instruction on the word with the number"},
	FusedStores:   {text: "fused: %d stores to numbers in one word are one"},
	SummedApart:   {text: "summed apart: codes are added in 64 bits, and the sums are added to the numbers of %s, and clamped, after the loop; the sums take %d KB, and where there is no room for them, words are compared and swapped instead or, with Deterministic, the launch fails"},
	SharedWord:    {text: "atomic: another iteration may store to the same word, which is compared and swapped", advice: "let the loop store to the elements of its own index only, or to all numbers of a word at once"},
	SharedArray:   {text: "atomic: other iterations may store to elements of the same word of the bit array, which is compared and swapped"},
	OwnList:       {text: "no atomic: the list belongs to one iteration"},
	InOrderPlain:  {text: "no atomic: the loop runs in order on one thread"},
	OwnLists:      {text: "no atomic: each of %d threads goes through all iterations, and appends to the lists that are its own"},
	PrivateCopy:   {text: "no atomic: each thread adds to a copy of %s of its own, merged after the loop"},
	Reduction:     {text: "no atomic: a reduction, gathered by each thread for itself and merged after the loop"},
	AtomicRemains: {text: "atomic: %s may be that of another iteration, and %s"},

	NoUpdateThere:    {text: "no update of an element has it as an index"},
	PartUnique:       {text: "not all components of the vector, which differ together, are indices of %s", advice: "let the whole vector be the index of %s"},
	WrittenElsewhere: {text: "the loop also writes to %s at another index", advice: "let all writes to %s in the loop have the same variable, j := loopUnique(…), as an index on the same axis"},
	WordShared:       {text: "%s lies in words with other numbers"},
	MemoryShared:     {text: "%s may be the same memory as another slice or view that the loop writes to"},

	AnyIteration:     {text: "any iteration may meet another there"},
	SliceNotCopied:   {text: "slices are not copied for each thread"},
	OldValueUsed:     {text: "its old value is used"},
	UsedOtherwise:    {text: "the loop also uses its memory in another way than by accumulating", advice: "let the loop only accumulate, by operations of one kind, and read the result in a loop after it: each thread then adds to a copy of its own"},
	OtherNumbers:     {text: "other kinds of numbers lie in its tree, so there are no copies for each thread", advice: "place the field in a tree of its own (rt.Place): each thread can then add to a copy of its own"},
	TreeTooLarge:     {text: "its tree, of %d MB, is too large for a copy for each thread", advice: "sort the iterations by the element that they update, or accumulate in a local variable first, so that fewer updates are made"},
	TripsUnknown:     {text: "the number of iterations, which would have to be worth copies for each thread, is known only at launch"},
	TooFewIterations: {text: "copies for each thread are not worth it for so few iterations"},
	StrictOrder:      {text: "strict maths adds to each element in the order of the source, and not to copies that are merged after the loop", advice: "use the loop's own index, or a constant minus it, as the element's index: the update then needs no atomic"},

	BitVectors:   {text: "runs on words: %d iterations at once, a bit of a word for each"},
	NoBitVectors: {text: "one bit at a time, not a word, because %s"},

	BitsElsewhere:  {text: "an index of %s is not the loop's plus a constant"},
	BitsAcross:     {text: "the loop's index counts elements of %s that lie in different words", advice: "let the last index of %s be the one that its bit array is along, and the loop's last"},
	BitsOtherWords: {text: "the words of %s do not hold %d elements, as others do", advice: "give %s a bit array of words that hold %d elements"},
	BitsOfOther:    {text: "the loop writes to %s, at other elements than those of its own index or beside reading others", advice: "write to another field than %s, and swap them"},
	BitsPlain:      {text: "%s, accessed by the loop's index, is no array of single bits", advice: "place %s in a bit array, in QuantInt(1).Unsigned(), or access it in a loop of its own"},
	BitsTile:       {text: "the bit array of %s is along two axes", advice: "place %s in a bit array along its last axis"},
	BitsSparse:     {text: "%s, which it is over, is sparse, and has its cells elsewhere", advice: "loop over the field of bits, instead of %s"},
	BitsCondition:  {text: "%s is read under a condition", advice: "read %s before the condition"},
	BitsRandom:     {text: "it draws random numbers"},
	BitsLoop:       {text: "there is a loop inside", advice: "unroll the loop with range static(…)"},
	BitsFloat:      {text: "there is a floating-point number that differs from one iteration to the next"},
	BitsLarge:      {text: "an integer may be large"},
	BitsIndex:      {text: "the loop's index is computed with, as a number"},
	BitsOther:      {text: "an operation, %s, is not one of single bits and small integers"},

	AppendsInOrder: {text: "the loop runs in order on one thread: in deterministic mode elements are appended in the order of the iterations"},
	UpdateInOrder:  {text: "the loop runs in order on one thread: in deterministic mode this update must not come before or after another by chance"},

	CheckedBeyond:   {text: "checked: %[2]s is known to be at least %[4]d and at most the extent %+[5]d, and has to be %[3]s", advice: edge, topic: check},
	CheckedAnything: {text: "checked: %[2]s could be anything, and has to be %[3]s", advice: "nothing limits an index of %[1]s; clamp(…, lo, hi) or an if around the access would, and no check would remain", topic: check},
	CheckedAbove:    {text: "checked: %[2]s is known to be at most %[5]d, and has to be %[3]s", advice: oneSide, topic: check},
	CheckedBelow:    {text: "checked: %[2]s is known to be at least %[4]d, and has to be %[3]s", advice: oneSide, topic: check},
	CheckedRange:    {text: "checked: %[2]s is known to be %[4]d to %[5]d, and has to be %[3]s", advice: edge, topic: check},
	CheckedOnce:     {text: "checked before the loop starts, once for all iterations", topic: check},
	CheckedTogether: {text: "checked once in an iteration, together with its other indices", topic: check},

	Packets:          {text: "runs in packets: %d iterations at once, conditions as masks"},
	NoPackets:        {text: "no packets of iterations: %s"},
	Unrolled:         {text: "unrolled: the innermost loop of its nest, of %d iterations"},
	SideBySide:       {text: "%d numbers side by side are computed as one vector"},
	SummedSideBySide: {text: "%d terms are added up as vectors of what lies side by side"},
	Distributed:      {text: "taken apart: what lies at places that are data is copied from and to in loops of its own, and vectors of iterations compute"},
	ComputedFirst:    {text: "taken apart: vectors of iterations compute, and a loop behind them stores at places that are data"},
	Scattered:        {text: "several iterations at once, because each reads a sparse tree at a place of its own"},
	Gathered:         {text: "gathered: which elements of %s neighbouring iterations use follows from data or conditions"},
	Strided:          {text: "strided: neighbouring iterations access numbers of %[1]s that lie %[2]s bytes apart", advice: "let neighbouring iterations find their elements of %[1]s side by side: place its components each in a node of its own (structure of arrays), or order its axes so that the loop's last one is innermost"},
	InMemory:         {text: "in memory: %[1]s, of %[2]d numbers, is indexed with values known at run time only", advice: "%[1]s would be in registers if all its indices were constants: unroll loops over it with range static(…)"},

	Streamed: {text: "streamed: %s, which the loop fills without reading it, is written past the caches, as it is more than they hold"},

	Planes:   {text: "runs by planes of blocks: %d iterations at once, in each of %d planes, and what they read around them is moved by lanes"},
	NoPlanes: {text: "no planes of blocks: %s"},

	PlanesOtherBlocks: {text: "%s is not stored in the same blocks", advice: "place %s in blocks of the same shape"},
	PlanesIndex:       {text: "an index of %s is no index of the loop plus a constant"},
	PlanesEdge:        {text: "an index of %s may be out of range"},
	PlanesWritten:     {text: "%s is written, and read or written at other elements than the loop's own", advice: "write to another field than %s, and swap them"},
	PlanesLarge:       {text: "the body is large"},
	PlanesOther:       {text: "an operation, %s, is not one of arithmetic"},

	LimitsDiffer:  {text: "the limits of a loop differ between iterations"},
	MiddleOfBody:  {text: "iterations go on from the middle of a body at different times"},
	LeavesSeveral: {text: "control leaves several loops or blocks at once"},
	FarApart:      {text: "neighbouring iterations access memory far apart"},
	CallOrTable:   {text: "there is a call of a function out of line, or a table"},
	SparseLookup:  {text: "each iteration looks up its own block of a sparse tree"},
	Atomic:        {text: "there is an atomic"},
	AtomicInOrder: {text: "an atomic must not come before that of an earlier iteration"},
	OneByOne:      {text: "it does little beside updates and stores of elements that each iteration chooses, which packets do one after the other"},
	MuchApart:     {text: "a check may fail, and it computes little for each number that neighbouring iterations find far apart"},
	CheckMayFail:  {text: "a check may fail"},
	Printed:       {text: "something is printed"},
	ArrayInMemory: {text: "its arrays in memory, one for each of the iterations, would leave the fastest cache"},
	LongBody:      {text: "it is long and has branches, so that packets would take long to compile", advice: "do what differs between iterations in a loop of its own"},

	ListKept:          {text: "list: %s; kept until they change"},
	CellsOne:          {text: "cells: one for each entry"},
	CellsOfChunk:      {text: "cells: those of a chunk below the length of its list, one loop"},
	CellsByRows:       {text: "cells: %s of an entry, by rows of bits%s: a full row is a dense loop, of another those that are active are visited one by one"},
	RowsBlended:       {text: "rows: where %d of %d cells or more are active, all are computed at once, and the bits say which change"},
	CellsByBit:        {text: "cells: %s of an entry, of which a bit tells whether each is active%s"},
	CellsDense:        {text: "cells: %s of an entry, all active, in dense loops"},
	Border:            {text: "border: cells whose neighbours lie in other blocks are apart, %d copies of the body, so that the others share what is looked up"},
	InteriorApart:     {text: "interior: iterations that no border concerns are in a loop of their own, without what is done for borders"},
	RowTest:           {text: "stretches: the loop asks for %d cells of a row at once whether they are active"},
	Scratch:           {text: "reads neighbours from copies of %s, made for each block of cells and what is around it"},
	BlockLocalIdle:    {text: "blockLocal(%s) changes nothing: %s"},
	CacheReadOnlyIdle: {text: "cacheReadOnly(%s) changes nothing on a CPU, whose caches treat all memory alike"},
	BlockDimIdle:      {text: "blockDim(%d) changes nothing on a CPU, whose threads take as many iterations at a time as their cost suggests"},
	CellNoted:         {text: "noted: the cell of %s is taken out when the loop has ended"},

	Read:        {text: "look-up: %s is read with %s%s", topic: lookup},
	Written:     {text: "look-up: %s is written with %s; %s", topic: lookup},
	Activated:   {text: "look-up: %s is activated with %s; %s", topic: lookup},
	Appended:    {text: "look-up: %s is appended to with %s; %s", topic: lookup},
	ActiveAsked: {text: "look-up: whether %s is active is asked with %s", topic: lookup},
	LengthRead:  {text: "look-up: the length of a list of %s is read with %s", topic: lookup},
	ListEmptied: {text: "look-up: a list of %s is cleared with %s", topic: lookup},

	VisitedCell: {text: "activates nothing, since the loop visits this cell"},
	ProvenCell:  {text: "activates nothing, since an access before it did"},
	BlockOfLoop: {text: "may activate: the loop has the block of this cell, but the cell in it need not be active"},
	NotVisited:  {text: "may activate: this need not be a cell that the loop visits"},
	NoLoopSays:  {text: "may activate: no loop over cells says that this one is active"},

	NoBlocks:    {text: "the loop does not run over cells of a sparse tree, and finds what is near in the caches"},
	LeftOut:     {text: "this part of the compiler is left out"},
	LargeBlocks: {text: "a block is so large that several threads share it"},
	ManyArrays:  {text: "a block is not one array with rows, but an array of arrays or in Morton order"},
	NoBounds:    {text: "indices have no bounds, so that it is not known which blocks have neighbours on all sides"},
	MaskMoves:   {text: "the loop changes the mask that says which cells it visits"},
	OneCell:     {text: "a block is a single cell"},
	Serial:      {text: "the loop is serial, and has to see what it wrote"},
	OfList:      {text: "the loop runs over elements of lists, which say nothing about where other fields are read"},
	NothingNear: {text: "the body does not read it at cells beside its own, at distances that are known, or writes to it there"},
	TooMuch:     {text: "the copies would not fit into a cache of a core"},
	AllAtEdge:   {text: "every block lies at the edge of the domain"},
	Slower:      {text: "copying would cost more than it saves"},

	AnAtomic:         {text: "an atomic"},
	AnIndexCheck:     {text: "an index check"},
	AnAssertion:      {text: "an assertion"},
	ADebugCheck:      {text: "a check of debug mode"},
	APrint:           {text: "text that is printed"},
	ACall:            {text: "a call of %s"},
	ALoopByCondition: {text: "a loop that ends by a condition"},
	ALoopInside:      {text: "a loop inside"},
	AnArray:          {text: "an array in memory"},
	ElementsApart:    {text: "elements that lie apart"},
}

// Reasons returns all reasons.
func Reasons() []Reason {
	all := make([]Reason, len(reasons))
	for i := range all {
		all[i] = Reason(i)
	}
	return all
}

// String returns what r says, with verbs of package fmt where its arguments stand.
func (r Reason) String() string { return reasons[r].text }

// With is r as a cause, with its arguments.
func (r Reason) With(args ...any) Cause { return Cause{Reason: r, args: args} }

// A Cause is a reason that stands in a note.
type Cause struct {
	Reason Reason
	args   []any
	line   int // where it is; 0 if that is not said
}

// At is c with the line of pos.
func (c Cause) At(pos ir.Pos) Cause {
	if pos.IsKnown() {
		c.line = int(pos.Line)
	}
	return c
}

// String returns what the cause says.
func (c Cause) String() string {
	text := formatted(reasons[c.Reason].text, c.args)
	if c.line > 0 {
		text += fmt.Sprintf(" (line %d)", c.line)
	}
	return text
}

// Advice is the remedy of a cause; "" without one.
func (c Cause) Advice() string { return c.Reason.advice(c.args) }

// advice is the remedy of a reason; "" without one.
func (r Reason) advice(args []any) string { return formatted(reasons[r].advice, args) }

// formatted is Sprintf for a format that need not use all of its arguments.
func formatted(format string, args []any) string {
	if !strings.Contains(format, "%") {
		return format
	}
	return fmt.Sprintf(format, args...)
}

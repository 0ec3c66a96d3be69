package note

import (
	"fmt"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
)

// A Reason is a row of the table of remarks for users. Some are notes by themselves, others are causes that a note names.
type Reason uint8

// The reasons, in the order of the passes that give them.
const (
	// Of derivatives.
	LoopStores Reason = iota
	LoopStoresStates
	LoopStoresNothing
	LoopReloads
	LoopRecomputes
	LoopRecomputesAlone
	ArrayCopied
	AdjointGathered
	AdjointNotGathered
	LoopUnrolled
	OldValueStored
	OldValuesStored
	ExtremumFound
	LoopsFused
	LaunchesFused
	LaunchesApart
	StoresDead

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

	// Causes of promises without effect.
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

	// Causes of loops that handle one bit at a time.
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
	InteriorSplit

	// Of packets and loops.
	Packets
	NoPackets
	Unrolled
	Scattered
	Distributed
	ComputedFirst
	ContiguousVector
	ContiguousSums
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
	LaneByLane
	FewOpsPerGather
	CheckMayFail
	Printed
	ArrayInMemory
	LongBody
	EndsEarly
	CarriesValue
	SumInOrder
	NextReads
	FewIterations
	SharedByLanes
	PlacesApart
	FewOps

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
	CellRecorded

	// Of sparse trees: the look-ups of accesses.
	Read
	Written
	Activated
	Appended
	ActiveTested
	LengthRead
	ListEmptied

	// Causes why a write may activate, or does not.
	VisitedCell
	ProvenCell
	BlockOfLoop
	NotVisited
	NoProof

	// Causes of no scratch, and of hints without effect.
	NoBlocks
	LeftOut
	LargeBlocks
	CellAThread
	ManyArrays
	NoBounds
	MaskMoves
	OneCell
	Serial
	OfList
	NoNeighbourRead
	TooMuch
	AllAtEdge
	Slower

	// Causes of loops that LLVM does not vectorise.
	AnAtomic
	AnIndexCheck
	AnAssertion
	ADebugCheck
	APrint
	ACall
	ALoopByCondition
	ALoopInside
	AnArray
	LargeStrides
)

// A row has the text of a reason and its remedy: formats with the same arguments.
type row struct {
	text   string
	advice string // "" for none
	topic  topic
}

// A topic is a subject of several reasons.
type topic uint8

const (
	other  topic = iota
	check        // index checks
	lookup       // look-ups of accesses
)

const (
	edge    = "an index of %[1]s leaves its limits only at an edge; run the loop over the elements that have such a neighbour, range span(lo, hi), or treat the edge in an if or with clamp, and no check remains"
	oneSide = "an index of %[1]s is limited on one side only; clamp(…, lo, hi) limits it on both, and no check remains"
)

var reasons = [...]row{
	LoopStores:          {text: "the loop stores %d bytes of each of the %d iterations for its backward pass: %s"},
	LoopStoresStates:    {text: "the loop stores %d bytes of an iteration for its backward pass: %s; for up to %d iterations, %d bytes for each thread, or for each lane of packets; of more iterations it stores every second, fourth, … and recomputes those after it"},
	LoopStoresNothing:   {text: "the loop stores nothing for its backward pass, which reloads or recomputes what it needs"},
	LoopReloads:         {text: "the backward pass reloads in each iteration, since that costs less than storing: %s"},
	LoopRecomputes:      {text: "the backward pass recomputes in each iteration, since that costs no more than storing: %s"},
	LoopRecomputesAlone: {text: "the backward pass recomputes in each iteration, since no other value needs the additional run of the iterations that would store it: %s"},
	ArrayCopied:         {text: "the backward pass uses a copy of array %s, %d bytes, since later code changes the array"},
	AdjointGathered:     {text: "gathered: for each element of %s the iterations that access it, at %d places, are recomputed, so that its adjoint needs no atomic"},

	AdjointNotGathered: {text: "the adjoint of %s is not gathered, because %s: iterations add to it"},
	LoopUnrolled:       {text: "unrolled for the backward pass, %d iterations, so that each loads a neighbour at a constant distance, which is gathered"},
	OldValueStored:     {text: "the backward pass needs the old value: a launch under a tape stores 8 bytes of it for each iteration"},
	OldValuesStored:    {text: "the backward pass needs the old values: a launch under a tape stores 16 bytes of each"},
	StoresDead:         {text: "left out: launches are optimised together, and a later one overwrites all that this stores"},
	LaunchesFused:      {text: "fused: launches are optimised together, and this is one loop: %s"},
	LaunchesApart:      {text: "not fused with the loop of the launch before, at %s: %s"},
	LoopsFused:         {text: "fused: the two loops of this loop's backward pass have the same range, and are one loop"},
	ExtremumFound:      {text: "the backward pass finds the iteration that attained the extremum, by a number of 8 bytes for each element of %s"},

	DataDecides:    {text: "an index is no loop index plus a constant", advice: "where an index of %s is a loop index plus a constant, its adjoint needs no atomic"},
	LoopWithin:     {text: "the loop contains arrays, calls, or loops that are long or of unknown length", advice: "put the code that loops over %s into a separate loop, and its adjoint may need no atomic"},
	WrittenToo:     {text: "the loop writes to the field as well"},
	ManyIterations: {text: "many iterations access an element, and recomputing these would cost more than atomics"},

	SerialCode:    {text: "no atomic: this code is serial"},
	OwnElement:    {text: "no atomic: the element belongs to one iteration"},
	UniqueUnused:  {text: "loopUnique has no effect: %s"},
	OwnWord:       {text: "no atomic: the word with the number belongs to one iteration, and is loaded, changed and stored"},
	WholeWord:     {text: "no atomic: the store sets all numbers of its word"},
	NotCutAtWords: {text: "not split at the borders of words, so that threads share words, because %s", advice: "draw the numbers into a field that is not packed, in a separate loop"},
	CutAtWords:    {text: "split at the borders of words: an iteration stores to all elements of a word, one after the other"},
	SingleAtomic:  {text: "atomic: one instruction on the word with the number"},
	FusedStores:   {text: "fused: %d stores to numbers in one word are one"},
	SummedApart:   {text: "separate sums: codes are added in accumulators of 64 bits, which are added to the numbers of %s, and clamped, after the loop; the accumulators take %d KB; without memory for them, each word is updated by compare-and-swap instead or, with Deterministic, the launch fails"},
	SharedWord:    {text: "atomic: another iteration may store to the same word, which is updated by compare-and-swap", advice: "let the loop store to the elements of its own index only, or to all numbers of a word at once"},
	SharedArray:   {text: "atomic: other iterations may store to elements of the same word of the bit array, which is updated by compare-and-swap"},
	OwnList:       {text: "no atomic: the list belongs to one iteration"},
	InOrderPlain:  {text: "no atomic: the loop runs in order on one thread"},
	OwnLists:      {text: "no atomic: each of %d threads visits all iterations, and appends only to its own lists"},
	PrivateCopy:   {text: "no atomic: each thread adds to a private copy of %s, merged after the loop"},
	Reduction:     {text: "no atomic: a reduction, accumulated by each thread and merged after the loop"},
	AtomicRemains: {text: "atomic: another iteration may access %s, and %s"},

	NoUpdateThere:    {text: "no update of an element has it as an index"},
	PartUnique:       {text: "not all components of the vector, which is distinct only as a whole, are indices of %s", advice: "let the whole vector be the index of %s"},
	WrittenElsewhere: {text: "the loop also writes to %s at another index", advice: "let all writes to %s in the loop have the same variable, j := loopUnique(…), as an index on the same axis"},
	WordShared:       {text: "%s lies in words with other numbers"},
	MemoryShared:     {text: "%s may be the same memory as another slice or view that the loop writes to"},

	AnyIteration:     {text: "any iteration may do so"},
	SliceNotCopied:   {text: "there are no private copies of slices"},
	OldValueUsed:     {text: "its old value is used"},
	UsedOtherwise:    {text: "the loop also uses its memory in another way than by accumulating", advice: "let the loop only accumulate, by operations of one kind, and read the result in a loop after it: each thread then adds to a private copy"},
	OtherNumbers:     {text: "its tree has numbers of other types, too, so there are no private copies", advice: "place the field in a tree of its own (rt.Place): each thread can then add to a private copy"},
	TreeTooLarge:     {text: "its tree, of %d MB, is too large for a private copy for each thread", advice: "sort the iterations by the element that they update, or accumulate in a local variable first, so that fewer updates are made"},
	TripsUnknown:     {text: "whether private copies pay depends on the number of iterations, which is known only at launch"},
	TooFewIterations: {text: "private copies do not pay for so few iterations"},
	StrictOrder:      {text: "strict maths adds to each element in the order of the source, and not to private copies that are merged after the loop", advice: "use the loop's own index, or a constant minus it, as the element's index: the update then needs no atomic"},

	BitVectors:   {text: "runs on words: %d iterations at once, a bit of a word for each"},
	NoBitVectors: {text: "one bit at a time, not a word, because %s"},

	BitsElsewhere:  {text: "an index of %s is not the loop's plus a constant"},
	BitsAcross:     {text: "the loop's index counts elements of %s that lie in different words", advice: "let the last index of %s be the one that its bit array is along, and the loop's last"},
	BitsOtherWords: {text: "the words of %s do not hold %d elements, as others do", advice: "give %s a bit array of words that hold %d elements"},
	BitsOfOther:    {text: "the loop writes to %s, at other elements than those of its own index or beside reading others", advice: "write to another field than %s, and swap them"},
	BitsPlain:      {text: "%s, accessed by the loop's index, is no array of single bits", advice: "place %s in a bit array, in QuantInt(1).Unsigned(), or access it in a separate loop"},
	BitsTile:       {text: "the bit array of %s is along two axes", advice: "place %s in a bit array along its last axis"},
	BitsSparse:     {text: "the loop is over %s, which is sparse and has its cells elsewhere", advice: "loop over the field of bits, instead of %s"},
	BitsCondition:  {text: "%s is read under a condition", advice: "read %s before the condition"},
	BitsRandom:     {text: "it draws random numbers"},
	BitsLoop:       {text: "there is a loop inside", advice: "unroll the loop with range static(…)"},
	BitsFloat:      {text: "there is a floating-point number that differs from one iteration to the next"},
	BitsLarge:      {text: "an integer may be large"},
	BitsIndex:      {text: "the loop's index is used in arithmetic"},
	BitsOther:      {text: "an operation, %s, is not one of single bits and small integers"},

	AppendsInOrder: {text: "the loop runs in order on one thread: in deterministic mode elements are appended in the order of the iterations"},
	UpdateInOrder:  {text: "the loop runs in order on one thread: in deterministic mode the order of updates must not depend on threads"},

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
	ContiguousVector: {text: "%d contiguous numbers are computed as one vector"},
	ContiguousSums:   {text: "%d terms are added up as vectors of contiguous numbers"},
	Distributed:      {text: "distributed: separate loops copy numbers from and to data-dependent places, and vectors of iterations compute"},
	ComputedFirst:    {text: "distributed: vectors of iterations compute, and a separate loop stores at data-dependent places"},
	Scattered:        {text: "several iterations at once, because each reads a sparse tree at another place"},
	Gathered:         {text: "gathered: the elements of %s that neighbouring iterations use depend on data or conditions"},
	Strided:          {text: "strided: neighbouring iterations access numbers of %[1]s that lie %[2]s bytes apart", advice: "let the elements of %[1]s that neighbouring iterations use be contiguous: place each of its components in a separate node (structure of arrays), or order its axes so that the loop's last one is innermost"},
	InMemory:         {text: "in memory: %[1]s, of %[2]d numbers, is indexed with values known at run time only", advice: "%[1]s would be in registers if all its indices were constants: unroll loops over it with range static(…)"},

	Streamed: {text: "streamed: stores to %s, which the loop fills without reading it, bypass the caches, which cannot hold it"},

	Planes:   {text: "runs by planes of blocks: %d iterations at once, in each of %d planes, and loads of neighbours are shifted by lanes"},
	NoPlanes: {text: "no planes of blocks: %s"},

	PlanesOtherBlocks: {text: "%s is not stored in the same blocks", advice: "place %s in blocks of the same shape"},
	PlanesIndex:       {text: "an index of %s is no index of the loop plus a constant"},
	PlanesEdge:        {text: "an index of %s may be out of range"},
	PlanesWritten:     {text: "%s is written, and read or written at other elements than the loop's own", advice: "write to another field than %s, and swap them"},
	PlanesLarge:       {text: "the body is large"},
	PlanesOther:       {text: "an operation, %s, is not one of arithmetic"},

	LimitsDiffer:    {text: "the limits of a loop differ between iterations"},
	MiddleOfBody:    {text: "iterations continue from the middle of a body at different times"},
	LeavesSeveral:   {text: "control leaves several loops or blocks at once"},
	FarApart:        {text: "neighbouring iterations access memory far apart"},
	CallOrTable:     {text: "there is a call of a function that is not inlined, or a table"},
	SparseLookup:    {text: "each iteration looks up its own block of a sparse tree"},
	Atomic:          {text: "there is an atomic"},
	AtomicInOrder:   {text: "an atomic must not come before that of an earlier iteration"},
	LaneByLane:      {text: "most of its work is updates and stores at data-dependent places, which packets do one lane after the other"},
	FewOpsPerGather: {text: "a check may fail, and it computes little for each number that is gathered"},
	CheckMayFail:    {text: "a check may fail"},
	Printed:         {text: "something is printed"},
	ArrayInMemory:   {text: "its arrays in memory, one for each of the iterations, would not fit the first-level cache"},
	LongBody:        {text: "it is long and has branches, so that packets would take long to compile", advice: "put the code that differs between iterations into a separate loop"},

	EndsEarly:     {text: "a jump may end the loop before its last iteration"},
	CarriesValue:  {text: "an iteration needs a value of the one before it, and not as a reduction"},
	SumInOrder:    {text: "strict maths keeps the order in which a loop adds up or compares"},
	NextReads:     {text: "an iteration may store where another one loads or stores"},
	FewIterations: {text: "it has fewer iterations than the shortest vector"},
	SharedByLanes: {text: "iterations store to one place, and not only to add to it"},
	PlacesApart:   {text: "loads and stores of numbers that are not contiguous would cost more than vectors save", advice: "place each component of an element in a separate node (structure of arrays), and let the loop's last index be that of the innermost axis"},
	FewOps:        {text: "vectors would cost as much as single numbers"},

	ListKept:          {text: "list: %s; reused until they change"},
	CellsOne:          {text: "cells: one for each entry"},
	CellsOfChunk:      {text: "cells: those of a chunk below the length of its list, one loop"},
	CellsByRows:       {text: "cells: %s of an entry, by rows of bits%s: a full row is a dense loop, and of other rows the active cells are visited one by one"},
	RowsBlended:       {text: "rows: if at least %d of %d cells are active, all are computed at once, and the bits mask the stores"},
	CellsByBit:        {text: "cells: %s of an entry, each with a bit that says whether it is active%s"},
	CellsDense:        {text: "cells: %s of an entry, all active, in dense loops"},
	Border:            {text: "border: cells with neighbours in other blocks have separate loops, %d copies of the body, so that the other cells share look-ups"},
	InteriorSplit:     {text: "interior: iterations away from the borders have a separate loop, without the code for borders"},
	RowTest:           {text: "empty space: the loop tests %d cells of a row at once, and passes over them if none is active"},
	Scratch:           {text: "reads neighbours from local copies of %s, filled for each block of cells and its border"},
	BlockLocalIdle:    {text: "blockLocal(%s) has no effect: %s"},
	CacheReadOnlyIdle: {text: "cacheReadOnly(%s) has no effect on a CPU, whose caches treat all memory alike"},
	BlockDimIdle:      {text: "blockDim(%d) has no effect on a CPU, whose threads take as many iterations at a time as their cost suggests"},
	CellRecorded:      {text: "recorded: the cell of %s is deactivated after the loop"},

	Read:         {text: "look-up: %s is read with %s%s", topic: lookup},
	Written:      {text: "look-up: %s is written with %s; %s", topic: lookup},
	Activated:    {text: "look-up: %s is activated with %s; %s", topic: lookup},
	Appended:     {text: "look-up: %s is appended to with %s; %s", topic: lookup},
	ActiveTested: {text: "look-up: whether %s is active is tested with %s", topic: lookup},
	LengthRead:   {text: "look-up: the length of a list of %s is read with %s", topic: lookup},
	ListEmptied:  {text: "look-up: a list of %s is cleared with %s", topic: lookup},

	VisitedCell: {text: "activates nothing, since the loop visits this cell"},
	ProvenCell:  {text: "activates nothing, since an access before it did"},
	BlockOfLoop: {text: "may activate: the loop has the block of this cell, but the cell in it need not be active"},
	NotVisited:  {text: "may activate: this need not be a cell that the loop visits"},
	NoProof:     {text: "may activate: no loop over cells proves that this one is active"},

	NoBlocks:        {text: "the loop does not run over cells of a sparse tree, and its neighbours are in the caches anyway"},
	LeftOut:         {text: "this part of the compiler is left out"},
	CellAThread:     {text: "each thread has one cell"},
	LargeBlocks:     {text: "a block is so large that several threads share it"},
	ManyArrays:      {text: "a block is not one array with rows, but an array of arrays or in Morton order"},
	NoBounds:        {text: "indices have no bounds, so that it is unknown which blocks have neighbours on all sides"},
	MaskMoves:       {text: "the loop changes the mask that says which cells it visits"},
	OneCell:         {text: "a block is a single cell"},
	Serial:          {text: "the loop is serial, and has to read what earlier iterations wrote"},
	OfList:          {text: "the loop runs over elements of lists, and their positions say nothing about the places that it reads in other fields"},
	NoNeighbourRead: {text: "the body does not read it at known distances from its own cell, or writes to it there"},
	TooMuch:         {text: "the copies would not fit into a cache of a core"},
	AllAtEdge:       {text: "every block lies at the edge of the domain"},
	Slower:          {text: "copying would cost more than it saves"},

	AnAtomic:         {text: "an atomic"},
	AnIndexCheck:     {text: "an index check"},
	AnAssertion:      {text: "an assertion"},
	ADebugCheck:      {text: "a check of debug mode"},
	APrint:           {text: "text that is printed"},
	ACall:            {text: "a call of %s"},
	ALoopByCondition: {text: "a loop that ends by a condition"},
	ALoopInside:      {text: "a loop inside"},
	AnArray:          {text: "an array in memory"},
	LargeStrides:     {text: "accesses with large strides"},
}

// Reasons returns all reasons.
func Reasons() []Reason {
	all := make([]Reason, len(reasons))
	for i := range all {
		all[i] = Reason(i)
	}
	return all
}

// String returns the text of r, with verbs of package fmt for its arguments.
func (r Reason) String() string { return reasons[r].text }

// With returns a cause: r with its arguments.
func (r Reason) With(args ...any) Cause { return Cause{Reason: r, args: args} }

// A Cause is a reason that a note names.
type Cause struct {
	Reason Reason
	args   []any
	line   int // in the source; 0 if it is not to be named
}

// At returns c with the line of pos.
func (c Cause) At(pos ir.Pos) Cause {
	if pos.IsKnown() {
		c.line = int(pos.Line)
	}
	return c
}

// String returns the text of the cause.
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

package ir

// A Code names what an op does.
type Code uint8

// Traits say how passes may treat an op.
type Traits uint16

const (
	Pure        Traits = 1 << iota // result depends on the operands alone; may be moved, shared, dropped
	Terminator                     // ends a block
	Loop                           // its region runs any number of times
	Breakable                      // may be the target of break
	Commutative                    // operands may be swapped
	Comparison                     // compares two operands; the result is bool
	Math                           // a transcendental function that the maths library expands
	Abstract                       // passes leave none: code generators need no rule
	Internal                       // only passes make it: the oracle needs no rule
)

// The ops. The comment behind each gives its operands and its printed form.
const (
	BadCode Code = iota

	// Values.
	OpConst // %0 = const 0x1p-1 : f32
	OpParam // %0 = param 2 : f32                 argument slot Aux
	OpLen   // %0 = len $x : i32                  length of Param: a slice, or an extent

	// One operand; the result has its type unless said otherwise.
	OpNeg
	OpNot // of bool: logical; of integers: all bits
	OpAbs
	OpSign // -1, 0 or 1; NaN stays
	OpSqrt
	OpRsqrt
	OpRsqrtEst // 1/sqrt(x), good to 14 bits
	OpScale    // %3 = scale %1, %2 : f32x16                          %1 · 2^%2 for a whole %2, rounded once
	OpCbrt
	OpFloor
	OpCeil
	OpRound // half away from zero
	OpTrunc
	OpRoundEven // half to even
	OpSin
	OpCos
	OpTan
	OpAsin
	OpAcos
	OpAtan
	OpSinh
	OpCosh
	OpTanh
	OpExp
	OpExp2
	OpLog
	OpLog2
	OpIsNaN    // result bool
	OpIsInf    // result bool
	OpPopcount // result has the operand's type
	OpClz      // clz(0) is the width
	OpConvert  // %1 = convert %0 : i32           float→int saturates, NaN→0; int→bool is ≠0
	OpBitcast  // %1 = bitcast %0 : u32           same width

	// Two operands of one type.
	OpAdd
	OpSub
	OpMul
	OpDiv      // integers truncate, x/0 = 0, MIN/-1 = MIN
	OpRem      // integers: sign of the dividend, x%0 = 0; floats: as Go's math.Mod
	OpFloorDiv // rounds the exact quotient down; integers: 0 for a zero divisor; floats: see mathlib
	OpMod      // a - b*floor(a/b) of the exact quotient; integers: 0 for a zero divisor; floats: see mathlib
	OpAnd      // also of bool, as are or and xor
	OpOr
	OpXor
	OpShl // the count has its own integer type; ≥ width gives 0, negative counts give 0
	OpShr // ≥ width gives 0, or -1 for a negative signed number
	OpMin // NaN if either is
	OpMax
	OpPow
	OpAtan2
	OpEq // comparisons: result bool
	OpNe
	OpLt
	OpLe
	OpGt
	OpGe

	// Three operands.
	OpSelect // %3 = select %cond, %a, %b : f32
	OpFma    // %3 = fma %a, %b, %c : f32         a*b+c, rounded once

	OpStopGrad // %1 = stopgrad %0 : f32          the operand; a constant to differentiation, which removes it
	OpUnique   // %1 = unique %0 : i32            the operand, which no two iterations of the parallel loop have in common; unique 2.0 of 3 %0: component Stride of vector Aux, of Bits that differ together

	// Lanes.
	OpSplat   // %1 = splat %0 : f32x16
	OpAny     // %1 = any %mask : bool
	OpAll     // %1 = all %mask : bool
	OpTotal   // %1 = total %0 : f32            the sum of all lanes, in any order
	OpBits    // %1 = bits %mask : u64            a bit for each lane, the first lane's lowest; at most 64 lanes
	OpShuffle // %2 = shuffle 0 %a, %b : f32x16   lanes of two vectors: Aux is one of the Shuffle constants
	OpIota    // %0 = iota : i32x16               the numbers of the lanes: 0, 1, 2, …
	OpPack    // %3 = pack %0, %1, %2 : f32x3    a vector of these numbers
	OpLane    // %1 = lane 2 %0 : f32            lane Aux of a vector
	OpSlide   // %2 = slide 3 4 1 %a, %b : f32x16  lanes in rows of Bits lanes that are Stride apart: lane i of a row is lane i+Aux of the row of %a, or where that ends, of %b, which goes on from there

	// Random numbers, functions, tables.
	OpRand    // %0 = rand : u32                   next draw of this iteration
	OpKey     // %0 = key : u64                    the launch's random key, after the rand pass
	OpWorker  // %0 = worker : i64                 the number of the thread that runs the task
	OpOrdinal // %0 = ordinal : u32               the number of the parallel loop around it, 0 in serial code
	OpCall    // %2 = call @sin.f32 %0 : f32
	OpLookup  // %1 = lookup #0 %i : f32           element of table; out of range gives 0 and an error

	// Places.
	OpPtr      // %2 = ptr @X.1 %i, %j : ptr        component Aux of an element of a field
	OpElem     // %2 = elem $x.0 %i : ptr           component Aux of an element of slice Param
	OpAlloc    // %0 = alloc 9 x f32 : ptr          Aux elements, private to the iteration (or kernel), zeroed unless Unset
	OpCell     // %2 = cell %0, %i : ptr            element of an alloc
	OpBase     // %0 = base 0 : ptr                 entry Aux of the base table
	OpArgPtr   // %0 = argptr 3 : ptr               pointer in argument slot Aux
	OpFrame    // %0 = frame 16 4 x f32 : ptr       offset Aux in the frame, of an array of Bits elements of Kind
	OpOffset   // %2 = offset %p, %bytes : ptr      %bytes is i64
	OpLoad     // %3 = load %2 : f32              several lanes: from that place on, or from a place each; only those of mask %m, the others 0
	OpStore    // store %2, %v                    so, too; store %2, %v, %m
	OpPrefetch // prefetch %2                   asks for the line of the cache there, which is going to be accessed
	OpAtomic   // %4 = atomic.add %2, %v : f32      the result is the old value; .cas %2, %old, %new
	OpFail     // fail #3 2 %i, %j, %loop           error at site Aux; Bits of the arguments are values of the site, the rest the loop's indices
	OpPoll     // poll                              ends the task, or function, if the launch is to stop
	OpRecord   // record #3 %number, %a, %b         hands site Aux and values to the host, in the order of iterations
	OpTally    // tally #3 %w                       counts a number stored at measured site Aux; tally #3 %w, %old, %now, %lo, %hi; tally.least #3 %w: see TallyPart

	// Cells of nodes, and lists. A field without components is a node; any other
	// stands for the node that it is placed in. Access lowering removes these ops.
	OpActivate   // activate @B %i, %j
	OpDeactivate // deactivate @B %i, %j
	OpIsActive   // %1 = isactive @B %i, %j : bool   "first 2": the cell that the first Aux steps of the way lead to
	OpMask       // %1 = mask 16 @B %i, %j : u64   a bit for each of Aux cells from this one on, along the innermost axis of a bitmasked node; Aux divides 64 and the number of the cell
	OpAppend     // %1 = append @X %i : i32       of the list's axis there is no index; gives that of the new element
	OpCount      // %1 = count @X %i : i32
	OpShrink     // shrink @X %i, %n             keeps the first %n elements of a list

	// Blocks of sparse trees, made by the split and by access lowering.
	OpEntry    // %1 = entry 0.2 63 %e : i32        word Aux, at most Bits, of entry %e of list Stride of the task; word 0 is a block
	OpListMask // %1 = seen 0.4 %e, %w : u64        word Aux plus %w of entry %e of list Stride: bits of a mask when the list was made
	OpVisit    // visit @X %block, %i, %j           the block that the loop's cell lies in; .proven: and the cell is active
	OpRoot     // %2 = root %base : block             the root block of a tree
	OpBlockPtr // %2 = blockptr %block : ptr          where the memory of a block begins
	OpFollow   // %2 = follow %slot, %zero : block    the block that a slot refers to, %zero if there is none
	OpGrow     // %2 = grow [64 128 4096 0] %base, %slot : block          the same, making the block if there is none; Store
	OpFind     // %3 = find [64 128 4096 192] %base, %zero, %c0, %c1 : block   the block of a table with these coordinates; Store
	OpEnter    // %3 = enter [64 128 4096 192] %base, %c0, %c1 : block    the same, making it if there is none

	// Which iteration of the source the ops that follow in the block belong to,
	// where unrolling has put several into one body; access lowering reports it
	// with failures and removes it.
	OpIteration // iteration %i, %j

	// What follows in the body of a linked kernel, up to the next of these, is of part Aux. What stands before the first is of part 0.
	OpPart // part 1

	// Control.
	OpIf       // %5 = if %c : f32 { yield %a } else { yield %b }     both regions are there always
	OpFor      // %6 = for %lo, %hi, %init : f32 { (%i: i32, %x: f32) … continue %y }
	OpLoop     // %7 = loop %init : f32 { (%x: f32) … }               left by break only
	OpBlock    // %8 = block : f32 { … yield %v }                     runs once; break leaves it too
	OpParFor   // parfor 1 %lo0, %hi0, %lo1, %hi1 { (%i: i32, %j: i32) … continue }   loop ordinal Aux; "1 threads 8" for at most Bits of them; then Hints
	OpFieldFor // fieldfor 1 @X { (%i: i32, %j: i32) … continue }                     likewise
	OpYield    // yield %a, %b                    results of the if or block that it ends
	OpContinue // continue ^2 %x                  next iteration of Target with these carried values
	OpBreak    // break ^2 %x                     leaves Target with these results
	OpReturn   // return %x                       results of the kernel or function

	numCodes
)

// What a shuffle takes from its operands a and b of n lanes each, side by side
// a0 … an-1 b0 … bn-1.
const (
	ShuffleEven = iota // a0 a2 … b0 b2 …
	ShuffleOdd         // a1 a3 … b1 b3 …
	ShuffleLow         // a0 b0 a1 b1 …, the first half of both
	ShuffleHigh        // the same of the second half
	numShuffles
)

// Rule is how the result type follows from the operands.
type Rule uint8

const (
	RuleNone   Rule = iota // no result
	RuleSame               // the type of the first operand; all operands alike
	RuleBool               // bool with the lanes of the first operand; all operands alike
	RuleShift              // the type of the first operand; the second any integer
	RuleSelect             // the type of the second and third; the first bool
	RuleFree               // given with the op
	RulePtr                // ptr
	RuleBlock              // block, or what the target names blocks by
)

// Info is a row of the op table.
type Info struct {
	Name     string
	Min, Max int // number of operands; Max -1 for any
	Rule     Rule
	Traits   Traits
	Domain   Domain // kinds of operand allowed
	Regions  int
	Doc      string
}

// Domain is a set of operand kinds.
type Domain uint8

const (
	Ints Domain = 1 << iota
	Floats
	Bools
	Pointers
	Blocks
	Numbers = Ints | Floats
	Bitwise = Ints | Bools
	Scalars = Ints | Floats | Bools
	AnyKind = Scalars | Pointers | Blocks
)

// Allows reports whether d contains k.
func (d Domain) Allows(k Kind) bool {
	switch {
	case k.IsInt():
		return d&Ints != 0
	case k.IsFloat():
		return d&Floats != 0
	case k == Bool:
		return d&Bools != 0
	}
	return k == Ptr && d&Pointers != 0 || k == BlockRef && d&Blocks != 0
}

var table = [numCodes]Info{
	OpConst: {"const", 0, 0, RuleFree, Pure, 0, 0, "a constant"},
	OpParam: {"param", 0, 0, RuleFree, Pure, 0, 0, "a scalar argument, or a component of one"},
	OpLen:   {"len", 0, 0, RuleFree, Pure, 0, 0, "the length of a slice parameter, or an extent"},

	OpNeg:       {"neg", 1, 1, RuleSame, Pure, Numbers, 0, "negation; integers wrap"},
	OpNot:       {"not", 1, 1, RuleSame, Pure, Bitwise, 0, "complement"},
	OpAbs:       {"abs", 1, 1, RuleSame, Pure, Numbers, 0, "absolute value; the smallest integer stays"},
	OpSign:      {"sign", 1, 1, RuleSame, Pure, Numbers, 0, "-1, 0 or 1; NaN stays NaN"},
	OpSqrt:      {"sqrt", 1, 1, RuleSame, Pure, Floats, 0, "square root, correctly rounded"},
	OpRsqrt:     {"rsqrt", 1, 1, RuleSame, Pure | Math, Floats, 0, "1/sqrt(x)"},
	OpRsqrtEst:  {"rsqrtest", 1, 1, RuleSame, Pure | Internal, Floats, 0, "1/sqrt(x), off by 2^-14 of it at most"},
	OpScale:     {"scale", 2, 2, RuleSame, Pure | Internal, Floats, 0, "x·2^n for a whole n, rounded once"},
	OpCbrt:      {"cbrt", 1, 1, RuleSame, Pure | Math, Floats, 0, "cube root"},
	OpFloor:     {"floor", 1, 1, RuleSame, Pure, Floats, 0, "round down"},
	OpCeil:      {"ceil", 1, 1, RuleSame, Pure, Floats, 0, "round up"},
	OpRound:     {"round", 1, 1, RuleSame, Pure, Floats, 0, "round to nearest, half away from zero"},
	OpTrunc:     {"trunc", 1, 1, RuleSame, Pure, Floats, 0, "round towards zero"},
	OpRoundEven: {"roundeven", 1, 1, RuleSame, Pure | Internal, Floats, 0, "round to nearest, half to even"},

	OpSin:      {"sin", 1, 1, RuleSame, Pure | Math, Floats, 0, "sine"},
	OpCos:      {"cos", 1, 1, RuleSame, Pure | Math, Floats, 0, "cosine"},
	OpTan:      {"tan", 1, 1, RuleSame, Pure | Math, Floats, 0, "tangent"},
	OpAsin:     {"asin", 1, 1, RuleSame, Pure | Math, Floats, 0, "arc sine"},
	OpAcos:     {"acos", 1, 1, RuleSame, Pure | Math, Floats, 0, "arc cosine"},
	OpAtan:     {"atan", 1, 1, RuleSame, Pure | Math, Floats, 0, "arc tangent"},
	OpSinh:     {"sinh", 1, 1, RuleSame, Pure | Math, Floats, 0, "hyperbolic sine"},
	OpCosh:     {"cosh", 1, 1, RuleSame, Pure | Math, Floats, 0, "hyperbolic cosine"},
	OpTanh:     {"tanh", 1, 1, RuleSame, Pure | Math, Floats, 0, "hyperbolic tangent"},
	OpExp:      {"exp", 1, 1, RuleSame, Pure | Math, Floats, 0, "e to the x"},
	OpExp2:     {"exp2", 1, 1, RuleSame, Pure | Math, Floats, 0, "2 to the x"},
	OpLog:      {"log", 1, 1, RuleSame, Pure | Math, Floats, 0, "natural logarithm"},
	OpLog2:     {"log2", 1, 1, RuleSame, Pure | Math, Floats, 0, "binary logarithm"},
	OpIsNaN:    {"isnan", 1, 1, RuleBool, Pure, Floats, 0, "whether x is a NaN"},
	OpIsInf:    {"isinf", 1, 1, RuleBool, Pure, Floats, 0, "whether x is infinite"},
	OpPopcount: {"popcount", 1, 1, RuleSame, Pure, Ints, 0, "number of one bits"},
	OpClz:      {"clz", 1, 1, RuleSame, Pure, Ints, 0, "number of leading zero bits"},
	OpConvert:  {"convert", 1, 1, RuleFree, Pure, Scalars, 0, "numeric conversion; float to int saturates, NaN gives 0"},
	OpBitcast:  {"bitcast", 1, 1, RuleFree, Pure, Numbers, 0, "the same bits as another type of that width"},

	OpAdd:      {"add", 2, 2, RuleSame, Pure | Commutative, Numbers, 0, "sum; integers wrap"},
	OpSub:      {"sub", 2, 2, RuleSame, Pure, Numbers, 0, "difference"},
	OpMul:      {"mul", 2, 2, RuleSame, Pure | Commutative, Numbers, 0, "product"},
	OpDiv:      {"div", 2, 2, RuleSame, Pure, Numbers, 0, "quotient; integers truncate, by zero 0"},
	OpRem:      {"rem", 2, 2, RuleSame, Pure, Numbers, 0, "remainder of div"},
	OpFloorDiv: {"floordiv", 2, 2, RuleSame, Pure, Numbers, 0, "quotient rounded down"},
	OpMod:      {"mod", 2, 2, RuleSame, Pure, Numbers, 0, "remainder of floordiv"},
	OpAnd:      {"and", 2, 2, RuleSame, Pure | Commutative, Bitwise, 0, "bits in both"},
	OpOr:       {"or", 2, 2, RuleSame, Pure | Commutative, Bitwise, 0, "bits in either"},
	OpXor:      {"xor", 2, 2, RuleSame, Pure | Commutative, Bitwise, 0, "bits in one of the two"},
	OpShl:      {"shl", 2, 2, RuleShift, Pure, Ints, 0, "shift left, Go's rules"},
	OpShr:      {"shr", 2, 2, RuleShift, Pure, Ints, 0, "shift right, Go's rules"},
	OpMin:      {"min", 2, 2, RuleSame, Pure | Commutative, Numbers, 0, "the smaller; NaN if either is"},
	OpMax:      {"max", 2, 2, RuleSame, Pure | Commutative, Numbers, 0, "the larger; NaN if either is"},
	OpPow:      {"pow", 2, 2, RuleSame, Pure | Math, Floats, 0, "x to the y"},
	OpAtan2:    {"atan2", 2, 2, RuleSame, Pure | Math, Floats, 0, "angle of the point (x, y), given as y, x"},
	OpEq:       {"eq", 2, 2, RuleBool, Pure | Commutative | Comparison, AnyKind, 0, "equal"},
	OpNe:       {"ne", 2, 2, RuleBool, Pure | Commutative | Comparison, AnyKind, 0, "not equal; true for a NaN"},
	OpLt:       {"lt", 2, 2, RuleBool, Pure | Comparison, Numbers, 0, "less"},
	OpLe:       {"le", 2, 2, RuleBool, Pure | Comparison, Numbers, 0, "less or equal"},
	OpGt:       {"gt", 2, 2, RuleBool, Pure | Comparison, Numbers, 0, "greater"},
	OpGe:       {"ge", 2, 2, RuleBool, Pure | Comparison, Numbers, 0, "greater or equal"},

	OpSelect: {"select", 3, 3, RuleSelect, Pure | Internal, AnyKind, 0, "the second operand where the first is true, else the third"},
	OpFma:    {"fma", 3, 3, RuleSame, Pure, Floats, 0, "a*b+c rounded once"},

	OpStopGrad: {"stopgrad", 1, 1, RuleSame, Pure | Abstract, Scalars, 0, "the operand, constant to differentiation"},
	OpUnique:   {"unique", 1, 1, RuleSame, Pure | Abstract, Ints, 0, "the operand, another one in each iteration of the parallel loop"},

	OpSplat:   {"splat", 1, 1, RuleFree, Pure | Internal, AnyKind, 0, "all lanes alike"},
	OpAny:     {"any", 1, 1, RuleFree, Pure | Internal, Bools, 0, "whether some lane is true"},
	OpAll:     {"all", 1, 1, RuleFree, Pure | Internal, Bools, 0, "whether all lanes are true"},
	OpTotal:   {"total", 1, 1, RuleFree, Pure | Internal, Numbers, 0, "the sum of all lanes"},
	OpBits:    {"bits", 1, 1, RuleFree, Pure | Internal, Bools, 0, "a bit for each lane that is true"},
	OpShuffle: {"shuffle", 2, 2, RuleSame, Pure | Internal, Scalars, 0, "lanes of two vectors side by side"},
	OpIota:    {"iota", 0, 0, RuleFree, Pure | Internal, 0, 0, "the number of each lane, from 0"},
	OpPack:    {"pack", 2, -1, RuleFree, Pure | Internal, Scalars, 0, "a vector of these numbers"},
	OpLane:    {"lane", 1, 1, RuleFree, Pure | Internal, Scalars, 0, "one lane of a vector"},
	OpSlide:   {"slide", 2, 2, RuleSame, Pure | Internal, Scalars, 0, "rows of lanes of two vectors, moved on"},

	OpRand:    {"rand", 0, 0, RuleFree, Abstract, 0, 0, "the next random u32 of the iteration"},
	OpKey:     {"key", 0, 0, RuleFree, Pure, 0, 0, "the launch's random key"},
	OpWorker:  {"worker", 0, 0, RuleFree, Pure | Internal, 0, 0, "the number of the thread that runs the task"},
	OpOrdinal: {"ordinal", 0, 0, RuleFree, Pure, 0, 0, "the number of the parallel loop in the source"},
	OpCall:    {"call", 0, -1, RuleFree, Pure, AnyKind, 0, "the results of a function"},
	OpLookup:  {"lookup", 1, 1, RuleFree, Pure, Ints, 0, "an element of a constant table"},

	OpPtr:    {"ptr", 0, -1, RulePtr, Pure | Abstract, Ints, 0, "the place of a field's component"},
	OpElem:   {"elem", 1, 2, RulePtr, Pure | Abstract, Ints, 0, "the place of a slice element's component"},
	OpAlloc:  {"alloc", 0, 0, RulePtr, 0, 0, 0, "a zeroed local array"},
	OpCell:   {"cell", 2, 2, RulePtr, Pure, AnyKind, 0, "the place of an element of a local array"},
	OpBase:   {"base", 0, 0, RulePtr, Pure, 0, 0, "the base address of a tree"},
	OpArgPtr: {"argptr", 0, 0, RulePtr, Pure, 0, 0, "the address of a slice parameter"},
	OpFrame:  {"frame", 0, 0, RulePtr, Pure, 0, 0, "an address in the kernel's frame"},
	OpOffset: {"offset", 2, 2, RulePtr, Pure, AnyKind, 0, "an address plus a number of bytes"},
	OpLoad:   {"load", 1, 2, RuleFree, 0, Pointers | Bools, 0, "the value at a place"},
	OpStore:  {"store", 2, 3, RuleNone, 0, AnyKind, 0, "sets the value at a place"},
	OpAtomic: {"atomic", 2, 3, RuleFree, 0, AnyKind, 0, "an indivisible read and write; gives the old value"},
	OpFail:   {"fail", 0, -1, RuleNone, 0, Ints, 0, "records the failure of the launch"},
	OpPoll:   {"poll", 0, 0, RuleNone, 0, 0, 0, "ends the task, or function, if the launch is to stop"},
	OpTally:  {"tally", 1, 5, RuleNone, Abstract | Internal, Scalars, 0, "counts a stored number"},
	OpRecord: {"record", 0, -1, RuleNone, 0, Scalars, 0, "hands values to the host, such as those to be printed"},

	OpActivate:   {"activate", 0, -1, RuleNone, Abstract, Ints, 0, "makes a cell active, and all above it"},
	OpDeactivate: {"deactivate", 0, -1, RuleNone, Abstract, Ints, 0, "makes a cell inactive when the loop or serial segment has ended"},
	OpIsActive:   {"isactive", 0, -1, RuleFree, Abstract, Ints, 0, "whether a cell and all above it are active"},
	OpMask:       {"mask", 0, -1, RuleFree, Abstract | Internal, Ints, 0, "which of the cells in a row are active, a bit each"},
	OpAppend:     {"append", 0, -1, RuleFree, Abstract, Ints, 0, "makes a list longer by a zero element; gives its index, or -1 if the list is full"},
	OpCount:      {"count", 0, -1, RuleFree, Abstract, Ints, 0, "the length of a list"},
	OpShrink:     {"shrink", 0, -1, RuleNone, Abstract, Ints, 0, "sets a list's elements from the last operand on to zero, which becomes its length"},

	OpEntry:    {"entry", 1, 1, RuleFree, Pure | Internal, Ints, 0, "a word of an entry of a list of cells"},
	OpListMask: {"seen", 2, 2, RuleFree, Pure | Internal, Ints, 0, "a word of the bits that an entry of a list has"},
	OpVisit:    {"visit", 1, -1, RuleNone, Abstract | Internal, AnyKind, 0, "says what a loop over cells knows of its cell"},
	OpPrefetch: {"prefetch", 1, 1, RuleNone, Internal, Pointers, 0, "asks for a line of the cache"},
	OpRoot:     {"root", 1, 1, RuleBlock, Pure | Abstract | Internal, Pointers, 0, "the root block of a tree"},
	OpBlockPtr: {"blockptr", 1, 1, RulePtr, Pure | Abstract | Internal, Blocks, 0, "where the memory of a block begins"},
	OpFollow:   {"follow", 2, 2, RuleBlock, Internal, Pointers | Blocks, 0, "the block at a slot, or the zero block"},
	OpGrow:     {"grow", 2, 2, RuleBlock, Internal, Pointers, 0, "the block at a slot, made if it is not there"},
	OpFind:     {"find", 2, -1, RuleBlock, Internal, AnyKind, 0, "the block of a table with coordinates, or the zero block"},
	OpEnter:    {"enter", 1, -1, RuleBlock, Internal, AnyKind, 0, "the block of a table with coordinates, made if it is not there"},

	OpPart:      {"part", 0, 0, RuleNone, Abstract, 0, 0, "begins the next part of a linked kernel"},
	OpIteration: {"iteration", 0, -1, RuleNone, Abstract | Internal, Ints, 0, "names the iteration of the source that follows"},

	OpIf:       {"if", 1, 1, RuleFree, 0, Bools, 2, "one of two regions"},
	OpFor:      {"for", 2, -1, RuleFree, Loop | Breakable, AnyKind, 1, "a serial range with carried values"},
	OpLoop:     {"loop", 0, -1, RuleFree, Loop | Breakable, AnyKind, 1, "an endless loop"},
	OpBlock:    {"block", 0, 0, RuleFree, Breakable, 0, 1, "a region that break leaves early"},
	OpParFor:   {"parfor", 2, -1, RuleNone, Loop | Abstract, Ints, 1, "a parallel loop over a product of ranges"},
	OpFieldFor: {"fieldfor", 0, 0, RuleNone, Loop | Abstract, 0, 1, "a parallel loop over the active cells of a field"},
	OpYield:    {"yield", 0, -1, RuleNone, Terminator, AnyKind, 0, "ends a region with its results"},
	OpContinue: {"continue", 0, -1, RuleNone, Terminator, AnyKind, 0, "the next iteration"},
	OpBreak:    {"break", 0, -1, RuleNone, Terminator, AnyKind, 0, "leaves a loop or block"},
	OpReturn:   {"return", 0, -1, RuleNone, Terminator, AnyKind, 0, "ends the kernel or function"},
}

// Info returns c's row of the op table.
func (c Code) Info() *Info { return &table[c] }

// String returns c's name in the text form.
func (c Code) String() string { return table[c].Name }

// Is reports whether c has all of the traits.
func (c Code) Is(t Traits) bool { return table[c].Traits&t == t }

// Codes returns all op codes in the order of the table.
func Codes() []Code {
	cs := make([]Code, 0, numCodes-1)
	for c := OpConst; c < numCodes; c++ {
		cs = append(cs, c)
	}
	return cs
}

// ParseCode finds a code by its name in the text form.
func ParseCode(name string) (Code, bool) {
	for c := OpConst; c < numCodes; c++ {
		if table[c].Name == name {
			return c, true
		}
	}
	return BadCode, false
}

package syntax

import "github.com/gotaichi/ti/internal/diag"

// What every mistake is made of; see package diag.
type (
	Code      = diag.Code
	Error     = diag.Error
	ErrorList = diag.ErrorList
)

// NotBound is reported by sessions without a compiler too.
const NotBound = diag.NotBound

// The codes. They are stable: a code keeps its number and meaning for good.
const (
	// Text and form.
	BadSyntax       Code = 100
	Empty           Code = 101
	TooDeep         Code = 102
	NotText         Code = 103
	CommaIndex      Code = 104
	PowerOperator   Code = 105
	FloorDivision   Code = 106
	AtOperator      Code = 107
	Ternary         Code = 108
	IfElse          Code = 109
	ThreeRangeVars  Code = 110
	HeaderLiteral   Code = 111
	LeadingOperator Code = 112
	NotInLanguage   Code = 113
	BadDirective    Code = 115

	// Names.
	Undefined      Code = 201
	Redeclared     Code = 202
	Unused         Code = 203
	NoEffect       Code = 204
	NotAValue      Code = 205
	BadLabel       Code = 206
	Recursion      Code = 207
	InitCycle      Code = 208
	BlankValue     Code = 209
	BadDeclaration Code = 210
	PackageName    Code = 211
	BadImport      Code = 212
	NoLibrary      Code = 213
	ImportCycle    Code = 214
	NotExported    Code = 215
	LibraryVar     Code = 216

	// Types and constants.
	Mismatch         Code = 301
	NeedsConversion  Code = 302
	BadOperator      Code = 303
	NotACondition    Code = 304
	ShapeMismatch    Code = 305
	ProductMismatch  Code = 306
	Overflow         Code = 307
	ZeroQuotient     Code = 308
	DivisionByZero   Code = 309
	NotAType         Code = 310
	BadLength        Code = 311
	BadConstructor   Code = 312
	BadLiteral       Code = 313
	Truncated        Code = 314
	NotConstant      Code = 315
	BadShift         Code = 316
	UnknownForStatic Code = 317
	NegativePower    Code = 318

	// Indices and members.
	IndexCount   Code = 401
	IndexType    Code = 402
	IndexRange   Code = 403
	NotIndexable Code = 404
	NoMember     Code = 405
	FieldAsValue Code = 406
	NoParts      Code = 407

	// Calls and functions.
	NotCallable   Code = 501
	ArgCount      Code = 502
	ArgType       Code = 503
	ValueCount    Code = 504
	ResultCount   Code = 505
	MissingReturn Code = 506
	BadSignature  Code = 507
	AtomicPlace   Code = 508
	BadRule       Code = 509

	// Text output.
	FormatVerb  Code = 551
	FormatType  Code = 552
	FormatCount Code = 553

	// Statements and loops.
	NotAssignable    Code = 601
	AssignCount      Code = 602
	NothingNew       Code = 603
	NoTarget         Code = 604
	ParallelBreak    Code = 605
	ParallelReturn   Code = 606
	ParallelWrite    Code = 607
	ParallelRead     Code = 608
	NestedFieldLoop  Code = 609
	RangeVarCount    Code = 610
	CannotRange      Code = 611
	TooManyUnrolled  Code = 612
	DuplicateCase    Code = 613
	StaticAssertion  Code = 614
	BadHint          Code = 615
	NonAtomicProduct Code = 616
	KernelTooLarge   Code = 617
	LocalsTooLarge   Code = 618

	// Binding to a host.
	RankMismatch  Code = 702
	ElemMismatch  Code = 703
	ConstMismatch Code = 704
)

// An Explanation is what `ti explain` prints about a code. Wrong and Right are
// whole sources but for the package clause; they run as tests.
type Explanation struct {
	Code  Code
	Title string
	Text  string
	Wrong string
	Right string
}

// Explain returns what there is to say about a code.
func Explain(c Code) (Explanation, bool) {
	for _, e := range Explanations() {
		if e.Code == c {
			return e, true
		}
	}
	return Explanation{}, false
}

// Explanations returns the registry: all codes in the order of their numbers.
func Explanations() []Explanation {
	var all []Explanation
	for _, table := range [][]Explanation{syntaxCodes, nameCodes, typeCodes, structCodes, indexCodes, callCodes, metaCodes, textCodes, statementCodes, sparseCodes, bindingCodes, hostCodes, vetCodes} {
		all = append(all, table...)
	}
	return all
}

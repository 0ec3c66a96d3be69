package llvm

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/gotaichi/ti/internal/native"
)

// restartsIndex reports whether the loop vectoriser has the fault that [session.mendEpilogues] is about.
// Version 15 has it, in all its releases; 16 starts each index of such a loop where the vectors before have
// stopped.
func (v Version) restartsIndex() bool { return v.Major == 15 }

// mending tells, for the key of code, what is changed in the work of the library's passes.
func (v Version) mending() string {
	if v.restartsIndex() {
		return "epilogues 1"
	}
	return ""
}

// reporting holds the libraries, by a function of theirs, that report what their passes do.
var reporting = map[uintptr]bool{}

// report makes a library with a fault that is worked around report through [onDiagnostic] what its passes do. An
// option of the process is needed for that, which names no pass: the handler is told of all of them, and nothing is
// printed. A library takes an option only once. opened is locked.
func (v Version) report(lib native.Library) {
	parse := lib.Symbol("LLVMParseCommandLineOptions")
	if !v.restartsIndex() || parse == 0 || reporting[parse] {
		return
	}
	reporting[parse] = true
	args := []*byte{native.CString("ti"), native.CString("-pass-remarks=none")}
	native.Call(parse, uintptr(len(args)), uintptr(unsafe.Pointer(&args[0])), 0)
}

// remarked is called, within a pass, with what the pass reports.
func (s *session) remarked(remark string) {
	if s.module != 0 && s.lib.version.restartsIndex() && mayHaveEpilogue(remark) {
		s.mendEpilogues()
	}
}

// mayHaveEpilogue reports whether remark is about a loop of vectors that are long enough for an epilogue. It says how long
// they are, but not in which function, and to look at all blocks for each loop takes longer the more loops there are.
func mayHaveEpilogue(remark string) bool {
	const width, least = "vectorization width: ", 16
	_, after, found := strings.Cut(remark, width)
	if !found || !strings.Contains(remark, "vectorized loop") {
		return false
	}
	var n int
	_, err := fmt.Sscan(after, &n)
	return err != nil || n >= least // vectors of unknown length may be long enough
}

// mendEpilogues goes over what the loop vectoriser has just made of a loop. Behind the loop of vectors with n
// iterations in each it makes, of the rest of up to n-1 iterations, another loop of shorter vectors, the
// epilogue. Where the loop narrows its index to compute an address, as one does that reads a neighbour's 8 or 16 bits
// at an index that is kept in range, the vectors of the narrow index start with the first index of the whole loop
// again. That is right for a loop with too few iterations for the long vectors, which goes to the epilogue at once;
// all others are sent to the loop of single iterations instead.
//
// Whatever else an epilogue carries on is as it should be: its count of iterations, and sums. The vectoriser makes none
// for loops with other vectors that depend on the vector before.
func (s *session) mendEpilogues() {
	l := s.lib
	for f := l.call(symGetFirstFunction, s.module); f != 0; f = l.call(symGetNextFunction, f) {
		for b := l.call(symGetFirstBasicBlock, f); b != 0; b = l.call(symGetNextBasicBlock, b) {
			if !strings.HasPrefix(l.blockName(b), "vec.epilog.iter.check") {
				continue
			}
			branch := l.call(symGetBasicBlockTerminator, b)
			for i := range uintptr(uint32(l.call(symGetNumSuccessors, branch))) {
				if l.restarts(l.call(symGetSuccessor, branch, i)) {
					bit := l.call(symInt1Type, l.call(symGetModuleContext, s.module))
					l.call(symSetCondition, branch, l.call(symConstInt, bit, i, 0)) // true leads to successor 0
				}
			}
		}
	}
}

// restarts reports whether block leads to an epilogue with a vector that starts anew.
func (l *Lib) restarts(block uintptr) bool {
	if !strings.HasPrefix(l.blockName(block), "vec.epilog.ph") {
		return false
	}
	body := l.call(symGetSuccessor, l.call(symGetBasicBlockTerminator, block), 0)
	const kindInteger = 8 // LLVMIntegerTypeKind
	for i := l.call(symGetFirstInstruction, body); i != 0 && l.call(symIsAPHINode, i) != 0; i = l.call(symGetNextInstruction, i) {
		name := l.valueName(i)
		count := uint32(l.call(symGetTypeKind, l.call(symTypeOf, i))) == kindInteger && strings.HasPrefix(name, "index")
		if sum := strings.HasPrefix(name, "vec.phi"); !count && !sum {
			return true
		}
	}
	return false
}

// blockName is the name of a basic block.
func (l *Lib) blockName(b uintptr) string { return l.valueName(l.call(symBlockAsValue, b)) }

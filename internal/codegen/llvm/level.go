package llvm

import (
	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/llvm"
)

// levels are the processors that code is made for ahead of time, as LLVM calls them. Features
// that their names imply are written out, since [Compiler.Traits] looks for them. What the
// System V ABI's levels of x86-64 have is said in its section "Micro-Architecture Levels".
// Register x18 belongs to macOS and Windows, which the triple does not show. x28 is where Go has the
// goroutine: a program without cgo looks there when a signal ends a time slice, in tasks too.
var levels = map[string]llvm.Processor{
	"x86-64-v2": {Arch: "amd64", CPU: "x86-64-v2"},
	"x86-64-v3": {Arch: "amd64", CPU: "x86-64-v3", Features: "+avx2,+fma"},
	"x86-64-v4": {Arch: "amd64", CPU: "x86-64-v4", Features: "+avx2,+fma,+avx512f"},
	"arm64":     {Arch: "arm64", CPU: "generic", Features: "+reserve-x18,+reserve-x28"},
}

// NewFor returns a compiler that makes code for the processors of a level, by any machine's
// libLLVM that has their back end.
func NewFor(lib *llvm.Lib, level ahead.Level) *Compiler {
	p := levels[level.Processor]
	lib = lib.For(p)
	return &Compiler{lib: lib, traits: traitsOf(lib, p.Arch, level.Windows), kept: keptObjects()}
}

// Package llvmtest gives tests the libLLVM of this machine, and leaves out those that are about libLLVM where kernels are tested on another target.
//
// In: a test. Out: the library, if the test goes on.
//
// A test that needs the library ([Library], [Needs]) is left out where there is none and the environment names another target
// (TI_INSTEAD), as ti test does on such a machine. Where the environment names none, the test fails. A test that looks at the code of kernels
// as libLLVM makes it ([Code]) is left out wherever kernels have code of another compiler.
//
// Tests: internal/mathlib uses Library (TestNative), internal/runtest/program uses Needs (TestLevels), internal/quanttest uses Code (TestText).
package llvmtest

import (
	"os"
	"testing"

	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/llvm/absent"
)

// Library returns the default library.
func Library(tb testing.TB) *llvm.Lib {
	tb.Helper()
	lib, err := llvm.Default()
	if err == nil {
		return lib
	}
	absent.Leave(tb, err)
	return nil
}

// Needs is [Library] for a test that uses the library by other means, such as a recording of code for processors.
func Needs(tb testing.TB) {
	tb.Helper()
	Library(tb)
}

// Code leaves a test out that looks at the code which libLLVM makes of kernels, if their compiler is another one.
func Code(tb testing.TB) {
	tb.Helper()
	if !Compiles(tb) {
		tb.Skipf("it looks at code that libLLVM makes, and tests run on the target %s", os.Getenv(absent.EnvInstead))
	}
}

// Compiles reports whether libLLVM is the compiler of the kernels that tests run, for tests of which only a part looks at its code.
func Compiles(tb testing.TB) bool {
	tb.Helper()
	switch os.Getenv(absent.EnvInstead) {
	case "", config.LLVM.String(), config.Apart.String():
		Needs(tb)
		return true
	}
	return false
}

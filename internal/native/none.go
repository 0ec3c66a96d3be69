//go:build !((amd64 || arm64) && (windows || linux || darwin || (cgo && (freebsd || netbsd))))

package native

import (
	"errors"
	"runtime"
)

// Library would be an open shared library: here is no way to have one without cgo.
type Library struct{}

// Open fails.
func Open(string) (Library, error) { return Library{}, Missing() }

// OpenGlobal fails.
func OpenGlobal(string) (Library, error) { return Library{}, Missing() }

// Process has no symbols.
func Process() Library { return Library{} }

// Missing says why: the loader of code knows two architectures, and purego, which stands in for cgo elsewhere, does not build
// without it for some systems.
func Missing() error {
	const other = "kernels can be interpreted, by ti.Oracle"
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		return errors.New("there is machine code of kernels for amd64 and arm64 alone, and this program is for " + runtime.GOARCH + "; " + other)
	}
	return errors.New("a program for " + runtime.GOOS + " that was built without cgo opens no shared library; build it with CGO_ENABLED=1, or compile kernels ahead of time; " + other)
}

// Symbol finds none.
func (Library) Symbol(string) uintptr { return 0 }

// ThreadID knows no thread.
func ThreadID() uintptr { return 0 }

// Call is never reached: there is no function without a library.
func Call(uintptr, ...uintptr) uintptr { panic("native: there are no functions on " + runtime.GOOS) }

// Callback is never reached, as Call.
func Callback(any) uintptr { return Call(0) }

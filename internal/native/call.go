//go:build (amd64 || arm64) && (windows || linux || darwin || (cgo && (freebsd || netbsd)))

package native

import "github.com/ebitengine/purego"

// Missing says why shared libraries cannot be opened at all, nil if they can.
func Missing() error { return nil }

// Call calls the C function at fn with integer or pointer arguments and
// returns its integer or pointer result.
//
//go:uintptrescapes
func Call(fn uintptr, args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(fn, args...)
	return r
}

// Callback returns a C function pointer that calls f, a function whose
// arguments are uintptrs. C gets few of these and none is ever freed: make one
// per purpose for the whole process.
func Callback(f any) uintptr { return purego.NewCallback(f) }

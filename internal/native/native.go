package native

import (
	"github.com/ebitengine/purego"

	"github.com/gotaichi/ti/internal/memory"
)

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

// String copies the zero-terminated string at addr; a null address gives "".
func String(addr uintptr) string {
	if addr == 0 {
		return ""
	}
	n := 0
	for *(*byte)(memory.Pointer(addr + uintptr(n))) != 0 {
		n++
	}
	return string(memory.Bytes(addr, n))
}

// CString is s with a zero byte after it, for C to read.
func CString(s string) *byte {
	b := make([]byte, len(s)+1)
	copy(b, s)
	return &b[0]
}

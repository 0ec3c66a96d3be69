package native

import "github.com/gotaichi/ti/internal/memory"

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

//go:build amd64 || arm64

package native

import "syscall"

// Library is an open shared library.
type Library struct{ handle syscall.Handle }

// Open loads the DLL at path, or the one of that name in the system's search
// path when path has no directory.
func Open(path string) (Library, error) {
	h, err := syscall.LoadLibrary(path)
	return Library{h}, err
}

// OpenGlobal is Open: here each library names those that it needs symbols of.
func OpenGlobal(path string) (Library, error) { return Open(path) }

// Process is the C library of the system, or nothing where it has none.
func Process() Library {
	crt, err := Open("ucrtbase.dll")
	if err != nil {
		return Library{}
	}
	return crt
}

// Symbol is the address of the named symbol, or 0 if the library has none.
func (l Library) Symbol(name string) uintptr {
	addr, err := syscall.GetProcAddress(l.handle, name)
	if err != nil {
		return 0
	}
	return addr
}

// ThreadID names the operating-system thread that runs the caller. It means
// something only on a goroutine locked to its thread, or in a callback.
func ThreadID() uintptr {
	kernel, err := Open("kernel32.dll")
	if err != nil {
		return 0
	}
	self := kernel.Symbol("GetCurrentThreadId")
	if self == 0 {
		return 0
	}
	return Call(self)
}

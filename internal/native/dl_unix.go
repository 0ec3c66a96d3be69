//go:build (amd64 || arm64) && (linux || darwin || (cgo && (freebsd || netbsd)))

package native

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// Library is an open shared library.
type Library struct{ handle uintptr }

// Open loads the shared library at path, or the one of that name in the
// system's search path when path has no slash. Its symbols stay its own:
// several versions of one library can be open at once.
func Open(path string) (Library, error) { return open(path, purego.RTLD_LOCAL) }

// OpenGlobal is Open for a library whose own plug-ins look for its symbols in the whole process. A
// library that Open has opened before becomes global.
func OpenGlobal(path string) (Library, error) { return open(path, purego.RTLD_GLOBAL) }

// Process is everything that the process has loaded globally, the C library among it.
func Process() Library { return Library{purego.RTLD_DEFAULT} }

func open(path string, mode int) (Library, error) {
	// The text of a loader error belongs to the thread that met it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	h, err := purego.Dlopen(path, purego.RTLD_NOW|mode)
	return Library{h}, err
}

// Symbol is the address of the named symbol, or 0 if the library has none.
func (l Library) Symbol(name string) uintptr {
	addr, err := purego.Dlsym(l.handle, name)
	if err != nil {
		return 0
	}
	return addr
}

// ThreadID names the operating-system thread that runs the caller. It means
// something only on a goroutine locked to its thread, or in a callback.
func ThreadID() uintptr {
	self := Process().Symbol("pthread_self")
	if self == 0 {
		return 0
	}
	return Call(self)
}

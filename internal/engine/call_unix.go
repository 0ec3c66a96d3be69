//go:build unix && (amd64 || arm64)

package engine

import "unsafe"

// callTask runs a task on the thread's system stack, from which it changes to its own. The
// Go scheduler treats it as a system call: garbage collection does not wait for it.
//
// Where the program has cgo, or a library that stands in for it as the way to libLLVM does,
// the runtime's own way is taken: profilers then show who launched the task.
func callTask(c *call) {
	if iscgo {
		runtimeCgocall(taskcallABI0, unsafe.Pointer(c))
		return
	}
	callAlone(c)
}

// callBrief is callTask for short tasks, of which the scheduler is not notified: it
// takes the call for Go code that is not at a safe point, and waits for its end before it
// collects garbage.
func callBrief(c *call) { asmcgocall(taskcallABI0, unsafe.Pointer(c)) }

// callHandingOff is callAlone which hands the thread's processor to the Go scheduler at once. If
// all of them are in system calls the scheduler's monitor takes them away, each time that it
// finds some, and looks for more every few 10 µs for as long as it has found one; while one is
// idle it does not.
//
//go:nosplit
func callHandingOff(c *call) {
	entersyscallblock()
	asmcgocall(taskcallABI0, unsafe.Pointer(c))
	exitsyscall()
}

// callAlone is runtime.cgocall for programs without cgo. It need not provide for calls back
// into Go, since tasks make none.
//
//go:nosplit
func callAlone(c *call) {
	entersyscall()
	asmcgocall(taskcallABI0, unsafe.Pointer(c))
	exitsyscall()
}

//go:linkname iscgo runtime.iscgo
var iscgo bool

//go:linkname runtimeCgocall runtime.cgocall
//go:noescape
func runtimeCgocall(fn uintptr, arg unsafe.Pointer) int32

//go:linkname entersyscall runtime.entersyscall
func entersyscall()

//go:linkname entersyscallblock runtime.entersyscallblock
func entersyscallblock()

//go:linkname exitsyscall runtime.exitsyscall
func exitsyscall()

//go:linkname asmcgocall runtime.asmcgocall
//go:noescape
func asmcgocall(fn uintptr, arg unsafe.Pointer) int32

// taskcallABI0 is the address of taskcall, which takes a *call by the C
// convention and calls the task.
var taskcallABI0 uintptr

//go:build (linux || darwin) && (amd64 || arm64)

package engine

import (
	"unsafe"

	_ "github.com/gotaichi/ti/internal/native" // makes calls into foreign code possible without cgo
)

// callTask runs a task on the thread's system stack. The Go scheduler treats it
// as a system call: garbage collection does not wait for it. It goes below
// native.Call because that copies 32 arguments each way, a third of the cost of
// an empty launch.
func callTask(c *call) { runtimeCgocall(taskcallABI0, unsafe.Pointer(c)) }

//go:linkname runtimeCgocall runtime.cgocall
//go:noescape
func runtimeCgocall(fn uintptr, arg unsafe.Pointer) int32

// taskcallABI0 is the address of taskcall, which takes a *call by the C
// convention and calls the task.
var taskcallABI0 uintptr

// pause tells the processor that the program waits in a loop.
func pause()

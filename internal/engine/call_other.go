//go:build !((linux || darwin) && (amd64 || arm64))

package engine

import (
	"runtime"

	"github.com/gotaichi/ti/internal/native"
)

// callTask runs a task through the general foreign call.
func callTask(c *call) {
	native.Call(c.fn, c.ctx, uintptr(c.begin), uintptr(c.end))
}

// pause lets others run while the program waits in a loop.
func pause() { runtime.Gosched() }

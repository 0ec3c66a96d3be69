//go:build !amd64 && !arm64

package spin

import "runtime"

// Pause lets others run while the program waits in a loop.
func Pause() { runtime.Gosched() }

//go:build amd64 || arm64

package spin

// Pause tells the processor that the program waits in a loop.
func Pause()

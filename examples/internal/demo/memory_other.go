//go:build !linux

package demo

// peakMemory is known on Linux only.
func peakMemory() int64 { return 0 }

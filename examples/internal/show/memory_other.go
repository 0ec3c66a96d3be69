//go:build !linux

package show

// peakMemory is known on Linux only.
func peakMemory() int64 { return 0 }

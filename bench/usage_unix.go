//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// processorTime returns the milliseconds of processor that this process has taken.
func processorTime() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return milliseconds(time.Duration(u.Utime.Nano() + u.Stime.Nano()))
}

// resident returns the most megabytes that a process which has ended had resident.
func resident(s *os.ProcessState) float64 {
	u, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" { // counts bytes, others kibibytes
		return float64(u.Maxrss) / 1e6
	}
	return float64(u.Maxrss) * 1024 / 1e6
}

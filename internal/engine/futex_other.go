//go:build !linux

package engine

import (
	"sync/atomic"
	"time"
)

// hasFutex says that threads can wait for a word of memory.
const hasFutex = false

func futexWait(*atomic.Uint32, uint32, time.Duration) {}
func futexWake(*atomic.Uint32)                        {}

package engine

import (
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hasFutex says that threads can wait for a word of memory.
const hasFutex = true

// Operations of the system call futex, among the threads of this process alone.
const (
	futexOpWait = 0 | 128
	futexOpWake = 1 | 128
)

// futexWait waits while *word is value until [futexWake], but not longer than most. It may return early.
func futexWait(word *atomic.Uint32, value uint32, most time.Duration) {
	limit := unix.NsecToTimespec(int64(most))
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexOpWait, uintptr(value), uintptr(unsafe.Pointer(&limit)), 0, 0)
}

// futexWake wakes a thread that waits for the word.
func futexWake(word *atomic.Uint32) {
	_, _, _ = unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexOpWake, 1, 0, 0, 0)
}

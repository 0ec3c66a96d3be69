package engine

import (
	"syscall"
	"testing"
	"time"

	"github.com/gotaichi/ti/internal/launch"
)

// TestIdle: an engine without work uses no processor.
func TestIdle(t *testing.T) {
	e := newEngine(4)
	defer e.Close()
	entry := nativeTask(func(_ *launch.Context, begin, end int64) { time.Sleep(time.Duration(end-begin) * time.Millisecond) })
	c := NewCode(&launch.Kernel{Done: -1, Tasks: []launch.Task{{Dims: dims(16)}}}, []uintptr{entry}, nil)
	e.turn.Lock()
	run(t, e, c)
	e.turn.Unlock()
	time.Sleep(2 * time.Millisecond) // past the spinning
	const watch = 150 * time.Millisecond
	before := processorTime(t)
	time.Sleep(watch)
	if used := processorTime(t) - before; used > watch/5 {
		t.Errorf("%v of processor time in %v without work", used, watch)
	}
}

// processorTime returns what the process has used.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

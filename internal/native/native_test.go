package native

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/gotaichi/ti/internal/memory"
)

func TestStringAndBytes(t *testing.T) {
	for _, want := range []string{"", "a", "grüße"} {
		c := CString(want)
		if got := String(uintptr(unsafe.Pointer(c))); got != want {
			t.Errorf("String(CString(%q)) = %q", want, got)
		}
		runtime.KeepAlive(c)
	}
	if String(0) != "" || memory.Bytes(0, 4) != nil {
		t.Error("a null address must give nothing")
	}
}

func TestCallAndCallback(t *testing.T) {
	add := Callback(func(a, b uintptr) uintptr { return a + b })
	if got := Call(add, 40, 2); got != 42 {
		t.Errorf("call through a callback gave %d, want 42", got)
	}
}

func TestThreadID(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	here := ThreadID()
	if here == 0 || here != ThreadID() {
		t.Fatalf("ThreadID is not stable: %d", here)
	}
	inside := Callback(func(uintptr) uintptr { return ThreadID() })
	if got := Call(inside, 0); got != here {
		t.Errorf("a callback runs on thread %d, its caller on %d", got, here)
	}
	other := make(chan uintptr)
	go func() {
		runtime.LockOSThread()
		other <- ThreadID()
	}()
	if <-other == here {
		t.Error("two locked threads have the same id")
	}
}

func TestOpenMissing(t *testing.T) {
	if _, err := Open("/nonexistent/libnothing.so.1"); err == nil {
		t.Error("opening a missing library gives no error")
	}
}

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
	for _, open := range []func(string) (Library, error){Open, OpenGlobal} {
		if _, err := open("/nonexistent/libnothing.so.1"); err == nil {
			t.Error("opening a missing library gives no error")
		}
	}
}

func TestProcess(t *testing.T) {
	absolute := Process().Symbol("abs")
	if absolute == 0 {
		t.Fatal("the process has no C library")
	}
	minus := -42
	if got := Call(absolute, uintptr(minus)); got != 42 {
		t.Errorf("abs(-42) = %d", got)
	}
	if Process().Symbol("ti_no_such_function") != 0 {
		t.Error("a symbol that nothing has is found")
	}
}

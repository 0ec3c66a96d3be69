//go:build linux && amd64

package engine

import (
	"context"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/gotaichi/ti/internal/launch"
)

// TestStacks launches machine code that notes its stack pointer, and looks whether
// it lies at the end of the thread's stack, aligned as compiled tasks rely on, which the
// address that the call has left there follows.
func TestStacks(t *testing.T) {
	e := New(2, &launch.Lock{})
	defer e.Close()
	e.turn.Lock()
	defer e.turn.Unlock()
	mem, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE|syscall.PROT_EXEC, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip("no executable memory:", err)
	}
	copy(mem, []byte{
		0x48, 0x8b, 0x47, byte(launch.CtxSlots), // mov rax, [rdi+slots]
		0x48, 0x8b, 0x00, //                        mov rax, [rax]
		0x48, 0x89, 0x20, //                        mov [rax], rsp
		0xc3, //                                    ret
	})
	code := uintptr(unsafe.Pointer(&mem[0]))
	task := launch.Task{Slots: []launch.Slot{{From: launch.FrameSlot}}}
	c := NewCode(&launch.Kernel{Done: -1, Frame: 8, Tasks: []launch.Task{task}}, []uintptr{code}, nil)
	for range 2 {
		if _, err := e.Run(context.Background(), c, 1); err != nil {
			t.Fatal(err)
		}
		s := e.threads[0].stack
		top := uintptr(s.Base()) + uintptr(s.Len())
		if got := uintptr(c.Results()[0]); got >= top || got < top-64 {
			t.Errorf("the task's stack pointer is %#x, the end of the stack %#x", got, top)
		}
		if got := uintptr(c.Results()[0]) + 8; got%launch.StackAlign != 0 {
			t.Errorf("the stack is aligned to %#x where the task is called, and not to %d", got, launch.StackAlign)
		}
		if s.Len() < StackSize {
			t.Errorf("the stack has %d bytes", s.Len())
		}
		bottom := (*byte)(unsafe.Add(s.Base(), 8))
		*bottom = 1 // there is memory down to its end
	}
}

// TestCallAlone runs machine code without the runtime's support for cgo, and unknown to the
// scheduler, from several goroutines and while memory is collected.
func TestCallAlone(t *testing.T) {
	t.Run("as a system call", func(t *testing.T) { callWhileCollecting(t, callAlone) })
	t.Run("brief", func(t *testing.T) { callWhileCollecting(t, callBrief) })
}

func callWhileCollecting(t *testing.T, run func(*call)) {
	mem, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE|syscall.PROT_EXEC, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip("no executable memory:", err)
	}
	copy(mem, []byte{
		0x48, 0x89, 0xd0, //       mov rax, rdx
		0x48, 0x29, 0xf0, //       sub rax, rsi
		0x48, 0x83, 0xe8, 0x01, // sub rax, 1
		0x75, 0xfa, //             jnz -6
		0x48, 0x01, 0x17, //       add [rdi], rdx
		0xc3, //                   ret
	})
	const calls = 200
	sums := make([]uint64, 4)
	var wg sync.WaitGroup
	for i := range sums {
		wg.Go(func() {
			for range calls {
				run(&call{fn: uintptr(unsafe.Pointer(&mem[0])), ctx: uintptr(unsafe.Pointer(&sums[i])), begin: 0, end: 100_000})
			}
		})
	}
	for range 10 {
		runtime.GC()
	}
	wg.Wait()
	for i, n := range sums {
		if n != calls*100_000 {
			t.Errorf("goroutine %d has %d", i, n)
		}
	}
}

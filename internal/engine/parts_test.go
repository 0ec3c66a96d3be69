package engine

import (
	"context"
	"errors"
	"testing"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/memory"
)

// TestParts: of a linked kernel the failures of the first part that fails are counted, in all of its tasks, and none of later parts.
func TestParts(t *testing.T) {
	fails := nativeTask(func(c *launch.Context, _, _ int64) {
		r := (*launch.ErrorRecord)(memory.Pointer(uintptr(c.Errs)))
		if r.Count++; r.Site == 0 {
			r.Site = 1
		}
	})
	works := nativeTask(func(*launch.Context, int64, int64) {})
	for _, c := range []struct {
		parts             []int // of the tasks; -1 - p for one of part p that does not fail
		part, site, count int   // of the failure
	}{
		{[]int{0, -1, 2}, 0, 0, 1},
		{[]int{0, 0, 1, 1, 1, 2}, 0, 0, 2},
		{[]int{-1, 1, 1, 1, 2, 2}, 1, 1, 3},
		{[]int{-1, -1, 2}, 2, 2, 1},
		{[]int{-1, -2}, -1, 0, 0},
	} {
		e := newEngine(1)
		e.turn.Lock()
		k := &launch.Kernel{Done: -1, Parts: []launch.Part{{Name: "A", Done: -1}, {Name: "B", Done: -1}, {Name: "C", Done: -1}}, Sites: make([]launch.Site, len(c.parts))}
		var entries []uintptr
		for i, p := range c.parts {
			entry := fails
			if p < 0 {
				p, entry = -1-p, works
			}
			k.Tasks, entries = append(k.Tasks, launch.Task{Part: p, Sites: []int{i}}), append(entries, entry)
		}
		code := NewCode(k, entries, nil)
		for range 2 { // nothing is left for the next launch
			f, err := e.Run(context.Background(), code, 1)
			switch {
			case err != nil:
				t.Fatal(err)
			case f == nil && c.count > 0, f != nil && (f.Part != c.part || f.Site != c.site || f.Count != int64(c.count)):
				t.Errorf("%v: the failure is %+v, want part %d, site %d, %d times", c.parts, f, c.part, c.site, c.count)
			}
		}
		code.Free()
		e.turn.Unlock()
		e.Close()
	}
}

// TestReturnOfPart: once a part of a linked kernel has returned early, no later task of the part runs, and all of other parts do.
func TestReturnOfPart(t *testing.T) {
	ran := ""
	task := func(name string) uintptr { return nativeTask(func(*launch.Context, int64, int64) { ran += name }) }
	leaves := func(name string) uintptr {
		return nativeTask(func(c *launch.Context, _, _ int64) {
			ran += name
			flag := *(*uint64)(memory.Pointer(uintptr(c.Slots)))
			*(*int32)(memory.Pointer(uintptr(flag))) = 1
		})
	}
	e := newEngine(1)
	defer e.Close()
	e.turn.Lock()
	defer e.turn.Unlock()
	k := &launch.Kernel{Done: -1, Frame: 24, Parts: []launch.Part{{Name: "A", Done: 8}, {Name: "B", Done: -1}, {Name: "C", Done: 16}}}
	at := func(part int, flag int64) launch.Task {
		return launch.Task{Part: part, Slots: []launch.Slot{{From: launch.FrameSlot, At: flag}}}
	}
	k.Tasks = []launch.Task{at(0, 8), at(0, 8), at(1, 8), at(1, 8), at(2, 8), at(2, 16), at(2, 16), at(1, 8)}
	code := NewCode(k, []uintptr{leaves("a"), task("b"), task("c"), task("d"), task("e"), leaves("f"), task("g"), task("h")}, nil)
	defer code.Free()
	for range 2 { // the flags are those of a launch
		ran = ""
		if f, err := e.Run(context.Background(), code, 1); f != nil || err != nil {
			t.Fatal(f, err)
		}
		if ran != "acdefh" {
			t.Errorf("the tasks %s have run, want acdefh", ran)
		}
	}
}

// TestEndOfPart: a linked kernel that ends early says in which part.
func TestEndOfPart(t *testing.T) {
	e := newEngine(1)
	defer e.Close()
	e.turn.Lock()
	defer e.turn.Unlock()
	works := nativeTask(func(*launch.Context, int64, int64) {})
	tasks := []launch.Task{{}, {Part: 2, First: 1, Loop: 1, Dims: dims(1<<40, 1<<40)}, {Part: 2, First: 2}}
	for _, linked := range []bool{true, false} {
		k := &launch.Kernel{Done: -1, Tasks: tasks}
		if linked {
			k.Parts = []launch.Part{{Name: "A", Done: -1}, {Name: "B", Done: -1}, {Name: "C", Done: -1}}
		}
		c := NewCode(k, []uintptr{works, works, works}, nil)
		_, err := e.Run(context.Background(), c, 1)
		_, long := errors.AsType[*launch.TooManyIterations](err)
		in, part := errors.AsType[*launch.InPart](err)
		if !long || part != linked || part && (in.First != 1 || in.Part != 2) {
			t.Errorf("linked %v: %v", linked, err)
		}
		c.Free()
	}
}

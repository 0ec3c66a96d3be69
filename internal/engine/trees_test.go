package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/memory"
)

// fakeTrees has one list, which grows by a number with each task.
type fakeTrees struct {
	list  []uint64
	calls []string
	fail  error
}

func (f *fakeTrees) Prepare() { f.calls = append(f.calls, "prepare") }

func (f *fakeTrees) List(node, outer int, masks bool) ([]uint64, int64, error) {
	f.calls = append(f.calls, fmt.Sprint("list ", node))
	return f.list, int64(len(f.list)), nil
}

func (f *fakeTrees) Settle() error {
	f.calls = append(f.calls, "settle")
	f.list = append(aligned(0), append(f.list, uint64(len(f.list)))...)
	return f.fail
}

// TestLists runs two tasks over a list that changes between them, alone and shared by
// threads with private copies of a tree.
func TestLists(t *testing.T) {
	var sum, count atomic.Int64
	entry := nativeTask(func(c *launch.Context, begin, end int64) {
		list := *(*uint64)(memory.Pointer(uintptr(c.Slots + 8)))
		for i := begin; i < end; i++ {
			sum.Add(int64(*(*uint64)(memory.Pointer(uintptr(list + uint64(8*i))))))
			count.Add(1)
		}
	})
	merge := nativeTask(func(*launch.Context, int64, int64) {})
	over := launch.Dim{Hi: launch.Bound{From: launch.Entries}}
	k := &launch.Kernel{Done: -1, Tasks: []launch.Task{
		{Dims: []launch.Dim{over}, Slots: bases(2), Lists: []launch.List{{Base: 1, Node: 7}}},
		{
			Dims: []launch.Dim{over}, Slots: bases(3), Lists: []launch.List{{Base: 1, Node: 7}},
			Private: []launch.Private{{Base: 0, Scratch: 2, Size: 8, Merge: 2}},
		},
		{Helper: true},
	}}
	for _, deterministic := range []bool{false, true} {
		trees := &fakeTrees{}
		for i := range uint64(3000) {
			trees.list = append(trees.list, i)
		}
		e := newEngine(3)
		k.Deterministic = deterministic
		c := NewCode(k, []uintptr{entry, entry, merge}, []launch.Base{{Bytes: 64}, {}, {}})
		c.Trees = trees
		for range 40 { // soon tasks are shared
			n := int64(len(trees.list))
			sum.Store(0)
			count.Store(0)
			trees.calls = nil
			c.tasks[0].cost, c.tasks[1].cost = 1e4, 1e4
			e.turn.Lock()
			_, err := e.Run(context.Background(), c, 1)
			e.turn.Unlock()
			if err != nil {
				t.Fatal(err)
			}
			if count.Load() != 2*n+1 || sum.Load() != n*(n-1)/2+(n+1)*n/2 {
				t.Fatalf("%d iterations and sum %d over %d entries", count.Load(), sum.Load(), n)
			}
			if !slices.Equal(trees.calls, []string{"prepare", "list 7", "settle", "prepare", "list 7", "settle"}) {
				t.Fatal(trees.calls)
			}
		}
		trees.fail = errors.New("no memory")
		e.turn.Lock()
		if _, err := e.Run(context.Background(), c, 1); err != trees.fail {
			t.Errorf("got error %v", err)
		}
		e.turn.Unlock()
		c.Free()
		e.Close()
	}
}

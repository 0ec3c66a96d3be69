package vulkan

import (
	"context"

	"github.com/gotaichi/ti/internal/launch"
)

// openTrees lets a task take what memory there is, and copies the lists that it runs over and reads to where the device reaches them.
func (w *launcher) openTrees(t *launch.Task) error {
	if w.data.Trees == nil {
		return nil
	}
	w.data.Trees.Prepare()
	w.lengths = w.lengths[:0]
	for _, l := range t.Lists {
		words, n, err := w.data.Trees.List(l.Node, l.Outer, l.Masks)
		if err != nil {
			return err
		}
		if err := w.copyList(l.Base, words); err != nil {
			return err
		}
		w.lengths = append(w.lengths, n)
	}
	return nil
}

// copyList copies a list, with the 0 behind its last entry.
func (w *launcher) copyList(base int, words []uint64) error {
	if w.lists == nil {
		w.lists = make([]*area, len(w.bases))
	}
	a, n := w.lists[base], int64(8*(len(words)+1))
	if a == nil || a.Bytes() < n {
		if a != nil {
			w.lists[base] = nil
			_ = a.Free()
		}
		var err error
		if a, err = w.m.d.allocate(n + n/2); err != nil {
			return err
		}
		w.lists[base] = a
	}
	to := a.words(0, n/8)
	to[copy(to, words)] = 0
	w.bases[base] = a.address
	return nil
}

// settleAfter waits for the task under way, and brings the trees into order.
func (w *launcher) settleAfter(ctx context.Context) error {
	if w.data.Trees == nil {
		return nil
	}
	if err := w.flush(ctx); err != nil {
		_ = w.settle()
		return err
	}
	return w.settle()
}

func (w *launcher) settle() error {
	if w.data.Trees == nil {
		return nil
	}
	return w.data.Trees.Settle()
}

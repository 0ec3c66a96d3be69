package vulkan

import (
	"context"
	"fmt"
	"math"
	"time"
	"unsafe"

	"github.com/gotaichi/ti/internal/launch"
)

// textBytes is the room for the records of a dispatch, of all threads together.
const textBytes = 32 << 20

// openText makes the room for records, the first time, and asks how much of it may be printed text.
func (w *launcher) openText() (err error) {
	m := w.m
	if m.text == nil {
		if m.text, err = m.d.allocate(textBytes); err != nil {
			return fmt.Errorf("no room for what kernels print: %w", err)
		}
	}
	w.room = w.data.Sink.Room()
	w.resetText()
	return nil
}

// textHead is the head of the room.
func (m *Machine) textHead() *launch.DispatchText {
	return (*launch.DispatchText)(unsafe.Pointer(&m.text.host[0]))
}

// resetText empties the room.
func (w *launcher) resetText() {
	words := (w.m.text.Bytes() - launch.DispatchWords) / 8
	*w.m.textHead() = launch.DispatchText{End: uint32(words), Stop: uint32(min(words, max(0, w.room/8))), First: math.MaxUint64}
}

// recording runs a task in dispatches so small that what they record finds room, and gives the records to the sink behind each. The first one is short.
// How much an iteration records is known from then on.
func (w *launcher) recording(ctx context.Context, t *launch.Task, p *plan, push *pushes) error {
	for begin, n := int64(0), max(1, 1<<12/p.each); begin < p.units; {
		end := min(p.units, begin+min(n, p.most))
		push[launch.PushBegin], push[launch.PushEnd] = uint64(begin), uint64(end)
		if err := w.dispatch(p.pipeline, push, p.groups(end-begin)); err != nil {
			return err
		}
		used, took, err := w.giveRecords(ctx, t)
		if err != nil {
			return err
		}
		w.m.progress((end - begin) * p.each)
		if each := used / (end - begin); each > 0 {
			n = max(1, min(2*n, textBytes/64/each))
		} else {
			n *= 2
		}
		if took > w.m.d.piece { // of end-begin units
			n = min(n, max(1, int64(float64(end-begin)*float64(w.m.d.piece)/float64(took))))
		}
		n = min(n, p.most)
		begin = end
	}
	return nil
}

// giveRecords waits for the dispatch of t that is recorded last, and gives its records to the sink. It returns how many words they had, and how long it has waited.
func (w *launcher) giveRecords(ctx context.Context, t *launch.Task) (words int64, took time.Duration, err error) {
	began := time.Now()
	err = w.flush(ctx)
	took = time.Since(began)
	words = int64(min(w.m.textHead().Next, w.m.textHead().End))
	if lost := w.drain(t); err == nil { // also behind a launch that has ended: the next one would take the records for its own
		err = lost
	}
	return words, took, err
}

// drain gives the records to the sink, and then how many were dropped: an iteration that lost one may have printed others before.
func (w *launcher) drain(t *launch.Task) error {
	head := *w.m.textHead()
	words := w.m.text.words(launch.DispatchWords, int64(min(head.Next, head.End)))
	for len(words) > 0 {
		first := words[0]
		end := min(1+int(first>>32), len(words))
		if site := uint32(first); int(site) < len(t.Sites) {
			w.data.Sink.Record(t.Sites[site], words[1:end:end])
		}
		words = words[end:]
	}
	w.resetText()
	if head.Drops > 0 {
		w.data.Sink.Dropped(uint64(head.Drops), head.First)
	}
	if head.Lost > 0 {
		return fmt.Errorf("%w: %d records were lost", launch.ErrFull, head.Lost)
	}
	return nil
}

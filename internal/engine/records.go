package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/memory"
)

// buffer is where a thread puts records, as generated code knows it.
type buffer struct {
	*launch.Buffer

	region *memory.Region
	room   int64 // bytes for print records
	most   int64 // bytes of records, at most, that it has held
}

// Room for records, in bytes for each thread. It is address space that becomes
// resident as it fills, so there may be much of it; where the system does not give
// that much, less is tried.
const (
	mostRecords  = 16 << 30
	leastRecords = 1 << 20
	keepRecords  = 64 << 20 // a buffer that was filled further is given back
)

// open reserves room, if there is none, of at most limit bytes.
func (b *buffer) open(limit int64, space device.Space) error {
	if b.region != nil {
		return nil
	}
	if limit <= 0 {
		limit = min(mostRecords, platformRecords, int64(1)<<(bits.UintSize-4))
	}
	size := limit
	r, err := space.Map(size)
	for err != nil && size > leastRecords {
		size /= 4
		r, err = space.Map(size)
	}
	if err != nil {
		return fmt.Errorf("no room for what kernels print: %w", err)
	}
	b.region = r
	b.Next = uint64(uintptr(r.Base()))
	b.End = b.Next + uint64(min(r.Len(), size))
	return nil
}

// used returns how many bytes of records there are.
func (b *buffer) used() int64 {
	if b.region == nil {
		return 0
	}
	return int64(b.Next - uint64(uintptr(b.region.Base())))
}

// allow gives print records room bytes from now on, and forgets those that were dropped.
func (b *buffer) allow(room int64) {
	base := uint64(uintptr(b.region.Base()))
	b.room = room
	b.Stop, b.Drops, b.First = base+uint64(min(room, int64(b.End-base))), 0, math.MaxUint64
}

// drain gives the records to s and empties the buffer; it returns how many were
// lost.
func (b *buffer) drain(s launch.Sink, sites []int) (lost uint64) {
	n := b.used()
	if n > 0 && s != nil {
		words := unsafe.Slice((*uint64)(b.region.Base()), n/8)
		for len(words) > 0 {
			head := words[0]
			end := 1 + int(head>>32)
			s.Record(sites[uint32(head)], words[1:end:end])
			words = words[end:]
		}
	}
	b.Next -= uint64(n)
	b.most = max(b.most, n)
	lost, b.Lost = b.Lost, 0
	return lost
}

// free gives the room back.
func (b *buffer) free() error {
	if b.region == nil {
		return nil
	}
	r := b.region
	b.region, b.Next, b.End, b.most = nil, 0, 0, 0
	return r.Free()
}

// openRecords makes sure that all threads have room.
func (e *Engine) openRecords() error {
	for _, t := range e.threads {
		if err := t.text.open(e.recordLimit(), e.place.Space()); err != nil {
			return err
		}
	}
	return nil
}

// recordLimit is the limit of each room; 0 for none.
func (e *Engine) recordLimit() int64 {
	if e.embedder == nil {
		return e.RecordLimit
	}
	most := e.embedder.Records()
	if e.RecordLimit > 0 {
		most = min(most, e.RecordLimit)
	}
	return most
}

// shareRoom divides the room for print records among the threads that may run t. Serial
// code, which has one thread, has all of it.
func (e *Engine) shareRoom(t *task) {
	n := len(e.threads)
	if e.InOrder || len(t.Dims) == 0 {
		n = 1
	}
	for _, th := range e.threads[:n] {
		th.text.allow(e.room / int64(n))
	}
}

// drainRecords gives the records of all threads to the code's sink, and then passes it how
// many were dropped. The order matters: an iteration that lost a record may have printed
// others before.
func (e *Engine) drainRecords(c *Code, of *task) error {
	lost := uint64(0)
	for _, t := range e.threads {
		lost += t.text.drain(c.Sink, of.Sites)
	}
	for _, t := range e.threads {
		if b := &t.text; b.Drops > 0 {
			c.Sink.Dropped(b.Drops, b.First)
			b.allow(b.room)
		}
	}
	if lost > 0 {
		return fmt.Errorf("%w: %d records were lost", launch.ErrFull, lost)
	}
	return nil
}

// closeRecords frees the buffers that were filled beyond keepRecords.
func (e *Engine) closeRecords() {
	for _, t := range e.threads {
		if t.text.most > keepRecords {
			_ = t.text.free()
		}
	}
}

// inOrder runs a loop on the calling thread, from its first iteration to its last,
// in pieces so small that what they record needs little room; false means that done
// stopped it.
func (e *Engine) inOrder(c *Code, t *task, begin, total int64, done <-chan struct{}) bool {
	const room = 4 << 20
	main := e.threads[0]
	for chunk := int64(1); begin < total; {
		end := begin + min(chunk, total-begin)
		main.run(t, begin, end)
		used := main.text.used()
		if main.text.Lost == 0 { // else the launch fails, see drainRecords
			_ = e.drainRecords(c, t)
		}
		begin = end
		chunk = min(2*chunk, 1<<16)
		if t.Uneven {
			chunk = min(chunk, unevenMost)
		}
		if each := used / chunk; each > 0 {
			chunk = max(1, min(chunk, room/each))
		}
		if e.stopper.stopped() && !t.Helper {
			return false
		}
		select {
		case <-done:
			return begin == total
		default:
		}
	}
	return true
}

// runRecorded is runTasks for code that records.
func (e *Engine) runRecorded(ctx context.Context, c *Code, done <-chan struct{}) error {
	if err := e.openRecords(); err != nil {
		return err
	}
	defer e.closeRecords()
	e.room = c.Sink.Room()
	err := e.runTasks(ctx, c, done)
	return errors.Join(err, c.Sink.Flush())
}

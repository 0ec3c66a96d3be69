package domain

import (
	"encoding/binary"
	"errors"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/site"
)

// A sink has what a kernel prints appear on rank 0, in the order of the iterations. What all ranks do alike, rank 0 records; what parts of a loop
// record, it gets when the loop has ended.
type sink struct {
	launch.Sink
	share   *share
	current *plan // of the task whose records come
	parts   bool  // a task of the loop prints, and ranks run parts of it
	kept    []byte
	lost    uint64
	first   uint64
}

// Record takes a record.
func (k *sink) Record(n int, slots []uint64) {
	s := k.share
	switch {
	case s.k.Sites[n].Kind != site.Print:
		k.Sink.Record(n, slots)
	case !k.current.reports(s.w.comm.Rank()):
	case k.current.way == everywhere:
		k.Sink.Record(n, slots)
	default:
		k.kept = binary.LittleEndian.AppendUint64(k.kept, uint64(n)<<32|uint64(len(slots)))
		for _, v := range slots {
			k.kept = binary.LittleEndian.AppendUint64(k.kept, v)
		}
	}
}

// Dropped counts records that found no room.
func (k *sink) Dropped(n, first uint64) {
	switch {
	case !k.current.reports(k.share.w.comm.Rank()):
		return
	case k.current.way == everywhere:
		k.Sink.Dropped(n, first)
		return
	}
	if k.lost == 0 || first < k.first {
		k.first = first
	}
	k.lost += n
}

// Flush gives rank 0 the records of a loop.
func (k *sink) Flush() error {
	if !k.parts {
		return k.Sink.Flush()
	}
	k.parts = false
	b := binary.LittleEndian.AppendUint64(nil, k.lost)
	b = append(binary.LittleEndian.AppendUint64(b, k.first), k.kept...)
	k.kept, k.lost, k.current = k.kept[:0], 0, nil
	got, err := k.share.w.all(b)
	if err != nil || k.share.w.comm.Rank() > 0 {
		return errors.Join(err, k.Sink.Flush())
	}
	for _, b := range got {
		lost, first := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		for b = b[16:]; len(b) > 0; {
			head := binary.LittleEndian.Uint64(b)
			slots := make([]uint64, uint32(head))
			b = b[8:]
			for i := range slots {
				slots[i] = binary.LittleEndian.Uint64(b)
				b = b[8:]
			}
			k.Sink.Record(int(head>>32), slots)
		}
		if lost > 0 {
			k.Sink.Dropped(lost, first)
		}
	}
	return k.Sink.Flush()
}

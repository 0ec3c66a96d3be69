package vulkan

import (
	"fmt"
	"unsafe"

	"github.com/gotaichi/ti/internal/devicelist"
	"github.com/gotaichi/ti/internal/launch"
)

// A layout says how the memory of a launch lies: the frame, what the driver's limit is noted in, the gate, then the record of errors of each task, and the words that it is
// given. All but the words are zero before a launch, and the gate is open.
type layout struct {
	frame, limit   int64
	gate           int64 // words [devicelist.GateMost] and so on
	cleared, bytes int64
	tasks          []taskLayout
}

// A taskLayout has the offsets of what a task has.
type taskLayout struct{ given, errs int64 }

// of is the layout for launches of a kernel.
func (l *layout) of(k *launch.Kernel) {
	line := func(n int64) int64 { return (n + 63) &^ 63 }
	l.frame = line(max(k.Frame, int64(8*k.Results)))
	l.limit, l.gate, l.bytes = l.frame, l.frame+8, l.frame+64
	l.tasks = make([]taskLayout, len(k.Tasks))
	for i := range l.tasks {
		l.tasks[i].errs = l.bytes
		l.bytes += line(launch.ErrSize)
	}
	l.cleared = l.bytes
	for i := range l.tasks {
		l.tasks[i].given = l.bytes
		l.bytes += line(int64(8 * len(k.Tasks[i].Slots)))
	}
}

// clear prepares the memory of a launch.
func (l *layout) clear(own *place) {
	clear(own.host[:l.cleared])
	l.open(own)
}

// open opens the gate.
func (l *layout) open(own *place) {
	copy(own.words(l.gate, devicelist.GateWords), []uint64{devicelist.GateMost: devicelist.GateOpen, devicelist.GateTask: 0, devicelist.GateCause: 0})
}

// A place is a part of an area that host and device see.
type place struct {
	host    []byte
	address uint64 // for the device
}

// place is so many bytes of an area from an offset on.
func (a *area) place(offset, bytes int64) place {
	return place{a.host[offset : offset+bytes], a.address + uint64(offset)}
}

// words are those of a place from an offset on.
func (p *place) words(offset, n int64) []uint64 {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&p.host[offset])), n)
}

// limited is the error of a launch of which the driver would have ended a loop.
func (w *launcher) limited(own *place) error {
	if own.host[w.layout.limit] == 0 {
		return nil
	}
	return fmt.Errorf("kernel %s: a loop has more rounds than the driver of %s does (65,535 for all loops of a subgroup together)", w.k.Name, w.m.d.name)
}

// failure reports whether a launch has recorded a failure: f is the first one, with the number of those of its part.
func (w *launcher) failure(own *place, f *launch.Fault) (found bool) {
	for i := range w.k.Tasks {
		e := (*launch.ErrorRecord)(unsafe.Pointer(&own.host[w.layout.tasks[i].errs]))
		if e.Count == 0 {
			continue
		}
		t := &w.k.Tasks[i]
		switch site := int(e.Site) - 1; {
		case found && t.Part == f.Part:
			f.Count += int64(e.Count)
		case !found && site >= 0 && site < len(t.Sites):
			found = true
			loop := append([]int64{}, e.Loop[:min(e.Rank, launch.MaxRank)]...)
			*f = launch.Fault{Site: t.Sites[site], Index: e.Values, Loop: loop, Count: int64(e.Count), Part: t.Part}
		}
	}
	return found
}

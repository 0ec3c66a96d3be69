package vulkan

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"time"
	"unsafe"

	"github.com/gotaichi/ti/internal/launch"
)

// A launcher launches a kernel on its data.
type launcher struct {
	*loaded
	data          launch.Data
	args, results []uint64
	bases         []uint64 // addresses for the device

	// own is the memory of a launch: the frame, then for each task the words that it is given, and its record of errors. It is made at the first launch.
	own      *area
	frame    []uint64
	given    []int64 // offset of the words of each task
	errs     []int64 // offset of the record of each task
	cleared  []byte
	fault    launch.Fault
	recorded bool // commands are being recorded
}

func (w *launcher) Args() []uint64    { return w.args }
func (w *launcher) Results() []uint64 { return w.results }

// Free gives the memory back.
func (w *launcher) Free() {
	if w.own != nil {
		_ = w.own.Free()
		w.own = nil
	}
}

// prepare makes the memory of a launch.
func (w *launcher) prepare() (err error) {
	size := (max(w.k.Frame, int64(8*w.k.Results)) + 63) &^ 63
	frame := size
	w.given, w.errs = nil, nil
	for i := range w.k.Tasks {
		w.given = append(w.given, size)
		size += int64(8*len(w.k.Tasks[i].Slots)+63) &^ 63
	}
	cleared := size
	for range w.k.Tasks {
		w.errs = append(w.errs, size)
		size += (launch.ErrSize + 63) &^ 63
	}
	if w.own, err = w.m.d.allocate(size); err != nil {
		return err
	}
	w.frame, w.cleared = w.own.words(0, frame/8), w.own.host[cleared:]
	return nil
}

// Submit launches the kernel, and has ended it when it returns.
func (w *launcher) Submit(ctx context.Context, number uint64) (launch.Pending, *launch.Fault, error) {
	fault, err := w.run(ctx, number)
	return nil, fault, err
}

func (w *launcher) run(ctx context.Context, number uint64) (*launch.Fault, error) {
	m := w.m
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if m.stopped.Load() {
		return nil, launch.ErrStopped
	}
	if w.own == nil {
		if err := w.prepare(); err != nil {
			return nil, err
		}
	}
	clear(w.frame)
	clear(w.cleared)
	clear(m.control.host[controlLimit:])
	if number != 0 {
		m.last = number
		m.launches.Add(max(1, int64(len(w.k.Parts))))
	}
	if m.watched {
		m.status.Store(&status{kernel: w.k.Name, tasks: len(w.k.Tasks), since: time.Now()})
		defer m.status.Store(nil)
	}
	if done := ctx.Done(); done != nil {
		m.signal(0)
		over := make(chan struct{})
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			select {
			case <-done:
				m.signal(1)
			case <-over:
			}
		}()
		defer func() {
			close(over)
			<-ended
			if !m.stopped.Load() {
				m.signal(0)
			}
		}()
	}
	if err := w.tasks(ctx, number); err != nil {
		return nil, err
	}
	copy(w.results, w.frame)
	return w.failure(), nil
}

// tasks runs the tasks in their order.
func (w *launcher) tasks(ctx context.Context, number uint64) error {
	for i := range w.k.Tasks {
		t := &w.k.Tasks[i]
		if i > 0 && w.waitsFor(t) {
			if err := w.flush(ctx); err != nil {
				return err
			}
			if w.returned() {
				break
			}
		}
		if now := w.m.status.Load(); now != nil {
			now.task.Store(int64(i))
		}
		if err := w.task(ctx, i, number); err != nil {
			return errors.Join(err, w.flush(ctx)) // what stands before it takes effect
		}
		if number != 0 {
			w.m.tasks.Add(1)
		}
	}
	return w.flush(ctx)
}

// waitsFor reports whether the host must read what earlier tasks have left before t runs, or measures each task.
func (w *launcher) waitsFor(t *launch.Task) bool {
	if w.k.Done >= 0 || w.m.recorder != nil {
		return true
	}
	for _, d := range t.Dims {
		if d.Lo.From == launch.Frame || d.Hi.From == launch.Frame {
			return true
		}
	}
	return false
}

// returned reports whether the kernel has returned early.
func (w *launcher) returned() bool {
	return w.k.Done >= 0 && *(*int32)(unsafe.Pointer(&w.own.host[w.k.Done])) != 0
}

// extent returns the number of iterations; -1 if there are too many.
func (w *launcher) extent(t *launch.Task) int64 {
	total, many := int64(1), false
	for _, d := range t.Dims {
		lo, hi := d.Lo.Value(w.args, w.frame, nil), d.Hi.Value(w.args, w.frame, nil)
		if d.Unsigned && uint64(hi) <= uint64(lo) || !d.Unsigned && hi <= lo {
			return 0
		}
		over, low := bits.Mul64(uint64(total), uint64(hi-lo))
		if many = many || over != 0 || low > launch.MaxIterations; !many {
			total = int64(low)
		}
	}
	if many {
		return -1
	}
	return total
}

// A dispatch has at most mostGroups workgroups, whose threads have at most so many iterations each: longer loops are several dispatches. On llvmpipe
// each has one, since rounds are scarce there.
const (
	mostGroups  = 1 << 12
	mostRounds  = 64
	orderRounds = 1 << 10 // of the only thread of a loop that keeps its order
)

// shape returns how many iterations a dispatch of a task has at most, and how many workgroups one of n iterations has.
func (w *launcher) shape(t *launch.Task) (most int64, groups func(n int64) int64) {
	if len(t.Dims) == 0 || t.Threads == 1 {
		return orderRounds, func(int64) int64 { return 1 }
	}
	rounds := int64(mostRounds)
	if w.m.d.driver == driverLlvmpipe {
		rounds = 1
	}
	return mostGroups * launch.DispatchThreads * rounds, func(n int64) int64 {
		return min(mostGroups, (n+launch.DispatchThreads-1)/launch.DispatchThreads)
	}
}

// task records the dispatches of a task.
func (w *launcher) task(ctx context.Context, i int, number uint64) error {
	t := &w.k.Tasks[i]
	total := w.extent(t)
	if total < 0 {
		return &launch.TooManyIterations{Place: w.k.Names[i].Place}
	}
	if total == 0 {
		return nil
	}
	for n, s := range t.Slots {
		v := uint64(0)
		switch s.From {
		case launch.ArgSlot:
			v = w.args[s.At]
		case launch.BaseSlot:
			v = w.bases[s.At]
		case launch.FrameSlot:
			v = w.own.address + uint64(s.At)
		}
		w.own.words(w.given[i]+int64(8*n), 1)[0] = v
	}
	push := &[launch.PushBytes / 8]uint64{
		launch.PushSlots: w.own.address + uint64(w.given[i]),
		launch.PushErrs:  w.own.address + uint64(w.errs[i]),
		launch.PushStop:  w.m.control.address + controlStop,
		launch.PushLimit: w.m.control.address + controlLimit,
		launch.PushKey:   launch.Key(w.data.Seed, number),
	}
	began := time.Time{}
	if w.m.recorder != nil {
		began = time.Now()
	}
	most, groups := w.shape(t)
	for begin := int64(0); begin < total; begin += most {
		end := min(total, begin+most)
		push[launch.PushBegin], push[launch.PushEnd] = uint64(begin), uint64(end)
		if err := w.dispatch(i, push, groups(end-begin)); err != nil {
			return err
		}
		if begin > 0 { // a long loop can be ended between two of its dispatches
			if err := w.flush(ctx); err != nil {
				return err
			}
		}
	}
	if r := w.m.recorder; r != nil {
		if err := w.flush(ctx); err != nil {
			return err
		}
		r.Add(w.k.Name, w.k.Names[i], time.Since(began))
	}
	return nil
}

// dispatch records one.
func (w *launcher) dispatch(task int, push *[launch.PushBytes / 8]uint64, groups int64) error {
	d := w.m.d
	c := uintptr(d.commands)
	if !w.recorded {
		info := &beginInfo{typ: typeBegin, flags: 1} // submitted once
		if err := d.try(beginCommandBuffer, c, uintptr(unsafe.Pointer(info))); err != nil {
			return err
		}
		w.recorded = true
	} else {
		d.barrier(pipelineCompute, accessRead|accessWrite)
	}
	d.call(cmdBindPipeline, c, 1, uintptr(w.pipelines[task]))
	d.call(cmdPushConstants, c, uintptr(d.layout), stageCompute, 0, launch.PushBytes, uintptr(unsafe.Pointer(push)))
	d.call(cmdDispatch, c, uintptr(groups), 1, 1)
	return nil
}

// barrier lets what follows see what dispatches have written.
func (d *device) barrier(stage, access uintptr) {
	b := &memoryBarrier{typ: typeBarrier, from: accessWrite, to: uint32(access)}
	d.call(cmdPipelineBarrier, uintptr(d.commands), pipelineCompute, stage, 0, 1, uintptr(unsafe.Pointer(b)), 0, 0, 0, 0)
}

// flush submits what has been recorded, and waits for it.
func (w *launcher) flush(ctx context.Context) error {
	d := w.m.d
	if w.recorded {
		w.recorded = false
		d.barrier(pipelineHost, accessHostRead)
		if err := d.try(endCommandBuffer, uintptr(d.commands)); err != nil {
			return err
		}
		info := &submitInfo{typ: typeSubmit, commands: 1, command: unsafe.Pointer(&d.commands)}
		if err := d.try(queueSubmit, uintptr(d.queue), 1, uintptr(unsafe.Pointer(info)), uintptr(d.fence)); err != nil {
			return err
		}
		if err := d.try(waitForFences, uintptr(d.dev), 1, uintptr(unsafe.Pointer(&d.fence)), 1, ^uintptr(0)); err != nil {
			return err
		}
		if err := d.try(resetFences, uintptr(d.dev), 1, uintptr(unsafe.Pointer(&d.fence))); err != nil {
			return err
		}
	}
	if ctx.Err() != nil || w.m.stopped.Load() {
		return w.m.why(ctx)
	}
	if w.m.control.host[controlLimit] != 0 {
		return fmt.Errorf("kernel %s: a loop has more rounds than the driver of %s does (65,535 for all loops of a subgroup together)", w.k.Name, w.m.d.name)
	}
	return nil
}

// failure is the first one of the launch, with the number of those of its part; nil if there is none.
func (w *launcher) failure() *launch.Fault {
	found := false
	for i := range w.k.Tasks {
		t := &w.k.Tasks[i]
		e := (*launch.ErrorRecord)(unsafe.Pointer(&w.own.host[w.errs[i]]))
		switch own := int(e.Site) - 1; {
		case e.Count == 0:
		case found && t.Part == w.fault.Part:
			w.fault.Count += int64(e.Count)
		case !found && own >= 0 && own < len(t.Sites):
			found = true
			loop := append([]int64{}, e.Loop[:min(e.Rank, launch.MaxRank)]...)
			w.fault = launch.Fault{Site: t.Sites[own], Index: e.Values, Loop: loop, Count: int64(e.Count), Part: t.Part}
		}
	}
	if !found {
		return nil
	}
	return &w.fault
}

package vulkan

import (
	"time"
	"unsafe"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/native"
)

// A ring is the submissions of a machine. One is recorded while the device works on the other one.
type ring struct {
	d   *device
	all [2]submission
	now int // which one is recorded next; where both are under way it is the older one

	args   [10]uintptr   // of a command
	around memoryBarrier // about copies
	begun  uint64        // submissions

	launches int            // that were started since the last Await
	ended    []launch.Ended // those of them that have failed
}

// A submission is commands that the device is given at once. The structures stay where they are, so that no call needs new ones.
type submission struct {
	pool, commands, fence handle
	recorded              bool // commands are being recorded
	submitted             bool // the device works on them
	bound                 handle
	begin                 beginInfo
	between, last         memoryBarrier // behind a dispatch, and behind the last one
	submit                submitInfo
	since                 time.Time     // it was submitted
	expected              time.Duration // how long it takes, as far as that is known

	room    *area // what launches that were started have; nil before the first one
	used    int64
	started []started
}

// A started is a launch that was started.
type started struct {
	w      *launcher
	number int // among those that were started since the last Await
	own    place
	takes  time.Duration // as far as that is known
}

// roomBytes is the room of a submission.
const roomBytes = 64 << 10

// open makes what submissions need.
func (r *ring) open(d *device) (err error) {
	r.d = d
	for i := range r.all {
		s := &r.all[i]
		if s.pool, s.commands, err = d.commandBuffer(); err != nil {
			return err
		}
		if s.fence, err = d.newFence(); err != nil {
			return err
		}
		s.begin = beginInfo{typ: typeBegin, flags: 1} // submitted once
		s.between = memoryBarrier{typ: typeBarrier, from: accessWrite, to: accessRead | accessWrite}
		s.last = memoryBarrier{typ: typeBarrier, from: accessWrite, to: accessHostRead | accessRead | accessWrite}
		s.submit = submitInfo{typ: typeSubmit, commands: 1, command: unsafe.Pointer(&s.commands)}
	}
	return nil
}

// close gives everything back. Nothing is under way.
func (r *ring) close() {
	for i := range r.all {
		s := &r.all[i]
		if s.room != nil {
			_ = s.room.Free()
		}
		if s.fence != 0 {
			r.d.call(destroyFence, uintptr(r.d.dev), uintptr(s.fence), 0)
		}
		if s.pool != 0 {
			r.d.call(destroyCommandPool, uintptr(r.d.dev), uintptr(s.pool), 0)
		}
	}
}

// record returns the submission that is recorded, which begins if there is none.
func (r *ring) record() (*submission, error) {
	s := &r.all[r.now]
	if s.recorded {
		return s, nil
	}
	if err := r.await(s); err != nil {
		return nil, err
	}
	if err := r.try(beginCommandBuffer, uintptr(s.commands), uintptr(unsafe.Pointer(&s.begin))); err != nil {
		return nil, err
	}
	s.recorded, s.bound, s.expected = true, 0, 0
	r.begun++
	return s, nil
}

// dispatch records one of a task, behind a barrier if it is not the first of the submission, and has something in common with one before.
func (r *ring) dispatch(pipeline handle, push *pushes, groups [3]int64, o *ordering, task int) error {
	s, err := r.record()
	if err != nil {
		return err
	}
	if barrier := o.next(r.begun, task); barrier && s.bound != 0 {
		r.command(cmdPipelineBarrier, pipelineCompute, pipelineCompute, 0, 1, uintptr(unsafe.Pointer(&s.between)), 0, 0, 0, 0)
	}
	if s.bound != pipeline {
		r.command(cmdBindPipeline, 1, uintptr(pipeline))
		s.bound = pipeline
	}
	r.command(cmdPushConstants, uintptr(r.d.layout), stageCompute, 0, launch.PushBytes, uintptr(unsafe.Pointer(push)))
	r.command(cmdDispatch, uintptr(groups[0]), uintptr(groups[1]), uintptr(groups[2]))
	return nil
}

// command calls a function that records a command. Arguments are in memory of the ring, since a call of C with a list of its own takes new memory. What they
// point to is the ring's or a launcher's, which stays where it is.
func (r *ring) command(f function, args ...uintptr) {
	r.args[0] = uintptr(r.all[r.now].commands)
	n := 1 + copy(r.args[1:], args)
	native.Call(r.d.fn[f], r.args[:n]...)
}

// try is that of the device for such arguments.
func (r *ring) try(f function, args ...uintptr) error {
	return r.d.attempt(f, r.args[:copy(r.args[:], args)])
}

// submit has the device work on what is recorded, and does not wait for it.
func (r *ring) submit() error {
	s := &r.all[r.now]
	if !s.recorded {
		return nil
	}
	s.recorded = false
	r.command(cmdPipelineBarrier, pipelineCompute, pipelineHost|pipelineCompute, 0, 1, uintptr(unsafe.Pointer(&s.last)), 0, 0, 0, 0) // for the next submission too
	err := r.try(endCommandBuffer, uintptr(s.commands))
	if err == nil {
		r.d.submits.Lock()
		err = r.try(queueSubmit, uintptr(r.d.queue), 1, uintptr(unsafe.Pointer(&s.submit)), uintptr(s.fence))
		r.d.submits.Unlock()
	}
	if err != nil {
		_ = r.await(&r.all[1-r.now]) // what failed there stands before
		r.end(s, err)
		return err
	}
	s.submitted, s.since = true, time.Now()
	r.now = 1 - r.now
	return nil
}

// load notes how long what has been recorded takes. The device begins with it if that is long enough.
func (r *ring) load(takes time.Duration) error {
	s := &r.all[r.now]
	if s.expected += takes; s.expected < r.d.piece {
		return nil
	}
	return r.submit()
}

// working is the submission that the device works on, if there is one; it cannot be the one that is recorded.
func (r *ring) working() *submission {
	if s := &r.all[1-r.now]; s.submitted {
		return s
	}
	return nil
}

// lostWait is for how long a lost device is waited for, in nanoseconds. By the specification such waits end.
const lostWait = 2_000_000_000

// await waits until the device has done a submission, if it works on it.
func (r *ring) await(s *submission) error {
	if !s.submitted {
		return nil
	}
	s.submitted = false
	if r.d.usable() != nil { // what was submitted before the loss may be under way still, and what it uses will be given back
		r.args = [len(r.args)]uintptr{uintptr(r.d.dev), 1, uintptr(unsafe.Pointer(&s.fence)), 1, lostWait}
		native.Call(r.d.fn[waitForFences], r.args[:5]...)
	}
	err := r.try(waitForFences, uintptr(r.d.dev), 1, uintptr(unsafe.Pointer(&s.fence)), 1, ^uintptr(0))
	if err == nil {
		err = r.try(resetFences, uintptr(r.d.dev), 1, uintptr(unsafe.Pointer(&s.fence)))
	}
	r.end(s, err)
	return err
}

// finish submits what is recorded, and waits for everything.
func (r *ring) finish() error {
	err := r.submit()
	for _, i := range [2]int{r.now, 1 - r.now} {
		if e := r.await(&r.all[i]); err == nil {
			err = e
		}
	}
	return err
}

// end notes how the launches of a submission have ended, which the device has done or which failed as a whole.
func (r *ring) end(s *submission, err error) {
	took := time.Since(s.since)
	for i := range s.started {
		l := &s.started[i]
		if err == nil && s.expected > 0 {
			l.w.learn(time.Duration(float64(took)*float64(l.takes)/float64(s.expected)), l.w.all)
		}
		if e, failed := l.w.outcome(&l.own, err); failed {
			r.ended = append(r.ended, launch.Ended{Launch: l.number, End: e})
		}
	}
	clear(s.started)
	s.started, s.used = s.started[:0], 0
}

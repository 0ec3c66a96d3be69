package batch

import (
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/variant"
)

// On a machine that can (launch.Overlapping), a launch of a batch is started, and the next one does not wait for its end. Whoever needs it to have ended calls
// collect, at the latest where the batch ends: so no launch is under way when a batch has run.

// A startedUnit is launches of a batch that are one kernel, and that have been started.
type startedUnit struct {
	code     variant.Concurrent
	launches []int  // their numbers in the batch; nil for one launch
	entry    *entry // that launch
}

// start begins launches that need not have ended when the next ones begin. It reports whether it has. The arguments are in place.
func (q *Queue) start(u startedUnit, number uint64) bool {
	if q.overlapping == nil || q.ctx.Done() != nil {
		return false
	}
	l, can := u.code.Launcher().(launch.Starter)
	if !can || !l.Start(number) {
		return false
	}
	q.started = append(q.started, u)
	return true
}

// collect waits for the launches that have been started, and keeps the first failure. It reports whether there were any: one that has failed may have left its
// arguments in a frame that was filled for another launch.
func (q *Queue) collect(b *batch) bool {
	if len(q.started) == 0 {
		return false
	}
	for _, end := range q.overlapping.Await() {
		u := &q.started[end.Launch]
		if u.launches == nil {
			u.code.Set(0, b.args[u.entry.at:u.entry.at+u.entry.args], u.entry.number)
			_, err := u.code.Ended(q.ctx, &end.End)
			q.fail(u.entry, err)
			continue
		}
		b.set(&u.code, u.launches)
		part, err := u.code.Ended(q.ctx, &end.End)
		q.fail(&b.launches[u.launches[part]], err)
	}
	clear(q.started)
	q.started = q.started[:0]
	return true
}

// set gives the code of launches their arguments.
func (b *batch) set(code *variant.Concurrent, launches []int) {
	first, last := &b.launches[launches[0]], &b.launches[launches[len(launches)-1]]
	if launches[len(launches)-1]-launches[0] == len(launches)-1 && code.SetAll(b.args[first.at:last.at+last.args]) {
		return
	}
	for part, i := range launches {
		e := &b.launches[i]
		code.Set(part, b.args[e.at:e.at+e.args], e.number)
	}
}

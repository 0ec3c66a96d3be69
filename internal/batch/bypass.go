package batch

import (
	"time"

	"github.com/gotaichi/ti/internal/variant"
)

// It costs more to queue a short launch that gains nothing than to run it. After some hundred such launches in a row the next ones run at once, as without batches.
// From time to time launches are queued again, to find out whether they gain something by now. Launches under a tape are always queued: at once they cost more.

// A bypass says which launches run at once.
type bypass struct {
	// These belong to whoever runs batches.
	quiet  int  // how many launches in a row have been short and gained nothing
	broken bool // a batch has gained something since the round began
	long   int  // batches until the next one is timed

	round uint64 // that of variants that have been queued while nothing was gained; see variant.Queued.Bypass
	left  int    // how many launches run at once before launches are collected again; 0 while they are
}

const (
	// quietLaunches is how many short launches that gain nothing begin a bypass.
	quietLaunches = 256
	// bypassedLaunches is how many launches a bypass has, and sampledLaunches how many are collected behind it before the next one begins.
	bypassedLaunches, sampledLaunches = 1 << 13, 64
	// shortLaunch is the mean time of short launches. The queue costs a twentieth of that, and longer ones may run beside the caller.
	shortLaunch = time.Microsecond
	// timedBatches is how often batches are timed where it is known whether launches are short.
	timedBatches = 16
)

// passes reports whether a launch of v runs at once in a bypass that has begun: nothing is queued then. The variant is compiled, and the caller holds the
// launch lock. A launch that is queued ends the bypass: the program has begun something else.
func (q *Queue) passes(v *variant.Variant) bool {
	p := &q.bypass
	if p.left == 0 || v.Queued().Bypass != p.round {
		return false
	}
	p.left--
	return true
}

// startBypass begins a bypass if that pays, and reports whether it has. A batch is full, or nothing is queued. If it begins, nothing is queued any more, and
// the launch at hand runs at once, whatever it is.
func (q *Queue) startBypass() bool {
	p := &q.bypass
	if q.recording || q.drawing != nil {
		return false
	}
	q.await(nil) // a full batch is not submitted before that one has run, either
	if p.quiet < quietLaunches {
		return false
	}
	q.Drain(nil)
	if p.quiet < quietLaunches {
		return false
	}
	p.quiet -= sampledLaunches
	p.left, p.long = bypassedLaunches, 0
	return true
}

// timed says whether a batch that gains nothing is timed, and counts it if not.
func (p *bypass) timed() bool {
	if p.long > 0 {
		p.long--
		return false
	}
	return true
}

// note takes what a batch of that many launches has taken.
func (p *bypass) note(launches int, took time.Duration) {
	if took < time.Duration(launches)*shortLaunch {
		if p.quiet = min(p.quiet+launches, quietLaunches); p.quiet == quietLaunches {
			p.long = timedBatches // nothing more is to be learnt, also if no bypass begins
		}
		return
	}
	p.quiet, p.long = 0, timedBatches
}

// gained notes a batch that has gained something, or that nothing is known of.
func (p *bypass) gained() { p.quiet, p.broken = 0, true }

// renew forgets which variants gain nothing, if a batch has gained something. The caller holds the launch lock, and no batch runs.
func (p *bypass) renew() {
	if p.broken {
		p.broken = false
		p.round++
	}
}

// alone reports whether a plan runs all of its launches, each by itself, and measures nothing any more.
func (q *Queue) alone(m *made) bool {
	return m != nil && len(m.removed) == 0 && len(m.left) == 0 && q.apart(m.steps)
}

// apart reports whether all launches of some steps run by themselves from now on.
func (q *Queue) apart(steps []step) bool {
	for i := range steps {
		s := &steps[i]
		if s.linked == nil && s.apart == nil {
			continue
		}
		if q.always(s) {
			return false
		}
		if together, measured := s.guard.choose(); together || measured || !q.apart(s.apart) {
			return false
		}
	}
	return true
}

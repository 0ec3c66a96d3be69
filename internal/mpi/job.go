package mpi

import (
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

// LocalConfig says how messages move in [Local].
//
// Each message is copied from the sender's memory to the receiver's when both requests have been made, and the message has arrived. Only then does
// the request of the sender end, as MPI allows. With a seed, some requests of senders end at once, as MPI allows too.
type LocalConfig struct {
	Config

	// Delay is how long each message is under way.
	Delay time.Duration

	// Seed, if not 0, draws a delay for each message, up to Jitter (0 means 200 µs), beside Delay. Messages of different ranks or tags
	// overtake each other then. The draw depends on the seed, the ranks, the tag and the number of the message.
	Seed   uint64
	Jitter time.Duration
}

// A job is the messages between the ranks of a process.
type job struct {
	size int
	cfg  LocalConfig

	mu     sync.Mutex
	routes map[route]*traffic
	failed error   // why no request succeeds any more
	left   []bool  // ranks that have ended
	errs   []error // of them
}

// A route is the messages that MPI keeps in order.
type route struct{ from, to, tag int }

// traffic is what has begun, and not ended, on a route.
type traffic struct {
	count    uint64     // messages sent
	flying   []*message // sent and not arrived
	arrived  []*message
	receives []*Request
}

type message struct {
	data   []byte
	sender *Request // nil if it has ended
}

func newJob(size int, cfg LocalConfig) *job {
	if cfg.Seed != 0 && cfg.Jitter == 0 {
		cfg.Jitter = 200 * time.Microsecond
	}
	return &job{size: size, cfg: cfg, routes: map[route]*traffic{}, left: make([]bool, size), errs: make([]error, size)}
}

// post begins a request of a rank.
func (j *job) post(rank int, r *Request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failed != nil {
		r.finish(j.failed)
		return
	}
	key := route{rank, r.peer, r.tag}
	if r.receive {
		key = route{r.peer, rank, r.tag}
	}
	t := j.routes[key]
	if t == nil {
		t = &traffic{}
		j.routes[key] = t
	}
	if r.receive {
		t.receives = append(t.receives, r)
	} else {
		j.send(key, t, r)
	}
	j.match(key, t)
}

// send puts a message on its way.
func (j *job) send(key route, t *traffic, r *Request) {
	m := &message{data: r.data, sender: r}
	delay := j.cfg.Delay
	if j.cfg.Seed != 0 {
		draw := rand.New(rand.NewPCG(j.cfg.Seed+t.count, uint64(key.from)<<40|uint64(key.to)<<20|uint64(key.tag)))
		delay += time.Duration(draw.Int64N(int64(j.cfg.Jitter) + 1))
		if draw.IntN(2) == 0 {
			m.data, m.sender = append([]byte(nil), r.data...), nil
			r.finish(nil)
		}
	}
	t.count++
	if delay == 0 && len(t.flying) == 0 {
		t.arrived = append(t.arrived, m)
		return
	}
	t.flying = append(t.flying, m)
	// Timers may fire in another order, but each lets the oldest message of the route arrive.
	time.AfterFunc(delay, func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.failed != nil {
			return
		}
		t.arrived, t.flying = append(t.arrived, t.flying[0]), t.flying[1:]
		j.match(key, t)
	})
}

// match ends the requests of messages that are both wanted and there, and those that cannot end any more.
func (j *job) match(key route, t *traffic) {
	if j.failed != nil {
		return
	}
	for len(t.arrived) > 0 && len(t.receives) > 0 {
		m, r := t.arrived[0], t.receives[0]
		t.arrived, t.receives = t.arrived[1:], t.receives[1:]
		var err error
		if len(m.data) != len(r.data) {
			err = &LengthError{From: key.from, Tag: key.tag, Want: len(r.data), Got: len(m.data)}
		}
		copy(r.data, m.data)
		r.finish(err)
		if m.sender != nil {
			m.sender.finish(nil)
		}
	}
	if j.left[key.from] && len(t.flying) == 0 {
		for _, r := range t.receives {
			r.finish(&RankError{key.from, errors.New("it has ended without sending this message")})
		}
		t.receives = nil
	}
	if j.left[key.to] {
		for _, m := range t.arrived {
			if m.sender != nil {
				m.sender.finish(&RankError{key.to, errors.New("it has ended without receiving this message")})
			}
		}
		t.arrived = nil
	}
}

// leave notes that a rank has ended, and returns the error that it noted first. If the rank failed, so do all requests.
func (j *job) leave(rank int, err error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.left[rank] {
		return j.errs[rank]
	}
	j.left[rank], j.errs[rank] = true, err
	if err == nil || j.failed != nil {
		for key, t := range j.routes {
			j.match(key, t)
		}
		return err
	}
	j.failed = &RankError{rank, err}
	if errors.Is(err, ErrRank) {
		j.failed = err
	}
	for _, t := range j.routes {
		t.fail(j.failed)
	}
	return err
}

// fail ends all requests.
func (t *traffic) fail(err error) {
	for _, r := range t.receives {
		r.finish(err)
	}
	for _, m := range append(t.arrived, t.flying...) {
		if m.sender != nil {
			m.sender.finish(err)
		}
	}
	*t = traffic{}
}

package mpi

import (
	"fmt"
	"sync/atomic"
	"time"
)

// MaxTag is the largest tag of a message. MPI has tags up to 32767 everywhere, and the upper half is for collectives.
const MaxTag = 1<<14 - 1

// Config says how to join a job, and how long to wait in it.
type Config struct {
	// Library is the file name of libmpi; "" searches what the launcher and the system offer, and
	// [None] makes this process a job of its own.
	Library string

	// Stall is the time after which a wait calls Stalled, and again after each further one; 0 means a minute.
	Stall   time.Duration
	Stalled func(Stall) // on the goroutine that waits; nil for none

	// Limit is the time after which a wait fails with [ErrLimit]; 0 means never.
	Limit time.Duration
}

// None is the [Config.Library] of processes that are jobs of their own.
const None = "none"

// Comm is a job as one of its ranks sees it. Its methods may be called from several goroutines, but those of collectives
// by one at a time.
type Comm struct {
	rank, size int
	cfg        Config
	carrier    carrier
	round      uint32 // collectives so far

	messages, bytes atomic.Int64
	waited          atomic.Int64 // nanoseconds
}

// A carrier moves the messages of a rank.
type carrier interface {
	// start begins a request, which ends by finish on any goroutine. Requests with the same peer
	// and tag match in the order in which they start.
	start(r *Request)
	// wait waits until a request has ended, or for some time, and reports whether it has ended.
	wait(r *Request, atMost time.Duration) bool
	// leave ends this rank, after a barrier of all, and does not return.
	leave(code int)
	// abort ends all ranks at once, and does not return.
	abort(code int)
	// name describes the library.
	name() string
}

// Stats counts what a rank has sent, and the time that its goroutines waited.
type Stats struct {
	Messages, Bytes int64
	Waited          time.Duration
}

func newComm(rank, size int, cfg Config, c carrier) *Comm {
	if cfg.Stall <= 0 {
		cfg.Stall = time.Minute
	}
	return &Comm{rank: rank, size: size, cfg: cfg, carrier: c}
}

// Rank returns the number of this rank, from 0.
func (c *Comm) Rank() int { return c.rank }

// Size returns the number of ranks.
func (c *Comm) Size() int { return c.size }

// Library describes what carries the messages: a library with its version, "local", or "none" for a single rank.
func (c *Comm) Library() string { return c.carrier.name() }

// Stats returns the counts so far.
func (c *Comm) Stats() Stats {
	return Stats{c.messages.Load(), c.bytes.Load(), time.Duration(c.waited.Load())}
}

// Leave ends this rank after all others have called it too. It does not return: the process ends with the code as its
// status, through the C library's exit function if there is an MPI, and in [Local] the goroutine ends.
func (c *Comm) Leave(code int) {
	// MPICH 5 makes no progress while it waits for the others in MPI_Finalize, and their messages may need it.
	if err := c.Barrier(); err != nil {
		c.Abort(max(code, 1))
	}
	c.carrier.leave(code)
}

// Abort ends all ranks at once, this process with the code as its status. It does not return.
func (c *Comm) Abort(code int) { c.carrier.abort(code) }

// Send begins to send data to a rank. The data must neither change nor be freed until the request has ended.
func (c *Comm) Send(to, tag int, data []byte) *Request {
	return c.begin(&Request{peer: to, tag: tag, data: data}, MaxTag)
}

// Recv begins to receive a message of exactly len(into) bytes from a rank. The memory must neither be read nor freed until the request
// has ended.
func (c *Comm) Recv(from, tag int, into []byte) *Request {
	return c.begin(&Request{peer: from, tag: tag, data: into, receive: true}, MaxTag)
}

func (c *Comm) begin(r *Request, maxTag int) *Request {
	r.done = make(chan struct{})
	if !r.receive {
		c.messages.Add(1)
		c.bytes.Add(int64(len(r.data)))
	}
	switch {
	case r.peer < 0 || r.peer >= c.size:
		r.finish(fmt.Errorf("%w: rank %d of %d", ErrRequest, r.peer, c.size))
	case r.tag < 0 || r.tag > maxTag:
		r.finish(fmt.Errorf("%w: tag %d, not in 0 to %d", ErrRequest, r.tag, maxTag))
	default:
		c.carrier.start(r)
	}
	return r
}

// Wait waits until all requests have ended, and returns the error of the first that failed without waiting for those after it. After an
// error other requests may still use their memory: the job can only end.
func (c *Comm) Wait(requests ...*Request) error {
	for _, r := range requests {
		if !r.Done() {
			if err := c.await(r); err != nil {
				return err
			}
		}
		if r.err != nil {
			return r.err
		}
	}
	return nil
}

// await waits for one request. It fails only if that takes too long.
func (c *Comm) await(r *Request) error {
	begin := time.Now()
	defer func() { c.waited.Add(int64(time.Since(begin))) }()
	for waited := time.Duration(0); ; {
		next := c.cfg.Stall - waited%c.cfg.Stall
		if c.cfg.Limit > 0 {
			next = min(next, max(0, c.cfg.Limit-waited))
		}
		if c.carrier.wait(r, next) {
			return nil
		}
		waited = time.Since(begin)
		if c.cfg.Limit > 0 && waited >= c.cfg.Limit {
			return limitError(r, waited)
		}
		if c.cfg.Stalled != nil {
			c.cfg.Stalled(stallOf(r, waited))
		}
	}
}

package mpi

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// Local runs f as n ranks of this process, one goroutine each, and returns their errors. If one of them fails or panics, or ends its goroutine,
// the requests of all others fail with a [RankError], and so does what waits for a rank that has returned; errors that follow
// from another rank's are left out.
func Local(n int, cfg LocalConfig, f func(*Comm) error) error {
	j := newJob(n, cfg)
	errs := make([]error, n)
	var all sync.WaitGroup
	for rank := range n {
		all.Go(func() { errs[rank] = j.run(rank, f) })
	}
	all.Wait()
	var first, after []error
	for rank, err := range errs {
		switch {
		case errors.Is(err, ErrRank):
			after = append(after, err)
		case err != nil:
			first = append(first, &RankError{rank, err})
		}
	}
	if first == nil {
		first = after
	}
	return errors.Join(first...)
}

// alone returns a job of one rank: a local one that ends the process.
func alone(cfg Config) *Comm {
	return newComm(0, 1, cfg, &local{job: newJob(1, LocalConfig{}), process: true})
}

// local is one rank of a job in this process, as a carrier.
type local struct {
	*job
	rank    int
	process bool // the rank is the process
}

// run runs one rank.
func (j *job) run(rank int, f func(*Comm) error) (err error) {
	returned := false
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n\n%s", v, debug.Stack())
		} else if !returned {
			err = errors.New("its goroutine has ended")
		}
		err = j.leave(rank, err)
	}()
	err = f(newComm(rank, j.size, j.cfg.Config, &local{job: j, rank: rank}))
	returned = true
	return err
}

func (l *local) start(r *Request) { l.post(l.rank, r) }

func (l *local) wait(r *Request, atMost time.Duration) bool {
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-r.done:
		return true
	case <-timer.C:
		return false
	}
}

func (l *local) name() string {
	if l.process {
		return None
	}
	return "local"
}

func (l *local) leave(code int) {
	if l.process {
		os.Exit(code)
	}
	var err error
	if code != 0 {
		err = fmt.Errorf("exit status %d", code)
	}
	_ = l.job.leave(l.rank, err)
	runtime.Goexit()
}

func (l *local) abort(code int) { l.leave(max(code, 1)) }

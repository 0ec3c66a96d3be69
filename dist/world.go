package dist

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/domain"
	"github.com/gotaichi/ti/internal/mpi"
	"github.com/gotaichi/ti/internal/session"
	"github.com/gotaichi/ti/internal/store"
)

// Config says how to join. Main takes the environment's.
type Config struct {
	// Library is the file name of libmpi; "" searches what the launcher and the
	// system offer. "none" makes every process a job of its own. [TI_MPI]
	Library string

	// Stall is the time after which a rank that waits says so on standard error, and for
	// which rank; 0 means a minute. The job goes on. [TI_MPI_STALL]
	Stall time.Duration

	// Limit is the time after which such a wait ends the job; 0 means never.
	// [TI_MPI_LIMIT]
	Limit time.Duration
}

// A World is the job as one rank sees it. Its methods may be called from any
// goroutine, one at a time.
type World struct {
	comm *mpi.Comm
	of   map[*store.Store]*runtimeOf
	here bool // the ranks are goroutines of this process

	spoil func(rows []byte) // for tests
}

// runtimeOf is a runtime with what it knows of its divided trees.
type runtimeOf struct {
	session *session.Runtime
	domain  *domain.World
}

// Main joins the job, runs f and ends the process, with status 0 if f returned nil
// on every rank. The error or panic of a rank is printed once, with the rank, and
// ends the whole job. Main leaves through the exit function of the C library, since
// some MPI libraries sign off there.
func Main(f func(w *World) error) {
	cfg, err := environment(os.Getenv)
	var w *World
	if err == nil {
		w, err = Join(cfg)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := w.guarded(f); err != nil {
		fmt.Fprintf(os.Stderr, "rank %d of %d: %v\n", w.Rank(), w.Size(), err)
		w.comm.Abort(1)
	}
	w.Exit(0)
}

// guarded is f with panics as errors.
func (w *World) guarded(f func(w *World) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n\n%s", v, debug.Stack())
		}
	}()
	return f(w)
}

// environment is what the environment says about how to join.
func environment(env func(string) string) (cfg Config, err error) {
	cfg.Library = env("TI_MPI")
	for _, v := range []struct {
		name string
		to   *time.Duration
	}{{"TI_MPI_STALL", &cfg.Stall}, {"TI_MPI_LIMIT", &cfg.Limit}} {
		text := env(v.name)
		if text == "" {
			continue
		}
		if *v.to, err = time.ParseDuration(text); err != nil || *v.to < 0 {
			return cfg, fmt.Errorf("dist: the environment variable %s is %q, and not a time such as 90s or 2m", v.name, text)
		}
	}
	return cfg, nil
}

// Local runs f as n ranks of this process, side by side, each with runtimes of its
// own, and joins their errors. Messages are copies in memory: for go test, the race detector and debuggers.
// One rank's failure makes all others fail with [ErrRank].
func Local(n int, f func(w *World) error) error {
	if n < 1 {
		return fmt.Errorf("dist: Local with %d ranks; there is at least one", n)
	}
	return local(n, mpi.LocalConfig{}, f)
}

func local(n int, cfg mpi.LocalConfig, f func(w *World) error) error {
	return mpi.Local(n, cfg, func(c *mpi.Comm) error { return f(newWorld(c, true)) })
}

// Join is [Main] for programs that cannot leave control: they must call
// [World.Exit] at the end. It fails with [ErrMPI] if a launcher started the process
// and no library fits, and never falls back to single processes then.
func Join(cfg Config) (*World, error) {
	if cfg.Stall < 0 || cfg.Limit < 0 {
		return nil, fmt.Errorf("dist: Stall %v and Limit %v; times are not negative", cfg.Stall, cfg.Limit)
	}
	c, err := mpi.Join(mpi.Config{Library: cfg.Library, Stall: cfg.Stall, Limit: cfg.Limit, Stalled: func(s mpi.Stall) { fmt.Fprintf(os.Stderr, "dist: %v\n", s) }})
	if err != nil {
		return nil, fmt.Errorf("dist: %w", err)
	}
	return newWorld(c, false), nil
}

func newWorld(c *mpi.Comm, here bool) *World {
	return &World{comm: c, of: map[*store.Store]*runtimeOf{}, here: here}
}

// Rank returns this process's number, from 0; Size how many there are. Local.
func (w *World) Rank() int { return w.comm.Rank() }

// Size returns the number of ranks. Local.
func (w *World) Size() int { return w.comm.Size() }

// Library describes what carries the messages, "none" with a single rank. Local.
func (w *World) Library() string { return w.comm.Library() }

// New starts a runtime whose kernels may use divided fields. cfg must be equal on
// all ranks but for Threads, Device and Stdout; 0 threads means the processors that
// the launcher left to this rank. The runtime is [ti.Config.Deterministic]. What kernels print appears on rank 0, in the
// order of the iterations.
func (w *World) New(cfg ti.Config) (*ti.Runtime, error) {
	cfg.Deterministic = true
	switch {
	case cfg.Threads != 0 || os.Getenv("TI_THREADS") != "":
	case w.here:
		cfg.Threads = max(1, runtime.NumCPU()/w.Size())
	case w.Size() > 1:
		mine, machine := processors()
		cfg.Threads = threadsFor(os.Getenv, mine, machine)
	}
	if w.Rank() > 0 {
		cfg.Stdout = io.Discard
	}
	rt, err := ti.New(cfg)
	if err != nil {
		return nil, err
	}
	s := (*session.Runtime)(rt)
	d := domain.NewWorld(w.comm, s.Store())
	d.Spoil = w.spoil
	if err := s.Join(d); err != nil {
		_ = rt.Close()
		return nil, err
	}
	w.of[s.Store()] = &runtimeOf{s, d}
	return rt, nil
}

// Agree returns, on every rank, nil if err is nil on all, and otherwise the error
// of the lowest rank that has one, wrapped in a *RankError.
func (w *World) Agree(err error) error {
	var text []byte
	if err != nil {
		host, _ := os.Hostname()
		text = fmt.Appendf(nil, "%s\x00%v", host, err)
	}
	all, failed := w.comm.AllGather(text)
	if failed != nil {
		return diverged(failed)
	}
	for rank, b := range all {
		if len(b) == 0 {
			continue
		}
		host, what := split(b)
		if rank != w.Rank() {
			err = fmt.Errorf("%s", what)
		}
		return &RankError{rank, host, err}
	}
	return nil
}

func split(b []byte) (host, what string) {
	for i, c := range b {
		if c == 0 {
			return string(b[:i]), string(b[i+1:])
		}
	}
	return "", string(b)
}

// Sum returns v summed over ranks, in the order of their numbers.
func (w *World) Sum(v float64) float64 {
	return w.fold(v, func(a, b float64) float64 { return a + b })
}

// Max returns the largest v of all ranks.
func (w *World) Max(v float64) float64 {
	return w.fold(v, func(a, b float64) float64 { return max(a, b) })
}

// Stats returns what this rank has sent and waited for. Local.
func (w *World) Stats() Stats {
	c := w.comm.Stats()
	s := Stats{Messages: c.Messages, Bytes: c.Bytes, Wait: c.Waited}
	for _, r := range w.of {
		n := r.domain.Stats()
		s.Exchanges, s.Skipped = s.Exchanges+n.Exchanges, s.Skipped+n.Needless
	}
	return s
}

// Stats counts messages.
type Stats struct {
	Exchanges int64         // halo exchanges made
	Skipped   int64         // found needless: halo still valid
	Messages  int64         // sent
	Bytes     int64         // sent
	Wait      time.Duration // in which nothing was computed
}

// Exit ends the process, after all ranks have called it.
func (w *World) Exit(code int) { w.comm.Leave(code) }

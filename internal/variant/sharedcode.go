package variant

import (
	"errors"
	"sync"
	"time"

	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/target"
)

// sharedCode is the machine code of all variants, of whatever programs, that need
// the same.
type sharedCode struct {
	mu      sync.Mutex
	entries map[target.Key]*codeEntry
}

// A codeEntry is the code of one key.
type codeEntry struct {
	key      target.Key
	uses     int // variants that have it
	once     sync.Once
	compiled *job.Compiled
	loaded   launch.Loaded
	err      error
}

// compile returns the code of a kernel, compiled now or before. The caller gives it back
// with release.
func (s *sharedCode) compile(rt *Maker, m launch.Machine, r *ready) (*codeEntry, error) {
	s.mu.Lock()
	e := s.entries[r.answer.Key]
	if e == nil {
		e = &codeEntry{key: r.answer.Key}
		if s.entries == nil {
			s.entries = map[target.Key]*codeEntry{}
		}
		s.entries[r.answer.Key] = e
	}
	e.uses++
	s.mu.Unlock()
	e.once.Do(func() {
		start := time.Now()
		var hit bool
		if e.compiled, hit, e.err = rt.kept(r); e.err == nil {
			e.loaded, e.err = m.Load(e.compiled.Launch, e.compiled.Pieces)
			if rt.Opt.Compile.FailIn == "load" && !r.reduced {
				e.err = errors.New("a fault was asked for")
			}
			if e.err != nil && !r.shipped { // code that was shipped cannot be made again
				e.err = &job.Fault{Err: e.err}
			}
		}
		if hit {
			rt.CacheHits.Add(1)
		} else {
			rt.Compiled.Add(1)
		}
		rt.CompileTime.Add(int64(time.Since(start)))
	})
	if e.err != nil {
		err := e.err
		s.release(e)
		return nil, err
	}
	return e, nil
}

// release gives the code of an entry back. No thread may be in it if it was the
// last user's.
func (s *sharedCode) release(e *codeEntry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.uses--; e.uses > 0 {
		return
	}
	delete(s.entries, e.key)
	if e.loaded != nil {
		_ = e.loaded.Close()
	}
}

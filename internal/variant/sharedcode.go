package variant

import (
	"sync"

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

// entry returns that of a key, which the caller uses until it gives it back with release.
func (s *sharedCode) entry(key target.Key) *codeEntry {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries[key]
	if e == nil {
		e = &codeEntry{key: key}
		if s.entries == nil {
			s.entries = map[target.Key]*codeEntry{}
		}
		s.entries[key] = e
	}
	e.uses++
	return e
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

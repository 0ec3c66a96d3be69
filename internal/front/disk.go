package front

import (
	"fmt"
	"os"
	"sync"

	"github.com/gotaichi/ti/internal/cache"
	"github.com/gotaichi/ti/internal/config"
)

// A Disk is the cache of a runtime. It is opened when the first kernel is compiled.
type Disk struct {
	once sync.Once
	at   *cache.Cache // nil if there is none

	writing sync.RWMutex // read-locked by what writes
	shut    bool
}

// Put writes to the cache, unless the runtime is closed: a compilation that Close has given up goes on in
// libLLVM, and its program may have removed the folder since.
func (d *Disk) Put(key cache.Key, data []byte) {
	d.writing.RLock()
	defer d.writing.RUnlock()
	if !d.shut {
		d.at.Put(key, data)
	}
}

// ShutDown waits for what is being written. Nothing is from then on.
func (d *Disk) ShutDown() {
	d.writing.Lock()
	defer d.writing.Unlock()
	d.shut = true
}

// Cache returns what is on disk, nil for nothing: a program without the compiler has nothing
// to keep. Where the compiler checks itself nothing may be left out.
func (s *Env) Cache() *cache.Cache {
	if !Linked {
		return nil
	}
	o := s.Opt
	if o.Cache.Policy == config.CacheOff || o.Compile.Verify || o.Compile.VerifyTasks {
		return nil
	}
	s.Disk.once.Do(func() {
		warn := func(problem string) { fmt.Fprintf(os.Stderr, "ti: %s\n", problem) }
		version := compilerVersion()
		if version == "" {
			return
		}
		policy := [...]cache.Policy{config.CacheLRU: cache.LRU, config.CacheFIFO: cache.FIFO, config.CacheVersion: cache.Version, config.CacheNever: cache.Never}[o.Cache.Policy]
		c, err := cache.Open(cache.Options{Dir: o.Cache.Dir, Policy: policy, MaxBytes: o.Cache.MaxBytes, Cleaning: o.Cache.Cleaning, Version: version, Warn: warn})
		if err != nil {
			warn(fmt.Sprintf("compiled kernels are not kept: %v", err))
			return
		}
		s.Disk.at = c
	})
	return s.Disk.at
}

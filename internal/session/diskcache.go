package session

import (
	"debug/elf"
	"fmt"
	"os"
	"runtime/debug"
	"sync"

	"github.com/gotaichi/ti/internal/config"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/cache"
	"github.com/gotaichi/ti/internal/job"
)

// A diskCache is the cache of a runtime. It is opened when the first kernel is compiled.
type diskCache struct {
	once sync.Once
	at   *cache.Cache // nil if there is none

	writing sync.RWMutex // read-locked by what writes
	shut    bool
}

// put writes to the cache, unless the runtime is closed: a compilation that Close has given up goes on in
// libLLVM, and its program may have removed the folder since.
func (d *diskCache) put(key cache.Key, data []byte) {
	d.writing.RLock()
	defer d.writing.RUnlock()
	if !d.shut {
		d.at.Put(key, data)
	}
}

// shutDown waits for what is being written. Nothing is from then on.
func (d *diskCache) shutDown() {
	d.writing.Lock()
	defer d.writing.Unlock()
	d.shut = true
}

// Disk returns the cache of rt, nil if it has none: a program without the compiler has nothing
// to keep. Where the compiler checks itself nothing may be left out.
func (rt *Runtime) Disk() *cache.Cache {
	if !compilerLinked {
		return nil
	}
	o := &rt.opt
	if o.Cache.Policy == config.CacheOff || o.Compile.Verify || o.Compile.VerifyTasks {
		return nil
	}
	rt.disk.once.Do(func() {
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
		rt.disk.at = c
	})
	return rt.disk.at
}

// kept returns the code of a kernel that was compiled ahead of time or is in the cache on disk, or compiles
// it and keeps it there.
func (rt *Runtime) kept(r *ready) (c *job.Compiled, hit bool, err error) {
	if r.shipped {
		k, pieces, err := rt.shipped.set.Find(ahead.Key(r.answer.Key))
		return &job.Compiled{Launch: k, Pieces: pieces}, true, err
	}
	disk, key := rt.Disk(), cache.Key(r.answer.Code)
	if disk == nil || key == (cache.Key{}) { // a libLLVM that the system has found by a bare name has no key
		c, err = rt.compileUnit(r)
		return c, false, err
	}
	if data, ok := disk.Get(key); ok {
		if c, err := job.ReadCompiled(data); err == nil {
			r.keep(&rt.disk)
			return c, true, nil
		}
	}
	if c, err = rt.compileUnit(r); err == nil {
		rt.disk.put(key, c.Append(nil))
		r.keep(&rt.disk)
	}
	return c, false, err
}

// keep puts what is known of a kernel into the index by source.
func (r *ready) keep(disk *diskCache) {
	if r.index != nil {
		disk.put(*r.index, r.answer.Append(nil))
	}
}

// compileUnit compiles a kernel, and tells how long it took if TI_TIME asks for that.
func (rt *Runtime) compileUnit(r *ready) (*job.Compiled, error) {
	u, err := r.unit()
	if err != nil {
		return nil, err
	}
	c, err := compile(u)
	if err == nil && rt.opt.Time {
		_ = u.WriteTiming(os.Stderr)
	}
	return c, err
}

// modulePath is that of this package.
const modulePath = "github.com/gotaichi/ti"

// compilerVersion tells this version of the compiler from others: the module's version and sum,
// or, of what is being worked on, the build of the program. It is empty if neither is known.
func compilerVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == modulePath && m.Replace == nil && m.Sum != "" {
			return m.Version + " " + m.Sum + " " + info.GoVersion
		}
	}
	return buildID()
}

// Version is this package's, for people: "(devel)" while it is being worked on.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range append(info.Deps, &info.Main) {
			if m.Path == modulePath && m.Replace == nil && m.Version != "" {
				return m.Version
			}
		}
	}
	return "(devel)"
}

// buildID is what the Go linker has put into this program, which tells its content from that of
// others; "" if it cannot be read.
func buildID() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	s := f.Section(".note.go.buildid")
	if s == nil {
		return ""
	}
	data, err := s.Data()
	if err != nil {
		return ""
	}
	return "build " + string(data)
}

package variant

import (
	"errors"
	"os"
	"time"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/cache"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/job"
)

// kept returns the code of a kernel that was compiled ahead of time or is in the cache on disk, or compiles
// it and keeps it there.
func (m *Maker) kept(r *ready) (c *job.Compiled, hit bool, err error) {
	if r.shipped {
		k, pieces, err := m.Shipped.Set.Find(ahead.Key(r.answer.Key))
		return &job.Compiled{Launch: k, Pieces: pieces}, true, err
	}
	disk, key := m.Cache(), cache.Key(r.answer.Code)
	if disk == nil || key == (cache.Key{}) { // a libLLVM that the system has found by a bare name has no key
		c, err = m.compileUnit(r)
		return c, false, err
	}
	if data, ok := disk.Get(key); ok {
		if c, err := job.ReadCompiled(data); err == nil {
			r.keep(&m.Disk)
			return c, true, nil
		}
	}
	if c, err = m.compileUnit(r); err == nil {
		m.Disk.Put(key, c.Append(nil))
		r.keep(&m.Disk)
	}
	return c, false, err
}

// keep puts what is known of a kernel into the index by source.
func (r *ready) keep(disk *front.Disk) {
	if r.index != nil {
		disk.Put(*r.index, r.answer.Append(nil))
	}
}

// compileUnit compiles a kernel, and tells how long it took if TI_TIME asks for that.
func (m *Maker) compileUnit(r *ready) (*job.Compiled, error) {
	u, err := r.unit()
	if err != nil {
		return nil, err
	}
	c, err := front.Compile(u)
	if err == nil && m.Opt.Time {
		_ = u.WriteTiming(os.Stderr)
	}
	return c, err
}

// codeOf returns the code of a kernel, compiled now or before. The caller gives it back
// with release.
func (m *Maker) codeOf(r *ready) (*codeEntry, error) {
	e := m.codes.entry(r.answer.Key)
	e.once.Do(func() {
		start := time.Now()
		var hit bool
		if e.compiled, hit, e.err = m.kept(r); e.err == nil {
			e.loaded, e.err = m.Machine.Load(e.compiled.Launch, e.compiled.Pieces)
			if m.Opt.Compile.FailIn == "load" && !r.reduced {
				e.err = errors.New("a fault was asked for")
			}
			if e.err != nil && !r.shipped { // code that was shipped cannot be made again
				e.err = &job.Fault{Err: e.err}
			}
		}
		if hit {
			m.CacheHits.Add(1)
		} else {
			m.Compiled.Add(1)
		}
		m.CompileTime.Add(int64(time.Since(start)))
	})
	if e.err != nil {
		err := e.err
		m.codes.release(e)
		return nil, err
	}
	return e, nil
}

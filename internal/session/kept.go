package session

import (
	"os"

	"github.com/gotaichi/ti/internal/front"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/cache"
	"github.com/gotaichi/ti/internal/job"
)

// kept returns the code of a kernel that was compiled ahead of time or is in the cache on disk, or compiles
// it and keeps it there.
func (rt *Runtime) kept(r *ready) (c *job.Compiled, hit bool, err error) {
	if r.shipped {
		k, pieces, err := rt.env.Shipped.Set.Find(ahead.Key(r.answer.Key))
		return &job.Compiled{Launch: k, Pieces: pieces}, true, err
	}
	disk, key := rt.env.Cache(), cache.Key(r.answer.Code)
	if disk == nil || key == (cache.Key{}) { // a libLLVM that the system has found by a bare name has no key
		c, err = rt.compileUnit(r)
		return c, false, err
	}
	if data, ok := disk.Get(key); ok {
		if c, err := job.ReadCompiled(data); err == nil {
			r.keep(&rt.env.Disk)
			return c, true, nil
		}
	}
	if c, err = rt.compileUnit(r); err == nil {
		rt.env.Disk.Put(key, c.Append(nil))
		r.keep(&rt.env.Disk)
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
func (rt *Runtime) compileUnit(r *ready) (*job.Compiled, error) {
	u, err := r.unit()
	if err != nil {
		return nil, err
	}
	c, err := front.Compile(u)
	if err == nil && rt.opt.Time {
		_ = u.WriteTiming(os.Stderr)
	}
	return c, err
}

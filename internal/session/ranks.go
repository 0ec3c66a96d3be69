package session

import (
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/engine"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/variant"
)

// Join has the runtime run its kernels together with others. Nothing has been placed or loaded yet, and Config.Deterministic is set.
func (rt *Runtime) Join(r variant.Ranks) error {
	if err := rt.usable("Join"); err != nil {
		return err
	}
	_, processors := rt.maker.Machine.(*engine.Engine)
	switch {
	case !processors || !rt.maker.Compiles():
		return diag.Errorf(diag.ErrArch, "several ranks with Arch %v; they run compiled code on processors: take LLVM or Wasm", rt.opt.Arch)
	case rt.opt.Debug || rt.opt.Cover != "":
		return diag.Errorf(diag.ErrArgs, "several ranks with Debug or Cover, which run each loop in order; leave them out")
	case rt.way.Queue() != nil:
		return diag.Errorf(diag.ErrArgs, "several ranks with Batch %d; exchanges come before each launch: take 0 or 1", rt.opt.Batch)
	}
	rt.opt.Compile.Ranks = true
	rt.maker.Ranks = r
	return nil
}

// Store has the trees.
func (rt *Runtime) Store() *store.Store { return rt.maker.Store }

// Locked calls f with the launch lock held.
func (rt *Runtime) Locked(f func() error) error {
	rt.maker.Turn.Lock()
	defer rt.maker.Turn.Unlock()
	if err := rt.usable("a call"); err != nil {
		return err
	}
	return f()
}

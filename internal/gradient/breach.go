package gradient

import (
	"fmt"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/site"
	"github.com/gotaichi/ti/internal/variant"
)

// breach is the error of what the history has found, nil for nothing.
func (t *tape) breach() error {
	if t.history == nil {
		return nil
	}
	b, count := t.history.First(t.clear.Load())
	if b == nil {
		if short, room := t.history.Short(); short {
			return diag.Errorf(diag.ErrMemory, "the launches under a tape touch so many elements that the rules of data access were not checked for all of them: there were %d bytes for that; record smaller fields or fewer launches, raise Config.MemoryLimit, or leave Debug off", room)
		}
		return nil
	}
	switch {
	case b.Drop:
		return dropError(b, count)
	case b.Changed:
		return changeError(b, count)
	}
	e := &variant.RuntimeError{Kernel: b.NowBy, Pos: variant.PlaceOf(b.Now.Place), Err: diag.ErrAccess, Count: count, Field: b.What, Index: b.Index, Other: variant.PlaceOf(b.Before.Place)}
	does := map[site.Kind]string{site.Write: "overwrites", site.Update: "changes"}[b.Now.Kind]
	why := "the backward pass would find the new value"
	if b.Adjoint {
		why = "its adjoint would be that of both values"
	}
	e.Msg = fmt.Sprintf("launch %d under the tape %s %s%v here, which launch %d, of %s, has %s at %s: %s; keep what later launches overwrite under an index of its own, or see Checkpoint",
		b.NowLaunch, does, b.What, e.Index, b.BeforeLaunch, b.BeforeBy, did(b.Before.Kind), variant.Place(e.Other), why)
	return e
}

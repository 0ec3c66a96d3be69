package variant

import (
	"fmt"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/record"
	"github.com/gotaichi/ti/internal/site"
)

// raceFailure is the error of the races found, nil if there are none.
func (v *Variant) raceFailure(t *record.Races) error {
	if t == nil {
		return nil
	}
	kernel := v.Kernel.Name
	r, count := t.First()
	short, room := t.Short()
	switch {
	case r == nil && short:
		return diag.Errorf(diag.ErrMemory, "%s ran to its end, but a loop touches so many elements that races were not looked for among all of them: there were %d bytes for that; launch it on smaller fields, raise Config.MemoryLimit, or leave Debug off", kernel, room)
	case r == nil:
		return nil
	}
	now, before := t.Site(r.Later), t.Site(r.First)
	e := &RuntimeError{
		Kernel: kernel, Pos: PlaceOf(now.Place), Err: diag.ErrRace, Count: count, Field: now.What, Index: r.Index,
		Loop: r.Iterated, Other: PlaceOf(before.Place), OtherLoop: r.Before,
	}
	e.Msg = fmt.Sprintf("iteration %v %s %s%v here, and iteration %v %s it at %s", e.Loop,
		map[site.Kind]string{site.Read: "reads", site.Write: "writes", site.Update: "updates"}[now.Kind], now.What, e.Index, e.OtherLoop,
		map[site.Kind]string{site.Read: "read", site.Write: "wrote", site.Update: "updated"}[before.Kind], Place(e.Other))
	return e
}

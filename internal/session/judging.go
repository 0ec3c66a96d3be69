//go:build !ti_ahead

package session

// Judge makes rt record from its first launch on what runs within [Judge.Record]. It has to be called before programs are loaded.
func (rt *Runtime) Judge() *Judge { return rt.maker.newJudge() }

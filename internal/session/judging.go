//go:build !ti_ahead

package session

import "github.com/gotaichi/ti/internal/variant"

// Judge makes rt record from its first launch on what runs within [Judge.Record]. It has to be called before programs
// are loaded.
func (rt *Runtime) Judge() *variant.Judge { return rt.maker.NewJudge() }

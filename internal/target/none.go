package target

import "github.com/gotaichi/ti/internal/ir"

// None is a compiler that makes no code: that of a program which has all of it already, or of
// one that is told why there is none.
type None struct {
	Of  Traits
	Why error // nil is [ErrNoLibrary]
}

// Traits are those that it was given.
func (n None) Traits() Traits { return n.Of }

// Stages are none.
func (n None) Stages() []string { return nil }

// Identity fails.
func (n None) Identity(Options) (string, error) { return "", n.why() }

// Translate fails.
func (n None) Translate(*ir.Kernel, Options) (Translation, error) { return nil, n.why() }

func (n None) why() error {
	if n.Why == nil {
		return ErrNoLibrary
	}
	return n.Why
}

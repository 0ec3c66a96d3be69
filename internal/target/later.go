package target

import (
	"sync"

	"github.com/gotaichi/ti/internal/ir"
)

// Later is a compiler that is made in the background from now on. Each of its methods waits until it is
// there. If it cannot be made, it is as [None], and the error is that of whatever would make code.
func Later(of func() (Compiler, error)) Compiler {
	l := &later{made: sync.OnceValue(func() Compiler {
		c, err := of()
		if err != nil {
			return None{Why: err}
		}
		return c
	})}
	go l.made()
	return l
}

type later struct{ made func() Compiler }

// Ready waits until it is known whether c makes code, and returns why it does not. A compiler that is none of this package's does.
func Ready(c Compiler) error {
	if l, is := c.(*later); is {
		c = l.made()
	}
	if n, is := c.(None); is {
		return n.why()
	}
	return nil
}

func (l *later) Traits() Traits { return l.made().Traits() }

func (l *later) Stages() []string { return l.made().Stages() }

func (l *later) Identity(o Options) (string, error) { return l.made().Identity(o) }

func (l *later) Translate(k *ir.Kernel, o Options) (Translation, error) {
	return l.made().Translate(k, o)
}

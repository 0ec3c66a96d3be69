package driver

import (
	"crypto/sha256"
	"fmt"

	"github.com/gotaichi/ti/internal/target"
)

// CodeKey identifies the code of u as this compiler makes it on this machine.
// It covers what [Unit.Key] does, and all that is neither kernel nor option.
func (u *Unit) CodeKey() (key target.Key, err error) {
	identity, err := u.o.Compiler.Identity(target.Options{Options: u.o.Options})
	if err != nil {
		return key, fmt.Errorf("code of kernel %s has no key: %w", u.k.Name, err)
	}
	h := sha256.New()
	fmt.Fprintf(h, "kernel 1 %x\n%d %+v\n%s", u.Key, maxText, u.o.Compiler.Traits(), identity)
	return target.Key(h.Sum(nil)), nil
}

// For returns u as it is to be compiled for the machines of another compiler, with any number of
// threads. Its Key is still that of u.
func (u *Unit) For(c target.Compiler) *Unit {
	other := *u
	other.o.Compiler, other.o.Threads, other.o.Timing = c, 0, nil
	return &other
}

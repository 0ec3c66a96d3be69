package driver

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/loader"
	"github.com/gotaichi/ti/internal/target"
)

// ErrFormat is the error for bytes that are no compiled kernel.
var ErrFormat = errors.New("no compiled kernel of this version, or a damaged one")

// Append appends the binary form of c to b: the descriptor behind its length, then the pieces.
func (c *Compiled) Append(b []byte) []byte {
	k := c.Launch.Append(nil)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(k)))
	return loader.AppendPieces(append(b, k...), c.Pieces)
}

// ReadCompiled reads what Append wrote, which must be all of data. The code is what it is: who
// keeps it has to protect it from damage.
func ReadCompiled(data []byte) (c *Compiled, err error) {
	if len(data) < 8 || binary.LittleEndian.Uint64(data) > uint64(len(data)-8) {
		return nil, ErrFormat
	}
	n := binary.LittleEndian.Uint64(data)
	c = &Compiled{}
	if c.Launch, err = launch.Read(data[8 : 8+n]); err == nil {
		c.Pieces, err = loader.ReadPieces(data[8+n:])
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return c, nil
}

// CodeKey tells the code of u, as this compiler makes it on this machine, from all other code.
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

// AheadKey tells what u computes from all else, wherever its source stands and whatever compiles
// it. So a kernel that was compiled ahead of time on another machine is found by it.
func (u *Unit) AheadKey() ahead.Key {
	h, o := sha256.New(), u.o.Options
	o.Threads, o.Verify, o.VerifyTasks = 0, false, false
	fmt.Fprintf(h, "ahead 1 %+v\n", o)
	_ = ir.PrintPlaceless(h, u.k) // a hash never fails
	u.at.describe(h, u.k)
	return ahead.Key(h.Sum(nil))
}

// Late are the fields of u whose extents are read at launch.
func (u *Unit) Late() map[string]string { return u.o.Launch }

// With returns u as it is to be compiled by another compiler for the same machine.
func (u *Unit) With(c target.Compiler) *Unit {
	other := *u
	other.o.Compiler = c
	return &other
}

// For returns u as it is to be compiled for the machines of another compiler, with any number of
// threads. Its Key is still that of u.
func (u *Unit) For(c target.Compiler) *Unit {
	other := *u
	other.o.Compiler, other.o.Threads, other.o.Timing = c, 0, nil
	return &other
}

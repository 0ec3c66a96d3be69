package hostabi

import (
	"context"
	"reflect"
)

// A Launcher is a kernel as its functions see it.
type Launcher interface {
	// Begin returns the frame of the code that is to run, with the launch lock, which End gives
	// back. It fails for a nil context and without the lock.
	Begin(ctx context.Context) (*Frame, error)
	End()

	// Misfit is the error of the nth argument, from 1, which does not fit; why says why not.
	// It gets words, since what is passed to an interface moves to the heap.
	Misfit(n int, why string) error
}

// A Frame is where a launch finds its arguments and leaves its results, and the code.
type Frame struct {
	Args, Results []uint64
	Code          Runner
}

// A Runner runs a kernel on the arguments in its slots.
type Runner interface {
	Run(ctx context.Context) error
}

// CallReflected runs the code with the arguments in, and sets out to the results. The caller
// holds the launch lock. misfit is the error of argument i, from 0, which does not fit.
func (f *Frame) CallReflected(ctx context.Context, sig *Signature, in, out []reflect.Value, misfit func(i int, why string) error) error {
	slots := f.Args
	for i := range in {
		c := &sig.In[i]
		if !c.putReflected(slots, in[i]) {
			return misfit(i, c.Misfit(addressOf(in[i])))
		}
		slots = slots[c.Slots():]
	}
	if err := f.Code.Run(ctx); err != nil {
		return err
	}
	slots = f.Results
	for i := range out {
		c := &sig.Out[i]
		c.get(out[i].Addr().UnsafePointer(), slots)
		slots = slots[c.Slots():]
	}
	return nil
}

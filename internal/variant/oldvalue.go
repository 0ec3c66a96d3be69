package variant

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/store"
)

// Where derivatives need the old values that atomics and appends returned, a launch under a tape is made of another
// variant of the kernel, which stores them in a field of the runtime. The tape copies what is in use of it, and puts
// it back before the backward pass. The field is large, and of its memory only what is written to comes into being.

const (
	mostOldValues = 1 << 26 // numbers
	oldValuesPath = "old values of atomics"
)

// oldNeed says whether launches of a kernel under a tape have to store old values.
type oldNeed struct {
	once sync.Once
	with *Variant // what stores them; nil if derivatives need none
	err  error

	Refused error // why no launch can store them, for a backward pass that needs them
}

// Recording returns the variant that stores the old values that the backward pass needs; nil if it needs none.
func (v *Variant) Recording() (*Variant, error) {
	if !v.Plan().old {
		return nil, nil
	}
	n := &v.Old
	n.once.Do(func() {
		var a *Variant
		if a, n.err = v.Derived(job.Record); a == nil || n.err != nil {
			return
		}
		_, err := a.prepare()
		if !front.Linked && errors.Is(err, diag.ErrArch) {
			return // else the program that recorded its kernels would have launched it
		}
		if _, no := errors.AsType[*job.NoDerivative](err); no {
			n.Refused = a.NoDerivative(err)
			return
		}
		if n.err = err; err == nil && a.Stores() {
			n.with = a
		}
	})
	return n.with, n.err
}

// oldValues returns the field of old values, which the first call makes.
func (m *Maker) oldValues() (*store.Field, error) {
	m.oldMu.Lock()
	defer m.oldMu.Unlock()
	if m.old == nil {
		n := int64(mostOldValues)
		for n > 1<<10 && 8*n > m.Budget.Left()/4 {
			n /= 2
		}
		c := &store.Field{}
		c.Init(reflect.TypeFor[int64]())
		c.Call(oldValuesPath)
		t := m.Store.NewScratch()
		t.Node.Dense("i", int(n)).Place(c)
		if err := c.Ready(); err != nil {
			return nil, err
		}
		m.old = c
	}
	return m.old, m.old.Ready()
}

// GiveOld puts old values where a launch finds them. The caller holds the launch lock.
func (m *Maker) GiveOld(values []int64) error {
	return m.old.Words(true, func(all []int64) error {
		copy(all, values)
		return nil
	})
}

// TakeOld copies what a launch of v has stored. The caller holds the launch lock.
func (v *Variant) TakeOld() (old []int64, err error) {
	err = v.Kernel.Program.Maker.old.Words(false, func(all []int64) error {
		if n := all[0]; n > int64(len(all)) {
			return v.tooManyOld(n, len(all))
		}
		old = slices.Clone(all[:all[0]])
		return nil
	})
	return old, err
}

func (v *Variant) tooManyOld(n int64, room int) error {
	return &RuntimeError{Kernel: v.Kernel.Name, Pos: PlaceOf(*v.Role.AsDerivative().RecordedAt), Err: diag.ErrMemory, Count: 1,
		Msg: fmt.Sprintf("derivatives need the old values that this and other atomics returned: those of this launch take %d bytes, and there is room for %d; let one launch do less, or raise Config.MemoryLimit", 8*n, 8*room)}
}

// Stores reports whether launches of v store old values.
func (v *Variant) Stores() bool {
	d := v.Role.AsDerivative()
	return d != nil && d.Mode.Records() && d.RecordedAt != nil
}

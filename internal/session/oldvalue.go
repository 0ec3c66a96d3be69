package session

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/gotaichi/ti/internal/front"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/store"
)

// Where derivatives need the old values that atomics and appends returned, a launch under a tape is made of another instance of the kernel, which
// stores them in a field of the runtime. The tape copies what is in use of it, and puts it back before the way back. The field is large, and
// of its memory only what is written to comes into being.

const (
	mostOldValues = 1 << 26 // numbers
	oldValuesPath = "old values of atomics"
)

// oldNeed says whether launches of a kernel under a tape have to store old values.
type oldNeed struct {
	once sync.Once
	with *instance    // what stores them; nil if derivatives need none
	at   launch.Place // where the first of them is returned
	err  error

	refused error // why no launch can store them, for a way back that needs them
}

// recording returns the instance that stores the old values that the way back needs; nil if it needs none.
func (inst *instance) recording() (*instance, error) {
	if !inst.plan().old {
		return nil, nil
	}
	n := &inst.old
	n.once.Do(func() {
		var a *instance
		if a, n.err = inst.derived(job.Record); a == nil || n.err != nil {
			return
		}
		_, err := a.prepare()
		if !front.Linked && errors.Is(err, diag.ErrArch) {
			return // else the program that recorded its kernels would have launched it
		}
		if _, no := errors.AsType[*job.NoDerivative](err); no {
			n.refused = a.noDerivative(err)
			return
		}
		if n.err = err; err == nil && a.stores() {
			n.with = a
		}
	})
	return n.with, n.err
}

// placeRecord adds the field of old values to a derivative.
func (inst *instance) placeRecord(d *derivative) error {
	c, err := inst.k.p.maker.oldValues()
	if err != nil {
		return err
	}
	d.Record, d.RecordSize, d.Recorded = oldValuesPath, int64(c.Shape()[0]), d.noteRecorded
	inst.add(oldValuesPath, c)
	return nil
}

// oldValues returns the field of old values, which the first call makes.
func (m *maker) oldValues() (*store.Field, error) {
	m.oldMu.Lock()
	defer m.oldMu.Unlock()
	if m.old == nil {
		n := int64(mostOldValues)
		for n > 1<<10 && 8*n > m.budget.Left()/4 {
			n /= 2
		}
		c := &store.Field{}
		c.Init(reflect.TypeFor[int64]())
		c.Call(oldValuesPath)
		t := m.store.NewScratch()
		t.Node.Dense("i", int(n)).Place(c)
		if err := c.Ready(); err != nil {
			return nil, err
		}
		m.old = c
	}
	return m.old, m.old.Ready()
}

// oldNumbers is the memory of the field. The caller holds the launch lock.
func (m *maker) oldNumbers() []int64 {
	return unsafe.Slice((*int64)(m.old.Start()), m.old.Shape()[0])
}

// takeOld copies what a launch of inst has stored. The caller holds the launch lock.
func (inst *instance) takeOld() ([]int64, error) {
	all := inst.k.p.maker.oldNumbers()
	if n := all[0]; n > int64(len(all)) {
		return nil, &RuntimeError{Kernel: inst.k.name, Pos: placeOf(*inst.role.derivative().recordedAt), Err: diag.ErrMemory, Count: 1,
			Msg: fmt.Sprintf("derivatives need the old values that this and other atomics returned: those of this launch take %d bytes, and there is room for %d; let one launch do less, or raise Config.MemoryLimit", 8*n, 8*len(all))}
	}
	return slices.Clone(all[:all[0]]), nil
}

// stores reports whether launches of inst store old values.
func (inst *instance) stores() bool {
	d := inst.role.derivative()
	return d != nil && d.Mode.Records() && d.recordedAt != nil
}

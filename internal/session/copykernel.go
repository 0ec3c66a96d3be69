package session

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/variant"

	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/store"
)

// This file copies the elements of large dense fields by kernels, which go in vectors: those of fields in words, and
// of others whose elements do not follow each other. The kernels are made of the language like those of programs. Go's
// loops (package store) remain for small fields, for the first copies, and wherever a kernel cannot run now: beside a
// launch, and in a program without a compiler. Both give the same bits.

const (
	fewestCopied = 1 << 14 // numbers: the loops of Go take less time than a launch is worth
	copiedByGo   = 1 << 22 // numbers that are copied before a kernel is compiled, which takes as long as these
	mostCopied   = 32      // components of an element: a kernel for more takes long to compile
)

// A copier has the kernels that copy the elements of a field. It is the [store.Copier] of it.
type copier struct {
	rt   *Runtime
	of   *store.Field
	ways [2]copyWay

	numbers int64 // in the field
	first   int64 // that Go copies before there is a kernel

	mu    sync.Mutex // guards freed, and that no kernel comes after it
	freed bool
}

// A copyWay is one way to copy.
type copyWay struct {
	moved   atomic.Int64 // numbers that Go has copied
	once    sync.Once
	variant atomic.Pointer[variant.Variant] // nil for none
}

// newCopier returns what copies the elements of a field, nil for one that Go copies as fast.
func (rt *Runtime) newCopier(c *store.Field) store.Copier {
	few, many := int64(fewestCopied), int64(copiedByGo)
	if t := int64(rt.maker.Opt.CopyFrom); t > 0 {
		few, many = t, t
	}
	n := c.Layout().Len() * int64(c.Comps())
	if n < few || c.Comps() > mostCopied || c.Rank == 0 || c.Sparse() {
		return nil
	}
	return &copier{rt: rt, of: c, numbers: n, first: many}
}

// Copy copies all elements, of which the first outside is at an address, by a kernel. It reports false if
// there is none yet, or if it cannot be launched now.
func (k *copier) Copy(w store.Way, at unsafe.Pointer) bool {
	to := &k.ways[w]
	v := to.variant.Load()
	if v == nil {
		if to.moved.Add(k.numbers) < k.first {
			return false
		}
		to.once.Do(func() { k.keep(to, k.newKernel(w)) })
		if v = to.variant.Load(); v == nil {
			return false
		}
	}
	return k.launch(v, w, at)
}

// keep has a way copy by a kernel, unless the field's tree has been closed meanwhile.
func (k *copier) keep(to *copyWay, v *variant.Variant) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case v == nil:
	case k.freed || k.of.Over():
		v.Free()
	default:
		to.variant.Store(v)
	}
}

// newKernel compiles a kernel; nil where that cannot be done, or would not help.
func (k *copier) newKernel(w store.Way) *variant.Variant {
	rt := k.rt
	if !rt.maker.HasAside() {
		return nil
	}
	v, err := rt.maker.Aside(bind.File{Name: "copies.ti", Text: copySource(k.of)}, copyKernels[w], func(b *bind.Bound) { bindComponents(k.of, b) })
	if err != nil || v.Compile(context.Background()) != nil {
		return nil
	}
	return v
}

// bindComponents binds each component to the var of the source that stands for it.
func bindComponents(c *store.Field, b *bind.Bound) {
	whole := bind.HostField(c)
	whole.Elem = nil // that of the source
	for k := range c.Comps() {
		name := componentVar(k)
		b.Add(name, c.Component(k))
		b.Host.Fields[name] = whole
	}
}

// launch launches a kernel if no other launch is under way. Words with numbers of other fields are loaded, changed
// and stored: meanwhile no one else may change them.
func (k *copier) launch(v *variant.Variant, w store.Way, at unsafe.Pointer) bool {
	c, eng := k.of, k.rt.maker.Eng
	if !eng.TryLock() {
		return false
	}
	defer eng.Unlock()
	if !v.Ready.Load() || c.Over() {
		return false
	}
	if w == store.Into {
		end, alone := c.TryAlone()
		if !alone {
			return false
		}
		defer end()
	}
	args := v.Frame.Args
	args[0] = uint64(uintptr(at))
	for axis := range c.Rank {
		args[1+axis] = uint64(c.Axes[axis].Extent)
		stride := uint64(1)
		for _, a := range c.Axes[axis+1 : c.Rank] {
			stride *= uint64(a.Extent)
		}
		if axis < c.Rank-1 {
			args[1+c.Rank+axis] = stride
		}
	}
	err := v.Exe.RunAs(context.Background(), 0)
	runtime.KeepAlive(at)
	return err == nil
}

// Free gives the code of the kernels back. The caller holds the launch lock.
func (k *copier) Free() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.freed = true
	for i := range k.ways {
		if v := k.ways[i].variant.Load(); v != nil {
			v.Free()
		}
	}
}

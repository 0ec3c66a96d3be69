package aside

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/variant"
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
	maker *variant.Maker
	of    *store.Field
	ways  [2]copyWay

	numbers int64 // in the field
	first   int64 // that Go copies before there is a kernel

	mu    sync.Mutex // guards freed, and that no kernel comes after it
	freed bool
}

// A copyWay is one way to copy.
type copyWay struct {
	moved  atomic.Int64 // numbers that Go has copied
	once   sync.Once
	kernel atomic.Pointer[Kernel] // nil for none
}

// NewCopier returns what copies the elements of a field, nil for one that Go copies as fast.
func NewCopier(m *variant.Maker, c *store.Field) store.Copier {
	few, many := int64(fewestCopied), int64(copiedByGo)
	if t := int64(m.Opt.CopyFrom); t > 0 {
		few, many = t, t
	}
	n := c.Layout().Len() * int64(c.Comps())
	if n < few || c.Comps() > mostCopied || c.Rank == 0 || c.Sparse() {
		return nil
	}
	return &copier{maker: m, of: c, numbers: n, first: many}
}

// Copy copies all elements, of which the first outside is at an address, by a kernel. It reports false if
// there is none yet, or if it cannot be launched now.
func (k *copier) Copy(w store.Way, at unsafe.Pointer) bool {
	to := &k.ways[w]
	made := to.kernel.Load()
	if made == nil {
		if to.moved.Add(k.numbers) < k.first {
			return false
		}
		to.once.Do(func() { k.keep(to, k.newKernel(w)) })
		if made = to.kernel.Load(); made == nil {
			return false
		}
	}
	return k.launch(made, w, at)
}

// keep has a way copy by a kernel, unless the field's tree has been closed meanwhile.
func (k *copier) keep(to *copyWay, made *Kernel) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case made == nil:
	case k.freed || k.of.Over():
		made.Free() // nobody has launched it
	default:
		to.kernel.Store(made)
	}
}

// newKernel compiles a kernel; nil where that cannot be done, or would not help.
func (k *copier) newKernel(w store.Way) *Kernel {
	made, err := New(k.maker, bind.File{Name: "copies.ti", Text: copySource(k.of)}, copyKernels[w], func(b *bind.Bound) { bindComponents(k.of, b) })
	if err != nil {
		return nil
	}
	return made
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
func (k *copier) launch(made *Kernel, w store.Way, at unsafe.Pointer) bool {
	end := func() {}
	done := made.TryLaunch(func(args []uint64) bool {
		if k.of.Over() {
			return false
		}
		if w == store.Into {
			alone := false
			if end, alone = k.of.TryAlone(); !alone {
				end = func() {}
				return false
			}
		}
		k.fill(args, at)
		return true
	})
	end()
	runtime.KeepAlive(at)
	return done
}

// fill passes the elements outside as an array of the field's shape.
func (k *copier) fill(args []uint64, at unsafe.Pointer) {
	c := k.of
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
}

// Free gives the code of the kernels back. The caller holds the launch lock.
func (k *copier) Free() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.freed = true
	for i := range k.ways {
		if made := k.ways[i].kernel.Load(); made != nil {
			made.Free()
		}
	}
}

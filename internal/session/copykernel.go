package session

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/outline"
)

// This file copies the elements of large dense fields by kernels, which go in vectors: those of fields in words, and of
// others whose elements do not follow each other. The kernels are made of the language like those of programs. Go's loops
// (packedrun.go) remain for small fields, for the first copies, and wherever a kernel cannot run now: beside a launch, and
// in a program without a compiler. Both give the same bits.

const (
	fewestCopied = 1 << 14 // numbers: the loops of Go take less time than a launch is worth
	copiedByGo   = 1 << 22 // numbers that are copied before a kernel is compiled, which takes as long as these
	mostCopied   = 32      // components of an element: a kernel for more takes long to compile
)

// A copier has the kernels that copy the elements of a field, by way.
type copier [2]struct {
	moved atomic.Int64 // numbers that Go has copied
	once  sync.Once
	inst  atomic.Pointer[instance] // nil for none
}

// copies returns the copier of c.
func (c *Field) copies() *copier {
	if p := c.copier.Load(); p != nil {
		return p
	}
	c.copier.CompareAndSwap(nil, new(copier))
	return c.copier.Load()
}

// copiedByKernel copies all elements, of which the first outside is at an address, by a kernel. It reports false if
// there is none yet, or if it cannot be launched now.
func (c *Field) copiedByKernel(w way, at unsafe.Pointer) bool {
	n, from := c.lay.Len()*int64(len(c.comps)), [2]int64{fewestCopied, copiedByGo}
	if t := int64(c.uses[0].rt.opt.copyFrom); t > 0 {
		from = [2]int64{t, t}
	}
	if n < from[0] || len(c.comps) > mostCopied || c.Rank == 0 || c.sparse() {
		return false
	}
	k := &c.copies()[w]
	inst := k.inst.Load()
	if inst == nil {
		if k.moved.Add(n) < from[1] {
			return false
		}
		k.once.Do(func() {
			inst := c.newCopyKernel(w)
			rt := c.uses[0].rt
			rt.mu.Lock() // which Close of a tree holds
			defer rt.mu.Unlock()
			if inst != nil && c.over() {
				inst.free()
				inst = nil
			}
			k.inst.Store(inst)
		})
		if inst = k.inst.Load(); inst == nil {
			return false
		}
	}
	return c.launchCopy(inst, w, at)
}

// newCopyKernel compiles a kernel; nil where that cannot be done, or would not help.
func (c *Field) newCopyKernel(w way) *instance {
	rt := c.uses[0].rt
	if _, compiled := rt.exec.(*compiling); !compiled || rt.shipped != nil || rt.judge != nil || rt.opt.Debug {
		return nil
	}
	text := sourceText{name: "copies.ti", text: c.copySource()}
	texts := []sourceText{text}
	p := &Program{rt: rt, texts: texts, placeKey: placeKey(texts), textKey: textKey(texts), layout: job.Layout{}}
	p.parsed = rt.onceParsed(texts)
	p.read = onceDeclared(p.parsed, rt.opt.widths())
	p.host = outline.Host{Fields: map[string]outline.HostField{}, Widths: rt.opt.widths()}
	c.bindComponents(p)
	checked, errs := p.check(&p.host, false)
	if len(errs) > 0 {
		return nil
	}
	k := &Kernel{p: p, name: copyKernels[w]}
	inst := &instance{k: k, checked: checked, lower: checked, fields: p.fields, layout: maps.Clone(p.layout), trees: slices.Clone(c.uses), copies: true}
	if err := inst.compile(context.Background()); err != nil {
		return nil
	}
	return inst
}

// bindComponents binds each component to the var of the source that stands for it.
func (c *Field) bindComponents(p *Program) {
	whole := hostField(c)
	whole.Elem = nil // that of the source
	for k := range c.comps {
		name := componentVar(k)
		part := &Field{typ: c.typ, lay: c.lay, lo: c.lo + k, hi: c.lo + k + 1, parent: c, uses: c.uses}
		p.fields = append(p.fields, boundField{path: name, core: part})
		p.layout[name] = job.Place{Field: c.lay, First: part.lo}
		p.host.Fields[name] = whole
	}
}

// launchCopy launches a kernel if no other launch is under way. Words with numbers of other fields are loaded, changed
// and stored: meanwhile no one else may change them.
func (c *Field) launchCopy(inst *instance, w way, at unsafe.Pointer) bool {
	eng := c.uses[0].rt.eng
	if !eng.TryLock() {
		return false
	}
	defer eng.Unlock()
	if !inst.ready.Load() || c.over() {
		return false
	}
	if w == into && c.mixed {
		for i, t := range c.uses {
			if !t.stores.TryLock() {
				for _, t := range c.uses[:i] {
					t.stores.Unlock()
				}
				return false
			}
		}
		defer func() {
			for _, t := range c.uses {
				t.stores.Unlock()
			}
		}()
	}
	args := inst.frame.Args
	args[0] = uint64(uintptr(at))
	for k := range c.Rank {
		args[1+k] = uint64(c.Axes[k].Extent)
		stride := uint64(1)
		for _, a := range c.Axes[k+1 : c.Rank] {
			stride *= uint64(a.Extent)
		}
		if k < c.Rank-1 {
			args[1+c.Rank+k] = stride
		}
	}
	err := eng.Aside(func() error { return inst.exe.Run(context.Background()) })
	runtime.KeepAlive(at)
	return err == nil
}

// free gives the code of the kernels back. The caller holds the launch lock.
func (c *copier) free() {
	if c == nil {
		return
	}
	for i := range c {
		if inst := c[i].inst.Load(); inst != nil {
			inst.free()
		}
	}
}

package batch

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"unsafe"

	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/typed"
	"github.com/gotaichi/ti/internal/variant"
)

// This file makes stores of the host launches of kernels, which are queued and linked like those of the program: the host does not wait for the launches
// before, and a fill whose elements are overwritten need not run. The kernels are written in the language, for each field. A fill
// waits as ever until its kernel is compiled, which is done in the background.

// A writer has the kernels that store to a field. It is the [store.Writer] of it.
type writer struct {
	of      *store.Field
	maker   *variant.Maker
	queue   func() *Queue
	kernels [2]hostKernel // by filling, setting
}

// A hostKernel is one of the kernels of a writer.
type hostKernel struct {
	once    sync.Once
	variant *variant.Variant // nil if there can be none
}

const (
	filling = iota
	setting
)

var hostKernels = [...]string{filling: "Fill", setting: "Set"}

// mostSet is the largest number of numbers of an element that the host sets by a launch.
const mostSet = 16

// NewWriter returns what stores to a field behind queued launches. queue returns the queue of the runtime, nil if there is none.
func NewWriter(m *variant.Maker, queue func() *Queue, c *store.Field) store.Writer {
	return &writer{of: c, maker: m, queue: queue}
}

// Fill queues a launch that sets all active elements.
func (w *writer) Fill(v unsafe.Pointer) bool { return w.write(filling, v, nil) }

// Set queues a launch that sets one element. A program that sets many waits once instead.
func (w *writer) Set(v unsafe.Pointer, idx store.Index) bool {
	return w.write(setting, v, idx[:w.of.Rank])
}

func (w *writer) write(way int, v unsafe.Pointer, idx []int) bool {
	q, of := w.queue(), w.kernel(way)
	ctx := context.Background()
	if q == nil || of == nil || of.Order(ctx) != nil {
		return false
	}
	defer w.maker.Turn.Unlock()
	if b := q.filling; w.queue() != q || q.Idle() && !q.recording || way == setting && !q.recording && len(b.launches) > 0 && b.launches[len(b.launches)-1].variant == of || !q.Takes(ctx, of) {
		return false
	}
	args := q.Frame(of, true).Args
	for i, k := range idx {
		args[i] = uint64(k)
	}
	for n := range w.of.Comps() {
		args[len(idx)+n] = hostabi.LoadScalar(unsafe.Add(v, w.of.Offset(n)), uintptr(w.of.Access(n).Kind.Size()))
	}
	q.push(0)
	return true
}

// kernel returns a kernel that is compiled, nil if there is none yet.
func (w *writer) kernel(way int) *variant.Variant {
	k := &w.kernels[way]
	k.once.Do(func() {
		if text := w.source(); text != "" && !w.maker.Judged() {
			k.variant, _ = w.maker.ForHost(bind.File{Name: "stores.ti", Text: text}, hostKernels[way], func(b *bind.Bound) {
				b.Add("X", w.of)
				b.Host.Fields["X"] = bind.HostField(w.of)
			})
		}
	})
	if q := w.queue(); k.variant != nil && (w.maker.Opt.LinkAlways || q.Recording()) {
		_ = k.variant.Compile(context.Background()) // no launch is queued without it
	}
	if v := k.variant; v != nil {
		if v.Ready.Load() {
			return v
		}
		v.Begin()
	}
	return nil
}

// source writes the kernels:
//
//	var X field[[3]f32, D2]
//	func Fill(v [3]f32) { for i0, i1 := range X { X[i0][i1] = v } }
//	func Set(i0, i1 int, v [3]f32) { X[i0][i1] = v }
//
// It returns "" for elements that are structs, or have many numbers.
func (w *writer) source() string {
	c := w.of
	elem := hostabi.TypeOf(c.Elem())
	if typed.HasStruct(elem) || c.Comps() > mostSet || c.LayoutNode().Kind() == layout.Dynamic {
		return ""
	}
	for axis := range c.Rank { // an index is an int of the language
		if a := &c.Axes[axis]; int64(a.Origin) < math.MinInt32 || int64(a.Origin)+int64(a.Extent) > math.MaxInt32 {
			return ""
		}
	}
	var index, params []string
	for axis := range c.Rank {
		index = append(index, fmt.Sprintf("i%d", axis))
	}
	at := "X"
	for _, i := range index {
		at += "[" + i + "]"
	}
	fill := at + " = v"
	if c.Rank > 0 {
		fill = fmt.Sprintf("for %s := range X { %s }", strings.Join(index, ", "), fill)
		params = append(params, strings.Join(index, ", ")+" int")
	}
	params = append(params, "v "+elem.String())
	return fmt.Sprintf("package stores\n\nvar X field[%v, D%d]\n\nfunc Fill(v %v) { %s }\n\nfunc Set(%s) { %s = v }\n",
		elem, c.Rank, elem, fill, strings.Join(params, ", "), at)
}

// Free gives the code of the kernels back. The caller holds the launch lock.
func (w *writer) Free() {
	for i := range w.kernels {
		k := &w.kernels[i]
		k.once.Do(func() {}) // none comes later
		if k.variant != nil {
			k.variant.Free()
		}
	}
}

package variant

import (
	"go/token"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/engine"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/sparse"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/target"
)

// A Maker has what the kernels of a runtime are made with: the compiler, the machine that they run on, the memory
// that they run in, and the code that there is already.
type Maker struct {
	front.Env

	Exec    executor
	Eng     *engine.Engine // the processors of this machine, and the launch lock
	Machine launch.Machine // that has the memory of dense trees
	Numbers numbers        // of launches
	Store   *store.Store
	Budget  *sparse.Budget // of all trees, and of what launches keep beside them
	judge   *Judge         // of tests; nil without one

	Level func(ahead.Level) (target.Compiler, error) // makes code for other machines
	Text  target.Compiler                            // writes code for people to read, where none is compiled
	Half  reflect.Type                               // the Go type of f16

	oldMu sync.Mutex   // guards old
	old   *store.Field // takes the old values that atomics return

	Closed   atomic.Bool   // set under the lock of the runtime
	Stop     chan struct{} // closed by Close
	Slots    target.Slots  // shared by all compilations
	codes    sharedCode
	families families
	Recorder *recorder // nil without TI_RECORD

	Lowerings   atomic.Int64 // kernels that were lowered to be compiled
	Compiled    atomic.Int64
	CacheHits   atomic.Int64
	CompileTime atomic.Int64
	Building    atomic.Pointer[buildStatus]
}

// RecordRoom returns how many bytes a launch may use for its records.
func (m *Maker) RecordRoom() int64 { return max(leastRecordRoom, m.Budget.Left()/2) }

// leastRecordRoom is the room for records in bytes whatever the memory limit, so that
// messages of a program with little memory are printed.
const leastRecordRoom = 16 << 20

// Rules are what the types of launches depend on.
func (m *Maker) Rules() hostabi.Rules {
	return hostabi.Rules{Widths: m.Opt.Widths(), Half: m.Half}
}

// Usable returns an error for what no runtime has, or one that has been closed; what names the call.
func (m *Maker) Usable(what string) error {
	switch {
	case m == nil:
		return diag.Errorf(diag.ErrArgs, "%s: a Runtime that is nil or zero; use the one that ti.New returns", what)
	case m.Closed.Load():
		return diag.Errorf(diag.ErrClosed, "%s: the runtime has been closed", what)
	}
	return nil
}

// Compiles reports whether kernels are compiled here: not where they are interpreted, or come compiled.
func (m *Maker) Compiles() bool {
	_, compiled := m.Exec.(*compiling)
	return compiled && m.Shipped == nil
}

// Aside returns a kernel of a source that the product has made, to be launched for the host: no program knows of it. bindTo binds
// its declarations. Its indices are not checked.
func (m *Maker) Aside(text bind.File, name string, bindTo func(*bind.Bound)) (*Variant, error) {
	p := &Program{Maker: m, Source: m.NewSource([]bind.File{text}, token.Position{}), Bound: bind.NewBound(m.Opt.Widths())}
	bindTo(&p.Bound)
	checked, errs := p.Source.Check(&p.Bound.Host, false)
	if len(errs) > 0 {
		return nil, errs
	}
	v := &Variant{Kernel: &Kernel{Program: p, Name: name}, Role: aside{}, reading: reading{Checked: checked, lower: checked}, Scope: p.Bound.Scope}
	v.findTrees(checked.Kernel(name))
	return v, nil
}

// Judged reports whether a test judges what is launched.
func (m *Maker) Judged() bool { return m.judge != nil }

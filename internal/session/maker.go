package session

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

// A maker has what the kernels of a runtime are made with: the compiler, the machine that they run on, the memory
// that they run in, and the code that there is already.
type maker struct {
	front.Env

	exec    executor
	eng     *engine.Engine // the processors of this machine, and the launch lock
	machine launch.Machine // that has the memory of dense trees
	numbers numbers        // of launches
	store   *store.Store
	budget  *sparse.Budget // of all trees, and of what launches keep beside them
	judge   *Judge         // of tests; nil without one

	level func(ahead.Level) (target.Compiler, error) // makes code for other machines
	text  target.Compiler                            // writes code for people to read, where none is compiled
	half  reflect.Type                               // the Go type of f16

	oldMu sync.Mutex   // guards old
	old   *store.Field // takes the old values that atomics return

	closed   atomic.Bool   // set under the lock of the runtime
	stop     chan struct{} // closed by Close
	slots    target.Slots  // shared by all compilations
	codes    sharedCode
	families families
	recorder *recorder // nil without TI_RECORD

	lowerings   atomic.Int64 // kernels that were lowered to be compiled
	compiled    atomic.Int64
	cacheHits   atomic.Int64
	compileTime atomic.Int64
	building    atomic.Pointer[buildStatus]
}

// recordRoom returns how many bytes a launch may use for its records.
func (m *maker) recordRoom() int64 { return max(leastRecordRoom, m.budget.Left()/2) }

// leastRecordRoom is the room for records in bytes whatever the memory limit, so that
// messages of a program with little memory are printed.
const leastRecordRoom = 16 << 20

// rules are what the types of launches depend on.
func (m *maker) rules() hostabi.Rules {
	return hostabi.Rules{Widths: m.Opt.Widths(), Half: m.half}
}

// usable returns an error for what no runtime has, or one that has been closed; what names the call.
func (m *maker) usable(what string) error {
	switch {
	case m == nil:
		return diag.Errorf(diag.ErrArgs, "%s: a Runtime that is nil or zero; use the one that ti.New returns", what)
	case m.closed.Load():
		return diag.Errorf(diag.ErrClosed, "%s: the runtime has been closed", what)
	}
	return nil
}

// hasAside reports whether there is a compiler for kernels that the product launches, and they help: in debug mode, and while
// a test judges what is launched, none are.
func (m *maker) hasAside() bool {
	_, compiled := m.exec.(*compiling)
	return compiled && m.Shipped == nil && m.judge == nil && !m.Opt.Debug
}

// aside returns a kernel of a source that the product has made, to be launched for the host: no program knows of it. bindTo binds
// its declarations. Its indices are not checked.
func (m *maker) aside(text bind.File, name string, bindTo func(*bind.Bound)) (*instance, error) {
	p := &program{maker: m, source: m.NewSource([]bind.File{text}, token.Position{}), bound: bind.NewBound(m.Opt.Widths())}
	bindTo(&p.bound)
	checked, errs := p.source.Check(&p.bound.Host, false)
	if len(errs) > 0 {
		return nil, errs
	}
	inst := &instance{k: &kernel{p: p, name: name}, role: copying{}, checked: checked, lower: checked, scope: p.bound.Scope}
	inst.findTrees(checked.Kernel(name))
	return inst, nil
}

package session

import (
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/gotaichi/ti/internal/ahead"
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

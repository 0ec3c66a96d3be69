package variant

import (
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/job"
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
	Turn    launch.Lock    // the launch lock
	Machine launch.Machine // has the memory of trees and runs compiled code
	Numbers Numbers        // of launches
	Store   *store.Store
	Budget  *sparse.Budget // of all trees, and of what launches keep beside them
	Ranks   Ranks          // that run kernels together; nil where this process runs all
	judge   *Judge         // of tests; nil without one
	trees   *TreeJudge     // of tests; nil without one

	Text target.Compiler // writes code for people to read, where none is compiled
	Half reflect.Type    // the Go type of f16

	oldMu sync.Mutex   // guards old
	old   *store.Field // takes the old values that atomics return

	Closed   atomic.Bool   // set under the lock of the runtime
	Stop     chan struct{} // closed by Close
	Slots    target.Slots  // shared by all compilations
	codes    sharedCode
	families families
	Recorder *recorder // nil without TI_RECORD

	Measuring *launch.Recorder // set by Record; nil while nobody measures

	Interpreted atomic.Int64 // launches of the interpreter
	Lowerings   atomic.Int64 // kernels that were lowered to be compiled
	Compiled    atomic.Int64
	CacheHits   atomic.Int64
	CompileTime atomic.Int64
	Building    atomic.Pointer[buildStatus]
}

// Ranks are processes that run kernels together.
type Ranks interface {
	// Bind returns what this process runs of a kernel whose fields lie as at says, and what takes the records of its launches, which go on to another sink.
	Bind(k *launch.Kernel, at job.Layout, to launch.Sink) (launch.Share, launch.Sink, error)
}

// Record makes r measure the launches from now on, until it is called again with nil. The caller holds the launch lock.
func (m *Maker) Record(r *launch.Recorder) {
	m.Measuring = r
	m.Machine.Record(r)
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

// Judged reports whether a test judges what is launched.
func (m *Maker) Judged() bool { return m.judge != nil }

// buildStatus is a compilation under way.
type buildStatus struct {
	Kernel string
	Since  time.Time
}

package vulkan

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gotaichi/ti/internal/codegen/spirv"
	idevice "github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/parallel"
)

// A Machine runs kernels on a device.
type Machine struct {
	host  launch.Machine // this machine's processors
	d     *device
	ring  ring
	space space // of sparse trees
	maker listMaker

	control *area // words that kernels read: see below
	text    *area // room for records; nil before the first launch that has any
	local   *area // large local arrays of the threads in flight; nil before the first launch that has any

	last            uint64
	launches, tasks atomic.Int64
	recorder        *launch.Recorder
	watched         bool
	status          atomic.Pointer[status]
	stopped         atomic.Bool
	told            map[launch.Place]bool // loops of which a line has been written
	closed          bool
}

// Offsets in the control area.
const (
	controlStop  = 0 // not 0 if the launch is to end
	controlBytes = 64
)

type status struct {
	kernel string
	tasks  int
	since  time.Time
	task   atomic.Int64

	done, total atomic.Int64 // iterations of the task
}

// extent says how many iterations the task under way has.
func (m *Machine) extent(total int64) {
	if now := m.status.Load(); now != nil {
		now.total.Store(total)
	}
}

// progress says that so many iterations of it, or somewhat less, are done.
func (m *Machine) progress(iterations int64) {
	if now := m.status.Load(); now != nil {
		now.done.Store(min(now.total.Load(), now.done.Load()+iterations))
	}
}

var _ launch.Machine = (*Machine)(nil)

// New opens the device with a number; see [Devices]. The machine takes the processors over. What it learns from the driver is kept on disk; nil is for nothing.
func New(processors launch.Machine, index int, disk Store) (launch.Machine, error) {
	a, err := load(loaderNames())
	if err != nil {
		return nil, err
	}
	return a.machine(processors, index, disk)
}

func (a *api) machine(processors launch.Machine, index int, disk Store) (launch.Machine, error) {
	apart, err := apartAlways(os.Getenv(EnvMemory))
	if err != nil {
		return nil, err
	}
	d, err := a.open(index)
	if err != nil {
		return nil, err
	}
	if apart {
		d.memory.keepApart()
	}
	d.uses.Add(1)
	m := &Machine{host: processors, d: d, space: space{d: d}}
	m.space.lists.space = &m.space
	if err = m.ring.open(d); err == nil {
		m.control, err = d.allocate(controlBytes)
	}
	if err == nil {
		d.floats.disk = disk
		if err = d.pipelines.open(d, disk); err != nil {
			_ = m.control.Free()
		}
	}
	if err != nil {
		m.ring.close()
		d.release()
		return nil, err
	}
	return m, nil
}

// Allocate reserves memory of the device: shared with the host, where that is as good, or apart from it.
func (m *Machine) Allocate(bytes int64) (idevice.Area, error) { return m.d.allocateTree(bytes) }

// Device describes the device.
func (m *Machine) Device() launch.Device {
	about := m.d.about
	about.Blocks = m.d.blocks
	return about
}

// Space is memory of the host that the device imports.
func (m *Machine) Space() idevice.Space { return &m.space }

func (m *Machine) Last() uint64 { return m.last }

func (m *Machine) Counts() (launches, tasks int64) { return m.launches.Load(), m.tasks.Load() }

func (m *Machine) Record(r *launch.Recorder) { m.recorder = r }

func (m *Machine) Watch() { m.watched = true }

// Status returns how far the launch under way is.
func (m *Machine) Status() (s launch.Status, ok bool) {
	now := m.status.Load()
	if now == nil {
		return s, false
	}
	return launch.Status{Kernel: now.kernel, Task: int(now.task.Load()), Tasks: now.tasks, Done: now.done.Load(), Total: now.total.Load(), Elapsed: time.Since(now.since)}, true
}

// Stop ends the launch under way, and all that follow.
func (m *Machine) Stop() {
	m.stopped.Store(true)
	m.signal(1)
}

// signal sets the word that loops look at.
func (m *Machine) signal(v uint32) {
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&m.control.host[controlStop])), v)
}

// Close closes the device, and the processors.
func (m *Machine) Close() {
	if !m.closed {
		m.closed = true
		_ = m.ring.finish()
		m.ring.close()
		m.d.pipelines.close(m.d)
		_ = m.control.Free()
		m.space.close()
		m.maker.close(m.d)
		for _, a := range []*area{m.text, m.local} {
			if a != nil {
				_ = a.Free()
			}
		}
		m.d.release()
	}
	m.host.Close()
}

// prepare makes what all launches share.
func (d *device) prepare() error {
	push := &pushRange{stages: stageCompute, size: launch.PushBytes}
	layout := &layoutInfo{typ: typeLayout, ranges: 1, pushes: unsafe.Pointer(push)}
	return d.try(createPipelineLayout, uintptr(d.dev), uintptr(unsafe.Pointer(layout)), 0, uintptr(unsafe.Pointer(&d.layout)))
}

// loaded is a kernel with the code of each task.
type loaded struct {
	m      *Machine
	k      *launch.Kernel
	code   []code
	closed bool
}

// llvmpipeRounds is after how many rounds of all loops a subgroup gives up on llvmpipe, which ends loops after 65,535.
const llvmpipeRounds = 65000

// Load makes modules, and the pipelines that launches most likely need, those of several tasks at a time.
func (m *Machine) Load(k *launch.Kernel, pieces []launch.Piece) (launch.Loaded, error) {
	if len(pieces) < len(k.Tasks) {
		return nil, fmt.Errorf("kernel %s has %d tasks, and code for %d", k.Name, len(k.Tasks), len(pieces))
	}
	if !m.d.use() { // the runtime does not wait for compilations that are under way when it ends
		return nil, launch.ErrStopped
	}
	l := &loaded{m: m, k: k, code: make([]code, len(k.Tasks))}
	errs := make([]error, len(k.Tasks))
	parallel.For(m.d.translators(), len(k.Tasks), pipelineTime, func(i int) {
		m.d.slots <- struct{}{}
		errs[i] = l.make(i, pieces[i].Code)
		<-m.d.slots
	})
	for _, err := range errs {
		if err != nil { // of the first of several
			_ = l.Close()
			return nil, err
		}
	}
	return l, nil
}

// pipelineTime is how many nanoseconds a driver takes for a pipeline, at least.
const pipelineTime = 1e6

// translators is how many pipelines are made at a time for a kernel. On llvmpipe they take turns, so that more would wait for each other.
func (d *device) translators() int {
	if d.serial {
		return 1
	}
	return cap(d.slots)
}

// make makes the module of a task, and its first pipeline.
func (l *loaded) make(i int, text []byte) error {
	d := l.m.d
	module, err := d.module(text)
	if err != nil {
		if lacking, is := errors.AsType[*launch.Lacking](err); is {
			lacking.Place = l.k.Names[i].Place
			return lacking
		}
		return fmt.Errorf("kernel %s on %s: %w", l.k.Name, d.name, err)
	}
	l.code[i] = code{module, map[[3]int]handle{}}
	_, err = l.pipelineOf(i, d.likely(&l.k.Tasks[i]))
	return err
}

// module makes one of code that the device can run.
func (d *device) module(code []byte) (module handle, err error) {
	if len(code) < 20 || len(code)%4 != 0 || binary.LittleEndian.Uint32(code) != spirv.Magic {
		return 0, fmt.Errorf("the code is no SPIR-V")
	}
	words := make([]uint32, len(code)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(code[4*i:])
	}
	for _, c := range spirv.Capabilities(words) {
		if what, lacks := d.lacks[c]; lacks {
			return 0, &launch.Lacking{Device: d.name, What: what}
		}
	}
	if words, err = d.strictly(words); err != nil {
		return 0, err
	}
	return d.shader(words)
}

// shader gives a module to the driver.
func (d *device) shader(words []uint32) (module handle, err error) {
	shader := &shaderInfo{typ: typeShader, size: 4 * uint64(len(words)), code: unsafe.Pointer(&words[0])}
	err = d.try(createShaderModule, uintptr(d.dev), uintptr(unsafe.Pointer(shader)), 0, uintptr(unsafe.Pointer(&module)))
	return module, err
}

// Close gives modules and pipelines back. The machine may be closed by then.
func (l *loaded) Close() error {
	if l.closed {
		return nil
	}
	l.closed = true
	d := l.m.d
	defer d.release()
	for _, c := range l.code {
		for _, p := range c.pipelines { // in any order
			d.call(destroyPipeline, uintptr(d.dev), uintptr(p), 0)
		}
		if c.module != 0 {
			d.call(destroyShaderModule, uintptr(d.dev), uintptr(c.module), 0)
		}
	}
	l.code = nil
	return nil
}

// Bind prepares launches on the data.
func (l *loaded) Bind(d launch.Data) launch.Launcher {
	w := &launcher{loaded: l, data: d, args: make([]uint64, l.k.Args), results: make([]uint64, l.k.Results), push: make([]pushes, len(l.k.Tasks)),
		plans: make([]plan, len(l.k.Tasks)), paces: make([]float64, len(l.k.Tasks))}
	w.layout.of(l.k)
	w.ordering = orderingOf(l.k, d.Bases)
	for i := range l.k.Tasks {
		w.all = append(w.all, i)
	}
	for _, n := range l.k.Numbers {
		w.args[n.Slot] = n.Value
	}
	for _, b := range d.Bases {
		address, root := uint64(0), uint64(0)
		switch a, own := b.Area.(deviceArea); {
		case own:
			address = a.at() + uint64(b.Offset)
			w.reaches(b.Area)
		case b.Area != nil: // the root block of a sparse tree
			root = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b.Area.Host())))) + uint64(b.Offset)
			address = l.m.space.address(root)
		}
		w.bases, w.roots = append(w.bases, address), append(w.roots, root)
	}
	w.findHidden()
	return w
}

// why is the error of a launch that was ended early.
func (m *Machine) why(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return launch.ErrStopped
}

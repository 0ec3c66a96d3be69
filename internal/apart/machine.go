package apart

import (
	"context"
	"sync"

	"github.com/gotaichi/ti/internal/launch"
)

// A Machine runs kernels on another one, in memory apart.
type Machine struct {
	launch.Machine // below

	mu      sync.Mutex
	changed sync.Cond // one of the following has
	mapped  int       // areas, counted as often as they are
	runs    bool      // tasks of a launch do
}

var _ launch.Machine = (*Machine)(nil)

// New returns a machine that runs kernels on another one.
func New(of launch.Machine) launch.Machine {
	m := &Machine{Machine: of}
	m.changed.L = &m.mu
	return m
}

// Load loads the code on the machine below.
func (m *Machine) Load(k *launch.Kernel, pieces []launch.Piece) (launch.Loaded, error) {
	l, err := m.Machine.Load(k, pieces)
	if err != nil {
		return nil, err
	}
	return &loaded{Loaded: l, m: m}, nil
}

// start waits until no area is mapped, and lets tasks run.
func (m *Machine) start() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.mapped > 0 || m.runs {
		m.changed.Wait()
	}
	m.runs = true
}

// stop lets areas be mapped.
func (m *Machine) stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs = false
	m.changed.Broadcast()
}

// hold waits until no tasks run, and keeps them from it until release is called as often.
func (m *Machine) hold() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.runs {
		m.changed.Wait()
	}
	m.mapped++
}

func (m *Machine) release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mapped--; m.mapped == 0 {
		m.changed.Broadcast()
	}
}

// loaded is code of a kernel.
type loaded struct {
	launch.Loaded
	m *Machine
}

// Bind prepares launches in the areas' memory on the machine below.
func (l *loaded) Bind(d launch.Data) launch.Launcher {
	w := &launcher{m: l.m}
	bases := make([]launch.Base, len(d.Bases))
	for i, b := range d.Bases {
		if a, is := b.Area.(*area); is {
			w.areas, b.Area = append(w.areas, a), a.device
		}
		bases[i] = b
	}
	d.Bases = bases
	if d.Trees != nil {
		d.Trees = trees{d.Trees, w}
	}
	if d.Sink != nil {
		d.Sink = sink{d.Sink, w}
	}
	w.Launcher = l.Loaded.Bind(d)
	return w
}

// launcher launches a kernel on a goroutine of its own.
type launcher struct {
	launch.Launcher
	m     *Machine
	areas []*area // that the kernel may work on
}

// pending is a launch under way.
type pending struct {
	done  chan struct{}
	fault *launch.Fault
	err   error
	panic any
}

// Submit begins a launch and returns at once.
func (w *launcher) Submit(ctx context.Context, number uint64) (launch.Pending, *launch.Fault, error) {
	p := &pending{done: make(chan struct{})}
	go func() {
		defer close(p.done)
		defer func() { p.panic = recover() }()
		w.enter()
		defer w.leave()
		p.fault, p.err = launch.Run(ctx, w.Launcher, number)
	}()
	return p, nil, nil
}

// Wait waits for the end. What the program's own code, called between tasks, panicked with goes on to the program.
func (p *pending) Wait() (*launch.Fault, error) {
	<-p.done
	if p.panic != nil {
		panic(p.panic)
	}
	return p.fault, p.err
}

// enter has the areas hold what the host has written, and tasks run.
func (w *launcher) enter() {
	w.m.start()
	for _, a := range w.areas {
		a.upload()
	}
}

// leave lets areas be mapped again, with what the tasks have written.
func (w *launcher) leave() {
	for _, a := range w.areas {
		a.written()
	}
	w.m.stop()
}

// host calls f, which may map areas, between two tasks.
func (w *launcher) host(f func()) {
	w.leave()
	defer w.enter()
	f()
}

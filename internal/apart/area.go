package apart

import (
	"errors"
	"sync"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/memory"
)

// area is memory of the device, with the host's copy of it.
type area struct {
	m      *Machine
	device device.Area
	copy   *memory.Region // accessible while the area is mapped

	mu      sync.Mutex
	mapped  int
	version uint64 // of what the device has, counted by launches
	has     uint64 // version of which the copy is
	dirty   bool   // the host has written to the copy
	retired bool
}

// Allocate reserves memory of the device, and as much for the host's copy.
func (m *Machine) Allocate(bytes int64) (device.Area, error) {
	d, err := m.Machine.Allocate(bytes)
	if err != nil {
		return nil, err
	}
	r, err := memory.Reserve(d.Bytes())
	if err != nil {
		return nil, errors.Join(err, d.Free())
	}
	if err := r.Forbid(true); err != nil {
		return nil, errors.Join(err, r.Free(), d.Free())
	}
	return &area{m: m, device: d, copy: r}, nil
}

func (a *area) Bytes() int64 { return a.device.Bytes() }
func (a *area) Shared() bool { return false }
func (a *area) Host() []byte { return a.copy.Bytes()[:a.device.Bytes()] }

// Map waits for tasks, and copies what they have written.
func (a *area) Map(write bool) error {
	a.m.hold()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.mapped == 0 && !a.retired {
		if err := a.copy.Forbid(false); err != nil {
			a.m.release()
			return err
		}
	}
	a.mapped++
	if a.has != a.version && !a.retired {
		copy(a.Host(), a.device.Host())
		a.has = a.version
	}
	a.dirty = a.dirty || write
	return nil
}

// Unmap forbids the copy again, if the area is not mapped any more.
func (a *area) Unmap() (err error) {
	defer a.m.release()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.mapped--; a.mapped == 0 && !a.retired {
		err = a.copy.Forbid(true)
	}
	return err
}

// upload gives the device what the host has written. The area is not mapped.
func (a *area) upload() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.dirty || a.retired {
		return
	}
	if err := a.copy.Forbid(false); err != nil {
		panic(err)
	}
	copy(a.device.Host(), a.Host())
	if err := a.copy.Forbid(true); err != nil {
		panic(err)
	}
	a.dirty = false
}

// written notes that tasks may have written to the area.
func (a *area) written() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.version++
}

// Retire gives the memory of both back.
func (a *area) Retire() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.retired = true
	return errors.Join(a.copy.Forbid(false), a.copy.Retire(), a.device.Retire())
}

// Free gives the addresses of both back.
func (a *area) Free() error { return errors.Join(a.copy.Free(), a.device.Free()) }

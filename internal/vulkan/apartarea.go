package vulkan

import (
	"errors"
	"fmt"
	"slices"

	idevice "github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/memory"
)

// An apartArea is memory of the device that the host does not see, with the host's copy of it. Either has what the other one lacks, or neither has.
type apartArea struct {
	d      *device
	memory *area          // what the device has
	copy   *memory.Region // what the host has

	// The following is guarded by the mutex of the device's staging.
	mapped  int
	fresh   bool // the device's memory is not yet 0
	stale   bool // the device may have what the copy lacks
	dirty   bool // the host may have what the device lacks
	retired bool
}

// A deviceArea is one that the device has an address of.
type deviceArea interface {
	idevice.Area
	at() uint64
}

var _, _ deviceArea = (*area)(nil), (*apartArea)(nil)

func (a *area) at() uint64      { return a.address }
func (a *apartArea) at() uint64 { return a.memory.address }

// allocateTree returns an area for a tree.
func (d *device) allocateTree(bytes int64) (idevice.Area, error) {
	m := d.memory
	switch {
	case m.shared >= 0 && bytes <= m.room:
		return d.allocateIn(bytes, uint32(m.shared))
	case m.local >= 0:
		return d.allocateApart(bytes)
	}
	return nil, fmt.Errorf("%s has no memory of its own", d.name)
}

// allocateApart returns an area that the host does not see.
func (d *device) allocateApart(bytes int64) (idevice.Area, error) {
	m, err := d.allocateHidden(bytes, uint32(d.memory.local))
	if err != nil {
		return nil, err
	}
	host, err := memory.Reserve(m.size)
	if err != nil {
		return nil, errors.Join(err, m.Free())
	}
	return &apartArea{d: d, memory: m, copy: host, fresh: true}, nil
}

func (a *apartArea) Bytes() int64 { return a.memory.size }
func (a *apartArea) Shared() bool { return false }
func (a *apartArea) Host() []byte { return a.copy.Bytes()[:a.memory.size] }

// Map copies what launches may have written. They have ended: whoever maps an area while the device works holds the launch lock, or is called by the launch.
func (a *apartArea) Map(write bool) error {
	s := &a.d.staging
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.stale && !a.retired {
		err := s.open(a.d, a.memory.size)
		if err == nil {
			err = s.get(a.d, a.Host(), a.memory, 0)
		}
		if err != nil {
			return fmt.Errorf("copying memory from %s: %w", a.d.name, err)
		}
		a.stale = false
	}
	a.mapped++
	a.dirty = a.dirty || write
	return nil
}

// Unmap ends what Map began.
func (a *apartArea) Unmap() error {
	a.d.staging.mu.Lock()
	defer a.d.staging.mu.Unlock()
	a.mapped--
	return nil
}

// Retire gives the memory of both back, but for the addresses of the host.
func (a *apartArea) Retire() error {
	a.d.staging.mu.Lock()
	defer a.d.staging.mu.Unlock()
	a.retired = true
	return errors.Join(a.memory.Free(), a.copy.Retire())
}

// Free gives everything back.
func (a *apartArea) Free() error { return errors.Join(a.memory.Free(), a.copy.Free()) }

// reaches notes an area that the kernel works on.
func (w *launcher) reaches(of idevice.Area) {
	if a, is := of.(*apartArea); is && !slices.Contains(w.apart, a) {
		w.apart = append(w.apart, a)
	}
}

// upload gives the device what the host has written since the kernel, or another one, ran last. Commands are about to be recorded, and nothing is mapped.
func (w *launcher) upload() error {
	for _, t := range w.hidden {
		if err := t.upload(&w.m.ring); err != nil {
			return err
		}
	}
	if len(w.apart) == 0 {
		return nil
	}
	if err := w.m.d.upload(w.apart); err != nil {
		return fmt.Errorf("copying memory to %s: %w", w.m.d.name, err)
	}
	return nil
}

func (d *device) upload(all []*apartArea) error {
	s := &d.staging
	s.mu.Lock()
	defer s.mu.Unlock()
	bytes, any := int64(0), false
	for _, a := range all {
		if a.mapped > 0 && d.memory.strict {
			return errors.New("an area is mapped while a kernel is launched")
		}
		if any = any || a.fresh || a.dirty; a.dirty {
			bytes += a.memory.size
		}
	}
	if !any {
		return nil
	}
	if err := s.open(d, bytes); err != nil {
		return err
	}
	for _, a := range all {
		if err := a.send(); err != nil {
			s.abandon(d)
			return err
		}
	}
	if err := s.submit(d); err != nil {
		return err
	}
	for _, a := range all {
		a.fresh, a.dirty = false, false
	}
	return nil
}

// send records what makes the device's memory what the host has.
func (a *apartArea) send() error {
	s := &a.d.staging
	switch {
	case a.retired:
	case a.dirty:
		return s.put(a.d, a.memory, 0, a.Host())
	case a.fresh:
		return s.zero(a.d, a.memory, 0, wholeSize)
	}
	return nil
}

// written notes that tasks may have written to all that the kernel works on, and whether they have failed.
func (w *launcher) written(err error) {
	for _, t := range w.hidden {
		t.written(err)
	}
	if len(w.apart) == 0 {
		return
	}
	w.m.d.staging.mu.Lock()
	defer w.m.d.staging.mu.Unlock()
	for _, a := range w.apart {
		a.stale = true
	}
}

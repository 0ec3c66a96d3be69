package store

import (
	"bytes"
	"errors"
	"testing"
	"unsafe"

	"github.com/gotaichi/ti/internal/device"
)

var errLost = errors.New("the device is lost")

// lost is memory that cannot be mapped.
type lost struct{ device.Process }

func (l lost) Allocate(n int64) (device.Area, error) {
	a, err := l.Process.Allocate(n)
	return lostArea{a}, err
}

type lostArea struct{ device.Area }

func (lostArea) Shared() bool   { return false }
func (lostArea) Map(bool) error { return errLost }

// TestLost reads and writes in all ways what the machine cannot give: each says so.
func TestLost(t *testing.T) {
	st := (&fakeRuntime{}).open()
	st.cfg.Memory = lost{}
	c := newField[int32]()
	st.Place(Shape{4}, c)
	if err := c.Ready(); err != nil || c.Base.Load() != nil {
		t.Fatalf("a field that At may not reach by address: %v", err)
	}
	all := make([]int32, 4)
	at := unsafe.Pointer(&all[0])
	for name, f := range map[string]func() error{
		"TryGet":   func() error { return c.TryGet(at, Index{1}) },
		"TrySet":   func() error { return c.TrySet(at, Index{1}) },
		"Get":      func() error { return refused(func() { c.Get(at, Index{1}, 1) }) },
		"Fill":     func() error { return refused(func() { c.Fill(at) }) },
		"CopyTo":   func() error { return c.CopyTo(at, 4) },
		"CopyFrom": func() error { return c.CopyFrom(at, 4) },
		"WriteTo":  func() error { _, err := c.WriteTo(&bytes.Buffer{}); return err },
		"ReadFrom": func() error { _, err := c.ReadFrom(bytes.NewReader(make([]byte, 16))); return err },
		"tree":     func() error { _, err := c.Tree().WriteTo(&bytes.Buffer{}); return err },
		"copy":     func() error { _, err := c.Tree().NewCopy(); return err },
		"Clear":    func() error { return refused(func() { c.Node().Clear() }) },
	} {
		if err := f(); !errors.Is(err, errLost) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

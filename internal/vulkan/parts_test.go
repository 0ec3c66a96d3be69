package vulkan_test

import (
	"bytes"
	"math/rand/v2"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/titest"
	"github.com/gotaichi/ti/internal/vulkan"
	"github.com/gotaichi/ti/internal/vulkan/simulator"
)

// TestManyAreas: more areas than a driver allows allocations come and go. Each begins as zeros, keeps what it has, and gives its memory back.
func TestManyAreas(t *testing.T) {
	for _, hidden := range []bool{false, true} {
		d := simulator.New(simulator.Options{Seed: 3, Hidden: hidden})
		m, err := vulkan.Of(d.Symbol, nil)(closing{}, 0)
		must(t, err)
		random := rand.New(rand.NewPCG(7, 7))
		type filled struct {
			device.Area
			with byte
		}
		var all []filled
		drop := func(keep int) {
			random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			for _, a := range all[keep:] {
				if bytes.Count(a.Host(), []byte{a.with}) != len(a.Host()) {
					t.Errorf("an area of %d bytes has lost what was in it", a.Bytes())
				}
				must(t, a.Free())
			}
			all = all[:keep]
		}
		before := d.Allocations()
		for range 3 {
			for len(all) < 6000 {
				size := 1 + random.Int64N(3000)
				if len(all)%1000 == 0 {
					size <<= 9 // beyond and below the size of areas that share
				}
				a, err := m.Allocate(size)
				must(t, err)
				if a.Bytes() < size || len(a.Host()) < int(size) || bytes.Count(a.Host(), []byte{0}) != len(a.Host()) {
					t.Fatalf("an area for %d bytes has %d, and is not 0", size, a.Bytes())
				}
				f := filled{a, byte(1 + random.IntN(255))}
				for i := range a.Host() {
					a.Host()[i] = f.with
				}
				all = append(all, f)
			}
			drop(2000)
		}
		drop(0)
		if n := d.Allocations(); n > before {
			t.Errorf("%d allocations are left, of %d at first", n, before)
		}
		m.Close()
		if n := d.Objects(); n != 0 || d.Allocations() != 0 {
			t.Errorf("%d objects are left", n)
		}
		for _, f := range d.Faults() {
			t.Error(f)
		}
	}
}

// TestManyFields: a program has 10,000 fields, and kernels work on any of them.
func TestManyFields(t *testing.T) {
	d := simulator.New(simulator.Options{Seed: 5, Lanes: 16})
	rt := titest.NewSimulated(t, ti.Config{}, d)
	var all []*ti.Field[int32]
	for range 10_000 {
		all = append(all, ti.NewField[int32](rt, 8))
	}
	if n := d.Allocations(); n > 200 {
		t.Errorf("there are %d allocations", n)
	}
	for _, i := range []int{0, 4095, 4096, 9999} {
		var h struct {
			X   *ti.Field[int32]
			Run func(n int32) error
		}
		h.X = all[i]
		_, err := rt.Compile(ti.Text("source", "package p\n\nvar X field[i32]\n\nfunc Run(n i32) {\n\tfor i := range X {\n\t\tX[i] += n\n\t}\n}\n"), &h)
		must(t, err)
		must(t, h.Run(int32(i+1)))
	}
	for i, f := range all {
		want := int32(0)
		switch i {
		case 0, 4095, 4096, 9999:
			want = int32(i + 1)
		}
		if got := f.At(7); got != want {
			t.Errorf("field %d has %d", i, got)
		}
		must(t, f.Tree().Close())
	}
	for range 200 {
		if d.Allocations() < 20 {
			return
		}
		goruntime.GC()
		time.Sleep(time.Millisecond)
	}
	t.Errorf("with all fields closed there are %d allocations", d.Allocations())
}

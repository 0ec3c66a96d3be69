package driver_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/engine"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/memory"
)

// A twin is memory for the dense trees of a layout, in which kernels run one by one, or linked.
type twin struct {
	t     *testing.T
	eng   *engine.Engine
	trees map[int]*memory.Region
	bytes map[int]int64
}

// newTwin gives elements the numbers that a seed says: floats from 0 to 4, and any bits to others.
func newTwin(t *testing.T, lay driver.Layout, seed uint64) *twin {
	t.Helper()
	w := &twin{t: t, eng: engine.New(1, &launch.Lock{}), trees: map[int]*memory.Region{}, bytes: map[int]int64{}}
	t.Cleanup(w.eng.Close)
	for _, p := range lay {
		for c := range p.Field.Elem.Comps {
			tree := p.Field.Tree(c)
			if w.trees[tree.ID()] != nil {
				continue
			}
			r, err := memory.Map(tree.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = r.Free() })
			w.trees[tree.ID()], w.bytes[tree.ID()] = r, tree.Bytes()
			rng := rand.New(rand.NewPCG(seed, uint64(tree.ID())))
			kind, _, uniform := tree.Uniform()
			data := device.Of(r).Host()[:tree.Bytes()]
			for i := 0; i+4 <= len(data); i += 4 {
				bits := rng.Uint32()
				if uniform && kind == layout.F32 {
					bits = math.Float32bits(float32(bits>>20) / 1024)
				}
				if uniform && kind == layout.I64 { // keys and old values begin as 0
					bits = 0
				}
				copy(data[i:], []byte{byte(bits), byte(bits >> 8), byte(bits >> 16), byte(bits >> 24)})
			}
		}
	}
	return w
}

// run launches a unit. Args has the arguments of each part, or of the kernel; number is that of the first launch.
func (w *twin) run(u *driver.Unit, args []uint64, number uint64) {
	w.t.Helper()
	c, err := u.Compile()
	if err != nil {
		w.t.Fatal(err)
	}
	bases := make([]launch.Base, len(c.Launch.Bases))
	for i, n := range c.Launch.Bases {
		if n >= 0 {
			a := u.Areas[n]
			bases[i] = launch.Base{Area: device.Of(w.trees[a.Tree]), Offset: a.Offset, Bytes: a.Bytes}
		}
	}
	loaded, err := w.eng.Load(c.Launch, c.Pieces)
	if err != nil {
		w.t.Fatal(err)
	}
	code := loaded.Bind(launch.Data{Bases: bases, Seed: 1})
	copy(code.Args(), args)
	for i, p := range c.Launch.Parts {
		if copy(code.Args()[p.Args:], args); p.Key >= 0 {
			code.Args()[p.Key] = launch.Key(1, number+uint64(i))
		}
	}
	if _, err := launch.Run(context.Background(), code, number); err != nil {
		w.t.Fatal(err)
	}
}

// compareTwins runs parts one by one and linked, and compares all memory.
func compareTwins(t *testing.T, name string, parts []driver.LinkPart, args []uint64) {
	t.Helper()
	lay := driver.Layout{}
	for _, p := range parts {
		for name, at := range p.Layout {
			lay[name] = at
		}
	}
	alone, together := newTwin(t, lay, 7), newTwin(t, lay, 7)
	for i, p := range parts {
		u, err := driver.Prepare(p.Program, p.Kernel, p.Layout, p.Options)
		if err != nil {
			t.Fatal(err)
		}
		alone.run(u, args, uint64(i+1))
	}
	u, _, err := driver.Link(parts)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	together.run(u, args, 1)
	for id, r := range alone.trees {
		n := alone.bytes[id]
		a, b := device.Of(r).Host()[:n], device.Of(together.trees[id]).Host()[:n]
		if !bytes.Equal(a, b) {
			at := 0
			for a[at] == b[at] {
				at++
			}
			t.Errorf("%s: tree %d differs from byte %d on", name, id, at)
		}
	}
}

// TestLinkPacked links kernels on packed fields, also those that round or draw.
func TestLinkPacked(t *testing.T) {
	p, lay := packedProgram(t)
	o := driver.TestOptions(t, 3)
	o.Strict, o.Threads = true, 1
	for i, a := range p.Kernels {
		for j, b := range p.Kernels {
			parts := []driver.LinkPart{{Program: &p.Program, Kernel: a.Name, Layout: lay, Options: o}, {Program: &p.Program, Kernel: b.Name, Layout: lay, Options: o}}
			if (i+j)%3 == 0 {
				parts = append(parts, parts[0])
			}
			compareTwins(t, fmt.Sprint(a.Name, " ", b.Name, " ", len(parts)), parts, nil)
		}
	}
}

// TestLinkAdjoints links kernels and adjoints, as a tape launches them.
func TestLinkAdjoints(t *testing.T) {
	_, p, lay := explained(t, "testdata/explaingrad.ti")
	d := derivativeIn(t, lay)
	o := driver.TestOptions(t, 3)
	o.Strict, o.Threads = true, 1
	forward := func(name string) driver.LinkPart {
		return driver.LinkPart{Program: &p.Program, Kernel: name, Layout: lay, Options: o}
	}
	reverse := func(name string, mode driver.Mode) driver.LinkPart {
		of := *d
		of.Mode = mode
		with := o
		with.Derivative = &of
		return driver.LinkPart{Program: &p.Program, Kernel: name, Layout: lay, Options: with}
	}
	for name, parts := range map[string][]driver.LinkPart{
		"a stencil and its adjoint": {forward("Gathered"), reverse("Gathered", driver.Reverse)},
		"adjoints, clearing":        {reverse("Gathered", driver.ReverseClearing), reverse("Gathered", driver.ReverseClearing)},
		"stored values":             {forward("Keeps"), reverse("Keeps", driver.ReverseClearing), forward("Gathered"), reverse("Gathered", driver.Reverse)},
	} {
		compareTwins(t, name, parts, []uint64{3})
	}
	recording := reverse("Gathered", driver.Record)
	if _, _, err := driver.Link([]driver.LinkPart{recording}); err == nil || err.Error() != "Gathered is not linked with other launches: a tape records it" {
		t.Error(err)
	}
}

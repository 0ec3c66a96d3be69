package sparse

import (
	"bytes"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"unsafe"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/memory"
)

// A guarded space has accesses fault that are not announced, as of a tree that a machine has to itself. The memory is that of the process all the same.
type guarded struct {
	device.Process
	regions []*memory.Region
	open    map[int64]memory.Access // pages that may be accessed
}

func (g *guarded) Apart() (device.Space, device.Mirror)    { return g, g }
func (g *guarded) Map(bytes int64) (*memory.Region, error) { return g.Reserve(bytes) }
func (g *guarded) Read(address uint64, n int64)            { g.allow(address, n, memory.Reads) }
func (g *guarded) Write(address uint64, n int64, all bool) { g.allow(address, n, memory.All) }
func (g *guarded) Zero(address uint64, n int64)            {}
func (g *guarded) Err() error                              { return nil }
func (g *guarded) Reserve(bytes int64) (*memory.Region, error) {
	r, err := memory.Reserve(bytes)
	if err == nil {
		g.regions = append(g.regions, r)
		r.OnFree(func() { g.regions = slices.DeleteFunc(g.regions, func(k *memory.Region) bool { return k == r }) })
		err = r.Guard(0, r.Len(), memory.Nothing)
	}
	return r, err
}

func (g *guarded) allow(address uint64, n int64, a memory.Access) {
	page := int64(os.Getpagesize())
	for _, r := range g.regions {
		off := int64(address) - int64(uintptr(r.Base()))
		if off < 0 || off >= r.Len() {
			continue
		}
		for p := off / page * page; p < off+n; p += page {
			if at := int64(uintptr(r.Base())) + p; g.open[at] < a {
				g.open[at] = a
				if err := r.Guard(p, page, a); err != nil {
					panic(err)
				}
			}
		}
	}
}

// launch forbids all again.
func (g *guarded) launch(t *testing.T) {
	t.Helper()
	clear(g.open)
	for _, r := range g.regions {
		if err := r.Guard(0, r.Len(), memory.Nothing); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDoor does all that the host does with trees, each after a launch, so that an access that is not announced ends the test.
func TestDoor(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no access faults")
	}
	for name, levels := range shapes {
		t.Run(name, func(t *testing.T) {
			g := &guarded{open: map[int64]memory.Access{}}
			x := buildIn(t, levels, NewBudget(1<<28), g)
			x.threads = 1 // the space is for one goroutine
			g.launch(t)
			if !faults(func() { peek(x.base) }) {
				t.Fatal("nothing faults")
			}
			useGuarded(t, x, g)
			g.launch(t)
		})
	}
}

func faults(f func()) (did bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { did = recover() != nil }()
	f()
	return false
}

func useGuarded(t *testing.T, x *built, g *guarded) {
	t.Helper()
	r, m, a := rand.New(rand.NewPCG(7, 3)), newModel(x), x.field.Access(0)
	last := x.nodes[len(x.nodes)-1]
	values := map[string]float32{}
	key := func(idx []int) string { return string(unsafe.Slice((*byte)(unsafe.Pointer(&idx[0])), 8*len(idx))) }
	for range 400 {
		g.launch(t)
		idx := m.random(r)
		switch r.IntN(9) {
		case 0, 1, 2:
			p, err := x.Enter(a, idx)
			if err != nil {
				t.Fatal(err)
			}
			x.Reach(p, 4, true)
			*(*float32)(p) = r.Float32()
			values[key(idx)] = *(*float32)(p)
		case 3:
			v := float32(0)
			if p := x.Find(a, idx); p != nil {
				x.Reach(p, 4, false)
				v = *(*float32)(p)
			}
			if v != values[key(idx)] {
				t.Fatalf("element %v is %v, want %v", idx, v, values[key(idx)])
			}
		case 4:
			var err error
			n := 0
			for range x.Cells(last, &err) {
				n++
			}
			g.launch(t)
			if count, e := x.Count(last); e != nil || err != nil || count != n {
				t.Fatalf("%d cells, %d counted, %v, %v", n, count, err, e)
			}
		case 5:
			x.Active(last, idx)
			if _, _, err := x.List(last, 0, false); err != nil {
				t.Fatal(err)
			}
		case 6:
			x.Prepare()
			g.launch(t)
			if err := x.Settle(); err != nil {
				t.Fatal(err)
			}
			if lost := x.Lost(); lost != 0 {
				t.Fatalf("%d blocks are lost", lost)
			}
		case 7:
			var saved bytes.Buffer
			if _, err := x.WriteTo(&saved); err != nil {
				t.Fatal(err)
			}
			g.launch(t)
			if _, err := x.ReadFrom(&saved); err != nil {
				t.Fatal(err)
			}
		case 8:
			if r.IntN(4) > 0 {
				break
			}
			clear(values)
			for _, n := range x.nodes {
				x.Deactivate(n, make([]int, len(n.PathAxes())))
			}
			x.Collect()
			g.launch(t)
			if err := x.Clear(x.nodes[0].Parent()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

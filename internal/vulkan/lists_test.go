package vulkan_test

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/titest"
	"github.com/gotaichi/ti/internal/vulkan"
)

// listSource has loops over lists behind tasks of the same launch that activate cells. Order tells the entries of a list in their order.
const listSource = `package p

var X, Y, Z, B, D field[i32, D2]
var N field[i64, D0]
var Inner node

func Step(n, at i32) {
	for i, j := range ndrange(n, n) {
		if (i*7+j*3)%5 == 0 {
			X[i+at][j] += i + j
			D[i][j+at] += 1
			B[j][i] += i
		}
	}
	for i, j := range X {
		Y[i][j] += X[i][j] + 1
	}
	for i, j := range Y {
		Z[j][i] += Y[i][j]
		activate(Y, (i+8)%32, j)
	}
	for i, j := range Z {
		Z[i][j] += 1
		D[i][j] += Z[i][j]
	}
	for i, j := range B {
		B[i][j] += D[j][i]
	}
	for i, j := range D {
		D[i][j] += B[i][j] % 3
	}
}

func Visit() {
	for i, j := range X {
		X[i][j] += 1
	}
	for i, j := range Y {
		Y[i][j] += X[i][j]
	}
}

func Order() {
	for i, j := range serial(Y) {
		N = (N*31 + i64(i*32+j)) % 1000003
	}
	for i, j := range serial(Z) {
		N = (N*31 + i64(i*32+j)) % 1000003
	}
	for i, j := range serial(D) {
		N = (N*31 + i64(i*32+j)) % 1000003
	}
}

func Drop(at i32) {
	for i, j := range Inner {
		if (i+j)%3 == at {
			deactivate(Inner, i, j)
		}
	}
}

func Sum() (s i64) {
	for i, j := range X {
		s += i64(X[i][j]) * 3
	}
	for i, j := range Z {
		s += i64(Z[i][j])
	}
	return
}
`

type listHost struct {
	X, Y, Z, B, D ti.Field[int32]
	N             ti.Field[int64]
	Inner         *ti.Node
	Step          func(n, at int32) error
	Visit, Order  func() error
	Drop          func(at int32) error
	Sum           func() (int64, error)
}

func loadLists(rt *ti.Runtime) (h *listHost, err error) {
	h = &listHost{}
	rt.NewTree().Pointer(ti.IJ, 8).Bitmasked(ti.IJ, 4).Place(&h.X)
	h.Inner = rt.NewTree().Pointer(ti.IJ, 4).Pointer(ti.IJ, 4)
	h.Inner.Dense(ti.IJ, 2).Place(&h.Y)
	rt.NewTree().Pointer(ti.J, 8).Dense(ti.J, 4).Dense(ti.I, 32).Place(&h.Z) // entries with a coordinate that blocks do not have
	rt.NewTree().Bitmasked(ti.IJ, 32).Place(&h.B)                            // the root block alone
	rt.NewTree().Dense(ti.I, 4).Pointer(ti.J, 4).Dense(ti.I, 2).Pointer(ti.IJ, 4).Bitmasked(ti.IJ, 2).Place(&h.D)
	rt.Place(nil, &h.N)
	return h, rt.Load(listSource, h)
}

// TestLists has the device make lists between the tasks of a launch, and compares elements, and the order of cells, with the oracle.
func TestLists(t *testing.T) {
	for _, cfg := range []ti.Config{{}, {Deterministic: true}} {
		cfg.Cache = ti.Cache{Policy: ti.CacheOff}
		run := func(rt *ti.Runtime) (all []string) {
			h, err := loadLists(rt)
			must(t, err)
			note := func(what string, n int32) {
				s := fmt.Sprint(what, n, ": ")
				for k, f := range []*ti.Field[int32]{&h.X, &h.Y, &h.Z, &h.B, &h.D} {
					s += fmt.Sprint("| ", k, " ")
					for i, v := range f.All() {
						s += fmt.Sprint(i, v, " ")
					}
				}
				sum, err := h.Sum()
				must(t, err)
				all = append(all, s+fmt.Sprint(" N ", h.N.At(), " sum ", sum))
			}
			for at, n := range []int32{3, 20} {
				must(t, h.Step(n, int32(at)))
				note("step", n)
				must(t, h.Visit())
				must(t, h.Order())
				note("visit", n)
				must(t, h.Drop(int32(at)))
				must(t, h.Visit())
				must(t, h.Order())
				note("drop", n)
			}
			return all
		}
		got := run(open(t, cfg))
		cfg.Arch = ti.Oracle
		want := run(runtime(t, cfg))
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%+v, step %d: the elements are\n%.3000s\nand not\n%.3000s", cfg.Deterministic, i, got[i], want[i])
			}
		}
	}
}

const growSource = `package p

var P, Q field[i32]
var N field[i32, D0]

func Grow(n i32) {
	for i := range n {
		P[16*i] += 1
	}
	for i := range P {
		P[i] += 2
		Q[i/8] += 1
	}
	for i := range Q {
		Q[i] += P[i]
	}
	N = N + 1 // serial code
}

func Visit() {
	for i := range P {
		P[i] += 1
	}
	for i := range Q {
		Q[i] += P[i]
	}
}

func Twice(n i32) {
	for i := range n {
		P[16*i] += 1
	}
	for i := range P {
		P[i] += 1
	}
	for i := range P {
		P[i] *= 2
	}
}
`

type growHost struct {
	P, Q        ti.Field[int32]
	N           ti.Field[int32]
	Grow, Twice func(n int32) error
	Visit       func() error
}

func loadGrow(rt *ti.Runtime) (h *growHost, err error) {
	h = &growHost{}
	rt.NewTree().Pointer(ti.I, 1<<13).Dense(ti.I, 2).Place(&h.P) // several groups of threads make the list
	rt.NewTree().Pointer(ti.I, 1<<5).Pointer(ti.I, 1<<5).Dense(ti.I, 2).Place(&h.Q)
	rt.Place(nil, &h.N)
	return h, rt.Load(growSource, h)
}

// TestListGrows has more blocks appear in a launch than the list has room for: the task over the list runs once, with all of them, and so do those behind it.
func TestListGrows(t *testing.T) {
	h, err := loadGrow(open(t, ti.Config{Cache: ti.Cache{Policy: ti.CacheOff}}))
	must(t, err)
	p, q := make([]int32, 1<<14), make([]int32, 1<<11)
	for round, n := range []int32{10, 300, 20, 1024} {
		must(t, h.Grow(n))
		for i := range n {
			p[16*i]++
		}
		most := max(n, []int32{0, 10, 300, 300}[round])
		for i := range most {
			p[16*i] += 2
			p[16*i+1] += 2
			q[2*i] += 2
		}
		for i := range 2 * most {
			q[i] += p[i]
		}
		if h.N.At() != int32(round+1) {
			t.Fatalf("the last task has run %d times, want %d", h.N.At(), round+1)
		}
		for i := range p {
			if h.P.At(i) != p[i] || i < len(q) && h.Q.At(i) != q[i] {
				t.Fatalf("round %d: element %d of P is %d, want %d; of Q it is to be %d", round, i, h.P.At(i), p[i], q[i%len(q)])
			}
		}
	}
}

// TestListsBesideHash has lists that the host makes between those of the device, in one launch: the host knows what was activated before.
func TestListsBesideHash(t *testing.T) {
	run := func(rt *ti.Runtime) (s string) {
		var h struct {
			P, Q, H, L ti.Field[int32]
			Step       func(n int32) error
		}
		rt.NewTree().Pointer(ti.I, 64).Dense(ti.I, 2).Place(&h.P)
		rt.NewTree().Pointer(ti.I, 64).Dense(ti.I, 2).Place(&h.Q)
		rt.NewTree().Hash(ti.I, 1<<20).Dense(ti.I, 2).Place(&h.H)
		rt.NewTree().Dense(ti.I, 2).Dynamic(ti.J, 64).Place(&h.L)
		must(t, rt.Load(`package p

var P, Q, H field[i32]
var L field[i32, D2]

func Step(n i32) {
	for i := range n {
		P[i*3] += i
		H[i*1000] += i
		append(L[i%2], i)
	}
	for i := range P {
		Q[(i+5)%128] += P[i]
	}
	for i := range H {
		P[(i/1000)%128] += H[i]
	}
	for i, j := range L {
		Q[(i*64+j)%128] += 1
	}
	for i := range Q {
		Q[i] += P[i]
	}
}
`, &h))
		for _, n := range []int32{2, 30} {
			must(t, h.Step(n))
			for _, f := range []*ti.Field[int32]{&h.P, &h.Q, &h.H} {
				for i, v := range f.All() {
					s += fmt.Sprint(i, v, " ")
				}
			}
			s += "|"
		}
		return s
	}
	got, want := run(open(t, ti.Config{Cache: ti.Cache{Policy: ti.CacheOff}})), run(runtime(t, ti.Config{Arch: ti.Oracle}))
	if got != want {
		t.Errorf("the elements are\n%s\nand not\n%s", got, want)
	}
}

// openWhole starts a runtime behind a driver, on which no task runs in pieces, however busy the machine is.
func openWhole(tb testing.TB, y *vulkan.Faulty) (*ti.Runtime, error) {
	tb.Helper()
	cfg := titest.Vulkan(tb, ti.Config{Cache: ti.Cache{Policy: ti.CacheOff}})
	return titest.NewOn(cfg, func(processors launch.Machine, device int) (launch.Machine, error) {
		m, err := y.Machine(processors, device)
		if err == nil {
			vulkan.SetPieceTime(m, time.Hour)
		}
		return m, err
	})
}

// counted runs a step behind a driver that counts, and returns how often the host waited and how many dispatches there were.
func counted(t *testing.T, y *vulkan.Faulty, step func() error) (waits, dispatches int64) {
	t.Helper()
	waits, dispatches = y.Count("vkWaitForFences"), y.Count("vkCmdDispatch")
	must(t, step())
	return y.Count("vkWaitForFences") - waits, y.Count("vkCmdDispatch") - dispatches
}

// TestListWaits: a launch waits once, whatever its tasks activate, and nothing makes a list anew of a tree that did not change.
func TestListWaits(t *testing.T) {
	y := &vulkan.Faulty{}
	rt, err := openWhole(t, y)
	must(t, err)
	defer func() {
		must(t, rt.Close())
		noObjects(t, y)
	}()
	h, err := loadGrow(rt)
	must(t, err)
	for range 3 { // the device learns how long tasks take
		must(t, h.Grow(300)) // no whole number of workgroups
		must(t, h.Visit())
	}
	if waits, dispatches := counted(t, y, h.Visit); waits != 1 || dispatches > 3 {
		t.Errorf("loops over trees that did not change wait %d times in %d dispatches, want 1 in 3: of two tasks, and to look for memory", waits, dispatches)
	}
	if waits, _ := counted(t, y, func() error { return h.Grow(310) }); waits != 1 {
		t.Errorf("a launch that activates cells waits %d times, want 1", waits)
	}
	most := int64(3)
	if os.Getenv(vulkan.EnvMemory) == "apart" { // the host fetches pages of the list of slots that were given back
		most = 12
	}
	if waits, _ := counted(t, y, func() error { return h.Grow(1024) }); waits < 3 || waits > most {
		t.Errorf("a launch that has more blocks than there was room for in two lists waits %d times, want 3", waits)
	}
	if waits, dispatches := counted(t, y, func() error { return h.Twice(1024) }); waits != 1 || dispatches != 10 {
		t.Errorf("two loops over a list wait %d times in %d dispatches, want 1 in 10: of three tasks, to look for memory, five for the list, and one for the second loop", waits, dispatches)
	}
	if v := h.P.At(16 * 1023); v != 10 {
		t.Errorf("the last element is %d, want 10", v)
	}
}

// TestHashWaits: loops over hash nodes, of which the host makes the lists, wait for what was activated before, and for nothing else.
func TestHashWaits(t *testing.T) {
	y := &vulkan.Faulty{}
	rt, err := openWhole(t, y)
	must(t, err)
	defer func() {
		must(t, rt.Close())
		noObjects(t, y)
	}()
	var h struct {
		H     ti.Field[int32]
		Grow  func() error
		Visit func() error
	}
	rt.NewTree().Hash(ti.I, 1<<20).Dense(ti.I, 2).Place(&h.H)
	must(t, rt.Load(`package p

var H field[i32]

func Grow() {
	for i := range 9 {
		H[i*100] += 1
	}
	for i := range H {
		H[i] += 1
	}
}

func Visit() {
	for i := range H {
		H[i] += 1
	}
	for i := range H {
		H[i] *= 2
	}
}
`, &h))
	must(t, h.Grow())
	must(t, h.Visit())
	if waits, _ := counted(t, y, h.Visit); waits != 1 {
		t.Errorf("loops over a hash node wait %d times, want 1", waits)
	}
	if waits, _ := counted(t, y, h.Grow); waits != 2 {
		t.Errorf("a loop over a hash node behind one that activates cells waits %d times, want 2", waits)
	}
	if v := h.H.At(800); v != 2*(2*(2+1)+1)+2 {
		t.Errorf("the last element is %d", v)
	}
}

// TestListMemory has no memory left, for blocks and for a list: the launch fails, nothing behind that has run, and the trees are in order.
func TestListMemory(t *testing.T) {
	rt := open(t, ti.Config{MemoryLimit: 1 << 20, Cache: ti.Cache{Policy: ti.CacheOff}})
	var h struct {
		P    ti.Field[int32]
		N    ti.Field[int32]
		Grow func(n int32) error
	}
	rt.NewTree().Pointer(ti.I, 64).Dense(ti.I, 1<<14).Place(&h.P)
	rt.Place(nil, &h.N)
	must(t, rt.Load(`package p

var P field[i32]
var N field[i32, D0]

func Grow(n i32) {
	for i := range n {
		P[i*16384] = 7
	}
	for i := range 1 {
		N += i + 1
	}
	for i := range P {
		P[i] += 1
	}
}
`, &h))
	must(t, h.Grow(3))
	if err := h.Grow(64); !errors.Is(err, ti.ErrMemory) {
		t.Errorf("the error is %v", err)
	}
	must(t, h.Grow(3))
	if h.N.At() != 2 || h.P.At(0) != 8 || h.P.At(1) != 2 {
		t.Errorf("N is %d, P begins with %d and %d, want 2, 8 and 2: tasks behind the failure do not run", h.N.At(), h.P.At(0), h.P.At(1))
	}
}

// TestListRoom has the driver refuse memory for the second list that grows in a launch: what stands before it has run, what comes behind has not, and the next launch finds all in order.
func TestListRoom(t *testing.T) {
	run := func(t *testing.T, y *vulkan.Faulty) (h *growHost, err error) {
		cfg := titest.Vulkan(t, ti.Config{Cache: ti.Cache{Policy: ti.CacheOff}})
		rt, err := titest.NewOn(cfg, y.Machine)
		must(t, err)
		t.Cleanup(func() {
			must(t, rt.Close())
			noObjects(t, y)
		})
		h, err = loadGrow(rt)
		must(t, err)
		must(t, h.Grow(10))
		return h, h.Grow(1024)
	}
	whole := &vulkan.Faulty{}
	t.Run("without a fault", func(t *testing.T) { // a driver counts for one machine at a time
		_, err := run(t, whole)
		must(t, err)
	})
	h, err := run(t, &vulkan.Faulty{Fail: "vkCreateBuffer", At: whole.Calls()["vkCreateBuffer"], Result: -2})
	if !errors.Is(err, ti.ErrMemory) {
		t.Errorf("the error is %v, want that there is no memory", err)
	}
	if h.N.At() != 1 || h.P.At(16000) != 3 || h.Q.At(2000) != 2 {
		t.Errorf("N is %d, P[16000] %d and Q[2000] %d, want 1, 3 and 2: the loop over Q has not run", h.N.At(), h.P.At(16000), h.Q.At(2000))
	}
	must(t, h.Grow(1024))
	if h.N.At() != 2 || h.P.At(16000) != 6 || h.Q.At(2000) != 10 {
		t.Errorf("then N is %d, P[16000] %d and Q[2000] %d, want 2, 6 and 10", h.N.At(), h.P.At(16000), h.Q.At(2000))
	}
}

// BenchmarkListWaits says how often a step of a sparse program waits, which activates cells and then visits those of two trees.
func BenchmarkListWaits(b *testing.B) {
	y := &vulkan.Faulty{}
	rt, err := openWhole(b, y)
	titest.Must(b, err)
	defer func() { titest.Must(b, rt.Close()) }()
	h, err := loadGrow(rt)
	titest.Must(b, err)
	for range 3 {
		titest.Must(b, h.Grow(1000))
	}
	before := y.Count("vkWaitForFences")
	for b.Loop() {
		titest.Must(b, h.Grow(1000))
	}
	b.ReportMetric(float64(y.Count("vkWaitForFences")-before)/float64(b.N), "waits/op")
}

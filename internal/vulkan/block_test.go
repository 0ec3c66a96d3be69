package vulkan_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/session"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/threadblock"
	"github.com/gotaichi/ti/internal/vulkan"
)

// blocked has loops of one to four axes. An iteration that runs twice, or not at all, leaves another number.
const blocked = `
package p

var (
	A field[i32]
	G field[i32, D2]
	H field[i32, D3]
	Q field[i32, D4]
	S field[i32, D0]
)

func Run(n i32) {
	for i := range A {
		A[i] += i32(i)*7 + 1
	}
	for i, j := range G {
		G[i][j] += i32(i*100 + j)
		S += i32(i ^ j)
	}
	for p := range H {
		if p.z == 4 {
			continue
		}
		H[p] += i32(p.x*10000 + p.y*100 + p.z)
	}
	for p := range Q {
		Q[p] += i32(p.x*1000 + p.y*100 + p[2]*10 + p[3])
	}
	for p := range ndrange(span(1, n), span(-2, 5), n*2) {
		H[p.x%3][(p.y+2)%5][p.z] += p.x + p.y*p.z
	}
	for p := range ndrange(2, n-n, 3) {
		S += p.x
	}
	for p := range ndrange(n, 2, 3, n, 2) {
		A[p.x*10+p.y*5+p[3]] += p[2]*3 + p[4] + 1
	}
}
`

type blockedHost struct {
	A, G, H, Q, S ti.Field[int32]
	Run           func(n int32) error
}

// runBlocked loads the program, and returns its kernel and what runs it and returns what is in the fields then.
func runBlocked(t *testing.T, rt *ti.Runtime) (*ti.Kernel, func() []int32) {
	t.Helper()
	h := new(blockedHost)
	rt.Place(ti.Shape{100}, &h.A)
	rt.Place(ti.Shape{9, 13}, &h.G)
	rt.Place(ti.Shape{3, 5, 17}, &h.H)
	rt.Place(ti.Shape{2, 3, 4, 17}, &h.Q)
	rt.Place(nil, &h.S)
	p, err := rt.Compile(ti.Text("p.ti", blocked), h)
	must(t, err)
	return p.Kernel("Run"), func() (all []int32) {
		t.Helper()
		fields := []*ti.Field[int32]{&h.A, &h.G, &h.H, &h.Q, &h.S}
		for _, f := range fields {
			f.Fill(3)
		}
		must(t, h.Run(5))
		for _, f := range fields {
			values := make([]int32, f.Len())
			must(t, f.CopyTo(values))
			all = append(all, values...)
		}
		return all
	}
}

// within starts a runtime whose device has other limits.
func within(t *testing.T, change func(*threadblock.Limits)) *ti.Runtime {
	t.Helper()
	plain := open(t, ti.Config{Cache: ti.Cache{Policy: ti.CacheOff}})
	rt, err := (*session.Runtime)(plain).Again(func(api *session.API) {
		all := api.Targets
		api.Targets = func(env *front.Env) (*target.Registry, error) {
			r, err := all(env)
			if err != nil {
				return nil, err
			}
			v, err := r.Find("vulkan")
			if err != nil {
				return nil, err
			}
			of := v.Machine
			v.Machine = func(processors launch.Machine, device int) (launch.Machine, error) {
				m, err := of(processors, device)
				if err == nil {
					l := m.(launch.DeviceMachine).Device().Blocks
					change(&l)
					vulkan.SetBlocks(m, l)
				}
				return m, err
			}
			return target.NewRegistry(v)
		}
	})
	must(t, err)
	t.Cleanup(func() { must(t, rt.Close()) })
	return (*ti.Runtime)(rt)
}

// TestBlocks: neither block nor grid change a number.
func TestBlocks(t *testing.T) {
	blocks := []ti.Block{
		{},
		{Size: [3]int{1, 1, 1}, Policy: ti.BlockExact},
		{Size: [3]int{64, 1, 1}, Policy: ti.BlockExact},
		{Size: [3]int{5, 3, 2}, Policy: ti.BlockExact},
		{Size: [3]int{5, 1, 2}, Policy: ti.BlockExact, WarpAligned: true}, // at most 64 × 2 threads, which all devices have
		{Size: [3]int{1, 2, 33}, Policy: ti.BlockExact},
		{Size: [3]int{16, 16, 4}, Policy: ti.BlockTrim},
		{Size: [3]int{3, 1, 1}, Policy: ti.BlockFit},
	}
	_, reference := runBlocked(t, runtime(t, ti.Config{Arch: ti.Oracle}))
	want := reference()
	for _, grid := range [][3]int{{}, {1, 1, 1}, {2, 3, 1}, {1, 2, 5}} {
		rt := within(t, func(l *threadblock.Limits) {
			if grid[0] > 0 {
				l.Grid = grid
			}
		})
		k, run := runBlocked(t, rt)
		for _, b := range blocks {
			k.SetBlock(b)
			if got := run(); !slices.Equal(got, want) {
				t.Errorf("%+v in grids of at most %v: the numbers differ:\n%v, and expected\n%v", b, grid, got, want)
			}
		}
	}
}

// TestManyTiles: a loop of more tiles than a dispatch has workgroups is several dispatches.
func TestManyTiles(t *testing.T) {
	rt := open(t, ti.Config{Cache: ti.Cache{Policy: ti.CacheOff}, Block: ti.Block{Size: [3]int{2, 2, 1}, Policy: ti.BlockExact}})
	var h struct {
		X   ti.Field[int32]
		Run func() error
	}
	rt.Place(ti.Shape{201, 303}, &h.X)
	must(t, rt.Load("package p\n\nvar X field[i32, D2]\n\nfunc Run() {\n\tfor i, j := range X {\n\t\tX[i][j] += i32(i*1000 + j)\n\t}\n}\n", &h))
	must(t, h.Run())
	for i := range 201 {
		for j := range 303 {
			if got := h.X.At(i, j); int(got) != i*1000+j {
				t.Fatalf("X[%d][%d] is %d", i, j, got)
			}
		}
	}
}

// twoLoops asks for a block in its second loop.
const twoLoops = `package p

var X field[i32]

func Run() {
	for i := range X {
		X[i] += 1
	}
	for i := range config(X, blockDim(DIM)) {
		X[i] += X[(i+1)%8] * 2
	}
}

func Other() {
	for i := range X {
		X[i] += 1
	}
}
`

// TestBlockSettings: the source comes before the kernel, and that before the runtime. A setting is that of the next launch. A block beyond the limits of the device
// fails by name.
func TestBlockSettings(t *testing.T) {
	huge := ti.Block{Size: [3]int{1, 1 << 20, 1}, Policy: ti.BlockExact}
	small := ti.Block{Size: [3]int{4, 2, 1}, Policy: ti.BlockExact}
	load := func(cfg ti.Config, dim int) (*ti.Program, func() error) {
		rt := open(t, cfg)
		var h struct {
			X          ti.Field[int32]
			Run, Other func() error
		}
		rt.Place(ti.Shape{8}, &h.X)
		p, err := rt.Compile(ti.Text("p.ti", strings.ReplaceAll(twoLoops, "DIM", fmt.Sprint(dim))), &h)
		must(t, err)
		return p, h.Run
	}
	fails := func(what string, err error, place, text string) {
		t.Helper()
		failed, is := errors.AsType[*ti.RuntimeError](err)
		if !is || !errors.Is(err, ti.ErrArgs) || !strings.Contains(err.Error(), place) || !strings.Contains(err.Error(), text) || failed.Kernel != "Run" {
			t.Errorf("%s: the error is %v, want %q and %q in it", what, err, place, text)
		}
	}
	p, run := load(ti.Config{Block: huge}, 4)
	fails("the runtime's", run(), ":6:", "a thread block of 1×1048576×1 threads is too large")
	k := p.Kernel("Run")
	k.SetBlock(small)
	must(t, run())
	k.SetBlock(huge)
	fails("the kernel's", run(), ":6:", "BlockFit or BlockTrim")
	k.SetBlock(ti.Block{})
	must(t, run())
	if _, err := p.Kernel("Other").Launch(t.Context()); !errors.Is(err, ti.ErrArgs) {
		t.Errorf("another kernel of the runtime: %v", err)
	}
	k.SetBlock(ti.Block{Policy: 77})
	fails("no such policy", run(), ":6:", "the policy 77")
	p, run = load(ti.Config{Block: small}, 1<<19)
	fails("the source's", run(), ":9:", "a thread block of 524288×1×1 threads is too large")
	var text bytes.Buffer
	must(t, p.Kernel("Run").Explain(&text))
	if strings.Contains(text.String(), "blockDim(524288) has no effect") {
		t.Errorf("the explanation is\n%s", text.String())
	}
	p.Kernel("Run").SetBlock(small)
	fails("the source's before the kernel's", run(), ":9:", "524288")
}

// TestBlockLinked: of kernels whose launches are linked, each has its own block.
func TestBlockLinked(t *testing.T) {
	t.Setenv("TI_LINK_ALWAYS", "1")
	rt := open(t, ti.Config{Batch: 100, Cache: ti.Cache{Policy: ti.CacheOff}})
	var h struct {
		X, Y       ti.Field[int32]
		Run, Other func()
	}
	rt.Place(ti.Shape{8}, &h.X)
	rt.Place(ti.Shape{4, 6}, &h.Y)
	p, err := rt.Compile(ti.Text("p.ti", `package p

var X field[i32]
var Y field[i32, D2]

func Run() {
	for i := range X {
		X[i] += 1
	}
}

func Other() {
	for i, j := range Y {
		Y[i][j] += X[i] + i32(j)
	}
}
`), &h)
	must(t, err)
	other := p.Kernel("Other")
	for i, b := range []ti.Block{{}, {Size: [3]int{3, 2, 1}, Policy: ti.BlockExact}, {Size: [3]int{1, 1, 1 << 20}, Policy: ti.BlockExact}, {Size: [3]int{3, 2, 1}, Policy: ti.BlockFit}} {
		other.SetBlock(b)
		h.Run()
		h.Other()
		err := rt.Sync()
		failed, is := errors.AsType[*ti.RuntimeError](err)
		if is != (i == 2) || is && (failed.Kernel != "Other" || !errors.Is(err, ti.ErrArgs)) || !is && err != nil {
			t.Errorf("%+v: the error is %v", b, err)
		}
	}
	if x, y := h.X.At(3), h.Y.At(3, 5); x != 4 || y != 1+2+4+3*5 {
		t.Errorf("the numbers are %d and %d", x, y)
	}
}

// TestBlockFallback: where trimmed and fitted blocks are too large, each loop says so once, and runs.
func TestBlockFallback(t *testing.T) {
	text := onStderr(t, func() {
		rt := within(t, func(l *threadblock.Limits) { l.Threads = 64 })
		k, run := runBlocked(t, rt)
		for range 3 {
			k.SetBlock(ti.Block{Size: [3]int{64, 64, 64}, Policy: ti.BlockTrim})
			run()
			k.SetBlock(ti.Block{Size: [3]int{64, 64, 64}, Policy: ti.BlockFit})
			run()
		}
	})
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, "ti: ") || !strings.Contains(line, "kernel Run: a thread block of ") || !strings.Contains(line, "it has at most 64 in all, so the loop runs in blocks of ") {
			t.Errorf("a line is %q", line)
		}
		if slices.Contains(lines[:i], line) {
			t.Errorf("it is there twice: %q", line)
		}
	}
	if len(lines) != 5 {
		t.Errorf("there are %d lines, and 5 loops have too large blocks:\n%s", len(lines), text)
	}
}

// onStderr returns what f writes to standard error.
func onStderr(t *testing.T, f func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	must(t, err)
	defer func(was *os.File) { os.Stderr = was }(os.Stderr)
	os.Stderr = w
	text := make(chan string)
	go func() {
		var b bytes.Buffer
		_, _ = io.Copy(&b, r)
		text <- b.String()
	}()
	f()
	_ = w.Close()
	return <-text
}

// TestBlockDevice: the device tells its limits, which launches keep to.
func TestBlockDevice(t *testing.T) {
	d := open(t, ti.Config{}).Device()
	if d.Warp < 1 || d.MaxBlockThreads < 128 || d.MaxBlock[0] < 128 || d.MaxBlock[2] < 64 || d.MaxGrid[1] < 65535 {
		t.Errorf("%+v is less than Vulkan demands", d)
	}
	if all := ti.Devices(); !slices.Contains(all, d) {
		t.Errorf("%+v is none of %+v", d, all)
	}
}

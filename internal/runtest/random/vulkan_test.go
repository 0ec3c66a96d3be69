package random

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
	"github.com/gotaichi/ti/internal/titest"
)

var vulkanSeeds = randtest.New("vulkanseeds", "firstvulkan", "random kernels on a Vulkan device", 12, 6)

// TestRandomVulkan compares random kernels on a device that has a Vulkan driver with the oracle.
func TestRandomVulkan(t *testing.T) {
	if device := titest.VulkanDevice(t); device > 0 {
		t.Setenv("TI_DEVICE", strconv.Itoa(device))
	}
	vulkanSeeds.Each(t, compareVulkan)
}

func compareVulkan(t *testing.T, seed uint64) {
	s := newScene(seed)
	s.exact = true // the oracle is the only judge
	src := withoutMemory(randomKernel(s))
	want := runVulkan(t, runtest.OracleVariant, src, s)
	v := runtest.Variant{Label: "vulkan", Arch: ti.Vulkan, Threads: 1, Layout: runtest.Layout(seed % 5)}
	v.Unchecked = s.safe && seed/5%2 == 0
	v.Unrolled = s.unrolled(0)
	got := runVulkan(t, v, src, s)
	got.compareResults(t, want)
	got.compareFailures(t, want, false)
	failWith(t, s, v, src)
}

// A deviceHost is a sceneHost with what is memory of the caller in other tests.
type deviceHost struct {
	sceneHost
	W  ti.Field[uint16]
	U  ti.Field[ti.Vec2]
	Z  ti.Field[randomPair]
	T  ti.Field[float32]
	TA ti.Field[int32]
}

const deviceVars = "var (\n\tW field[u16]\n\tU field[vec2]\n\tZ field[pair]\n\tT field[f32, D2]\n\tTA field[i32, D2]\n)\n\n"

var rangesOverSlices = regexp.MustCompile(`for (\w+), \w+ := range ([WZ]) \{\n\s*_ = \w+\n`)

// withoutMemory makes fields of the slices and arrays that Run takes.
func withoutMemory(src string) string {
	src = strings.Replace(src, sceneParameters, "p i32, q f32", 1)
	src = strings.Replace(src, "var (\n", deviceVars+"var (\n", 1)
	src = strings.ReplaceAll(src, "array[", "field[")
	return rangesOverSlices.ReplaceAllString(src, "for $1 := range $2 {\n")
}

// runVulkan launches a kernel twice.
func runVulkan(t *testing.T, v runtest.Variant, src string, s scene) (out outcome) {
	t.Helper()
	r := &runtest.Run{TB: t, Variant: v}
	r.RT, r.Out = v.StrictRuntime(t)
	defer r.RT.Close()
	h := &deviceHost{sceneHost: sceneHost{N: int32(s.n()), M: sceneBundle{K: 5, O: ti.Vec2{0.5, -2}}}}
	h.place(r, s)
	r.Place(ti.Shape{s.n()}, &h.W, &h.U, &h.Z)
	r.Place(ti.Shape{s.rows, s.cols}, &h.T, &h.TA)
	p, err := r.RT.Compile(sourceOf(src), h)
	if err != nil {
		t.Fatalf("seed %d, %v\n%s", s.seed, err, src)
	}
	h.fill(s)
	for i := range s.n() {
		h.W.Set(uint16(i*i), i)
		h.U.Set(ti.Vec2{1, float32(i)}, i)
		h.Z.Set(randomPair{A: int32(i), W: [3]int64{1, int64(i) << 33, 3}}, i)
		h.T.Set(float32(i)/2, i/s.cols, i%s.cols)
		h.TA.Set(int32(i*7919%101-50), i/s.cols, i%s.cols)
	}
	for l, args := range [][]any{{int32(3), float32(1.5)}, {int32(-100), float32(0)}} {
		results, err := p.Kernel("Run").Launch(context.Background(), args...)
		switch {
		case err == nil:
			out.results[l] = fmt.Sprint(results...)
		case errors.Is(err, ti.ErrArch):
			t.Skipf("seed %d: %v", s.seed, err)
		case !errors.As(err, &out.failed[l]):
			t.Fatalf("seed %d, %v\n%s", s.seed, err, src)
		}
		out.printed[l] = r.Out.String()
		r.Out.Reset()
	}
	var b strings.Builder
	for i := range s.n() {
		fmt.Fprintln(&b, i, h.W.At(i), plain2(h.U.At(i)), h.Z.At(i).plain(), plain(h.T.At(i/s.cols, i%s.cols)))
	}
	h.print(&b, s)
	out.fields = b.String()
	return out
}

package porttest

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

// TestMacCormackMerged advects a number and a vector by one kernel, and gets bit for bit what the kernels of each compute. Paths that
// the text has several times are followed once.
func TestMacCormackMerged(t *testing.T) {
	const n = 32
	rt, err := ti.New(ti.Config{Arch: ti.LLVM, Threads: 2, StrictMath: true})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	type merged struct {
		smoke
		Merged func(q, ahead, next *ti.Field[float32], c, cAhead, cNext *ti.Field[ti.Vec3])
	}
	f := merged{smoke: smoke{Dt: 0.1}}
	voxel := rt.NewTree().Pointer(ti.IJK, n/8).Dense(ti.IJK, 8)
	voxel.Place(&f.V)
	var q [6]ti.Field[float32] // now, ahead, back, next; ahead and next of the merged kernel
	var c [6]ti.Field[ti.Vec3]
	for k := range q {
		voxel.Place(&q[k], &c[k])
	}
	program, err := rt.Compile(ti.Files(sources, "testdata/maccormack/*.ti"), &f)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(11, 12))
	component := func() float32 { return 8 * (r.Float32() - 0.5) }
	for k := range 1024 {
		i, j, l := 8+k/64, 8+k/8%8, 8+k%8
		f.V.Set(ti.Vec3{component(), component(), component()}, i, j, l)
		q[0].Set(component(), i, j, l)
		c[0].Set(ti.Vec3{component(), component(), component()}, i, j, l)
	}
	f.Forward(&q[0], &q[1])
	f.Forward(&c[0], &c[1])
	f.Back(&q[1], &q[2])
	f.Back(&c[1], &c[2])
	f.Correct(&q[0], &q[1], &q[2], &q[3])
	f.Correct(&c[0], &c[1], &c[2], &c[3])
	f.Merged(&q[0], &q[4], &q[5], &c[0], &c[4], &c[5])

	moved := 0
	for at := range f.V.All() {
		p := at[:3]
		if q[1].At(p...) != q[4].At(p...) || q[3].At(p...) != q[5].At(p...) || c[1].At(p...) != c[4].At(p...) || c[3].At(p...) != c[5].At(p...) {
			t.Fatalf("at %v the merged kernel has %v, %v, %v and %v; want %v, %v, %v and %v", p, q[4].At(p...), q[5].At(p...), c[4].At(p...), c[5].At(p...),
				q[1].At(p...), q[3].At(p...), c[1].At(p...), c[3].At(p...))
		}
		if q[3].At(p...) != q[0].At(p...) {
			moved++
		}
	}
	if moved < 512 {
		t.Errorf("%d of 1024 cells have changed; want most of them", moved)
	}
	for stage, want := range map[string]int{"lower": 576, "dce ranges": 296} {
		var text bytes.Buffer
		if err := program.Kernel("Merged").Dump(&text, stage); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(text.String(), "= load "); n != want {
			t.Errorf("after stage %q the merged kernel has %d loads; want %d", stage, n, want)
		}
	}
}

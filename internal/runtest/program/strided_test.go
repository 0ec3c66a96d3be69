package program

import (
	"errors"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

const stridedSource = `package p

var F field[f32, D2]

func Blur(dst, src array[f32, D2]) {
	for i, j := range ndrange(span(1, dst.shape.x-1), span(1, dst.shape.y-1)) {
		dst[i][j] = src[i-1][j] + src[i+1][j] + src[i][j-1] + src[i][j+1]
	}
}

func Fill(a array[vec2, D3], by f32) {
	for p := range a {
		a[p] += vec2(by*f32(p.x*100+p.y*10+p.z), 1)
	}
}

func Sum(a array[i32, D2]) (s, n i32) {
	for p := range a {
		s += a[p]
		n += 1
	}
	return s, n
}

func Mul(c, a, b array[f64, D2]) {
	for i, j := range c {
		s := f64(0)
		for k := range a.shape[1] {
			s += a[i][k] * b[k][j]
		}
		c[i][j] = s
	}
}

func To(a template) {
	for p := range a {
		a[p] += F[p]
	}
}

func Grey(p array[[4]u8, D2]) {
	for y, x := range p {
		c := p[y][x]
		g := u8((i32(c[0]) + i32(c[1]) + i32(c[2])) / 3)
		p[y][x] = [4]u8{g, g, g, c[3]}
	}
}

func Far(a array[i32, D2], i, j i32) i32 { return a[i][j] }
`

type stridedHost struct {
	F    ti.Field[float32]
	Blur func(dst, src ti.Array[float32]) error
	Fill func(a ti.Array[ti.Vec2], by float32) error
	Sum  func(a ti.Array[int32]) (s, n int32, err error)
	Mul  func(c, a, b ti.Array[float64]) error
	To   func(a ti.Array[float32]) error
	Grey func(p ti.Array[[4]uint8]) error
	Far  func(a ti.Array[int32], i, j int32) (int32, error)
}

// TestStrided runs kernels on parts of larger arrays: they give what copies give, and
// leave alone what lies between.
func TestStrided(t *testing.T) {
	var rts runtest.Runtimes
	defer rts.Close(t)
	runtest.RunAll(t, &rts, func(r *runtest.Run) {
		var s stridedHost
		r.Place(ti.Shape{3, 5}, &s.F)
		r.Load(stridedSource, &s)
		for _, shape := range []ti.Shape{{4, 6}, {1, 1}, {3, 40}, {33, 5}, {0, 3}, {3, 0}} {
			stridedBlur(r, &s, shape[0], shape[1])
		}
		stridedVolume(r, &s)
		stridedMul(r, &s)
		stridedFailure(r, &s)
	})
}

// stridedBlur blurs a part of one image into a part of another with another stride.
func stridedBlur(r *runtest.Run, s *stridedHost, h, w int) {
	wide, wider := numbers[float32](h+3, w+7), numbers[float32](h+3, w+13)
	src := ti.Strided(wide.Data[2*(w+7)+3:], ti.Shape{h, w}, w+7)
	dst := ti.Strided(wider.Data[w+13+1:], ti.Shape{h, w}, w+13)
	if err := s.Blur(dst, src); err != nil {
		r.Fatal(err)
	}
	for n, got := range wider.Data {
		i, j := n/(w+13)-1, n%(w+13)-1
		want := float32(n)
		if i > 0 && j > 0 && i < h-1 && j < w-1 {
			want = 4 * float32((i+2)*(w+7)+j+3)
		}
		if got != want {
			r.Fatalf("shape %d×%d: [%d %d] is %v, want %v", h, w, i, j, got, want)
		}
	}
	whole := numbers[int32](h+2, w+7)
	sum, want := int32(0), int32(0)
	for i := range h {
		for j := range w {
			want += whole.Data[i*(w+7)+j]
		}
	}
	sum, n, err := s.Sum(ti.Strided(whole.Data, ti.Shape{h, w}, w+7))
	if err != nil || sum != want || int(n) != h*w {
		r.Errorf("sum %d of %d, want %d of %d; %v", sum, n, want, h*w, err)
	}
}

// stridedVolume fills a block of a volume of vectors.
func stridedVolume(r *runtest.Run, s *stridedHost) {
	const d, h, w = 4, 5, 6
	volume := make([]ti.Vec2, d*h*w)
	if err := s.Fill(ti.Strided(volume[h*w+2*w+1:], ti.Shape{2, 3, 4}, h*w, w), 1); err != nil {
		r.Fatal(err)
	}
	for n, got := range volume {
		i, j, k := n/(h*w)-1, n/w%h-2, n%w-1
		want := ti.Vec2{}
		if i >= 0 && i < 2 && j >= 0 && j < 3 && k >= 0 && k < 4 {
			want = ti.Vec2{float32(i*100 + j*10 + k), 1}
		}
		if got != want {
			r.Fatalf("[%d %d %d] is %v, want %v", i, j, k, got, want)
		}
	}
}

// stridedMul multiplies parts of one matrix into a third, and adds a field to a part.
func stridedMul(r *runtest.Run, s *stridedHost) {
	const stride = 11
	m := make([]float64, 9*stride)
	for i := range m {
		m[i] = float64(i % 7)
	}
	a, b := ti.Strided(m, ti.Shape{2, 3}, stride), ti.Strided(m[4*stride+5:], ti.Shape{3, 4}, stride)
	c := ti.Array[float64]{Data: make([]float64, 8), Shape: ti.Shape{2, 4}}
	if err := s.Mul(c, a, b); err != nil {
		r.Fatal(err)
	}
	for i := range 2 {
		for j := range 4 {
			want := 0.0
			for k := range 3 {
				want += m[i*stride+k] * m[(4+k)*stride+5+j]
			}
			if got := c.Data[i*4+j]; got != want {
				r.Fatalf("product [%d %d] is %v, want %v", i, j, got, want)
			}
		}
	}
	s.F.Fill(100)
	x := numbers[float32](3, 8)
	if err := s.To(ti.Strided(x.Data, ti.Shape{3, 5}, 8)); err != nil || x.Data[4] != 104 || x.Data[5] != 5 || x.Data[8] != 108 || x.Data[20] != 120 {
		r.Errorf("a template of a part: %v, %v", x.Data, err)
	}
}

func stridedFailure(r *runtest.Run, s *stridedHost) {
	a := ti.Strided(numbers[int32](4, 9).Data, ti.Shape{4, 6}, 9)
	if got, err := s.Far(a, 2, 5); err != nil || got != 23 {
		r.Errorf("%d, %v", got, err)
	}
	if r.Unchecked {
		return
	}
	var e *ti.RuntimeError
	if got, err := s.Far(a, 2, 6); !errors.As(err, &e) || !errors.Is(err, ti.ErrRange) || e.Index[1] != 6 || e.Shape[1] != 6 || !strings.Contains(e.Msg, "[4 6]") {
		r.Errorf("between the rows: %d, %v", got, err)
	}
}

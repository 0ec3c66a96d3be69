package porttest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
)

type scene struct {
	Color     ti.Field[ti.Vec3]
	CameraPos ti.Field[ti.Vec3]
	Render    func()
}

// TestSDF compares the mean brightness of each row of pixels with another path
// tracer, in Go, by the spread of its samples.
func TestSDF(t *testing.T) {
	const w, h, frames = 16, 9, 60
	mean, deviation := traceScene(w, h, frames)
	var first []ti.Vec3
	run(t, native, func(t *testing.T, rt *ti.Runtime) {
		var s scene
		rt.Place(ti.Shape{w, h}, &s.Color)
		rt.Place(nil, &s.CameraPos)
		load(t, rt, "sdf", &s)
		s.CameraPos.Set(ti.Vec3{0, 0.32, 3.7})
		for range frames {
			s.Render()
		}
		color := elements(t, &s.Color)
		for y := range h {
			var sum vec
			for x := range w {
				for d := range 3 {
					sum[d] += float64(color[x*h+y][d]) / (w * frames)
				}
			}
			for d := range 3 {
				// Both are means of as many samples.
				if tol := 5*math.Sqrt2*deviation[y][d] + 1e-3; !(math.Abs(sum[d]-mean[y][d]) <= tol) {
					t.Errorf("component %d of row %d has the mean %v; want %v, within %v", d, y, sum[d], mean[y][d], tol)
				}
			}
		}
		if first == nil {
			first = color
		} else if !slices.Equal(color, first) {
			t.Error("the picture depends on the number of threads")
		}
	})
}

type vec [3]float64

func (a vec) plus(b vec) vec         { return vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a vec) times(s float64) vec    { return vec{a[0] * s, a[1] * s, a[2] * s} }
func (a vec) dot(b vec) float64      { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a vec) length() float64        { return math.Sqrt(a.dot(a)) }
func (a vec) unit() vec              { return a.times(1 / a.length()) }
func (a vec) distance(b vec) float64 { return a.plus(b.times(-1)).length() }

// box is the distance to a box of half size r, in the dimension of q.
func box(r float64, q ...float64) float64 {
	outside, inside := 0.0, math.Inf(-1)
	for _, c := range q {
		c = math.Abs(c) - r
		inside = max(inside, c)
		outside += max(c, 0) * max(c, 0)
	}
	return math.Sqrt(outside) + min(inside, 0)
}

func sceneDistance(o vec) float64 {
	wall := min(o[1]+0.1, o[2]+0.4)
	sphere := o.distance(vec{0, 0.35, 0}) - 0.36
	cube := box(0.3, o[0]-0.8, o[1]-0.3, o[2])
	cylinder := box(0.3, math.Hypot(o[0]+0.8, o[2]), o[1]-0.3)
	f := 40 * min(sphere, cube, cylinder)
	if f < 0 {
		if int(f)%2 == 1 { // of a negative number never 1: every other shell
			f -= math.Floor(f)
		} else {
			f = math.Floor(f) + 1 - f
		}
	}
	return min(wall, max((f-0.2)/40, 0.6*o[1]+0.8*o[2]-0.32))
}

// traceScene returns mean and standard deviation of the mean for each row.
func traceScene(w, h, frames int) (mean, deviation []vec) {
	r := rand.New(rand.NewPCG(3, 4))
	for y := range h {
		var sum, square vec
		n := float64(w * frames)
		for x := range w {
			for range frames {
				u := 0.46*(float64(x)+r.Float64())/float64(h) - 0.23*float64(w)/float64(h) - 1e-5
				v := 0.46*(float64(y)+r.Float64())/float64(h) - 0.23 - 1e-5
				c := tracePath(r, vec{0, 0.32, 3.7}, vec{u, v, -1}.unit())
				for d := range 3 {
					sum[d] += c[d] / n
					square[d] += c[d] * c[d] / n
				}
			}
		}
		mean = append(mean, sum)
		for d := range 3 {
			square[d] = math.Sqrt(max(square[d]-sum[d]*sum[d], 0) / n)
		}
		deviation = append(deviation, square)
	}
	return mean, deviation
}

func tracePath(r *rand.Rand, pos, dir vec) vec {
	throughput := vec{1, 1, 1}
	for range 6 {
		t := 0.0
		for range 100 {
			s := sceneDistance(pos.plus(dir.times(t)))
			if s < 1e-6 || t > 1e10 {
				break
			}
			t += s
		}
		t = min(t, 1e10)
		hit := t < 100
		if lamp(pos, dir) < t {
			return throughput
		}
		if !hit {
			return vec{}
		}
		pos = pos.plus(dir.times(t))
		var n vec
		for d := range 3 {
			q := pos
			q[d] += 1e-3
			n[d] = sceneDistance(q) - sceneDistance(pos)
		}
		n = n.unit()
		dir = cosine(r, n)
		band := int((pos[0]+10)*1.1+0.5) % 3
		tint := vec{0.3, 0.2, 0.3}
		for d := range 3 {
			a := 0.4
			if d == band {
				a += tint[d]
			}
			throughput[d] *= a
		}
		pos = pos.plus(dir.times(1e-4))
	}
	return vec{}
}

// lamp returns the distance to the disc light.
func lamp(pos, dir vec) float64 {
	away := vec{-1.5, 0.6, 0.3}.plus(pos.times(-1))
	if dir[0] < 0 && dir.dot(away) > 0 {
		t := dir.dot(away) / -dir[0]
		if pos.plus(dir.times(t)).distance(vec{-1.5, 0.6, 0.3}) < 2 {
			return t
		}
	}
	return 1e10
}

// cosine returns a direction about n by rejection, other than the program does it:
// the normal and a point of the unit sphere.
func cosine(r *rand.Rand, n vec) vec {
	for {
		p := vec{2*r.Float64() - 1, 2*r.Float64() - 1, 2*r.Float64() - 1}
		if l := p.length(); l > 1e-3 && l < 1 {
			return n.plus(p.times(1 / l)).unit()
		}
	}
}

type volume struct {
	Density          ti.Field[float32]
	Film             ti.Field[ti.Vec3]
	N                int
	Majorant, Albedo float32
	Sun              ti.Vec3
	Render           func(eye ti.Vec3)
}

// TestVolume lights a cube of smoke that swallows all it scatters: what remains of
// the sky behind follows Beer's law. Layout must not show.
func TestVolume(t *testing.T) {
	const size, frames, sigma = 12, 150, 1.5
	eye := vec{0.5, 0.8, 2.5}
	var first []ti.Vec3
	for _, layout := range []string{"sparse", "Morton", "rows"} {
		run(t, all, func(t *testing.T, rt *ti.Runtime) {
			v := volume{N: 16, Majorant: 4, Sun: ti.Vec3{0, 1, 0}}
			tree := rt.NewTree()
			blocks := tree.Dense
			if layout == "sparse" {
				blocks = tree.Pointer
			}
			node := blocks(ti.IJK, 2).Dense(ti.IJK, 8)
			if layout != "rows" {
				node = node.Morton()
			}
			node.Place(&v.Density)
			rt.Place(ti.Shape{size, size}, &v.Film)
			load(t, rt, "volume", &v)
			v.Render(ti.Vec3{0.5, 0.8, 2.5})
			for _, c := range elements(t, &v.Film) {
				if c != (ti.Vec3{0.4, 0.6, 0.9}) {
					t.Fatalf("without smoke, a pixel is %v; want the sky", c)
				}
			}
			for k := range 8 { // without which the smoke would have no blocks to fill
				v.Density.Set(sigma, 8*(k>>2), 8*(k>>1&1), 8*(k&1))
			}
			v.Density.Fill(sigma)
			v.Film.Fill(ti.Vec3{})
			for range frames {
				v.Render(ti.Vec3{0.5, 0.8, 2.5})
			}
			film := elements(t, &v.Film)
			for k, c := range film {
				want, deviation := beer(eye, k/size, k%size, size, sigma)
				got := float64(c[2]) / (0.9 * frames)
				if tol := 5*deviation/math.Sqrt(frames) + 0.02; !(math.Abs(got-want) <= tol) {
					t.Errorf("pixel %d, %d lets %v through; want %v, within %v", k/size, k%size, got, want, tol)
				}
			}
			if first == nil {
				first = film
			}
			differ := 0 // rounding may turn a decision of one path in thousands
			for k := range film {
				if !(math.Abs(float64(film[k][2]-first[k][2])) <= 1e-3*frames) {
					differ++
				}
			}
			if differ > len(film)/20 {
				t.Errorf("%d of %d pixels depend on layout or device", differ, len(film))
			}
		})
	}
}

// beer returns what part of the light behind a cube of smoke reaches the eye
// through a pixel, and the standard deviation of a sample that is 0 or 1.
func beer(eye vec, x, y, size int, sigma float64) (mean, deviation float64) {
	z := eye.plus(vec{-0.5, -0.5, -0.5}).unit()
	right := vec{z[2], 0, -z[0]}.unit()
	up := vec{z[1]*right[2] - z[2]*right[1], z[2]*right[0] - z[0]*right[2], z[0]*right[1] - z[1]*right[0]}
	const sub = 8
	for i := range sub * sub {
		u := ((float64(x)+(float64(i/sub)+0.5)/sub)/float64(size) - 0.5) * 0.7
		v := ((float64(y)+(float64(i%sub)+0.5)/sub)/float64(size) - 0.5) * 0.7
		d := right.times(u).plus(up.times(v)).plus(z.times(-1)).unit()
		near, far := 0.0, math.Inf(1)
		for k := range 3 {
			a, b := -eye[k]/d[k], (1-eye[k])/d[k]
			near, far = max(near, min(a, b)), min(far, max(a, b))
		}
		mean += math.Exp(-sigma*max(far-near, 0)) / (sub * sub)
	}
	return mean, math.Sqrt(mean * (1 - mean))
}

package program

import (
	"fmt"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// Programs with places that are data, and random numbers, in loops that become packets.
var packetGathers = []program{
	{"loads at places that are data in packets", `
var (
	Next  field[i32]
	W     field[f64]
	V     field[i64, D2]
	N     field[i32]
	S     field[f64]
	L     field[i64]
)
func F(most i32) {
	for i := range N {
		at, n := i % Next.shape[0], 0
		s, l := f64(0), i64(0)
		for s < 4 && n < most {
			s += W[at]
			if at%3 == 1 { l += V[at%4][n%5] }
			at = clamp(Next[at], 0, Next.shape[0]-1)
			n++
		}
		N[i], S[i], L[i] = n, s, l
	}
}`, func(r *runtest.Run, src string) {
		const places, loops = 37, 211
		var h struct {
			Next, N ti.Field[int32]
			W, S    ti.Field[float64]
			V, L    ti.Field[int64]
			F       func(int32) error
		}
		r.Place(ti.Shape{places}, &h.Next, &h.W)
		r.Place(ti.Shape{4, 5}, &h.V)
		r.Place(ti.Shape{loops}, &h.N, &h.S, &h.L)
		r.Load(src, &h)
		for i := range places {
			h.Next.Set(int32((i*17+5)%places), i)
			h.W.Set(float64(i%8)/8, i)
		}
		for i := range 20 {
			h.V.Set(int64(i)<<33, i/5, i%5)
		}
		for _, most := range []int32{0, 1, 30} {
			runtest.OK(r, h.F(most))
			for i := range loops {
				at, n, s, l := i%places, int32(0), 0.0, int64(0)
				for s < 4 && n < most {
					s += h.W.At(at)
					if at%3 == 1 {
						l += h.V.At(at%4, int(n%5))
					}
					at = (at*17 + 5) % places
					n++
				}
				if h.N.At(i) != n || h.S.At(i) != s || h.L.At(i) != l {
					r.Errorf("most %d, %d: %d, %v, %d; want %d, %v, %d", most, i, h.N.At(i), h.S.At(i), h.L.At(i), n, s, l)
					return
				}
			}
		}
	}},
	{"sums in packets", `
var X field[f32]
func F(q f32) (n, odd i32, s f32, low, high f32, d f64, bits u32) {
	low, high = 1000, -1000
	for i := range X {
		x, k := X[i], 0
		for x < 9 && k < 60 {
			x += 0.5 + q
			k++
		}
		n += k
		if k%2 == 1 { odd ^= 1 << (i%20) }
		s += x
		low = min(low, x)
		high = max(high, x)
		d += f64(k) * 0.25
		bits |= u32(k)
	}
	return
}`, func(r *runtest.Run, src string) {
		const n = 331
		var h struct {
			X ti.Field[float32]
			F func(float32) (int32, int32, float32, float32, float32, float64, uint32, error)
		}
		r.Place(ti.Shape{n}, &h.X)
		r.Load(src, &h)
		for i := range n {
			h.X.Set(float32(i%23), i)
		}
		var count, odd int32
		var s, low, high, d float64 = 0, 1000, -1000, 0
		var bits uint32
		for i := range n {
			x, k := float64(i%23), int32(0)
			for x < 9 && k < 60 {
				x += 0.75
				k++
			}
			count += k
			if k%2 == 1 {
				odd ^= 1 << (i % 20)
			}
			s, d, bits = s+x, d+float64(k)*0.25, bits|uint32(k)
			low, high = min(low, x), max(high, x)
		}
		gotN, gotOdd, gotS, gotLow, gotHigh, gotD, gotBits, err := h.F(0.25)
		runtest.OK(r, err)
		if gotN != count || gotOdd != odd || float64(gotS) != s || float64(gotLow) != low || float64(gotHigh) != high || gotD != d || gotBits != bits {
			r.Errorf("%d %x %v %v %v %v %x; want %d %x %v %v %v %v %x", gotN, gotOdd, gotS, gotLow, gotHigh, gotD, gotBits, count, odd, s, low, high, d, bits)
		}
	}},
	{"elements far apart in packets", `
var (
	P field[vec3]
	Q field[f32]
)
func F() {
	for i := range P {
		x, k := P[i].x, 0
		for x < 20 {
			x = x*1.5 + P[i].y + P[k].z
			k = (k + i) % 50
		}
		Q[i] = x
	}
}`, func(r *runtest.Run, src string) {
		const n = 150
		var h struct {
			P ti.Field[ti.Vec3]
			Q ti.Field[float32]
			F func() error
		}
		r.Place(ti.Shape{n}, &h.P)
		r.Place(ti.Shape{n}, &h.Q)
		r.Load(src, &h)
		at := func(i int) ti.Vec3 {
			return ti.Vec3{float32(i%5) * 0.5, float32(i%3)*0.25 + 0.25, float32(i%7) * 0.125}
		}
		for i := range n {
			h.P.Set(at(i), i)
		}
		runtest.OK(r, h.F())
		runtest.EqAll(r, &h.Q, func(i ti.Index) float32 {
			p, k := at(i[0]), 0
			x := p[0]
			for x < 20 {
				x = float32(x*1.5) + p[1] + at(k)[2]
				k = (k + i[0]) % 50
			}
			return x
		})
	}},
}

// TestRandomInPackets draws in loops that iterations leave at different times: all variants see the same numbers.
func TestRandomInPackets(t *testing.T) {
	const source = `package p
var (
	X field[f32]
	N field[i32]
	D field[u32]
)
func F() {
	for i := range X {
		x, n, d := f32(0), 0, u32(0)
		for x < 3 && n < 50 {
			x += random(f32)
			if n%3 == i%2 { d ^= random(u32) }
			n++
		}
		X[i], N[i], D[i] = x, n, d
	}
}
`
	var first string
	var rts runtest.Runtimes
	defer rts.Close(t)
	variants := []runtest.Variant{
		{Label: "oracle", Arch: ti.Oracle, Threads: 1},
		{Label: "O3", Arch: ti.LLVM, Opt: "3", Threads: 1}, {Label: "O3 on 3 threads", Arch: ti.LLVM, Opt: "3", Threads: 3},
		{Label: "without packets", Arch: ti.LLVM, Opt: "3", Threads: 1, Without: "packets"},
	}
	runtest.RunIn(t, &rts, variants, func(r *runtest.Run) {
		var h struct {
			X ti.Field[float32]
			N ti.Field[int32]
			D ti.Field[uint32]
			F func() error
		}
		r.Place(ti.Shape{517}, &h.X, &h.N, &h.D)
		r.Load(source, &h)
		runtest.OK(r, h.F())
		got := ""
		for i := range 517 {
			got += fmt.Sprintf("%x %d %x\n", h.X.At(i), h.N.At(i), h.D.At(i))
		}
		if first == "" {
			first = got
		} else if got != first {
			r.Errorf("other numbers than on the first variant")
		}
	})
}

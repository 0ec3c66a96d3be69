package program

import (
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

var ints = []int32{-3, 0, 1, 2, 5, 12}

var statements = []program{
	scalarCase("if and else", `
func F(a, b i32) i32 {
	x := 1
	if a > b {
		x = 2
	} else if a == b {
		x += 10
		if a > 3 { x *= 2 }
	} else {
		x -= b
	}
	if y := a * 2; y > 4 { x += y }
	return x
}`, ints, ints, func(a, b int32) int32 {
		x := int32(1)
		if a > b {
			x = 2
		} else if a == b {
			x += 10
			if a > 3 {
				x *= 2
			}
		} else {
			x -= b
		}
		if y := a * 2; y > 4 {
			x += y
		}
		return x
	}),
	scalarCase("switch", `
func F(a, b i32) i32 {
	r := 0
	switch a {
	case 0, 1:
		r = 10
	case 2:
		r = 20
		if b > 1 { break }
		r++
	case 5:
		r = 1
		fallthrough
	case 6:
		r += 30
	default:
		r = -1
	}
	switch {
	case a < b:
		r += 100
	case a > b:
		r += 200
	}
	switch x := a + b; x {
	case 3: r += 1000
	}
	return r
}`, ints, ints, func(a, b int32) int32 {
		r := int32(0)
		switch a {
		case 0, 1:
			r = 10
		case 2:
			r = 20
			if b > 1 {
				break
			}
			r++
		case 5:
			r = 1
			fallthrough
		case 6:
			r += 30
		default:
			r = -1
		}
		switch {
		case a < b:
			r += 100
		case a > b:
			r += 200
		}
		switch x := a + b; x {
		case 3:
			r += 1000
		}
		return r
	}),
	scalarCase("serial loops", `
func f(a, b i32) i32 {
	s := 0
	for i := 0; i < a; i++ {
		if i == 3 { continue }
		s += i * b
	}
	for s < 50 && b > 0 {
		s += b
	}
	for {
		s--
		if s%7 == 0 { break }
	}
	for i := range a {
		for j := range span(i, b) {
			if j > 4 { break }
			s += i*10 + j
		}
	}
	for i := 10; i > a; i -= 2 { s ^= i }
	return s
}
func F(a, b i32) i32 { return f(a, b) }`, ints, ints, func(a, b int32) int32 {
		s := int32(0)
		for i := int32(0); i < a; i++ {
			if i == 3 {
				continue
			}
			s += i * b
		}
		for s < 50 && b > 0 {
			s += b
		}
		for {
			s--
			if s%7 == 0 {
				break
			}
		}
		for i := range max(a, 0) {
			for j := i; j < b; j++ {
				if j > 4 {
					break
				}
				s += i*10 + j
			}
		}
		for i := int32(10); i > a; i -= 2 {
			s ^= i
		}
		return s
	}),
	scalarCase("labels", `
func f(a, b i32) i32 {
	s := 0
outer:
	for i := range 10 {
		for j := range 10 {
			if j == a { continue outer }
			if i == b { break outer }
			s += i + j
			switch {
			case s > 100:
				break outer
			}
		}
		s += 1000
	}
	return s
}
func F(a, b i32) i32 { return f(a, b) }`, ints, ints, func(a, b int32) int32 {
		s := int32(0)
	outer:
		for i := range int32(10) {
			for j := range int32(10) {
				if j == a {
					continue outer
				}
				if i == b {
					break outer
				}
				s += i + j
				switch {
				case s > 100:
					break outer
				}
			}
			s += 1000
		}
		return s
	}),
	scalarCase("early returns", `
func g(a i32) (x, y i32) {
	if a < 0 { return -1, -2 }
	for i := range a {
		if i*i > a { x = i; return }
		y += i
	}
	return a, y
}
func F(a, b i32) i32 {
	if a == b { return 77 }
	x, y := g(a)
	p, q := g(b)
	if x > p {
		if q > 0 { return x + q }
		x, p = p, x
	}
	return 1000*x + 100*y + 10*p + q
}`, ints, ints, func(a, b int32) int32 {
		g := func(a int32) (x, y int32) {
			if a < 0 {
				return -1, -2
			}
			for i := range a {
				if i*i > a {
					x = i
					return
				}
				y += i
			}
			return a, y
		}
		if a == b {
			return 77
		}
		x, y := g(a)
		p, q := g(b)
		if x > p {
			if q > 0 {
				return x + q
			}
			x, p = p, x
		}
		return 1000*x + 100*y + 10*p + q
	}),
	scalarCase("local arrays", `
const Primes = [6]i32{2, 3, 5, 7, 11, 13}
func F(a, b i32) i32 {
	var t [8]i32
	for i := range serial(8) { t[i] = i * a }
	t[mod(b, 8)] += 100
	t[2], t[3] = t[3], t[2]
	s := 0
	for i, v := range t { s += i * v }
	u := t
	u[0] = -5
	s += t[0] - u[0] + len(t)
	var grid [3][4]i32
	for i := range serial(3) { for j := range 4 { grid[i][j] = i*4 + j } }
	s += grid[mod(a, 3)][mod(b, 4)] * 1000
	return s + Primes[mod(a+b, 6)]
}`, ints, ints, func(a, b int32) int32 {
		var t [8]int32
		for i := range t {
			t[i] = int32(i) * a
		}
		t[runtest.FloorMod(b, 8)] += 100
		t[2], t[3] = t[3], t[2]
		s := int32(0)
		for i, v := range t {
			s += int32(i) * v
		}
		u := t
		u[0] = -5
		s += t[0] - u[0] + 8
		s += 1000 * (4*runtest.FloorMod(a, 3) + runtest.FloorMod(b, 4))
		return s + [6]int32{2, 3, 5, 7, 11, 13}[runtest.FloorMod(a+b, 6)]
	}),
	scalarCase("vectors as variables", `
func F(a, b i32) ivec3 {
	v := ivec3(a, b, 1)
	v.x += 2
	v.yz = v.zy
	v[1] *= 3
	v[mod(a, 3)] -= 5
	i, j, k := v
	m := [2][2]i32{{i, j}, {k, 4}}
	m[1].x = 9
	m[mod(b, 2)][0] += m[0][1]
	v.xz -= m[0]
	w := v
	w.x = 100
	if w != v { v.z += w.x }
	return v
}`, ints, ints, func(a, b int32) ti.IVec3 {
		v := ti.IVec3{a + 2, 3, b}
		v[runtest.FloorMod(a, 3)] -= 5
		m := [2][2]int32{{v[0], v[1]}, {9, 4}}
		m[runtest.FloorMod(b, 2)][0] += m[0][1]
		v[0] -= m[0][0]
		v[2] -= m[0][1]
		if v[0] != 100 {
			v[2] += 100
		}
		return v
	}),
	scalarCase("static", `
const N = 4
func F(a, b i32) i32 {
	s := 0
	for i := range static(N) {
		if static(i%2 == 0) { s += a * i } else { s -= b }
	}
	for i, j := range static(ndrange(2, span(1, 3))) { s += i * j }
	for i := range static(N) {
		if a == i { continue }
		if b == i { break }
		s *= 3
	}
	return s
}`, ints, ints, func(a, b int32) int32 {
		s := int32(0)
		for i := range int32(4) {
			if i%2 == 0 {
				s += a * i
			} else {
				s -= b
			}
		}
		s += 3
		for i := range int32(4) {
			if a == i {
				continue
			}
			if b == i {
				break
			}
			s *= 3
		}
		return s
	}),
	scalarCase("constants", `
const (
	A = iota * 2
	B
	C
	Sun = vec3(0, 1, 0)
	Third = 1.0 / 3
	Big = 1 << 40
	Faces = [2]ivec3{{1, 2, 3}, {4, 5, 6}}
)
func F(a, b i32) f64 {
	const local = B + C
	return f64(local) + f64(Sun.y) + Third*3 + f64(Big>>38) + f64(Faces[mod(a, 2)].y) + f64(Faces[1][mod(b, 3)])
}`, ints, ints, func(a, b int32) float64 {
		return 6 + 1 + 1 + 4 + []float64{2, 5}[runtest.FloorMod(a, 2)] + []float64{4, 5, 6}[runtest.FloorMod(b, 3)]
	}),
	scalarCase("shadowing", `
func f(x i32) i32 { x += 1; { x := x * 2; x++ }; return x }
func F(a, b i32) i32 {
	x := a
	if true { x := b; x += 5; a = x }
	{ var x = f(a); b = x }
	sqrt := 3
	return x*100 + a*10 + b + sqrt
}`, ints, ints, func(a, b int32) int32 { return a*100 + (b+5)*10 + b + 6 + 3 }),
	scalarCase("short circuit", `
func F(a, b i32) i32 {
	var t [4]i32
	n := 0
	for i := range serial(6) {
		if i < 4 && t[i] == 0 { n++ }
		if i >= 4 || t[i] == 1 { n += 10 }
	}
	return n + a*b
}`, ints, ints, func(a, b int32) int32 { return 24 + a*b }),
	scalarCase("fibonacci and gcd", `
func gcd(a, b i32) i32 {
	for b != 0 { a, b = b, a%b }
	return a
}
func F(a, b i32) i32 {
	x, y := 0, 1
	for i := 0; i < 20; i++ { x, y = y, x+y }
	return x + gcd(abs(a), abs(b))
}`, ints, ints, func(a, b int32) int32 {
		a, b = max(a, -a), max(b, -b)
		for b != 0 {
			a, b = b, a%b
		}
		return 6765 + a
	}),
	scalarCase("floats", `
func F(x, y f64) f64 {
	s := f64(0)
	for i := range serial(10) {
		s += sin(x*i) / (1 + sqr(y))
		if s > 2 { s -= floor(s) }
	}
	return s
}`, []float64{0, 0.5, 1.25, -2}, []float64{0, 1, -3.5}, func(x, y float64) float64 {
		s := 0.0
		for i := range 10 {
			s += math.Sin(x*float64(i)) / (1 + y*y)
			if s > 2 {
				s -= math.Floor(s)
			}
		}
		return s
	}),
}

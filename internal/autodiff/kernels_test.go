package autodiff_test

import "go/token"

var noPos token.Position

var kernels = []struct{ name, source string }{
	{"square", "func K() { for i := range X { Y[i] = X[i]*X[i] } }"},
	{"extrema in an array", `func K() {
	var a, b [3]f64
	for k := range serial(3) {
		a[k] = 9
		b[k] = X[k]
	}
	for i := range X {
		a[i%3] = min(a[i%3], X[i]*X[(i+1)%6])
		b[N[i]%3] = max(b[N[i]%3], sin(X[i]*2))
		b[1] = max(b[1], X[5]*0.7)
	}
	L = a[1]*b[0]
	for i := range X {
		Y[i] = a[i%3]*X[i] + b[(i+1)%3]
	}
	a[1] = X[0]
	for i := range X {
		k := (i*2+1)%3
		a[k] = max(a[k], X[i]*b[k])
	}
	for i := range X {
		Z[i] = a[i%3]
	}
}`},
	{"sum", "func K() { for i := range X { L += sin(X[i])*X[i] } }"},
	{"chain", "func K() { for i := range X { Y[i] = exp(X[i]) }; for i := range X { Z[i] = Y[i]*X[(i+1)%6] } }"},
	{"arithmetic", `func K() {
	for i := range X {
		x, y := X[i], X[(i+2)%6]
		Y[i] = x/y - pow(x, y) + atan2(x, y) + min(x, y)*max(x, y) + fma(x, y, x)
		Z[i] = mod(x*5, y) + tan(x)*tanh(y) + log(x) + log2(y) + exp2(x)*cosh(y)*sinh(x) + sqrt(x) + rsqrt(y) + cbrt(x) + abs(x-y)
		L -= asin(x/2)*acos(y/2)*atan(x) + cos(y) + hypot(x, y) + floor(x)
	}
}`},
	{"if", `func K() {
	for i := range X {
		y := X[i]
		if X[i] > 0.8 {
			y = y*y*X[0]
			if X[i] > 1 {
				y += sin(y)
			}
		} else if i == 2 {
			y = X[1]
		}
		Y[i] = y*y
	}
}`},
	{"constant loop", `func K() {
	for i := range X {
		y := X[i]
		for k := range 4 {
			y = sin(y)*X[k] + y*y
		}
		Y[i] = y
	}
}`},
	{"data loop", `func K() {
	for i := range X {
		y := X[i]
		for k := range N[i] {
			y = sin(y)*X[k] + y*y
			for m := range k {
				y *= X[m]
			}
		}
		Y[i] = y
	}
}`},
	// What an inner loop begins with, which nothing else wants.
	{"inner loop that begins with what is carried", `func K() {
	for i := range X {
		s := X[i]
		for range N[i] + 2 {
			t := s
			for range 3 {
				t = sin(t)
			}
			s += t
		}
		Y[i] = s
	}
}`},
	{"inner while that begins with what is carried", `func K() {
	for i := range X {
		s := X[i]
		for range N[i] + 2 {
			t := s
			for t < 3 {
				t = t*t + 1
			}
			s += t*0.1
		}
		Y[i] = s
	}
}`},
	{"inner loop that adds up an array", `func K() {
	for i := range X {
		var a [3]f64
		a[0] = X[i]
		for k := range N[i] + 3 {
			u, t := 0.1, f64(0)
			for m := range 3 {
				t += sin(u)
				u += a[m]
			}
			a[(k+1)%3] += t
		}
		Y[i] = a[0] + a[1] + a[2]
	}
}`},
	{"condition on what is carried decides about an index", `func K() {
	for i := range X {
		var a [2]int
		s := X[i]
		for k := range N[i] + 3 {
			if s > 0.9 {
				a[k%2] = 3
			}
			s += X[a[k%2]]
		}
		Y[i] = s
	}
}`},
	{"length of an inner loop decides about an index", `func K() {
	for i := range X {
		var a [2]int
		s := X[i]
		for range N[i] + 3 {
			for m := range int(s*3) {
				a[m%2] = m%6
			}
			s += X[a[1]]
		}
		Y[i] = s
	}
}`},
	{"length of an inner while decides about an index", `func K() {
	for i := range X {
		var a [2]int
		s := X[i]
		for range N[i] + 3 {
			for m := s; m > 0.4; m -= 0.3 {
				a[1] = (a[1] + 1) % 6
			}
			s += X[a[1]]
		}
		Y[i] = s
	}
}`},
	// The same in loops of known length, where a minimum cut chooses.
	{"inner loop that begins with what is carried, known", `func K() {
	for i := range X {
		s := X[i]
		for range 4 {
			t := s
			for range N[i] + 1 {
				t = sin(t)
			}
			s += t
		}
		Y[i] = s
	}
}`},
	{"inner while that begins with what is carried, known", `func K() {
	for i := range X {
		s := X[i]
		for range 4 {
			t := s
			for t < 3 {
				t = t*t + 1
			}
			s += t*0.1
		}
		Y[i] = s
	}
}`},
	{"inner loop that adds up an array, known", `func K() {
	for i := range X {
		var a [3]f64
		a[0] = X[i]
		for k := range 5 {
			u, t := 0.1, f64(0)
			for m := range N[i]%3 + 1 {
				t += sin(u)
				u += a[m]
			}
			a[(k+1)%3] += t
		}
		Y[i] = a[0] + a[1] + a[2]
	}
}`},
	{"condition on what is carried decides about an index, known", `func K() {
	for i := range X {
		var a [2]int
		s := X[i]
		for k := range 5 {
			if s > 0.9 {
				a[k%2] = 3
			}
			s += X[a[k%2]]
		}
		Y[i] = s
	}
}`},
	{"length of an inner loop decides about an index, known", `func K() {
	for i := range X {
		var a [2]int
		s := X[i]
		for range 5 {
			for m := range int(s*3) {
				a[m%2] = m%6
			}
			s += X[a[1]]
		}
		Y[i] = s
	}
}`},
	{"length of an inner while decides about an index, known", `func K() {
	for i := range X {
		var a [2]int
		s := X[i]
		for range 5 {
			for m := s; m > 0.4; m -= 0.3 {
				a[1] = (a[1] + 1) % 6
			}
			s += X[a[1]]
		}
		Y[i] = s
	}
}`},
	{"array read through a snapshot in a known loop", `func K() {
	for i := range X {
		var a [4]f64
		a[1] = X[i]
		for k := range 3 {
			s := f64(0)
			for m := range 4 {
				s += a[m]*a[m]
			}
			a[k] += s*0.1
			if s > 0.5 {
				a[3] = sin(a[k])
			}
		}
		Y[i] = a[0]*a[3]
		a[0] = 2
	}
}`},
	// Branches into which the way back of what stands before does not belong, though one of them yields a constant.
	{"branch that adds and yields a constant", `func K() {
	for i := range X {
		for k := range 3 {
			d := X[i]*X[k]
			r := 0.0
			if d > 0.5 {
				Y[i] += d*d
			} else {
				r = sin(d)
			}
			L += r*X[1]
		}
	}
}`},
	{"branch behind which its condition is used", `func K() {
	for i := range X {
		for k := range 3 {
			d := X[i] - X[k]*1.1
			r := 0.0
			if d*d < 0.1 {
				r = d*d*d
			}
			L += r + d*X[0]
		}
	}
}`},
	{"element stored before a while that adds to it", `func K() {
	for i := range X {
		Y[i] = X[i]
		s, k := 0.0, 0
		for k < 3 {
			s += Y[i]
			Y[i] += X[1]*0.5
			k++
		}
		Z[i] = s
	}
}`},
	{"long loop", `func K() {
	for i := range 1 {
		y := X[i]
		for k := range 5000 + N[1] {
			y = sin(y*1.5) + 0.001*X[k%6]
		}
		Y[i] = y
	}
}`},
	{"long loop with a network", `func K() {
	for i := range 1 {
		x, v := X[0], X[1]
		for k := range 4500 + N[1] {
			var a [2]f64
			for h := range 5 {
				s := f64(0)
				for j := range span(2, 4) {
					s += X[h]*x + X[j]*v*0.1
				}
				if s > 0.4 {
					for j := range 2 {
						a[j] += tanh(s*f64(j+1)) * X[j+2] * 0.1
					}
				}
			}
			v = 0.9*v + exp(-x*x)*sin(a[0]) - 0.1*a[1]*X[k%6]
			x = 0.5*x + 0.1*v
		}
		Y[i] = x + v
	}
}`},
	{"network in a loop", `func K() {
	for i := range X {
		x, v := X[i], X[1]
		n := 0
		for n < N[i%3]*3 + 2 {
			n++
			var a [2]f64
			for h := range 3 {
				s := X[h]*x
				for j := range span(2, 4) {
					s += sin(X[j]*v*0.1)
				}
				if s > 0.4 {
					for j := range 2 {
						a[j] += tanh(s*f64(j+1)) * X[j+2] * 0.1
					}
				}
			}
			if x > 0.6 {
				v += sqrt(a[0]*a[0]+1)
			}
			v = 0.9*v + exp(-x*x)*sin(a[0]) - 0.1*a[1]*a[1]
			x = 0.5*x + 0.1*v
		}
		Y[i] = x * v
	}
}`},
	{"long while", `func K() {
	for i := range 1 {
		y := X[i]
		k := 0
		for y > 0.1 && k < 9001 {
			y = sin(y*1.5) + 0.001*X[k%6]
			k++
		}
		Y[i] = y
	}
}`},
	{"while", `func K() {
	for i := range X {
		y := X[i]
		for y < 20 {
			y = y*1.5 + X[0]*y
			if y > 18 {
				y += 2
				break
			}
			if y > 10 {
				continue
			}
			y += X[1]
		}
		Y[i] = y
	}
}`},
	{"function with returns", `func f(x f64, n int) f64 {
	s := x
	for k := range n {
		if s > 3 {
			return s * x
		}
		if k == 1 {
			continue
		}
		s += sin(x * f64(k+1)) * s
	}
	return s
}
func K() { for i := range X { Y[i] = f(X[i], N[i]+2) + f(X[(i+1)%6], 3) } }`},
	{"labelled", `func K() {
	for i := range X {
		s := X[i]
	outer:
		for a := range 5 {
			for b := range 4 {
				s += X[b]*s*0.3
				if s > 4 {
					s *= X[a]
					break outer
				}
				if b > a {
					continue outer
				}
				s = sin(s) + 1
			}
			s += X[a]
		}
		Y[i] = s
	}
}`},
	{"array", `func K() {
	for i := range X {
		var a [4]f64
		for k := range 4 {
			a[k] = X[(i+k)%6]
		}
		n := N[i]
		a[n] = a[n]*a[(n+1)%4]
		for k := range 3 {
			a[(k+n)%4] += sin(a[k])*a[(k+1)%4]
		}
		Y[i] = a[0]*a[1] + a[2]*a[3]
		a[0] = a[1]
		Z[i] = a[n]
	}
}`},
	{"array in data loop", `func K() {
	for i := range X {
		var a [4]f64
		for k := range N[i]+2 {
			a[k%4] = a[(k+1)%4]*a[k%4] + X[k]
			if a[k%4] > 1 {
				a[(k+2)%4] = sin(a[k%4])
			}
		}
		s := f64(0)
		for k := range N[i]+1 {
			s += a[k]*a[k]
		}
		a[1] = 3
		Y[i] = s
	}
}`},
	{"reduction", `func K() {
	s := f64(0)
	for i := range X {
		s += X[i]*X[i]
	}
	t := f64(0)
	for i := range X {
		t += sqrt(X[i])*s
		Y[i] = X[i]/s
	}
	L = s*t
	for i := range X {
		Z[i] = t*X[i]
	}
}`},
	{"serial", `func K() {
	a := X[0]
	for k := range serial(5) {
		a = a*X[k] + sin(a)
	}
	if a > 1 {
		L += a*a
	} else {
		L += a
	}
	L += X[3]
	L -= a*X[2]
}`},
	{"fields of two axes", `func K() {
	for i, j := range M {
		M[i][j] = X[i]*X[j]
	}
	for i, j := range M {
		L += M[i][j]*M[i][(j+1)%4]
	}
}`},
	{"constants", `func K() {
	for i := range X {
		Y[i] = X[i]*stopGrad(2)
		if X[i] > 5 {
			assert(false, "large")
		}
	}
}`},
	{"vectors", `func K() {
	for i := range X {
		v := dvec3(X[i], X[(i+1)%6], X[(i+2)%6])
		w := normalize(v) + cross(v, dvec3(1, 2, 3))
		m := outer(v, w) + 2*dmat3(1)
		Y[i] = length(w) + determinant(m) + dot(inverse(m)*w, v)
	}
}`},
	{"places in an if", `func K() {
	for i := range X {
		if i%2 == 0 {
			y := X[i]
			a := dvec3(y, 1, 2)
			n := N[i]%3
			for k := range N[i] {
				y = sin(X[i]*y) + X[k]*a[n]
			}
			Y[i] = y
		}
	}
}`},
	{"stores that are fine", `func K() {
	for i := range X {
		Y[i] = 0
		if X[i] > 0.8 {
			Y[i] = X[i]
		} else {
			Y[i] = sin(X[i])
		}
		Z[i] = Y[i]*2
		for k := range 4 {
			M[k%3][k] += X[i]*f64(k)
		}
	}
}`},
	{"old values that do not matter", `func K() {
	for i := range X {
		slot := atomicAdd(&N[5], 1)
		Y[i] = X[i]*X[i]
		if slot%2 == 0 {
			N[4] += slot
		}
		old := atomicAdd(&L, X[i])
		assert(old < 1000, "large")
	}
}`},
	{"return before loops", `func K() {
	s := f64(0)
	for i := range X {
		s += X[i]
	}
	if s < 4.5 {
		L = s*s
		return
	}
	n := N[2] + 1
	for i := range X {
		Y[i] = X[i]*X[n]*s
	}
	if s > 5.5 {
		for k := range serial(3) {
			if X[k] > 0.9 {
				L += X[k]*s
				return
			}
		}
		s *= 2
	}
	t := f64(0)
	for i := range n {
		t += X[i]*X[i]
		Z[i] = s*X[i]
	}
	L = t*s
}`},
	{"an element stored in each iteration", `func K() {
	for i := range X {
		var a [2]f64
		for k := range 3 {
			a[0] = X[(i+k)%6]*X[i]
		}
		var q [3]f64
		for h := range 4 {
			sum := f64(0)
			for k := range 5 {
				sum += X[(k+h)%6]*a[k%2]
			}
			act := tanh(sum + X[i])
			for k := range 3 {
				q[k] += act*X[k]
			}
		}
		Y[i] = a[0]*X[0] + q[0]*q[1] + sin(q[2])
	}
}`},
	{"variable overwritten later", `func K() {
	g := f64(1)
	for i := range X {
		g += sin(X[i]*2)
	}
	for i := range X {
		Y[i] = g*g*X[i]
	}
	g *= 2
	L = g
}`},
	{"extrema of elements", `func K() {
	for i := range Y {
		Y[i] = 10
		Z[i] = 0.9
	}
	for i := range X {
		Y[i%2] = min(Y[i%2], sin(X[i])*X[(i+1)%6])
		Z[(i*5)%3] = max(Z[(i*5)%3], X[i]*X[i])
	}
}`},
	{"extrema in loops", `func K() {
	L = -5
	for i := range X {
		for k := range N[i] + 1 {
			M[i%3][k] = max(M[i%3][k], X[(i+k)%6]*f64(k))
			y := X[k]*2
			for y > 0.1 {
				L = max(L, y*X[i])
				y = y*y*0.3
			}
		}
	}
}`},
	{"extrema of variables", `func K() {
	lo, hi := f64(10), f64(-1)
	for i := range X {
		lo = min(lo, X[i])
		hi = max(hi, X[i]*X[(i+1)%6])
	}
	hi *= 2
	for i := range X {
		Y[i] = (X[i]-lo)*hi
	}
	lo = X[0]
	L = lo*hi
}`},
	{"extrema in serial code", `func K() {
	L = X[1]*X[2]
	for k := range serial(6) {
		L = min(L, X[k]*X[k]*3-X[2])
	}
	Y[0] = min(Y[0], X[0]-9)
}`},
	{"extrema of several values in serial code", `func f(x f64) f64 {
	if x > 1 {
		return x*x
	}
	return sin(x)
}
func K() {
	Y[1] = -9
	for k := range serial(6) {
		Y[1] = max(Y[1], X[k]*X[2], f(X[k]), cos(X[3])-8)
		Z[k%2] = min(Z[k%2], f(X[k]*3), X[1]*X[k])
	}
}`},
	{"two exits", `func g(x, y f64) f64 {
	if x > 0.9 {
		if y > 0.9 {
			return x*y
		}
		x *= 2
	} else {
		if y < 0.7 {
			return x+y*y
		}
		x *= y
	}
	return sin(x)*y
}
func K() { for i := range X { Y[i] = g(X[i], X[(i+1)%6]) } }`},
}

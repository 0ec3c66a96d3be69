package autodiff_test

import "slices"

// A subjectKernel is a kernel K whose derivatives tests compare.
type subjectKernel struct{ name, source string }

// kernels are all of them.
var kernels = slices.Concat(plainKernels, loopKernels, extremumKernels)

// plainKernels are of all kinds.
var plainKernels = []subjectKernel{
	{"square", "func K() { for i := range X { Y[i] = X[i]*X[i] } }"},
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
	// The backward pass has to take the iterations in reverse order, though values carry nothing.
	{"sums that later iterations read", `func K() {
	Y[0] = X[0]
	for k := range serial(5) {
		Y[k+1] += sin(Y[k])*X[k]
	}
	Z[5] = X[5]
	for k := range serial(int(N[1])+4) {
		Z[4-k%5] += Z[5-k%5]*X[k%5]
	}
}`},
	{"stores that later iterations read, before an array", `func K() {
	var a [2]f64
	a[0], a[1] = X[0], X[1]
	Y[0] = X[2]
	for k := range serial(5) {
		Y[k+1] = sin(Y[k])*X[k]
		L += a[k%2]*X[5]
	}
}`},
	{"what only the first iterations take in", `func K() {
	for i := range X {
		s, t, u := X[i]*X[1], X[i]*X[2], X[i]*X[3]
		for k := range 3 {
			Y[i] += s*X[k]
			s = 2
		}
		for k := range N[i] + 2 {
			Z[i] += t*X[k]
			t = 3
		}
		for k := 0; X[k] < 1.2 && k < 5; k++ {
			L += u*X[k]
			u = 4
		}
	}
}`},
	{"a return in a nest before a loop", `func K() {
	if X[0] > 0.5 {
		L += X[1]*X[2]
		for k := range serial(3) {
			if X[k] > 0.9 {
				return
			}
		}
	}
	for i := range X {
		Y[i] = X[i]*X[i]
	}
}`},
	{"results of returns before loops", `func K() (f64, int) {
	if X[0] < 0.7 {
		L += X[0]*X[0]
		if X[1] < 0.8 {
			Y[0] = X[0]*X[1]
			return X[0]*2, 7
		}
	}
	f := X[3]*2
	if X[3] > 0.8 {
		f = X[4]*X[5]
	}
	s := f64(0)
	for i := range X {
		Y[i] = X[i]*X[i]
		s += sin(X[i])
	}
	if X[2] < 0.8 {
		L += s*s
		return s, 3
	}
	for i := range X {
		Y[i] += X[i]*f*s
	}
	return s*2, 5
}`},
	{"old values of arrays that no other iteration sees", `func K() {
	var c [3]int
	j := atomicAdd(&c[0], 3)
	l := atomicSub(&c[0], 1)
	L = X[l+c[0]-j] * X[1]
	for k := range serial(4) {
		L += X[atomicXor(&c[k%3], 5)%6] * X[k]
	}
	for i := range X {
		var a [2]f64
		var n [3]int
		for k := range 3 {
			j := atomicAdd(&n[k%2], k+1)
			if atomicAdd(&a[j%2], X[(i+j)%6]*X[i]) > 0.5 {
				Z[i] += X[k] * 2
			}
			if atomicCAS(&n[0], 4, 1) == 4 {
				Z[i] += X[n[0]] * X[k]
			}
			a[1] *= X[k] + 0.1*f64(atomicXchg(&n[2], j))
		}
		Y[i] = a[0]*a[1] + X[n[0]%6]*X[n[2]%6]
	}
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
	// Of what an earlier loop has counted nothing is wanted but where a later one ends.
	{"parallel loop whose length an earlier one has counted", `func K() {
	n := 0
	for i := range X {
		n += N[i]%3
	}
	for i := range n {
		Y[i] = X[i] * 2
	}
}`},
	{"places behind a return", `func K() {
	if N[1] > 90 {
		return
	}
	for i := range X {
		Z[i] += X[i]
	}
	q := N[1]
	Y[q] += X[0] * X[1]
	for i := range X {
		Z[i] += sin(X[i])
	}
	Y[q] += sin(X[2])
}`},
	{"a cell behind a return", `func K() {
	if N[1] > 90 {
		return
	}
	for i := range X {
		Z[i] += X[i]
	}
	q := N[1]
	var a [4]f64
	a[q] = X[0] * X[1]
	for i := range X {
		Z[i] += sin(X[i]) * X[0]
	}
	a[q] += sin(X[2])
	for i := range X {
		Z[i] += sin(X[i]) * a[q]
	}
}`},
	{"a return that nothing follows", `func K() {
	for i := range X {
		Y[i] = X[i] * X[i]
	}
	n := 0
	for {
		n++
		L += X[n%6] * X[0]
		if n > int(N[1]) {
			return
		}
	}
	for i := range X {
		Y[i] += 2 * X[i]
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

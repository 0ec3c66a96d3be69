package autodiff_test

// extremumKernels have minima and maxima over iterations.
var extremumKernels = []subjectKernel{
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
			M[i%3][k] = max(M[i%3][k], X[(i+k)%6]*(f64(k)+0.1))
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
	{"extrema in arrays that no other iteration sees", `func K() {
	var b [2]f64
	for k := range serial(6) {
		atomicMax(&b[k%2], X[k]*X[k])
	}
	L = b[0] * b[1]
	for i := range X {
		var a [2]f64
		for k := range 3 {
			atomicMax(&a[k%2], X[(i+k)%6]*X[k])
		}
		if atomicMin(&a[i%2], X[i]*0.5) > 0.6 {
			L += X[i] * 3
		}
		Y[i] = a[0]*a[1] + b[i%2]
	}
}`},
	{"extrema in an array, in the outermost scope", `func K() {
	var a, b [3]f64
	for k := range serial(3) {
		a[k] = X[k]
		b[k] = 0.6
	}
	k := N[1]
	atomicMax(&a[k], X[3]*X[4]*2)
	old := atomicMin(&b[k], X[5]*0.5)
	if old > 0.5 {
		L += X[0] * 3
	}
	atomicMax(&a[k+1], X[0]*0.1)
	Y[0] = a[0]*a[1] + a[2]
	Y[1] = b[1] * b[0]
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
}`}, {"extrema whose old values decide", `func K() {
	m := f64(0)
	for i := range X {
		old := atomicMax(&m, X[i]*X[1])
		if old > 0.8 {
			Y[i] = X[i]*X[i]
		} else {
			Y[i] = sin(X[i])
		}
		if atomicMin(&M[1][1], -X[i]) < -0.7 {
			Z[i] = X[i] * 3
		}
	}
	L = m*m
}`},
}

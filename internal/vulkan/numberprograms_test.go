package vulkan_test

// numberPrograms are more of programs: arithmetic that devices do not have as it is defined, and numbers in local arrays.
var numberPrograms = []program{
	{name: "fma of other numbers", body: `
	for i := range D {
		D[i] = fma(D[i], X[i], -D[i]*X[i])
		X[i] = fma(X[i], 1e-300, 1e-320) + fma(D[i], 1e300, f64(A[i]))
		E[i] = fma(E[i], P[i], f16(A[i]))
	}`},
	{name: "remainders", body: `
	for i := range A {
		a, b := A[i], B[i]
		A[i] = mod(a, b)
		B[i] = mod(b, 3e-40)
		C[i] = floorDiv(a, b) + mod(C[i], -0.3)
		D[i] = mod(D[i], X[i]) + floorDiv(X[i], f64(C[i]))
		X[i] = mod(X[i], 1e-300)
		E[i] = mod(E[i], P[i])
		P[i] = mod(f16(a), P[i]) + floorDiv(P[i], E[i])
	}`},
	{name: "half precision", body: `
	for i := range E {
		e, p := E[i], P[i]
		A[i] = f32(e + p) + f32(sqrt(abs(p)))
		B[i] = f32(e * p) - f32(e / p)
		E[i] = max(e, p) + min(p, -0.0) - sign(e)
		P[i] = floor(p) + ceil(e) * round(p) - trunc(p)
		D[i] = f64(-e)
		k := 0
		if e < p || isnan(e) {
			k += 1
		}
		if e == p || isinf(e) {
			k += 2
		}
		I[i] = i32(k)
		F[i] = bool(e)
		V[i] = vec3(f32(exp(p)), f32(sin(p)), f32(pow(abs(p), 0.3)))
	}`},
	{name: "conversions of half precision", body: `
	for i := range E {
		e := E[i] * 100
		A[i] = f32(f16(A[i]))
		D[i] = f64(f16(D[i])) + f64(f16(D[i] / 3))
		I[i] = i32(e) + i32(f16(J[i]))
		U[i] = u32(e)
		L[i] = i64(e) + i64(f16(L[i]))
		Z[i] = u64(f16(Z[i])) + u64(e)
		H[i] = i16(e) + i16(bitcast[u16](f16(H[i])))
		T[i] = u8(e)
		F[i] = bool(f16(F[i]))
		P[i] = f16(T[i]) + f16(x) + bitcast[f16](H[i])
		E[i] = f16(1e-40) + f16(i)/0.0
	}`},
	{name: "atomics of half precision", funcs: `
const Halves = [3]f16{1.5, -0.0, 65504}

//ti:noinline
func half(x f16, y f32) (f16, f32) {
	if x < 1 {
		return x, y
	}
	return x * 2, y / 2
}
`, body: `
	for i := range 64 {
		E[i%3] += 0.5
		P[1+2*(i%3)] = max(P[1+2*(i%3)], f16(i))
		P[0] = min(P[0], f16(-i))
	}
	for i := range E {
		s := f16(0)
		for j := range 5 {
			if i % 3 == 0 {
				s += Halves[(i+j)%3]
			} else {
				s -= E[(i+j)%64]
			}
		}
		a := [4]f16{1, 2, s}
		a[i%4] += 0.25
		e, y := half(a[(i+1)%4], A[i])
		P[i] = s + e
		A[i] = y
	}`},
	{name: "places of local arrays", funcs: `
type part struct {
	a i16
	b f64
	c [3]u8
	d bool
	e f16
}

func bump(p *i32, by i32) { *p += by }

//ti:noinline
func total(a [6]i32, at i32) (s i32) {
	for i := range 6 {
		s += a[i] * (at + i32(i))
	}
	return
}

//ti:noinline
func clear(a *[6]i32, p *part, at i32) {
	a[at%6] = 0
	p.c[at%3] += 2
}
`, body: `
	for i := range I {
		k := i32(i)
		a := [6]i32{1, 2, 3, 4, 5, 6}
		b := [6]i32{}
		p := [4]part{}
		for j := range 4 {
			p[(j+k)%4].a = i16(j)
			p[j].b += f64(k) / 3
			p[j].c[(k+j)%3] = u8(k)
			p[(j*k)%4].d = j < 2
			p[j].e = f16(k) * 0.5
			bump(&a[(k+j)%6], j)
		}
		q := p
		bump(&b[k%6], 9)
		if k%2 == 0 {
			b = a
		}
		clear(&b, &q[k%4], k)
		for j := range 4 {
			D[i] += q[j].b + f64(q[j].e) + f64(p[3-j].c[j%3]) + f64(q[j].c[j%3])
			F[i] = F[i] != p[j].d
		}
		I[i] = total(b, k) + i32(p[k%4].a)
	}`},
	{name: "large local arrays", body: `
	for i := range serial(3) {
		var m [200]f32
		var h [40]f16
		for j := range 200 {
			m[j] = f32(i*j%7) / 4
			h[j%40] += f16(m[(j*7)%200])
		}
		for j := range 64 {
			A[j] += m[(j*3+i)%200] + f32(h[(j+i)%40])
		}
	}
	for i := range 4 {
		v := [13]f32{}
		for j := range 13 {
			v[j] = C[i+j]
		}
		r := outer(v, v) + f32(1)
		r = transpose(r) * r
		B[i] = sum(r) + r[i][12-i]
	}`},
}

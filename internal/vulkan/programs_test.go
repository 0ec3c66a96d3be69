package vulkan_test

// programs are those that are compared with the oracle.
var programs = []program{
	{name: "integers", body: `
	for i := range I {
		a, b := I[i], J[i]
		I[i] = a + b*3 - (a ^ b)
		J[i] = a/b + a%b*5
		K[i] = floorDiv(a, b) + mod(a, b)
		U[i] = U[i]/u32(b) + U[i]%u32(7)
		L[i] = L[i]/i64(b) + L[i]%i64(7) - (L[i] & i64(a))
		Z[i] = Z[i]*3 + Z[i]/u64(11)
		H[i] = H[i]*H[i] + i16(b)
		T[i] = T[i] + u8(a)
	}`},
	{name: "shifts", body: `
	for i := range I {
		n := K[i]
		I[i] = I[i]<<n + I[i]>>n
		U[i] = U[i]<<u32(i) | U[i]>>u32(i)
		L[i] = L[i]<<n ^ L[i]>>n
		Z[i] = Z[i] >> u64(i)
		H[i] = H[i]>>n + H[i]<<2
		T[i] = T[i]>>u8(i) | T[i]<<3
	}`},
	{name: "bits", body: `
	for i := range I {
		I[i] = popcount(I[i]) + 100*clz(J[i])
		L[i] = popcount(L[i]) + 100*clz(L[i])
		Z[i] = popcount(Z[i]) + 100*clz(Z[i])
		H[i] = popcount(H[i]) + 100*clz(H[i])
		T[i] = popcount(T[i]) + 10*clz(T[i])
		A[i] = bitcast[f32](bitcast[u32](A[i]) ^ 0x80000000)
	}`},
	{name: "comparisons", body: `
	for i := range A {
		k := 0
		if A[i] < B[i] {
			k += 1
		}
		if A[i] <= B[i] {
			k += 2
		}
		if A[i] == B[i] {
			k += 4
		}
		if A[i] != B[i] {
			k += 8
		}
		if A[i] >= B[i] || I[i] < J[i] && U[i] > 7 {
			k += 16
		}
		if i64(J[i]) < 0 {
			k += 32
		}
		if i64(J[i]) >= 1<<31 {
			k += 64
		}
		if L[i] < 0 || Z[i] > 1<<63 {
			k += 128
		}
		if isnan(A[i]) {
			k += 256
		}
		if isinf(B[i]) {
			k += 512
		}
		F[i] = (F[i] != (k > 8)) && !(i == 3)
		I[i] = i32(k)
	}`},
	{name: "floats", body: `
	for i := range A {
		a, b := A[i], B[i]
		A[i] = a + b*a - b
		B[i] = a / b
		C[i] = min(a, b) + max(a, C[i])
		D[i] = D[i]/f64(b) + sqrt(abs(D[i]))
		V[i] = vec3(floor(a), ceil(a), trunc(a))
		M[i] = mat2(round(C[i]), abs(a), sign(a), -a)
	}`},
	{name: "zeros", body: `
	for i := range A {
		A[i] = A[i] / 0.0
		B[i] = -0.0 + B[i]*0.0
		C[i] = max(0.0, C[i]) + min(C[i], -0.0)
	}`},
	{name: "conversions", body: `
	for i := range A {
		I[i] = i32(A[i])
		U[i] = u32(A[i])
		L[i] = i64(A[i]) + i64(D[i])
		Z[i] = u64(B[i])
		H[i] = i16(A[i])
		T[i] = u8(B[i])
		C[i] = f32(J[i]) + f32(L[i]) + f32(T[i]) + f32(F[i])
		D[i] = f64(Z[i]) + f64(H[i]) + f64(B[i])
		F[i] = bool(A[i])
	}`},
	{name: "functions of maths", body: `
	for i := range C {
		x := C[i]
		A[i] = sin(x) + cos(x)*exp(x)
		B[i] = log(abs(x)+0.1) + pow(abs(x), 1.3) + tan(x)
		C[i] = atan2(x, 0.7) + tanh(x) + cbrt(x)
		D[i] = sin(f64(x)) + exp(f64(x)/3)
	}`},
	{name: "fma", body: `
	for i := range A {
		C[i] = fma(A[i], B[i], C[i])
		B[i] = fma(C[i], 1.0000001, -C[i])
	}`},
	{name: "loops", body: `
	for i := range I {
		s := 0
		for j := range 10 {
			if j == 7 {
				break
			}
			if (i+j)%3 == 0 {
				continue
			}
			s += j * i
		}
		k := i
		for k > 3 {
			k -= 3
			if k == 5 {
				break
			}
		}
		I[i] = i32(s*100 + k)
	}`},
	{name: "jumps over several loops", body: `
	for i := range I {
		s := 0
	outer:
		for j := range 6 {
			for k := range 6 {
				if (i+k)%5 == 4 {
					continue outer
				}
				for l := range 4 {
					if i+j+k+l == 17 {
						break outer
					}
					s += l
				}
				s += 10 * k
			}
			s += 1000
		}
		I[i] = i32(s)
	}`},
	{name: "early returns of functions", funcs: `
func find(i i32) (k i32, v f32) {
	for j := range 20 {
		for l := range 5 {
			if j*l == i {
				return j, f32(l)
			}
		}
	}
	return -1, 0.5
}

//ti:noinline
func twice(x i32) i32 {
	if x < 3 {
		return x
	}
	return x * 2
}
`, body: `
	for i := range I {
		k, v := find(i32(i))
		I[i] = k + twice(i32(i))
		A[i] = v
	}`},
	{name: "local arrays", body: `
	for i := range I {
		a := [8]i32{}
		b := [3]f32{1, 2, 3}
		f := [4]bool{}
		for j := range 8 {
			a[(i*3+j)%8] += i32(j)
			f[j%4] = j > i
		}
		s := 0
		for j := range 8 {
			s = s*3 + a[j]
			b[j%3] += f32(a[j])
			if f[j%4] {
				s += 1
			}
		}
		I[i] = i32(s)
		A[i] = b[i%3]
	}`},
	{name: "vectors and matrices", body: `
	for i := range V {
		v := V[i]
		v.xy = v.yz * 2
		M[i] = M[i]*M[i] + transpose(M[i])
		V[i] = cross(v, vec3(1, 2, 3)) + length(v)
		A[i] = dot(v, V[i]) + determinant(M[i])
	}`},
	{name: "two axes", body: `
	for i, j := range G {
		G[i][j] = i32(i*100+j) + G[i][j]
	}
	for i, j := range ndrange(span(2, 7), span(1, 5)) {
		G[i][j] -= i32(i - j)
	}`},
	{name: "atomics", body: `
	for i := range 64 {
		S += I[i]
		J[i%4] = J[i%4]
		K[i%3] += 1
		U[i%5] |= u32(1) << u32(i%32)
		L[i%4] += i64(i)
		Z[i%4] ^= u64(i)
		H[i%4] += 3
		T[i%4] ^= u8(i)
	}
	for i := range 64 {
		K[3] = max(K[3], I[i])
		K[4] = min(K[4], I[i])
		U[6] = max(U[6], U[20+i%40])
		L[5] = min(L[5], i64(I[i]))
		H[6] = max(H[6], i16(i))
		F[7] = F[7] || i == 40
	}`},
	{name: "sums of floats", body: `
	for i := range 64 {
		R += f32(i) * 0.5
		A[i%2] += 0.25
		D[3] += 0.5
		B[1] = max(B[1], f32(i))
		C[2] = min(C[2], f32(-i))
	}`},
	{name: "random numbers", body: `
	for i := range A {
		A[i] = random()
		B[i] = random() + f32(i)
		I[i] = i32(random()*100)
	}
	for i := range V {
		V[i] = random(vec3)
	}`},
	{name: "ranges of values", body: `
	m := n * 2
	for i := range m {
		I[i] = i32(i) + n
	}
	S = 9
	k := S
	for i := range k + 1 {
		J[i] = i32(k)
	}
	A[0] = x`},
	{name: "indices out of range", body: `
	for i := range I {
		I[i+K[i]] = 7
	}`},
	{name: "ranges out of range", body: `
	for i := range I {
		s := i32(0)
		for j := range span(K[i] + 31, K[i] + 34) {
			if J[j]%2 == 0 {
				s += J[j]
			}
		}
		I[i] = s
	}`},
	{name: "a table", funcs: `
const Table = [5]f32{1, 2.5, -3, 4, 0.125}
`, body: `
	for i := range A {
		A[i] = Table[i%5] * 2
	}`},
	{name: "switches", body: `
	for i := range I {
		switch i % 4 {
		case 0:
			I[i] = 10
		case 1, 2:
			if J[i] > 0 {
				break
			}
			I[i] = 20
		default:
			I[i] -= 1
		}
	}`},
	{name: "serial code", body: `
	s := 0
	for i := range serial(64) {
		s += I[i] / 2
		if s%11 == 3 {
			break
		}
	}
	S = S*3 + i32(s)
	K[5] += 7
	J[1] -= 2`},
	{name: "old values in order", deterministic: true, body: `
	for i := range I {
		k := atomicAdd(&S, 1)
		I[i] = k*3 + i32(i)
	}
	for i, j := range G {
		G[i][j] = atomicAdd(&S, G[i][j])
	}`},
	{name: "an early return", body: `
	for i := range I {
		I[i] = 1
	}
	if S > 3 {
		return
	}
	for i := range J {
		J[i] = 1
	}`},
}

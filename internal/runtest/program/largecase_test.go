package program

import (
	"math"
	"slices"
)

var largeCases = []largeCase{
	{"elementwise", "Mat", "r = a + 2*b - T(s)", func(x *largeInput) []float64 {
		return x.each(func(a, b float64) float64 { return a + 2*b - x.s })
	}, false},
	{"update", "Mat", "r = a; r += 1; r -= b; r *= T(s); r = -r", func(x *largeInput) []float64 {
		return x.each(func(a, b float64) float64 { return -(a + 1 - b) * x.s })
	}, false},
	{"builtins", "Mat", "r = max(a, b) + min(abs(a), sqr(b)) + clamp(a, -1, 1) + Mat2(T(s))", func(x *largeInput) []float64 {
		return x.each(func(a, b float64) float64 {
			return max(a, b) + min(max(a, -a), b*b) + min(max(a, -1), 1) + x.s
		})
	}, false},
	{"choice", "Mat", "r = ifelse(a < b, a, hadamard(a, b)); if s < 0 { r = b }; r = ifelse(s > 100, a, r)", func(x *largeInput) []float64 {
		return x.each(func(a, b float64) float64 {
			if a < b {
				return a
			}
			return a * b
		})
	}, false},
	{"casts", "[N][M]f64", "r = [N][M]f64([N][M]i32(a) &^ 1) + [N][M]f64([N][M]bool(b))", func(x *largeInput) []float64 {
		return x.each(func(a, b float64) float64 { return float64(int(a)&^1) + truth(b != 0) })
	}, false},
	{"transpose", "[M][N]T", "r = transpose(a); t := r; for k := range serial(3) { _ = k; r = t + r }", func(x *largeInput) []float64 {
		return entry(x.m, x.n, func(i, j int) float64 { return 4 * x.a[j*x.m+i] })
	}, false},
	{"square in place", "[N][N]T", "r = outer(w, w); r[1] = r[0] + T(1); r = transpose(r) + r; r = transpose(r)", func(x *largeInput) []float64 {
		m := func(i, j int) float64 {
			if i == 1 {
				return x.w[0]*x.w[j] + 1
			}
			return x.w[i] * x.w[j]
		}
		return entry(x.n, x.n, func(i, j int) float64 { return m(i, j) + m(j, i) })
	}, false},
	{"product", "[N][N]T", "r = a * transpose(b); r = r + r", func(x *largeInput) []float64 {
		return entry(x.n, x.n, func(i, j int) float64 {
			return 2 * sumTo(x.m, func(k int) float64 { return x.a[i*x.m+k] * x.b[j*x.m+k] })
		})
	}, true},
	{"product in place", "[N][N]T", "r = outer(w, w) + T(1); r *= r; r = [N][N]T(i32(s)) * r", func(x *largeInput) []float64 {
		m := func(i, j int) float64 { return x.w[i]*x.w[j] + 1 }
		return entry(x.n, x.n, func(i, j int) float64 {
			return x.s * sumTo(x.n, func(k int) float64 { return m(i, k) * m(k, j) })
		})
	}, true},
	{"matrix and vector", "[N]T", "r = a * v; r += v * transpose(b)", func(x *largeInput) []float64 {
		return each(x.n, func(i int) float64 {
			return sumTo(x.m, func(k int) float64 { return (x.a[i*x.m+k] + x.b[i*x.m+k]) * x.v[k] })
		})
	}, false},
	{"reductions", "[8]T", `r[0] = sum(a); r[1] = minOf(a - b); r[2] = maxOf(b); r[3] = dot(v, v) + length2(v); r[4] = T(any(a > 2*b))
		r[5] = T(all(a == a)); r[6] = trace(outer(w, w)); r[7] = T(a == b) + 2*T(a != b) + 4*T(a == a)`, func(x *largeInput) []float64 {
		r := make([]float64, 8)
		lo, hi, some := x.a[0]-x.b[0], x.b[0], false
		for i, a := range x.a {
			b := x.b[i]
			r[0] += a
			lo, hi, some = min(lo, a-b), max(hi, b), some || a > 2*b
		}
		r[1], r[2], r[4], r[5], r[7] = lo, hi, truth(some), 1, 6
		for _, v := range x.v {
			r[3] += 2 * v * v
		}
		for _, w := range x.w {
			r[6] += w * w
		}
		return r
	}, false},
	{"indices", "Mat", `r = a; i := mod(i32(s)*5, N); r[i] = b[N-1-i]; r[N-1][i%M] += T(7); r[0], r[i] = r[i], r[0]
		for j := range serial(M) { r[2][j] = r[j%N][M-1-j] - v[j] }`, func(x *largeInput) []float64 {
		r := append([]float64(nil), x.a...)
		n, m := x.n, x.m
		i := int(x.s) * 5 % n
		row := func(r []float64, i int) []float64 { return r[i*m : (i+1)*m] }
		copy(row(r, i), row(x.b, n-1-i))
		r[(n-1)*m+i%m] += 7
		for j := range m {
			r[j], r[i*m+j] = r[i*m+j], r[j]
		}
		for j := range m {
			r[2*m+j] = r[j%n*m+m-1-j] - x.v[j]
		}
		return r
	}, false},
	{"parts", "Mat", `r = a; r[1:] = r[:N-1]; r[0:N:2] += b[0:N:2]; r[1:N:3] = (a + b)[1:N:3]
	p := r[1:]; p[0:N-1:2][0] = a[N-1]; r[:N-1] = p`, func(x *largeInput) []float64 {
		n, m := x.n, x.m
		r := slices.Clone(x.a)
		copy(r[m:], x.a[:(n-1)*m])
		for i := range r {
			if i/m%2 == 0 {
				r[i] += x.b[i]
			}
			if i/m%3 == 1 {
				r[i] = x.a[i] + x.b[i]
			}
		}
		p := slices.Clone(r[m:])
		copy(p, x.a[(n-1)*m:])
		copy(r, p)
		return r
	}, false},
	{"columns", "[N]T", `j := mod(i32(s)*3, M); r = col(a, 1) + col(a-b, j); c := b; c[0] *= T(0); r -= col(c[0:N:1], j); q := outer(w, w); q[1] = col(q, j%N); r += q[1]`, func(x *largeInput) []float64 {
		j := int(math.Mod(x.s*3, float64(x.m))+float64(x.m)) % x.m
		return each(x.n, func(i int) float64 {
			r := x.a[i*x.m+1] + x.a[i*x.m+j] - x.b[i*x.m+j] + x.w[i]*x.w[j%x.n]
			if i > 0 {
				r -= x.b[i*x.m+j]
			}
			return r
		})
	}, false},
	{"functions", "Mat", `p, q := turned(a, b); twice(&p); r = p + q; r = chosen(r, a, s) + chosen(b, r, -s)`, func(x *largeInput) []float64 {
		return x.each(func(a, b float64) float64 { r := 2*b + a; return r + r })
	}, false},
	{"structs", "Mat", `p := Pair{X: a, K: 3, Y: Mat2(1)}; q := p; q.X += b; q.K++; p, q = q, p
		r = p.X + T(p.K)*q.X; r[1] += T(p == q) + 2*T(p != q); z := ifelse(s > 0, p, q); r += z.Y; var many [3]Pair; many[i32(s)%3] = p; r += many[i32(s)%3].X - many[(i32(s)+1)%3].X`, func(x *largeInput) []float64 {
		return entry(x.n, x.m, func(i, j int) float64 {
			a, b := x.a[i*x.m+j], x.b[i*x.m+j]
			return a + b + 4*a + 2*truth(i == 1) + 1 + a + b
		})
	}, false},
	{"literals", "[2][N]T", `r = [2][N]T{w, w + T(1)}; u := [N]T{1: 5, 3: T(s)}; r[i32(s)%2] += u + [N]T(2)`, func(x *largeInput) []float64 {
		return entry(2, x.n, func(i, j int) float64 {
			r := x.w[j] + float64(i)
			if i == int(x.s)%2 {
				r += 2 + 5*truth(j == 1) + x.s*truth(j == 3)
			}
			return r
		})
	}, false},
	{"diagonals", "[N][N]T", `r = diag(w) + [N][N]T(i32(s)) + diag(diag(outer(w, w)))`, func(x *largeInput) []float64 {
		return entry(x.n, x.n, func(i, j int) float64 { return truth(i == j) * (x.w[i] + x.s + x.w[i]*x.w[i]) })
	}, false},
	{"elements", "Mat", `E[k] = a; E[k] += b; E[k][1] = E[k][0]; E[k][i32(s)%N][2] = 9; r = E[k] - T(1); E[k] = transpose(transpose(E[k])) ; r += E[k]`, func(x *largeInput) []float64 {
		return entry(x.n, x.m, func(i, j int) float64 {
			if i == int(x.s)%x.n && j == 2 {
				return 17
			}
			if i == 1 {
				i = 0
			}
			e := x.a[i*x.m+j] + x.b[i*x.m+j]
			return 2*e - 1
		})
	}, false},
	{"atomics", "Mat", `F[0] += a; F[0] = max(F[0], b); old := atomicAdd(&E[k], a); r = E[k] - old`, func(x *largeInput) []float64 {
		return x.a
	}, false},
}

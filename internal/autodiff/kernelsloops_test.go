package autodiff_test

// loopKernels have serial loops, which keep something for their backward pass.
var loopKernels = []subjectKernel{
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
	// Of the inner loop nothing is wanted but where it runs.
	{"inner loop whose lower limit is carried", `func K() {
	for i := range X {
		s, a := f64(0), 0
		for range N[i] + 2 {
			for k := range span(a, 6) {
				s += X[k]
			}
			a += 2
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
	// Branches into which the backward pass of what stands before does not belong, though one of them yields a constant.
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
	{"the first that fits, stored", `func K() {
	for i := range X {
		for k := range 6 {
			if X[k] > 0.5 && k >= i {
				Y[i] = X[k]*X[i]
				break
			}
		}
		s := X[i]
		k := 0
		for {
			s += s*X[k]
			if s > 1 || k == 5 {
				Z[i] = s*s
				break
			}
			k++
		}
	}
}`},
	{"stored on a way out of a nest", `func K() {
	for i := range X {
		s := f64(0)
	outer:
		for a := range 3 {
			for k := range 4 {
				s += X[k]*X[i]
				if s > 0.7 && a == 1 {
					Y[i] = s*s
					break outer
				}
				if k > N[i] {
					break
				}
			}
		}
		Z[i] = s
	}
}`},

	// The backward pass does not want the integers, but comes by what they decide, and must not fail there.
	{"a guard of what nothing wants", `func K() {
	for i := range X {
		c, s := 0, X[i]
		past := false
		for k := range N[i] + 4 {
			s = sin(s)*X[i]
			if !past {
				c += N[k+3]
			}
			past = k > 0
		}
		Y[i] = s
		Z[i] = f64(c)
	}
}`},
	{"a guard of what nothing wants, of known length", `func K() {
	for i := range X {
		c, s := 0, X[i]
		past := false
		for k := range 5 {
			s = sin(s)*X[i]
			if !past {
				c += N[k+3]
			}
			past = k > 0
		}
		Y[i] = s
		Z[i] = f64(c)
	}
}`},
	{"the length of a loop of which nothing is wanted", `func K() {
	for i := range X {
		c, s := 0, X[i]
		m := 5
		for k := range N[i] + 4 {
			s = sin(s)*X[i]
			for j := range 8 - m {
				c += N[j]
			}
			m = 3 + k/2
		}
		Y[i] = s
		Z[i] = f64(c)
	}
}`},
	{"the length of a loop of which nothing is wanted, of known length", `func K() {
	for i := range X {
		c, s := 0, X[i]
		m := 5
		for k := range 5 {
			s = sin(s)*X[i]
			for j := range 8 - m {
				c += N[j]
			}
			m = 3 + k/2
		}
		Y[i] = s
		Z[i] = f64(c)
	}
}`},
	{"the end of a loop of which nothing is wanted", `func K() {
	for i := range X {
		c, s := 0, X[i]
		m := 3
		for k := range N[i] + 4 {
			s = sin(s)*X[i]
			for q := m + 5; q != 0; q -= 2 {
				c += q
			}
			m = k*2 + 1
		}
		Y[i] = s
		Z[i] = f64(c)
	}
}`},
	{"the end of a loop of which nothing is wanted, of known length", `func K() {
	for i := range X {
		c, s := 0, X[i]
		m := 3
		for k := range 5 {
			s = sin(s)*X[i]
			for q := m + 5; q != 0; q -= 2 {
				c += q
			}
			m = k*2 + 1
		}
		Y[i] = s
		Z[i] = f64(c)
	}
}`},
	{"an index of what nothing wants", `func K() {
	for i := range X {
		c, s := 0, X[i]
		m := 3
		for k := range N[i] + 4 {
			s = sin(s)*X[i]
			c += N[m-3]
			m = 3 + k/2
		}
		Y[i] = s
		Z[i] = f64(c)
	}
}`},
	{"an index of what nothing wants, of known length", `func K() {
	for i := range X {
		c, s := 0, X[i]
		m := 3
		for k := range 5 {
			s = sin(s)*X[i]
			c += N[m-3]
			m = 3 + k/2
		}
		Y[i] = s
		Z[i] = f64(c)
	}
}`},
	{"an endless loop that is never reached", `func K() {
	for i := range X {
		c, s, m := 0, X[i], 3
		for k := range N[i] + 4 {
			s = sin(s)*X[i]
			if m == 0 {
				for q := 1; q != 0; q += 2 {
					c++
				}
			}
			m = k + 1
		}
		Y[i] = s
		Z[i] = f64(c)
	}
}`},
}

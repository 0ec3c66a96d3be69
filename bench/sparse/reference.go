package main

// A volume is the domain as an array.
type volume struct {
	domain
	x []float32
}

func (v volume) at(i, j, k int) float32 { return v.x[(i*v.n+j)*v.n+k] }

// volume returns what cells for which in is true hold at first.
func (d domain) volume(in func(i, j, k int) bool) volume {
	v := volume{d, make([]float32, d.n*d.n*d.n)}
	v.each(func(i, j, k int) {
		if in(i, j, k) {
			v.x[(i*d.n+j)*d.n+k] = value(i, j, k)
		}
	})
	return v
}

// each visits all cells but those of the outer blocks.
func (d domain) each(visit func(i, j, k int)) {
	for i := leaf; i < d.n-leaf; i++ {
		for j := leaf; j < d.n-leaf; j++ {
			for k := leaf; k < d.n-leaf; k++ {
				visit(i, j, k)
			}
		}
	}
}

// active returns a test of whether a cell is in the ball.
func (d domain) active() func(i, j, k int) bool {
	r2 := d.ball()
	return func(i, j, k int) bool { return d.inBall(i/leaf, j/leaf, k/leaf, r2) }
}

// around returns the sum of the six neighbours of a cell.
func (v volume) around(i, j, k int) float32 {
	return v.at(i-1, j, k) + v.at(i+1, j, k) + v.at(i, j-1, k) + v.at(i, j+1, k) + v.at(i, j, k-1) + v.at(i, j, k+1)
}

// What the cases should give, computed without kernels:

func wantIterate(d domain) (s float64) {
	for _, x := range d.volume(d.active()).x {
		s += float64(2 * x)
	}
	return s
}

func wantStencil(d domain) (s float64) {
	in := d.active()
	v := d.volume(in)
	d.each(func(i, j, k int) {
		if in(i, j, k) {
			y := float64(6*v.at(i, j, k) - v.around(i, j, k))
			s += y * y
		}
	})
	return s
}

func wantBand(d domain) (s float64) {
	low, high := d.band()
	in := func(i, j, k int) bool { return d.inBand(i, j, k, low, high) }
	v := d.volume(in)
	d.each(func(i, j, k int) {
		if in(i, j, k) {
			x := v.at(i, j, k)
			y := float64(x + 0.1*(v.around(i, j, k)-6*x))
			s += 1 + y*y
		}
	})
	return s
}

func wantRandom(d domain) (s float64) {
	v := d.volume(d.active())
	n := uint32(d.n)
	for r := range readers(d) * reads {
		h := hashed(r)
		s += float64(v.at(int(h%n), int(h/n%n), int(h/n/n%n)))
	}
	return s
}

func wantCoherent(d domain) (s float64) {
	v := d.volume(d.active())
	for i := 0; i < d.n; i += 4 {
		for j := 0; j < d.n; j += 4 {
			for k := range d.n {
				s += float64(v.at(i, j, k))
			}
		}
	}
	return s
}

func wantInner(d domain) (s float64) {
	for _, x := range d.volume(d.active()).x {
		for t := range weights {
			s += float64(t+1) * float64(x)
		}
	}
	return s
}

func wantAppend(d domain) (s float64) {
	r2, n := d.ball(), uint32(d.blocks())
	for p := range numbers(d) {
		if h := hashed(p); d.inBall(int(h%n), int(h/n%n), int(h/n/n%n), r2) {
			s += float64(p)
		}
	}
	return s
}

func wantReactivate(d domain) (s float64) { return wantIterate(d) / 2 }

func wantCopy(d domain) (cells float64) {
	in := d.active()
	d.each(func(i, j, k int) {
		if in(i, j, k) {
			cells++
		}
	})
	return cells
}

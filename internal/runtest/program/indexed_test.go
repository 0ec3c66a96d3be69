package program

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// Local arrays with indices known at run time, proven to be in range and not.
func TestIndexed(t *testing.T) {
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	runtest.RunAll(t, rts, func(r *runtest.Run) { indexed.run(r, "package p\n"+indexed.src) })
}

var indexed = program{"local arrays with run-time indices", `
var X, Y, Z field[f32]
func F() {
	for i := range X {
		m := mat2(X[i], 1, 2, 3)
		a := i & 1
		m[a][1] *= 2
		m[1-a] += vec2(1, 10)
		if i%3 == 0 {
			m[(i>>1)&1][a] = 7
		}
		Y[i] = m[0][0] + 100*m[0][1] + 1000*m[1][0] + 10000*m[1][1] + m[a][a]
		var n [4]f32
		x := i
		for x > 0 {
			n[x&3] += 1
			x /= 3
		}
		Z[i] = n[i&3] + 10*n[1]
		j := i32(X[i])
		Z[i] += n[j]
	}
}`, func(r *runtest.Run, src string) {
	var h struct {
		X, Y, Z ti.Field[float32]
		F       func() error
	}
	r.Place(ti.Shape{70}, &h.X, &h.Y, &h.Z)
	r.Load(src, &h)
	for i := range 70 {
		h.X.Set(float32(i%4), i)
	}
	runtest.OK(r, h.F())
	runtest.EqAll(r, &h.Y, func(ix ti.Index) float32 {
		i := ix[0]
		m := ti.Mat2{{float32(i % 4), 1}, {2, 3}}
		a := i & 1
		m[a][1] *= 2
		m[1-a][0]++
		m[1-a][1] += 10
		if i%3 == 0 {
			m[i>>1&1][a] = 7
		}
		return m[0][0] + 100*m[0][1] + 1000*m[1][0] + 10000*m[1][1] + m[a][a]
	})
	runtest.EqAll(r, &h.Z, func(ix ti.Index) float32 {
		var n [4]float32
		for x := ix[0]; x > 0; x /= 3 {
			n[x&3]++
		}
		return n[ix[0]&3] + 10*n[1] + n[ix[0]%4]
	})
}}

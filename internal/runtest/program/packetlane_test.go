package program

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// Kernels whose iterations leave loops at different times, and that have local arrays, update what others
// update, store to places that are data or have checks that may fail. Numbers are such that sums are exact.
var packetLanes = []struct{ name, body string }{
	{"array indexed by data", `
	for i := range X {
		var a [8]f32
		x, n := X[i], 0
		for x < 20 && n < 50 {
			a[n&7] += x
			x += 0.5 + a[(n*3+i)&7]
			if i%3 == 0 { a[(i+n)&7] = f32(n) }
			n++
		}
		s := f32(0)
		for k := range 8 { s += a[k]*f32(k) }
		X[i], N[i] = s, n
	}`},
	{"components that each lane chooses", `
	for i := range X {
		n := 0
		for n < 9 && (n*5+i)%7 != 3 { n++ }
		V[i][(i+n)&3] = f32(n)
		if i&1 == 0 { V[i][n%3] += X[i] }
		Q[i][n&1][i>>1&1] = f32(i) - V[i][(n+1)&3]
		N[i] = n
	}`},
	{"arrays of several kinds", `
	for i := range X {
		var d [5]f64
		var b [6]bool
		var c [7]u8
		n := 0
		for n < 40 && d[i%5] < 9 {
			for k := range 5 { d[k] += f64(k+n%3) * 0.25 }
			b[n%6] = !b[n%6]
			c[2] += u8(i)
			n++
		}
		y := f64(c[2])
		for k := range 5 {
			y += d[k]
			if b[k] { y += 100 }
		}
		Y[i], N[i] = f32(y), n
	}`},
	{"array in a loop", `
	for i := range X {
		n, s := 0, f32(0)
		for s < 100 && n < 30 {
			var a [4]f32
			a[n&3] = X[i]
			a[(i+1)&3] += 1
			if n&1 == 0 { a[0] += 2 }
			s += a[(n+i)&3] + a[1] + 0.5
			n++
		}
		X[i], N[i] = s, n
	}`},
	{"array sorted", `
	for i := range X {
		var a [9]i32
		for k := range 9 { a[k] = (i*7 + k*k*5) % 23 }
		for k := range 8 {
			j := k + 1
			v := a[j]
			for j > 0 && a[max(j-1, 0)] > v {
				a[j] = a[j-1]
				j--
			}
			a[j] = v
		}
		N[i] = a[i%9] + 100*a[4]
	}`},
	{"counts of steps", `
	for i := range X {
		x, n := X[i], 0
		for x < 20 && n < 30 {
			x += 0.25 * f32(1+i%3)
			n++
		}
		H[n] += 1
		L[n] = max(L[n], i64(i))
		G[i%7] += x
	}`},
	{"updates in a loop", `
	for i := range X {
		x, n := X[i], 0
		for x < 20 && n < 30 {
			x += 0.25 * f32(1+i%3)
			if i%4 != 1 { G[(n*i)%40] += x }
			H[n] ^= i
			G[3] -= 0.5
			L[(n+i)%40] += i64(n) << 33
			n++
		}
		B[i%40] |= u8(1) << (n % 8)
	}`},
	{"extrema in a loop", `
	for i := range X {
		x, n := X[i], 0
		for x < 20 && n < 30 {
			x += 0.25 * f32(1+i%3)
			G[(n*i)%40] = max(G[(n*i)%40], x)
			H[n] = min(H[n], -i)
			n++
		}
	}`},
	{"old values", `
	for i := range X {
		x, n := X[i], 0
		for x < 20 && n < 30 {
			x += 0.25
			n++
		}
		k := atomicAdd(&H[0], 1)
		N[k] = 1
		o := atomicAdd(&H[1+i%30], 0) + atomicAdd(&H[39], 0)
		M[i] = o + n
	}`},
	{"stores at places that are data", `
	for i := range X {
		n := 0
		at := (i * 5) % 517
		for n < 30 && (n+i)%11 != 0 { n++ }
		N[at] = n
		if n > 3 { Y[(at+3)%517] = f32(i) }
		if n%2 == 0 { C[(at+1)%517] = u8(n) }
	}`},
	{"stores in a loop", `
	for i := range N {
		n, v := 0, T[i][7]
		for n < 8 && (n*3+i)%11 != 4 {
			T[i][n] = v + n
			v += 3
			n++
		}
		N[i] = n
	}`},
	{"sums in loops", `
	s, n, low := f32(0), 0, f32(100)
	for i := range X {
		x, k := X[i], 0
		for x < 9 && k < 60 {
			x += 0.5
			if (i+k)%3 == 0 { s += x }
			n += k
			low = min(low, x-f32(k))
			k++
		}
		if k%2 == 0 { s -= 1 }
	}
	X[0], N[0], X[1] = s, n, low`},
	{"loads out of range", `
	for i := range X {
		x, n := X[i], i%50
		for x < 20 && n < 70 {
			x += G[n] + 0.5
			n += 1 + H[(i+n)%40-(i/500)]
		}
		X[i], N[i] = x, n
	}`},
	{"stores and updates out of range", `
	for i := range X {
		n := 0
		for n < 12 && (n+i)%7 != 0 {
			if i%100 == 13 { H[n*5-3] += i }
			if i%97 == 14 { N[i+n*60] = n }
			n++
		}
		G[n*4] += 1
	}`},
	{"an array out of range", `
	for i := range X {
		var a [6]i32
		n := 0
		for n < 7 && (n+i)%11 != 0 {
			a[n] = n + i
			n++
		}
		a[n-2+i%3] += 5
		N[i] = a[3] + a[n&3]
	}`},
	{"bodies without loops", `
	for i := range X {
		k := (i*7 + M[i]) % 40
		x := G[abs(k)]*0.5 + X[M[i]+i%3]
		if k%3 == 0 { x += Y[T[i][7]] }
		N[i] = i32(x) + H[T[T[i][7]][7]%40]
		Y[i] = x
	}`},
	{"loads out of range without loops", `
	for i := range X {
		k := T[i][7] - 3
		x := X[k] + 1
		if i%5 == 4 { x += G[k%50] }
		N[i] = i32(x) + H[T[abs(k)][7]%41]
		Y[i] = x
	}`},
	{"stores out of range without loops", `
	for i := range X {
		k := T[i][7]
		N[i] = H[k%40] + 1
		if i%50 == 13 { M[k+60] = i }
		C[abs(k%519)] = u8(i)
		Y[i] = X[(k*3)%517] + 1
	}`},
	{"updates out of range without loops", `
	for i := range X {
		k := T[i][7]
		G[k%42] += X[i]
		H[N[i]-(k/515)] += k
	}`},
	{"assertions without loops", `
	for i := range X {
		k := T[i][7]
		assert(k != 300 && k != 307, "%d is %d", i, k)
		N[i] = H[k%40] + k
		if i%4 == 2 { assert(X[k] < 11, "%d is too much at %d", i32(X[k]), i) }
		Y[i] = X[M[i]]
	}`},
	{"assertions", `
	for i := range X {
		n := 0
		for n < 12 && (n+i)%7 != 0 {
			assert(i%90 != 7 || n < 3, "%d steps of %d", n, i)
			n++
		}
		N[i] = n
	}`},
}

const packetLaneFields = `package p
var (
	X, Y field[f32]
	N, M field[i32]
	H    field[i32]
	G    field[f32]
	L    field[i64]
	B, C field[u8]
	T    field[i32, D2]
	V    field[vec4]
	Q    field[mat2]
)
func F() {`

// TestPacketsByLane runs them: fields and failures are those of the oracle.
func TestPacketsByLane(t *testing.T) {
	var rts runtest.Runtimes
	defer rts.Close(t)
	variants := []runtest.Variant{
		{Label: "oracle", Arch: ti.Oracle, Threads: 1},
		{Label: "O0", Arch: ti.LLVM, Opt: "0", Threads: 1},
		{Label: "O3", Arch: ti.LLVM, Opt: "3", Force: 4, Threads: 1}, {Label: "O3 on 3 threads", Arch: ti.LLVM, Opt: "3", Force: 4, Threads: 3},
		{Label: "unchecked", Arch: ti.LLVM, Opt: "3", Force: 4, Threads: 1, Unchecked: true},
		{Label: "deterministic", Arch: ti.LLVM, Opt: "3", Force: 4, Threads: 3, Deterministic: true},
		{Label: "debug", Arch: ti.LLVM, Opt: "3", Force: 4, Threads: 1, Debug: true},
		{Label: "without private copies", Arch: ti.LLVM, Opt: "3", Force: 4, Threads: 1, Without: "private,reduce"},
		{Label: "without packets", Arch: ti.LLVM, Opt: "3", Force: 4, Threads: 1, Without: "packets"},
	}
	// With a Force there are packets of loops that would not gain by it.
	for n, c := range packetLanes {
		t.Run(c.name, func(t *testing.T) {
			first, firstFailure := "", ""
			some := variants
			if !runtest.AllVariants() { // packets on one thread or three, and every second of the other ways
				some = append(variants[:1:1], variants[2+n%2])
				for i := n / 2 % 2; i < len(variants); i += 2 {
					if i != 0 && i != 2 && i != 3 {
						some = append(some, variants[i])
					}
				}
			}
			runtest.RunIn(t, &rts, some, func(r *runtest.Run) {
				fails := strings.Contains(c.name, "out of range") || strings.HasPrefix(c.name, "assertions")
				if r.Variant.Unchecked && fails || r.Variant.Debug && c.name == "old values" {
					return // debug mode says that old values depend on the order
				}
				got, failure := runPacketLane(r, packetLaneFields+c.body+"\n}\n", fails)
				if first == "" {
					first, firstFailure = got, failure
				}
				if got != first && !(r.Debug && fails) {
					r.Errorf("it computes\n%s\nand the oracle\n%s", got, first)
				}
				if r.Threads == 1 && r.RT.Device().Arch != ti.Vulkan && failure != firstFailure { // on several, one of the failures is described
					r.Errorf("it fails with %s, and the oracle with %s", failure, firstFailure)
				}
			})
		})
	}
}

// runPacketLane launches the kernel and returns what fields hold, and how it failed.
func runPacketLane(r *runtest.Run, src string, fails bool) (fields, how string) {
	const n = 517
	var h struct {
		X, Y, G ti.Field[float32]
		N, M, H ti.Field[int32]
		T       ti.Field[int32]
		L       ti.Field[int64]
		V       ti.Field[ti.Vec4]
		Q       ti.Field[ti.Mat2]
		B, C    ti.Field[uint8]
		F       func() error
	}
	r.Place(ti.Shape{n}, &h.X, &h.Y)
	r.Place(ti.Shape{n}, &h.N, &h.M, &h.C)
	r.Place(ti.Shape{40}, &h.H)
	r.Place(ti.Shape{40}, &h.G)
	r.Place(ti.Shape{40}, &h.L)
	r.Place(ti.Shape{40}, &h.B)
	r.Place(ti.Shape{n, 8}, &h.T)
	r.Place(ti.Shape{n}, &h.V, &h.Q)
	r.Load(src, &h)
	for i := range n {
		h.X.Set(float32(i%23)*0.5, i)
		h.T.Set(int32(i), i, 7)
	}
	var out strings.Builder
	err := h.F()
	if failure := (*ti.RuntimeError)(nil); errors.As(err, &failure) {
		fmt.Fprintln(&out, failure.Err, failure.Count)
		failure.Count = 1 // in debug mode what is checked twice fails twice
		how = fmt.Sprintln(failure, failure.Index, failure.Loop)
	}
	if (err != nil) != fails {
		r.Fatalf("it fails with %v", err)
	}
	for i := range n {
		fmt.Fprintln(&out, i, h.X.At(i), h.Y.At(i), h.N.At(i), h.M.At(i), h.C.At(i), h.V.At(i), h.Q.At(i))
		for k := range 8 {
			fmt.Fprint(&out, " ", h.T.At(i, k))
		}
	}
	for i := range 40 {
		fmt.Fprintln(&out, i, h.H.At(i), h.G.At(i), h.L.At(i), h.B.At(i))
	}
	return out.String(), how
}

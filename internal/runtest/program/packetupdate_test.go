package program

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

// Kernels whose iterations update an element several times, in loops that they leave at different times: packets take them, and their
// lanes meet in elements.

// updateOps are the updates that threads have copies for, with fields that only they are made of, and whether floats have them.
var updateOps = []struct {
	name  string
	float bool
	text  string // @ stands for the element, and % for an operand
}{
	{"sum", true, "@ += %; @ -= 2; @++"},
	{"difference", true, "@ -= %; @--; @ += 3"},
	{"least", true, "@ = min(@, %); @ = min(@, 7 - %)"},
	{"largest", true, "@ = max(@, %); @ = max(@, 5 - %); @ = max(2, @)"},
	{"union", false, "@ |= %; @ |= 8"},
	{"intersection", false, "@ &= 127 - %; @ &= 126"},
	{"parity", false, "@ ^= %; @ ^= 5; @ ^= %"},
}

// updateOfType returns a kernel that makes all updates of a type, two of them and more at a place, and one of them under a condition.
func updateOfType(typ string, float bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package p\nvar N field[i32]\nvar S0, S1, S2, S3, S4, S5, S6 field[%s]\nfunc F() {\n\tfor i, j := range ndrange(3, len(N)) {\n", typ)
	b.WriteString("\t\tw := 0\n\t\tfor w < N[j] && w < 5 { w++ }\n\t\tk := (j*3 + w) & 7\n")
	for n, op := range updateOps {
		if !op.float && float {
			continue
		}
		place, by := fmt.Sprintf("S%d[k]", n), fmt.Sprintf("%s(w+i)", typ)
		text := strings.NewReplacer("@", place, "%", by).Replace(op.text)
		last := text[strings.LastIndex(text, ";")+1:]
		fmt.Fprintf(&b, "\t\t%s\n\t\tif N[j] > 2 { %s }\n", text, last)
	}
	b.WriteString("\t}\n}\n")
	return b.String()
}

// updateBodies are bodies of an iteration. K is an element's index and w the number of turns that a loop took.
var updateBodies = []struct{ name, body string }{
	{"one after the other", `
		A[k] += 1
		A[k] += w
		G[k] += x
		G[k] -= 1
		G[k] += x
		B[(k+1)&7] += 1
		B[k] += w
		B[(k+1)&7] -= 3
		U[3] += w
		U[3] += 1`},
	{"behind loads, conditions and loops", `
		A[k] += 1
		s := X[(j*7)%61]
		A[k] += i32(s)
		if s > 3 {
			A[k] -= w
			G[k] += s
		} else {
			G[k] -= 1
			if w > 2 { G[k] += 5 }
		}
		G[k] += x
		B[k] += 1
		for c := range 3 {
			B[k] += c
			B[(k+c)&7] += 1
		}
		for c := 0; c < w; c++ {
			B[k] -= 1
			U[k] += c
			U[k] ++
		}
		U[k] += 2`},
	{"in functions and by reference", `
		twice(&A[k], w)
		twice(&A[k], 2)
		if some(w) > 2 { twice(&B[k], some(w)) }
		B[k] += some(w)
		half(&G[k], x)
		half(&V[k].y, x)
		half(&V[k].y, 1)`},
	{"components and members", `
		V[k] += vec3(1, x, 2)
		V[k].x += x
		V[k].z -= 1
		V[k].z += x
		V[k] += vec3(x)
		P[k].a += x
		P[k].b += 1
		P[k].b -= x
		P[k].a -= 2
		P[k].v += vec2(1, x)
		P[k].v.x += 1
		Q[k].a += 1
		Q[k].b += w
		Q[k].a += w
		Q[k].a -= 2`},
	{"at places that are loaded", `
		m := i32(L[mod(j*5, 61)])
		A[m] += 1
		s := X[(j+w)%61]
		A[m] += i32(s)
		G[m] += s
		if s > 2 { G[m] += 1 }
		G[L[j]] += 1
		var a [8]i32
		a[m] += w
		a[k] += 1
		U[a[k]&7] += a[m]
		U[a[k]&7] += 1`},
	{"within the loop", `
		n := 0
		for n < N[j] {
			A[k] += 1
			A[k] += n
			if n&1 == 1 { A[(k+n)&7] -= 1 }
			G[n&7] = max(G[n&7], x)
			G[n&7] = max(G[n&7], f32(n))
			n++
		}
		B[n&7] += 1
		B[n&7] += 1`},
	{"of the iteration's own", `
		O[i][j] += w
		O[i][j] = O[i][j]*2 + 1
		R[j] += w
		R[j+1] += 1
		R[j] += 2
		R[2*(j/2)] += 1
		R[2*(j/2)] -= w`},
}

const updateBodyFields = `package p
type pair struct {
	a, b f32
	v    vec2
}
type small struct{ a, b i32 }
var N, A, B, U, R field[i32]
var X, G          field[f32]
var L             field[u16]
var V             field[vec3]
var P             field[pair]
var Q             field[small]
var O             field[i32, D2]
func twice(p *i32, v i32) { *p += v; *p -= 1 }
func half(p *f32, v f32) {
	*p += v
	if v > 3 { *p += 2 }
}
func some(v i32) i32 {
	if v > 3 { return v - 1 }
	return v
}
`

var updateVariants = []runtest.Variant{
	{Label: "oracle", Arch: ti.Oracle, Threads: 1},
	{Label: "packets", Arch: ti.LLVM, Opt: "3", Force: 4, Threads: 1},
	{Label: "packets on 3 threads", Arch: ti.LLVM, Opt: "3", Force: 4, Threads: 3, Unchecked: true, Deterministic: true},
	{Label: "without packets", Arch: ti.LLVM, Opt: "3", Threads: 3, Without: "packets"},
}

// runUpdates runs a kernel in all variants. Fields hold what the oracle says, and loops are run in packets where they may be.
func runUpdates(t *testing.T, rts *runtest.Runtimes, src string, run func(r *runtest.Run) (p *ti.Program, fields string)) {
	want := ""
	runtest.RunIn(t, rts, updateVariants, func(r *runtest.Run) {
		p, got := run(r)
		if r.Arch == ti.Oracle {
			want = got
		} else if got != want {
			r.Errorf("it computes\n%s\nand the oracle\n%s\n%s", got, want, src)
		}
		if r.Force == 0 || r.Deterministic { // which has an order for atomics of words
			return
		}
		var explained strings.Builder
		if err := p.Kernel("F").Explain(&explained); err != nil {
			r.Fatal(err)
		}
		if s := explained.String(); !strings.Contains(remarksUnder(s, "for i, j := range"), "runs in packets") {
			r.Errorf("it is not run in packets:\n%s", s)
		}
	})
}

// remarksUnder returns the remarks on the first line of an explained source that contains a text: those on loops inside, in the iterations that
// fill no packet, are others.
func remarksUnder(explained, text string) string {
	_, after, _ := strings.Cut(explained, text)
	_, after, _ = strings.Cut(after, "\n")
	var remarks strings.Builder
	for line := range strings.Lines(after) {
		if !strings.HasPrefix(strings.TrimSpace(line), "|") {
			break
		}
		remarks.WriteString(line)
	}
	return remarks.String()
}

// TestUpdatesInPackets makes updates of all forms.
func TestUpdatesInPackets(t *testing.T) {
	var rts runtest.Runtimes
	defer rts.Close(t)
	for _, c := range updateBodies {
		src := updateBodyFields + "func F() {\n\tfor i, j := range ndrange(3, len(N)) {\n\t\tw, x := 0, X[j]\n\t\tfor w < N[j] && w < 5 { w++ }\n\t\tk := (j + w) & 7\n\t\t_, _, _ = i, k, x" + c.body + "\n\t}\n}\n"
		t.Run(c.name, func(t *testing.T) {
			runUpdates(t, &rts, src, func(r *runtest.Run) (*ti.Program, string) { return runUpdateBody(r, src) })
		})
	}
}

type updatePair struct {
	A float32 `ti:"a"`
	B float32 `ti:"b"`
	V ti.Vec2 `ti:"v"`
}

type updateSmall struct {
	A int32 `ti:"a"`
	B int32 `ti:"b"`
}

func runUpdateBody(r *runtest.Run, src string) (*ti.Program, string) {
	const n = 61
	var h struct {
		N, A, B, U, R, O ti.Field[int32]
		X, G             ti.Field[float32]
		L                ti.Field[uint16]
		V                ti.Field[ti.Vec3]
		P                ti.Field[updatePair]
		Q                ti.Field[updateSmall]
		F                func() error
	}
	r.Place(ti.Shape{n}, &h.N, &h.X, &h.L)
	r.Place(ti.Shape{8}, &h.A, &h.B, &h.U, &h.G, &h.V, &h.P)
	r.Place(ti.Shape{n + 1}, &h.R)
	r.Place(ti.Shape{3, n}, &h.O)
	word := r.RT.NewTree()
	r.Trees = append(r.Trees, word)
	word.Dense(ti.I, 8).BitStruct(32).Place(&h.Q, ti.QuantInt(20).Wrap(), ti.QuantInt(12).Wrap())
	p := r.Load(src, &h)
	for i := range n {
		h.N.Set(int32(i*5%9), i)
		h.X.Set(float32(i%7), i)
		h.L.Set(uint16(i*3%8), i)
	}
	runtest.OK(r, h.F())
	var out strings.Builder
	for i := range 8 {
		fmt.Fprintln(&out, i, h.A.At(i), h.B.At(i), h.U.At(i), h.G.At(i), h.V.At(i), h.P.At(i), h.Q.At(i))
	}
	for i := range n {
		fmt.Fprintln(&out, i, h.R.At(i), h.O.At(0, i), h.O.At(2, i))
	}
	return p, out.String()
}

// TestUpdatesOfTypes makes updates of all kinds, of numbers of all types.
func TestUpdatesOfTypes(t *testing.T) {
	var rts runtest.Runtimes
	defer rts.Close(t)
	for _, c := range []struct {
		name  string
		float bool
		run   func(r *runtest.Run, src string) (*ti.Program, string)
	}{
		{"i32", false, runUpdateType[int32]}, {"f32", true, runUpdateType[float32]}, {"i8", false, runUpdateType[int8]}, {"u8", false, runUpdateType[uint8]},
		{"i16", false, runUpdateType[int16]}, {"u16", false, runUpdateType[uint16]}, {"u32", false, runUpdateType[uint32]}, {"i64", false, runUpdateType[int64]},
		{"u64", false, runUpdateType[uint64]}, {"f16", true, runUpdateType[ti.Float16]}, {"f64", true, runUpdateType[float64]},
	} {
		if c.name != "i32" && c.name != "f32" && !randtest.Share("updates of "+c.name) {
			continue
		}
		src := updateOfType(c.name, c.float)
		t.Run(c.name, func(t *testing.T) {
			runUpdates(t, &rts, src, func(r *runtest.Run) (*ti.Program, string) { return c.run(r, src) })
		})
	}
}

func runUpdateType[N any](r *runtest.Run, src string) (*ti.Program, string) {
	const n = 61
	var h struct {
		N                          ti.Field[int32]
		S0, S1, S2, S3, S4, S5, S6 ti.Field[N]
		F                          func() error
	}
	fields := []*ti.Field[N]{&h.S0, &h.S1, &h.S2, &h.S3, &h.S4, &h.S5, &h.S6}
	r.Place(ti.Shape{n}, &h.N)
	for _, f := range fields {
		r.Place(ti.Shape{8}, f)
	}
	p := r.Load(src, &h)
	for i := range n {
		h.N.Set(int32(i*5%9), i)
	}
	runtest.OK(r, h.F())
	var out strings.Builder
	for n, f := range fields {
		for i := range 8 {
			fmt.Fprintln(&out, n, i, f.At(i))
		}
	}
	return p, out.String()
}
